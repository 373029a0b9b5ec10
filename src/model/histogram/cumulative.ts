/** Histograms that come as readings since a start: what is new in one since the one before. */
import { hasBounds } from './explicit-bounds.ts'
import { Histogram } from './histogram.ts'
import { histogramGain } from './reading.ts'

/**
 * Fills `gain` with what a reading has more than an earlier one. The later one takes the coarser
 * scale of both.
 * @returns false where it has less anywhere: it is a new histogram, and `gain` means nothing
 */
export function takeGain(later: Histogram, earlier: Histogram, gain: Histogram): boolean {
  if (later.count < earlier.count) return false
  if (!haveSameBounds(later, earlier)) return false
  if (later.scale > earlier.scale) later.downscaleTo(earlier.scale)
  histogramGain(later, earlier, gain)
  return gain.positive.total() + gain.negative.total() + gain.zeroCount === gain.count
}

/** Makes an empty histogram of the same buckets. */
export function emptyLike(histogram: Histogram): Histogram {
  const empty = new Histogram(histogram.scale)
  empty.bounds = histogram.bounds
  empty.zeroThreshold = histogram.zeroThreshold
  return empty
}

function haveSameBounds(a: Histogram, { bounds }: Histogram): boolean {
  return bounds === undefined ? a.bounds === undefined : hasBounds(a, bounds)
}
