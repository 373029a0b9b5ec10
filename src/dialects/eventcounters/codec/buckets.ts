/**
 * The buckets of a distribution as a member of a line (README.md), which no viewer of payloads
 * looks at; pure. Of a window without samples it says that the counter is a distribution.
 *
 *   "buckets":{"scale":3,"sum":12.5,"zero":2,"positive":[[-4,1,3],[120,7]],"negative":[[0,1]]}
 *
 *   scale     -10 to 8: bucket i holds (2^(i / 2^scale), 2^((i + 1) / 2^scale)]
 *   sum       of the samples
 *   zero      count of samples that are 0; left out where there is none, as are the sides
 *   positive  runs of neighbours: the index of the first, and their counts, none of them 0
 *   negative  the same of the samples' sizes
 *
 * Integers beyond 2^53 - 1 are texts of their digits. Least and most are those of the payload.
 */
import {
  BUCKETS_LIMIT,
  bucketIndex,
  type Exact,
  exact,
  Histogram,
  SCALE_MAX,
  SCALE_MIN,
  U64_MAX,
} from '../../../model/index.ts'

type JsonInteger = number | string
/** Index of the first of neighbouring buckets, then the count of each. */
type Run = readonly [first: number, ...counts: JsonInteger[]]

/** Buckets as they stand in a line. */
export interface BucketsMember {
  readonly scale: number
  readonly sum: JsonInteger
  readonly zero?: JsonInteger
  readonly positive?: readonly Run[]
  readonly negative?: readonly Run[]
}

/**
 * Makes the member of a distribution; undefined for one that it can't say: without a sum, or with
 * bounds, a zero bucket or an overflow of its own.
 */
export function bucketsMember(histogram: Histogram): BucketsMember | undefined {
  const { scale, sum, zeroCount, positive, negative } = histogram
  const isSayable =
    histogram.bounds === undefined &&
    histogram.zeroThreshold === 0 &&
    histogram.overflow === 0n &&
    (typeof sum === 'bigint' || Number.isFinite(sum))
  if (!isSayable) return undefined
  return {
    scale,
    sum: jsonInteger(sum!),
    ...(zeroCount === 0n ? {} : { zero: jsonInteger(exact(zeroCount)) }),
    ...(positive.span() === undefined ? {} : { positive: runsOf(positive) }),
    ...(negative.span() === undefined ? {} : { negative: runsOf(negative) }),
  }
}

function jsonInteger(value: Exact): JsonInteger {
  return typeof value === 'bigint' ? String(value) : value
}

function runsOf(side: Histogram['positive']): Run[] {
  const runs: [number, ...JsonInteger[]][] = []
  let next = Number.NaN
  side.forEach((index, count) => {
    if (index !== next) runs.push([index])
    runs.at(-1)!.push(jsonInteger(exact(count)))
    next = index + 1
  })
  return runs
}

/**
 * Reads the member; undefined for what is none. Never throws, and holds no more than a histogram
 * has, whatever stands there.
 * @param extremes least and most of the samples, NaN or infinite where not known
 */
export function readBuckets(
  value: unknown,
  extremes: { readonly min: number; readonly max: number },
): Histogram | undefined {
  if (!isObject(value)) return undefined
  const { scale, zero = 0, positive = [], negative = [] } = value
  if (!isIntegerIn(scale, SCALE_MIN, SCALE_MAX)) return undefined
  const sum = readSum(value.sum)
  const zeroCount = zero === 0 ? 0n : readCount(zero)
  if (sum === undefined || zeroCount === undefined) return undefined
  const histogram = new Histogram(scale + 0) // JSON can say -0
  if (!addRuns(histogram, scale, positive, false)) return undefined
  if (!addRuns(histogram, scale, negative, true)) return undefined
  histogram.zeroCount = zeroCount
  histogram.count += zeroCount
  if (histogram.count > U64_MAX) return undefined
  if (histogram.isEmpty) return histogram
  histogram.sum = sum
  const { min, max } = extremes
  const isKnown = Number.isFinite(min) && Number.isFinite(max) && min <= max
  histogram.min = isKnown ? min : Number.NaN
  histogram.max = isKnown ? max : Number.NaN
  return histogram
}

/** Adds the runs of a side; the histogram's scale may fall below that of the indices. */
function addRuns(histogram: Histogram, scale: number, runs: unknown, isNegative: boolean): boolean {
  if (!Array.isArray(runs)) return false
  const low = bucketIndex(Number.MIN_VALUE, scale)
  const high = bucketIndex(Number.MAX_VALUE, scale)
  let room = BUCKETS_LIMIT
  for (const run of runs as unknown[]) {
    if (!Array.isArray(run) || run.length < 2) return false
    const [first, ...counts] = run as unknown[]
    room -= counts.length
    if (room < 0 || !isIntegerIn(first, low, high + 1 - counts.length)) return false
    for (let i = 0; i < counts.length; i++) {
      const count = readCount(counts[i])
      if (count === undefined) return false
      histogram.addBucket((first + i) >> (scale - histogram.scale), count, isNegative)
    }
  }
  return true
}

const DIGITS = /^[1-9]\d{0,19}$/

/** Reads a count, 1 to 2^64 - 1. */
function readCount(value: unknown): bigint | undefined {
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) && value > 0 ? BigInt(value) : undefined
  }
  if (typeof value !== 'string' || !DIGITS.test(value)) return undefined
  const count = BigInt(value)
  return count <= U64_MAX ? count : undefined
}

/** A sum has less digits than the largest double times the largest count. */
const WHOLE = /^-?[1-9]\d{0,329}$/

function readSum(value: unknown): Exact | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : undefined
  if (typeof value !== 'string' || !WHOLE.test(value)) return undefined
  return exact(BigInt(value))
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isIntegerIn(value: unknown, low: number, high: number): value is number {
  return Number.isInteger(value) && (value as number) >= low && (value as number) <= high
}
