/**
 * Classic histograms back in the model: cumulative counts under upper bounds, which
 * exposition/distribution.ts makes of powers of two, or the bounds of a series' own. Buckets come
 * back at scale 0: those of a finer scale were added up when they were written.
 */
import { type BucketRun, Histogram } from '../../model/index.ts'

/** Bound from which on observations of a histogram of bins are in no bucket. */
const BINS_END = 2 ** 31

/**
 * Makes the histogram of what was counted.
 * @param seen observations up to each bound; Infinity has all
 * @param own bounds of the series, where they are not powers
 */
export function histogramOfBounds(
  seen: ReadonlyMap<number, number>,
  sum: number | undefined,
  own?: readonly number[],
): Histogram {
  const histogram = new Histogram(0)
  if (own !== undefined) histogram.bounds = own
  let below = 0
  let last = Number.NEGATIVE_INFINITY
  for (const [bound, upTo] of [...seen].sort(([a], [b]) => a - b)) {
    const count = BigInt(Math.max(0, Math.round(upTo - below)))
    below = Math.max(below, upTo)
    if (count > 0n) addBelow(histogram, bound, last, count)
    last = bound
  }
  histogram.sum = sum
  return histogram
}

/** Adds what was counted in (last, bound]. */
function addBelow(histogram: Histogram, bound: number, last: number, count: bigint): void {
  const { bounds } = histogram
  if (bounds !== undefined) {
    const place = bound === Number.POSITIVE_INFINITY ? bounds.length : bounds.indexOf(bound)
    if (place >= 0) histogram.addBucket(place, count)
    return
  }
  if (bound === Number.POSITIVE_INFINITY) {
    histogram.overflow += count
    histogram.overflowFrom = Math.max(BINS_END, last)
    histogram.count += count
    return
  }
  const isNegative = bound < 0
  const index = isNegative ? negativeIndex(-bound) : Math.log2(bound) - 1
  if (Number.isInteger(index)) {
    histogram.addBucket(index >> (0 - histogram.scale), count, isNegative)
    return
  }
  // no power: the width of what counts as zero
  histogram.zeroThreshold = Math.max(histogram.zeroThreshold, Math.abs(bound))
  histogram.zeroCount += count
  histogram.count += count
}

/** Finds the index i of a bucket below zero, whose bound was 2^i + 1, or 2^i below a half. */
function negativeIndex(size: number): number {
  return Math.log2(size < 0.5 ? size : Math.max(size - 1, 0.5))
}

/** Computes what a histogram that only grows has more than it had. */
export function grownBy(total: Histogram, before: Histogram): Histogram {
  const scale = Math.min(total.scale, before.scale)
  const [now, then] = [total.atScale(scale), before.atScale(scale)]
  const grown = new Histogram(scale)
  if (now.bounds !== undefined) grown.bounds = now.bounds
  for (const side of ['positive', 'negative'] as const) {
    now[side].forEach((index, count) => {
      const more = count - countAt(then[side], index)
      grown.addBucket(index >> (scale - grown.scale), more, side === 'negative')
    })
  }
  grown.zeroThreshold = now.zeroThreshold
  grown.zeroCount = positive(now.zeroCount - then.zeroCount)
  grown.overflow = positive(now.overflow - then.overflow)
  grown.overflowFrom = now.overflowFrom
  grown.count += grown.zeroCount + grown.overflow
  const isKnown = now.sum !== undefined && then.sum !== undefined
  grown.sum = isKnown ? Number(now.sum) - Number(then.sum) : undefined
  return grown
}

function countAt(run: BucketRun, index: number): bigint {
  return run.counts[index - run.offset] ?? 0n
}

function positive(count: bigint): bigint {
  return count > 0n ? count : 0n
}
