/**
 * Bounds of buckets that a histogram has instead of powers: inclusive upper ones, ascending,
 * finite. Bucket i of n bounds holds what is above bound i - 1 and not above bound i; bucket 0 all
 * up to the first, bucket n all above the last. The same as OTLP's explicit bounds; pure.
 *
 *   bounds 1, 5, 10:   0          1        2         3
 *                  (-Inf, 1]   (1, 5]   (5, 10]   (10, Inf)
 */
import type { Exact } from '../exact.ts'
import { BucketRun } from './bucket-run.ts'
import { bucketIndex, lowerBound, upperBound } from './buckets.ts'

export type Bounds = readonly number[]

/** Finds the bucket of a value: the first whose bound is not below it. */
export function boundedIndex(bounds: Bounds, value: Exact): number {
  let low = 0
  let high = bounds.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (bounds[middle]! < value) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Computes the value at a fraction of a bucket, on a straight line; above the last bound, that.
 */
export function boundedValue(bounds: Bounds, index: number, fraction: number): number {
  const upper = bounds[index]
  if (upper === undefined) return bounds.at(-1) ?? 0
  // what is up to the first bound has no other end, but most likely is not below zero
  const lower = index === 0 ? Math.min(0, upper) : bounds[index - 1]!
  return lower + (upper - lower) * fraction
}

/** Layout of a histogram's buckets, exponential ones where there are no bounds. */
interface BucketLayout {
  readonly bounds: Bounds | undefined
  readonly scale: number
  readonly zeroThreshold: number
  readonly overflowFrom: number
}

/** Tells whether a histogram has these bounds, and no others. */
export function hasBounds({ bounds }: Pick<BucketLayout, 'bounds'>, wanted: Bounds): boolean {
  if (bounds === undefined || bounds === wanted) return bounds === wanted
  return areSameBounds(bounds, wanted, wanted.length)
}

/** Compares bounds with the first `count` of others. */
export function areSameBounds(bounds: Bounds, others: ArrayLike<number>, count: number): boolean {
  if (bounds.length !== count) return false
  for (let i = 0; i < count; i++) if (bounds[i] !== others[i]) return false
  return true
}

/** Lists the bounds that two histograms have in common, of which one at least has its own. */
export function commonBounds(a: BucketLayout, b: BucketLayout): Bounds {
  const [own, other] = a.bounds === undefined ? [b, a] : [a, b]
  const bounds = own.bounds ?? []
  return hasBounds(other, bounds) ? bounds : bounds.filter((bound) => isBoundOf(other, bound))
}

/** Tells whether no bucket that a histogram can have lies on both sides of a bound. */
function isBoundOf(layout: BucketLayout, bound: number): boolean {
  const { bounds, scale, zeroThreshold, overflowFrom } = layout
  if (bounds !== undefined) return bounds[boundedIndex(bounds, bound)] === bound
  if (bound <= zeroThreshold) return bound === zeroThreshold
  return bound <= overflowFrom && upperBound(bucketIndex(bound, scale), scale) === bound
}

/** Counts of a histogram, in exponential buckets where there are no bounds. */
interface BucketCounts extends BucketLayout {
  readonly positive: BucketRun
  readonly negative: BucketRun
  readonly zeroCount: bigint
  readonly overflow: bigint
}

/** Counts between other bounds, each of which the histogram has, what is in its buckets. */
export function regrouped(histogram: BucketCounts, bounds: Bounds): BucketRun {
  const { positive, negative, scale, bounds: own } = histogram
  const run = new BucketRun()
  const add = (upper: number, count: bigint): void => {
    run.add(boundedIndex(bounds, upper), count)
  }
  positive.forEach((index, count) => {
    add(own === undefined ? upperBound(index, scale) : (own[index] ?? Infinity), count)
  })
  negative.forEach((index, count) => {
    add(-lowerBound(index, scale), count)
  })
  add(histogram.zeroThreshold, histogram.zeroCount)
  add(Infinity, histogram.overflow)
  return run
}
