/** How a host call ends a filter instance. */

/**
 * Thrown through the filter's code. A filter that catches exceptions cannot save itself: its
 * instance remembers the trap.
 */
export class FilterTrap extends Error {
  override name = 'FilterTrap'
}
