/**
 * Native histograms of Prometheus as the model has them: their bucket n of schema s is
 * (2^((n-1)/2^s), 2^(n/2^s)], an index one higher than ours; those of schema -53 have bounds.
 */
import { Histogram } from './histogram.ts'

/** Schema with bounds of its own, and the range of those by powers of two. */
const CUSTOM_SCHEMA = -53
const NATIVE_SCHEMA_MIN = -4
const NATIVE_SCHEMA_MAX = 8
/** Exponents of doubles, those below the normal ones included. */
const EXPONENT_MAX = 1024
const EXPONENT_MIN = -1075

/** Buckets of one sign: runs of filled ones, with their counts. */
export interface NativeBuckets {
  /** Gap to the run before (of the first: its index) and length of each run. */
  readonly spans: readonly number[]
  /** Counts, one for each bucket of the runs. */
  readonly counts: readonly bigint[]
}

interface NativeForm {
  readonly schema: number
  readonly count: bigint
  readonly sum: number
  readonly zeroThreshold: number
  readonly zeroCount: bigint
  readonly positive: NativeBuckets
  readonly negative: NativeBuckets
  /** Bounds of schema -53. */
  readonly bounds: readonly number[]
}

/** Makes the histogram of a native one; min and max are not known. */
export function histogramOfNative(native: NativeForm): Histogram | 'bad_buckets' | 'bad_schema' {
  const { schema, count, sum } = native
  const made = schema === CUSTOM_SCHEMA ? boundedOf(native) : scaledOf(native, schema)
  if (typeof made === 'string') return made
  const isKnown = Number.isFinite(sum)
  // what was no number is counted, in no bucket
  if (made.count !== count && (isKnown || made.count > count)) return 'bad_buckets'
  made.sum = isKnown ? sum : undefined
  made.min = Number.NaN
  made.max = Number.NaN
  return made
}

function boundedOf({
  bounds,
  positive,
  negative,
}: NativeForm): Histogram | 'bad_buckets' | 'bad_schema' {
  if (negative.counts.length > 0) return 'bad_buckets'
  for (let i = 0; i < bounds.length; i++) {
    if (!Number.isFinite(bounds[i]!) || (i > 0 && bounds[i - 1]! >= bounds[i]!)) {
      return 'bad_buckets'
    }
  }
  const histogram = new Histogram(0)
  histogram.bounds = bounds.slice()
  const isFit = forEachBucket(positive, (index, count) => {
    if (index < 0 || index > bounds.length) return false
    histogram.addBucket(index, count)
    return true
  })
  return isFit ? histogram : 'bad_buckets'
}

function scaledOf(native: NativeForm, schema: number): Histogram | 'bad_buckets' | 'bad_schema' {
  if (schema < NATIVE_SCHEMA_MIN || schema > NATIVE_SCHEMA_MAX) return 'bad_schema'
  const { positive, negative, zeroCount, zeroThreshold } = native
  if (!(zeroThreshold >= 0) || zeroThreshold === Number.POSITIVE_INFINITY) return 'bad_buckets'
  const histogram = new Histogram(schema)
  const first = Math.floor(EXPONENT_MIN * 2 ** schema)
  const end = Math.ceil(EXPONENT_MAX * 2 ** schema)
  for (const side of [positive, negative]) {
    const isFit = forEachBucket(side, (number, count) => {
      const index = number - 1
      if (index < first || index >= end) return count === 0n
      histogram.addBucket(index >> (schema - histogram.scale), count, side === negative)
      return true
    })
    if (!isFit) return 'bad_buckets'
  }
  histogram.zeroThreshold = zeroThreshold
  histogram.zeroCount = zeroCount
  histogram.count += zeroCount
  return histogram
}

/** Calls for the buckets of a side. @returns false as soon as a call does */
function forEachBucket(
  { spans, counts }: NativeBuckets,
  take: (index: number, count: bigint) => boolean,
): boolean {
  let index = 0
  let place = 0
  for (let i = 0; i < spans.length; i += 2) {
    index += spans[i]!
    for (const end = place + spans[i + 1]!; place < end; place++) {
      if (!take(index, counts[place] ?? 0n)) return false
      index++
    }
  }
  return true
}
