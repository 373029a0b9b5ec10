/** What a slot's handle asks of the writer it belongs to; only ever off the fast path. */
import type { ZoneMemory } from '../memory.ts'

export interface SlotOwner {
  readonly memory: ZoneMemory
  /** False of the owner of handles that were released: they refuse everything. */
  readonly isAttached: boolean
  /** Total of a counter over all segments; may pass 2^64 - 1 when it was filled by several. */
  counterTotal(metric: number): bigint
}
