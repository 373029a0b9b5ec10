/**
 * Budget of work in a turn of the event loop, as those see it who spend it: between two parts of
 * their work they ask whether the rest has to wait (docs/decisions/0015-slices.md).
 */
export interface Budget {
  /** Whether the next part is one of a later turn. It costs a look at the clock. */
  readonly isSpent: boolean
}
