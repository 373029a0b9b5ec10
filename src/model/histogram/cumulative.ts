/** Histograms that come as readings since a start: what is new in one since the one before. */
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
  return sumOf(gain.positive.counts) + sumOf(gain.negative.counts) + gain.zeroCount === gain.count
}

/** Makes an empty histogram of the same buckets. */
export function emptyLike(histogram: Histogram): Histogram {
  const empty = new Histogram(histogram.scale)
  empty.bounds = histogram.bounds
  empty.zeroThreshold = histogram.zeroThreshold
  return empty
}

function haveSameBounds({ bounds: a }: Histogram, { bounds: b }: Histogram): boolean {
  if (a === undefined || b === undefined) return a === b
  return a.length === b.length && a.every((bound, i) => bound === b[i])
}

function sumOf(counts: BigUint64Array): bigint {
  let sum = 0n
  for (const count of counts) sum += count
  return sum
}
