/** Distributions as exports say them, whatever the format; pure. */
import { bucketIndex, canonicalMean, type Exact, type Histogram } from '../model/index.ts'

/** The exact sum; estimated from the buckets where the sender does not know it. */
export function exportedSum(histogram: Histogram): Exact {
  if (histogram.count === 0n) return 0
  return histogram.sum ?? canonicalMean(histogram) * Number(histogram.count)
}

/**
 * With the overflow in the bucket above the bins, for formats that have nothing but buckets: exact
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
