/**
 * Prometheus' native histogram of one of ours; pure. Its bucket n of schema s is
 * (2^((n-1)/2^s), 2^(n/2^s)]: an index one higher than ours.
 */

import { type BucketRun, type Histogram, SCALE_MAX } from '../model/index.ts'
import { withoutOverflow } from './distribution.ts'

/** Coarser ones Prometheus does not take, and no range of doubles needs. */
const SCHEMA_MIN = -4

export interface NativeSide {
  /** Runs of filled buckets: gap to the run before (of the first: its index), length. */
  readonly spans: readonly (readonly [offset: number, length: number])[]
  /** Differences: each filled bucket's count less the one before it. */
  readonly deltas: readonly bigint[]
}

interface NativeForm {
  readonly schema: number
  readonly zeroThreshold: number
  readonly zeroCount: bigint
  readonly positive: NativeSide
  readonly negative: NativeSide
}

/** @returns undefined for a scale that Prometheus has no schema for, and bounds that are none's */
export function nativeForm(histogram: Histogram): NativeForm | undefined {
  if (histogram.scale < SCHEMA_MIN || histogram.bounds !== undefined) return undefined
  const whole = withoutOverflow(histogram)
  const { scale, zeroThreshold, zeroCount, positive, negative } =
    whole.scale > SCALE_MAX ? whole.atScale(SCALE_MAX) : whole
  return {
    schema: scale,
    zeroThreshold,
    zeroCount,
    positive: sideOf(positive),
    negative: sideOf(negative),
  }
}

function sideOf(run: BucketRun): NativeSide {
  const spans: [number, number][] = []
  const deltas: bigint[] = []
  let end = 0
  let before = 0n
  run.forEach((index, count) => {
    const bucket = index + 1
    const span = spans.at(-1)
    if (span !== undefined && bucket === end) span[1]++
    else spans.push([bucket - end, 1])
    end = bucket + 1
    deltas.push(count - before)
    before = count
  })
  return { spans, deltas }
}
