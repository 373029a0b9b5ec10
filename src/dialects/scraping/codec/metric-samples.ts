/**
 * One series of the protobuf format as the samples that the text formats have for it: buckets, sum
 * and count each for itself; a native histogram as a whole.
 */
import { histogramOfNative, type NativeBuckets } from '../../../model/histogram/native.ts'
import { type Exact, exact } from '../../../model/index.ts'
import {
  BOUND_LABEL,
  BUCKETS_LIMIT,
  LABELS_LIMIT,
  type MetricType,
  QUANTILE_LABEL,
  type SampleErrorCode,
} from '../spec.ts'
import { writeNumber } from './numbers.ts'
import type { Exemplar, NativeReading, Pairs } from './sample.ts'
import type {
  BucketMessage,
  CounterMessage,
  Double,
  ExemplarMessage,
  HistogramMessage,
  LabelPair,
  MetricMessage,
  SpanMessage,
  SummaryMessage,
  Timestamp,
} from './schema.ts'

export interface MetricSample {
  /** Ending behind the name of the metric: `_bucket`. */
  readonly ending: string
  /** Label beside those of the metric: `le`. */
  readonly label?: readonly [name: string, value: string]
  readonly value: Exact
  readonly createdMs?: number
  readonly exemplar?: Exemplar | undefined
  readonly histogram?: NativeReading
}

type Samples = readonly MetricSample[] | SampleErrorCode

export function samplesOf(metric: MetricMessage, type: MetricType): Samples {
  const { gauge, counter, summary, untyped, histogram } = metric
  if (counter !== undefined) return [counterSample(counter)]
  if (gauge !== undefined) return [{ ending: '', value: double(gauge.value) }]
  if (untyped !== undefined) return [{ ending: '', value: double(untyped.value) }]
  if (summary !== undefined) return summarySamples(summary)
  if (histogram === undefined) return 'bad_sample'
  if (isNative(histogram)) return nativeSample(histogram, type)
  return classicSamples(histogram, type)
}

/** Reads labels; they are the same for all samples of a metric. */
export function labelsOf(pairs: readonly LabelPair[] = []): Pairs | SampleErrorCode {
  if (pairs.length > LABELS_LIMIT) return 'labels_limit'
  const read = pairs.map(({ name = '', value = '' }) => [name, value] as const)
  const names = new Set(read.map(([name]) => name))
  if (names.size < read.length || names.has('')) return 'bad_labels'
  return read.filter(([, value]) => value !== '')
}

function counterSample({ value, exemplar, createdTimestamp }: CounterMessage): MetricSample {
  return {
    ending: '',
    value: double(value),
    exemplar: exemplarOf(exemplar),
    ...since(createdTimestamp),
  }
}

function summarySamples(summary: SummaryMessage): readonly MetricSample[] {
  const { sampleCount = '0', sampleSum, quantile = [], createdTimestamp } = summary
  const created = since(createdTimestamp)
  return [
    ...quantile.map((each): MetricSample => {
      const label = [QUANTILE_LABEL, writeNumber(double(each.quantile))] as const
      return { ending: '', label, value: double(each.value) }
    }),
    { ending: '_sum', value: double(sampleSum), ...created },
    { ending: '_count', value: exact(BigInt(sampleCount)), ...created },
  ]
}

/** Tells a native histogram as Prometheus does: an empty one has a span without buckets. */
function isNative({ positiveSpan, negativeSpan, zeroThreshold, ...rest }: HistogramMessage) {
  const { zeroCount, zeroCountFloat } = rest
  return (
    positiveSpan !== undefined ||
    negativeSpan !== undefined ||
    double(zeroThreshold) > 0 ||
    zeroCount !== undefined ||
    double(zeroCountFloat) > 0
  )
}

