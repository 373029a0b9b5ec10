/** Places inside a bucket, for estimates. */
import { lowerBound, upperBound } from './buckets.ts'

/** Computes the value at a fraction of a bucket, on the exponential curve between its bounds. */
export function valueInside(index: number, scale: number, fraction: number): number {
  const low = lowerBound(index, scale)
  const high = upperBound(index, scale)
  return low === 0 || high === Number.POSITIVE_INFINITY
    ? Math.min(high, Number.MAX_VALUE)
    : low * (high / low) ** fraction
}
