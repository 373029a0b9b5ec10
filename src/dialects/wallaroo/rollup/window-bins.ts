/** What roll-ups read of a window: of one that has just come, or of one that is kept. */
import type { Exact } from '../../../model/index.ts'

export interface WindowBins {
  /** Indices of the bins that are not 0, ascending; `filledCount` of them are valid. */
  readonly filled: Uint8Array
  readonly filledCount: number
  /** Halves of the counts, by bin; valid for the filled ones only. */
  readonly high: Uint32Array
  readonly low: Uint32Array
  /** Whether a count is 2^32 or more: if not, all upper halves are 0. */
  readonly isWide: boolean
  readonly isMinKnown: boolean
  readonly isMaxKnown: boolean
  /** Halves of the extremes; valid where they are known. */
  readonly minHigh: number
  readonly minLow: number
  readonly maxHigh: number
  readonly maxLow: number
  /** NaN where it is not known. */
  min(): Exact
  max(): Exact
}
