/** The budget of definitions: what a metric is charged, in words of 8 bytes. */
import { DESCRIPTOR_INTS, INDEX_ENTRY_INTS } from '../layout.ts'

/** Descriptor, and two index entries: the index is three eighths to three quarters full. */
const METRIC_BYTES = 4 * (DESCRIPTOR_INTS + 2 * INDEX_ENTRY_INTS)

/**
 * Descriptor, index, key, and the slots of the base and of every worker that segments are prepared
 * for, whether it writes the metric or not.
 */
export function definitionWords(keyBytes: number, slotWords: number, workers: number): number {
  return Math.ceil((METRIC_BYTES + keyBytes) / 8) + slotWords * (1 + workers)
}
