/** Exponential buckets as OTLP has them, of any histogram without bounds of its own; pure. */
import type { BucketRun, Histogram } from '../model/index.ts'
import { withoutOverflow } from './distribution.ts'

/** Buckets of one sign, from the lowest that is filled to the highest. */
export interface BucketsField {
  readonly offset: number
  readonly counts: readonly bigint[]
}

export interface Exponential {
  readonly scale: number
  readonly zeroThreshold: number
  readonly zeroCount: bigint
  readonly positive: BucketsField
  readonly negative: BucketsField
}

export function exponentialBuckets(histogram: Histogram): Exponential {
  const { scale, zeroThreshold, zeroCount, positive, negative } = withoutOverflow(histogram)
  return {
    scale,
    zeroThreshold,
    zeroCount,
    positive: fieldOf(positive),
    negative: fieldOf(negative),
  }
}

/** Makes the field from the lowest filled bucket to the highest; offset 0 where none is. */
function fieldOf(run: BucketRun): BucketsField {
  const span = run.span()
  if (span === undefined) return { offset: 0, counts: [] }
  const [low, high] = span
  return { offset: low, counts: [...run.counts.subarray(low - run.offset, high + 1 - run.offset)] }
}
