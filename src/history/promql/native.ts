/**
 * Native histograms as the HTTP API writes them: `{"count":"3","sum":"7","buckets":[[rule,"left",
 * "right","count"],…]}`, filled buckets alone, their bounds as numbers. The schema is not among
 * it; a bucket tells it by its width: right = left × 2^(2^-schema).
 */
import { Histogram, SCALE_MAX } from '../../model/index.ts'

export type NativeSample = Readonly<Record<string, unknown>>

const SCHEMA_MIN = -4

/** Makes the histogram of a sample; undefined where its buckets are none of a schema. */
export function histogramOfSample({ sum, buckets = [] }: NativeSample): Histogram | undefined {
  if (!Array.isArray(buckets)) return undefined
  let histogram: Histogram | undefined
  const zero = { count: 0n, threshold: 0 }
  for (const bucket of buckets) {
    const [, left, right, count] = (Array.isArray(bucket) ? bucket : []).map(Number)
    if (left === undefined || right === undefined || !(Number(count) >= 0)) return undefined
    const times = BigInt(Math.round(count!))
    if (left <= 0 && right >= 0) {
      zero.count += times
      zero.threshold = right
      continue
    }
    const isNegative = right < 0
    const [low, high] = isNegative ? [-right, -left] : [left, right]
    histogram ??= new Histogram(schemaOf(low, high))
    const { scale } = histogram
    if (!(scale >= SCHEMA_MIN && scale <= SCALE_MAX)) return undefined
    const schema = schemaOf(low, high)
    if (schema < scale) return undefined
    const index = Math.round(Math.log2(high) * 2 ** schema) - 1
    if (!Number.isSafeInteger(index)) return undefined
    histogram.addBucket(index >> (schema - scale), times, isNegative)
  }
  histogram ??= new Histogram()
  histogram.zeroCount = zero.count
  histogram.zeroThreshold = zero.threshold
  histogram.count += zero.count
  histogram.sum = Number.isFinite(Number(sum)) ? Number(sum) : undefined
  return histogram
}

/** Finds the schema of a bucket. Its bounds are rounded, so widths are nearly 2^(2^-schema). */
function schemaOf(low: number, high: number): number {
  return 0 - Math.round(Math.log2(Math.log2(high / low)))
}
