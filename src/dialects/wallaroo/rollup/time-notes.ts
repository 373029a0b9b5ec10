/** What a window's times are noted for when it arrives (§6.1), and whether it can be charted. */
import { noteBit } from '../spec.ts'

/** Distance that an end may lie ahead: a period, and clocks that differ a little. */
const AHEAD_NS = 5_000_000_000n

const PERIOD_TOO_LONG = noteBit('period_too_long')
export const LATE_WINDOW = noteBit('late_window')
const END_IN_FUTURE = noteBit('end_in_future')

/** @returns mask of notes */
export function timeNotes(
  endNs: bigint,
  periodNs: bigint,
  arrivalNs: bigint,
  retentionNs: bigint,
): number {
  let notes = 0
  if (periodNs > retentionNs) notes |= PERIOD_TOO_LONG
  if (arrivalNs - endNs > retentionNs) notes |= LATE_WINDOW
  if (endNs > arrivalNs + periodNs + AHEAD_NS) notes |= END_IN_FUTURE
  return notes
}
