/**
 * Distributions as exports say them, whatever the format; pure.
 *
 * The buckets of a classic histogram are at scale 0, cumulative, each under its upper bound:
 *   negative i: v in [-2^(i+1), -2^i)   le = -(floor(2^i) + 1)   exact for integers
 *   zero:       |v| <= threshold        le = threshold
 *   positive i: v in (2^i, 2^(i+1)]     le = 2^(i+1)
 *   overflow:   v >= 2^31, no more known, in +Inf alone: 2^31 itself is not under its own bound
 *
 * One with bounds of its own has all of these, whether anything was observed below them or not.
 */
import {
  type Bounds,
  bucketIndex,
  canonicalMean,
  type Exact,
  type Histogram,
  lowerBound,
  upperBound,
} from '../model/index.ts'

/** Bin 64 of a window, (2^63, 2^64] ns: clocks that disagreed, counted under +Inf alone. */
const SKEW_INDEX = 63

/** A bound with all observations up to it; bounds rise, though some may be alike once scaled. */
type OnBound = (bound: Exact, seen: bigint) => void

/**
 * Calls back for every bound to be shown, `+Inf` not among them.
 * @param isWindowed each filled bucket shows its lower bound too, so that it stands between two
 *   whatever other buckets are filled
 * @returns all observations: what is under `+Inf`
 */
export function forEachBound(histogram: Histogram, isWindowed: boolean, visit: OnBound): bigint {
  if (histogram.bounds !== undefined) return forEachOwnBound(histogram, histogram.bounds, visit)
  const coarse = histogram.atScale(Math.min(0, histogram.scale))
  let seen = 0n
  let last: Exact = Number.NEGATIVE_INFINITY
  const add = (bound: Exact, count: bigint): void => {
    seen += count
    // A peer's zero threshold may reach over its own buckets: bounds rise all the same.
    if (bound === Number.POSITIVE_INFINITY || bound < last) return
    last = bound
    visit(bound, seen)
  }
  const { negative, positive, scale } = coarse
  for (let i = negative.counts.length - 1; i >= 0; i--) {
    const count = negative.counts[i]!
    if (count !== 0n) add(negativeBound(negative.offset + i, scale), count)
  }
  if (coarse.zeroCount !== 0n) add(coarse.zeroThreshold, coarse.zeroCount)
  positive.forEach((index, count) => {
    if (isWindowed) add(lowerBound(index, scale), 0n)
    const isBounded = !isWindowed || index < SKEW_INDEX
    add(isBounded ? upperBound(index, scale) : Number.POSITIVE_INFINITY, count)
  })
  return seen + coarse.overflow
}

function forEachOwnBound({ positive, count }: Histogram, bounds: Bounds, visit: OnBound): bigint {
  let seen = 0n
  bounds.forEach((bound, i) => {
    seen += positive.counts[i - positive.offset] ?? 0n
    visit(bound, seen)
  })
  return count
}

/**
 * Computes the bound of a negative bucket. Below index -1 only fractions live: their bound is the
 * bucket's own end, but never -0.
 */
function negativeBound(index: number, scale: number): Exact {
  const lower = lowerBound(index, scale)
  if (lower < 0.5) return -Math.max(lower, Number.MIN_VALUE)
  const whole = Math.floor(lower)
  return Number.isSafeInteger(whole) ? -(whole + 1) : -(BigInt(whole) + 1n)
}

/** Tells whether there may be observations below zero, which no sum of a counter has. */
export function hasNegative({ bounds, negative, positive }: Histogram): boolean {
  if (bounds !== undefined) return (bounds[0] ?? 0) < 0 && positive.counts.length > 0
  return !negative.isEmpty && negative.span() !== undefined
}

/** Gives the exact sum; estimated from the buckets where the sender does not know it. */
export function exportedSum(histogram: Histogram): Exact {
  if (histogram.count === 0n) return 0
  return histogram.sum ?? canonicalMean(histogram) * Number(histogram.count)
}

/**
 * Puts the overflow in the bucket above the bins, for formats that have nothing but buckets: exact
 * as long as nothing overflowed.
 */
export function withoutOverflow(histogram: Histogram): Histogram {
  const { overflow, overflowFrom } = histogram
  if (overflow === 0n) return histogram
  const folded = histogram.clone()
  folded.overflow = 0n
  folded.positive.add(bucketIndex(overflowFrom, folded.scale) + 1, overflow)
  return folded
}
