/** What a slot's handle asks of the writer it belongs to; only ever off the fast path. */
import type { Page, ZoneMemory } from '../memory/memory.ts'

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
  /** Bounds of a binned histogram. */
  bounds(metric: number): Bounds
}

/** The bounds of a binned histogram, all but the last: `count` ints of a page from `at` on. */
export interface Bounds {
  readonly page: Page
  readonly at: number
  readonly count: number
}
