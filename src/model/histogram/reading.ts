/** Histograms made of readings: of counts in bins, and of what was gained between two readings. */

import { exact, subtractExact } from '../exact.ts'
import type { BucketRun } from './bucket-run.ts'
import { hasBounds } from './explicit-bounds.ts'
import { Histogram } from './histogram.ts'

/**
 * Computes `later` minus `earlier`, which must be an earlier reading of the same histogram: its
 * scale may have been finer, its zero threshold smaller. Min and max of the gain can't be read off
 * totals: they are left unknown (NaN). Both readings stay as they are.
 * @param gain a histogram to fill and answer instead of a new one, which costs less
 *
 * @example
 * import { Histogram, histogramGain } from 'pentameter/model'
 *
 * const times = new Histogram()
 * times.record(10)
 * const before = times.clone()
 * times.record(30)
 * console.log(histogramGain(times, before).sum) // 30
 */
export function histogramGain(
  later: Histogram,
  earlier: Histogram,
  gain: Histogram = new Histogram(),
): Histogram {
  let after = later
  let before = earlier.scale > later.scale ? earlier.atScale(later.scale) : earlier
  if (later.bounds !== undefined && !hasBounds(earlier, later.bounds)) {
    before = earlier.clone()
    before.regroupTo(later.bounds)
  }
  if (before.zeroThreshold !== after.zeroThreshold) {
    // What the later reading counts as zero stands in buckets of the earlier one.
    after = after.clone()
    before = before.clone()
    after.levelZero(before)
  }
  gain.scale = after.scale
  gain.bounds = after.bounds
  gain.zeroThreshold = after.zeroThreshold
  gain.count = after.count - before.count
  gain.zeroCount = after.zeroCount - before.zeroCount
  gain.overflow = after.overflow - before.overflow
  gain.overflowFrom = after.overflowFrom
  gain.sum =
    after.sum === undefined || before.sum === undefined
      ? undefined
      : subtractExact(after.sum, before.sum)
  gain.min = Number.NaN
  gain.max = Number.NaN
  subtractRun(gain.positive, after.positive, before.positive)
  subtractRun(gain.negative, after.negative, before.negative)
  return gain
}

/** Buckets of `before` that `after` has no room for are empty. */
function subtractRun(gain: BucketRun, after: BucketRun, before: BucketRun): void {
  const length = after.counts.length
  if (gain.counts.length < length) gain.counts = new BigUint64Array(length)
  else if (gain.counts.length > length) gain.counts.fill(0n, length) // of the gain before
  gain.offset = after.offset
  const { counts } = gain
  const now = after.counts
  for (let i = 0; i < length; i++) counts[i] = now[i]!
  const held = before.counts
  const shift = before.offset - after.offset
  const end = Math.min(held.length, length - shift)
  for (let i = Math.max(0, -shift); i < end; i++) counts[i + shift]! -= held[i]!
}

/** Place of the count above the last bin. */
const OVERFLOW_BIN = 32
/** Largest value that a bin holds is below it: 2^31. */
const OVERFLOW_FROM = 2_147_483_648

/** Counts of 33 bins by powers of two, and the sum of what was observed, as a zone has them. */
export interface Bins {
  /** Counts of observations up to 1, (1, 2], (2, 4], … up to 2^31; then all above. */
  readonly counts: BigUint64Array
  /** Modulo 2^64; a double where fractions were observed. */
  readonly sum: bigint | number
}

/**
 * Makes the histogram of bins; extremes are not known, the overflow is in its own field.
 *
 * @example
 * import { binsHistogram } from 'pentameter/model'
 *
 * const counts = new BigUint64Array(33)
 * counts[3] = 2n // two observations in (4, 8]
 * console.log(binsHistogram({ counts, sum: 13n }).mean()) // 6.5
 */
export function binsHistogram({ counts: bins, sum }: Bins): Histogram {
  const histogram = new Histogram(0)
  histogram.zeroThreshold = 1
  histogram.zeroCount = bins[0]!
  histogram.count = bins[0]!
  const low = bins.findIndex((count, bin) => bin > 0 && bin < OVERFLOW_BIN && count > 0n)
  for (let bin = low; bin > 0 && bin < OVERFLOW_BIN; bin++) {
    histogram.addBucket(bin - 1, bins[bin]!)
  }
  histogram.overflow = bins[OVERFLOW_BIN]!
  histogram.overflowFrom = OVERFLOW_FROM
  histogram.count += bins[OVERFLOW_BIN]!
  histogram.sum = exact(sum)
  return histogram
}

/** Counts between bounds, and the sum of what was observed, as a zone has them. */
export interface BoundedBins extends Bins {
  /** Inclusive upper bounds, ascending; there is one count more, of all that is greater. */
  readonly bounds: readonly number[]
}

/**
 * Makes the histogram of counts between bounds; extremes are not known.
 *
 * @example
 * import { boundedHistogram } from 'pentameter/model'
 *
 * const counts = BigUint64Array.of(0n, 2n, 1n)
 * const sizes = boundedHistogram({ bounds: [10, 100], counts, sum: 250n })
 * console.log(sizes.count, sizes.quantile(0.5)) // 3n 77.5
 */
export function boundedHistogram({ bounds, counts, sum }: BoundedBins): Histogram {
  const histogram = new Histogram(0)
  histogram.bounds = bounds
  histogram.positive.counts = counts.slice()
  histogram.count = histogram.positive.total()
  histogram.sum = exact(sum)
  return histogram
}
