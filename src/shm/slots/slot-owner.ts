/** What a slot's handle asks of the writer it belongs to; only ever off the fast path. */
import type { Page, ZoneMemory } from '../memory/memory.ts'

/**
 * Effect of setting a settable counter: `reset` where it was set lower, `capped` where the total
 * has no room for what came to it.
 */
export type TotalChange = 'set' | 'reset' | 'capped'

/** Settable counters, as far as all threads know them (segments/settable.ts). */
export interface SettableTotals {
  /** Ints that hold the metric's flags, DESCRIPTOR_GUARDED among them, at {@link flagsAt}. */
  flags(metric: number): Int32Array
  flagsAt(metric: number): number
  setTotal(metric: number, value: bigint, grow: (by: bigint) => void): TotalChange | undefined
}

export interface SlotOwner {
  readonly memory: ZoneMemory
  /** False of the owner of handles that were released: they refuse everything. */
  readonly isAttached: boolean
  /**
   * Reads the total of a counter over all segments; may pass 2^64 - 1 when it was filled by
   * several.
   */
  counterTotal(metric: number): bigint
  /** True while values are in two zones, since one replaces the other. */
  readonly isReplacing: boolean
  /** Sets a shared gauge that may have values in two zones; false when the lock stays held. */
  setShared(metric: number, value: bigint): boolean
  /** Reads the value of a shared gauge. */
  sharedValue(metric: number): bigint
  /** Tells whether a counter wraps. */
  isWrapping(metric: number): boolean
  readonly settables: SettableTotals
  /**
   * Has every thread look at a settable counter's total before it adds; false when the lock stays
   * held.
   */
  guard(metric: number): boolean
  /** Bounds of a binned histogram. */
  bounds(metric: number): Bounds
}

/** The bounds of a binned histogram, all but the last: `count` ints of a page from `at` on. */
export interface Bounds {
  readonly page: Page
  readonly at: number
  readonly count: number
}