function nativeSample(message: HistogramMessage, type: MetricType): Samples {
  if (type === 'gaugehistogram') return 'gauge_histogram'
  const { sampleCountFloat, zeroCountFloat, negativeCount = [], positiveCount = [] } = message
  const isFloat = sampleCountFloat !== undefined && double(sampleCountFloat) > 0
  if (isFloat || zeroCountFloat !== undefined) return 'float_counts'
  if (negativeCount.length > 0 || positiveCount.length > 0) return 'float_counts'
  const positive = sideOf(message.positiveSpan, message.positiveDelta)
  const negative = sideOf(message.negativeSpan, message.negativeDelta)
  if (typeof positive === 'string') return positive
  if (typeof negative === 'string') return negative
  const histogram = histogramOfNative({
    ...{ schema: message.schema ?? 0, positive, negative, bounds: [] },
    count: BigInt(message.sampleCount ?? '0'),
    sum: double(message.sampleSum),
    zeroThreshold: double(message.zeroThreshold),
    zeroCount: BigInt(message.zeroCount ?? '0'),
  })
  if (typeof histogram === 'string') return histogram
  const classic = (message.bucket ?? []).map(({ exemplar }) => exemplarOf(exemplar))
  const own = (message.exemplars ?? []).map(exemplarOf)
  const exemplars = [...own, ...classic].filter((each) => each !== undefined)
  const created = since(message.createdTimestamp)
  return [{ ending: '', value: Number.NaN, histogram: { histogram, exemplars }, ...created }]
}

function sideOf(
  spans: readonly SpanMessage[] = [],
  deltas: readonly string[] = [],
): NativeBuckets | SampleErrorCode {
  if (deltas.length > BUCKETS_LIMIT || spans.length > BUCKETS_LIMIT) return 'buckets_limit'
  const counts: bigint[] = []
  let count = 0n
  for (const delta of deltas) {
    count += BigInt(delta)
    if (count < 0n) return 'bad_buckets'
    counts.push(count)
  }
  const runs = spans.flatMap(({ offset = 0, length = 0 }) => [offset, length])
  const length = spans.reduce((sum, span) => sum + (span.length ?? 0), 0)
  return length === counts.length ? { spans: runs, counts } : 'bad_buckets'
}

function classicSamples(message: HistogramMessage, type: MetricType): Samples {
  const { bucket = [], sampleSum, sampleCount = '0', sampleCountFloat } = message
  if (bucket.length > BUCKETS_LIMIT) return 'buckets_limit'
  const created = since(message.createdTimestamp)
  const total =
    sampleCountFloat === undefined ? exact(BigInt(sampleCount)) : double(sampleCountFloat)
  const prefix = type === 'gaugehistogram' ? '_g' : '_'
  const samples = bucket.map((each) => bucketSample(each, created))
  const hasLast = bucket.some(({ upperBound }) => double(upperBound) === Number.POSITIVE_INFINITY)
  if (!hasLast) {
    samples.push({ ending: '_bucket', label: [BOUND_LABEL, '+Inf'], value: total, ...created })
  }
  samples.push({ ending: `${prefix}sum`, value: double(sampleSum), ...created })
  samples.push({ ending: `${prefix}count`, value: total, ...created })
  return samples
}

function bucketSample(message: BucketMessage, created: { createdMs?: number }): MetricSample {
  const { cumulativeCount = '0', cumulativeCountFloat, upperBound, exemplar } = message
  const value =
    cumulativeCountFloat === undefined
      ? exact(BigInt(cumulativeCount))
      : double(cumulativeCountFloat)
  const label = [BOUND_LABEL, writeNumber(double(upperBound))] as const
  return { ending: '_bucket', label, value, exemplar: exemplarOf(exemplar), ...created }
}

function exemplarOf(message: ExemplarMessage | undefined): Exemplar | undefined {
  if (message === undefined) return undefined
  const labels = labelsOf(message.label)
  if (typeof labels === 'string') return undefined
  const exemplar = { labels, value: double(message.value) }
  return message.timestamp === undefined
    ? exemplar
    : { ...exemplar, timeMs: msOf(message.timestamp) }
}

function since(timestamp: Timestamp | undefined): { createdMs?: number } {
  return timestamp === undefined ? {} : { createdMs: msOf(timestamp) }
}

function msOf({ seconds = '0', nanos = 0 }: Timestamp): number {
  return Number(seconds) * 1000 + Math.round(nanos / 1e6)
}

/** Reads a double, one of unusual bits of no number too. */
function double(value: Double = 0): number {
  return typeof value === 'number' ? value : Number(value)
}
