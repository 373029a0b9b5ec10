/** Percentiles of merged seconds, from the buckets that the page keeps (scale 2 at most: ±19 %). */
import type { SeriesData } from './series-data.ts'

/** A distribution over buckets: bucket i is (2^((offset+i)/2^scale), 2^((offset+i+1)/2^scale)]. */
export interface Merged {
  readonly scale: number
  readonly offset: number
  readonly counts: Float64Array
  readonly zero: number
  /** Observations below zero: their buckets are not kept, only how many they are. */
  readonly negative: number
  /** Observations of `overflowFrom` or more: no more is known of them. */
  readonly overflow: number
  readonly overflowFrom: number
  /** All observations, those in no bucket included. */
  readonly count: number
  /** NaN where a second did not tell it; the smallest and the largest observation are exact. */
  readonly sum: number
  readonly min: number
  readonly max: number
}

/** The seconds (from, to] of a histogram as one. */
export function mergeSeconds(data: SeriesData, from: number, to: number): Merged {
  const { scale = 0, offset = 0, width = 0 } = data.buckets ?? {}
  const counts = new Float64Array(width)
  data.addBuckets(counts, from, to)
  let zero = 0
  let negative = 0
  let overflow = 0
  let sum = 0
  let min = Number.POSITIVE_INFINITY
  let max = Number.NEGATIVE_INFINITY
  for (let second = from + 1; second <= to; second += 1) {
    if (!(data.at('count', second) > 0)) continue
    zero += data.at('zero', second) || 0
    negative += data.at('negative', second) || 0
    overflow += data.at('overflow', second) || 0
    sum += data.at('sum', second)
    min = Math.min(min, data.at('min', second))
    max = Math.max(max, data.at('max', second))
  }
  const count = counts.reduce((total, each) => total + each, zero + negative + overflow)
  if (count === 0) min = max = Number.NaN
  const { overflowFrom } = data
  const outside = { zero, negative, overflow, overflowFrom }
  return { scale, offset, counts, ...outside, count, sum, min, max }
}

/**
 * Interpolated within the bucket that holds the rank, on the bucket's own log scale, and never
 * beyond the exact ends. NaN where the rank lies among the observations below zero.
 */
export function quantile(merged: Merged, q: number): number {
  const { min, max } = merged
  if (q <= 0 && !Number.isNaN(min)) return min
  if (q >= 1 && !Number.isNaN(max)) return max
  const estimate = estimateOf(merged, q)
  // Written so that an unknown end leaves the estimate as it is.
  if (estimate < min) return min
  return estimate > max ? max : estimate
}

function estimateOf(merged: Merged, q: number): number {
  if (merged.count === 0) return Number.NaN
  const wanted = q * merged.count
  let below = merged.negative
  if (below > 0 && wanted <= below) return Number.NaN
  below += merged.zero
  if (merged.zero > 0 && wanted <= below) return 0
  const perOctave = 2 ** merged.scale
  let last = merged.zero > 0 ? 0 : Number.NaN
  for (let i = 0; i < merged.counts.length; i += 1) {
    const count = merged.counts[i]!
    if (count === 0) continue
    const share = Math.min(1, (wanted - below) / count)
    last = 2 ** ((merged.offset + i + share) / perOctave)
    below += count
    if (below >= wanted) return last
  }
  return merged.overflow > 0 ? merged.overflowFrom : last
}

/** Standard deviation around the mean, from the middles of the buckets; NaN with values below 0. */
export function deviation(merged: Merged): number {
  const { counts, count, sum, negative, scale, offset } = merged
  if (count === 0 || negative > 0) return Number.NaN
  const mean = sum / count
  let square = merged.zero * mean * mean
  if (merged.overflow > 0) square += merged.overflow * (merged.overflowFrom - mean) ** 2
  counts.forEach((each, i) => {
    if (each > 0) square += each * (2 ** ((offset + i + 0.5) / 2 ** scale) - mean) ** 2
  })
  return Math.sqrt(square / count)
}

export function quantileOf(data: SeriesData, q: number, from: number, to: number): number {
  return quantile(mergeSeconds(data, from, to), q)
}
