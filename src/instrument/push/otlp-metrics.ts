/**
 * Readings of a registry as messages of OTLP (opentelemetry-proto, metrics.proto), in the words of
 * OTLP/JSON: totals since the process began, so that a request that is lost or sent twice changes
 * nothing. A counter `orders` of the source `shop.cart` is the metric `shop.cart.orders`.
 */
import { exportRules } from '../../dialects/eventcounters/export-rules.ts'
import { encodeOpenTelemetry } from '../../dialects/opentelemetry/codec.ts'
import { CUMULATIVE } from '../../dialects/opentelemetry/spec.ts'
import { type BucketsField, exponentialBuckets } from '../../exposition/exponential.ts'
import type { Exact, Histogram, Labels } from '../../model/index.ts'
import type { Reading } from '../metrics-readings.ts'
import type { Encoding, Resource } from './push-options.ts'

/** Times of all points, Unix ms. */
export interface PointTimes {
  readonly startMs: number
  readonly timeMs: number
}

/** Points of a request: receivers take bodies of 4 MiB at least, a histogram has some 1 KiB. */
const POINTS_LIMIT = 2000
const INT64_MAX = 2n ** 63n - 1n
const UNITS = exportRules({ prometheusNames: 'standard' }).otlp?.units ?? {}

type Fields = Readonly<Record<string, unknown>>

/** Body of one request, and how many points it has. */
export interface Batch {
  readonly body: Uint8Array<ArrayBuffer>
  readonly points: number
}

/** Makes the bodies of as many requests as it takes; none without a value. */
export function* otlpBatches(
  readings: readonly Reading[],
  resource: Resource,
  times: PointTimes,
  encoding: Encoding,
): Generator<Batch, void> {
  const head = {
    startTimeUnixNano: `${nanoseconds(times.startMs)}`,
    timeUnixNano: `${nanoseconds(times.timeMs)}`,
  }
  let metrics = new Map<string, Metric>()
  let points = 0
  for (const reading of readings) {
    const point = pointOf(reading, head)
    if (point === undefined) continue
    const { provider, name, units } = reading.description
    const key = JSON.stringify([provider, name, units, reading.kind])
    const metric = metrics.get(key) ?? { reading, points: [] }
    metrics.set(key, metric)
    metric.points.push(point)
    if (++points < POINTS_LIMIT) continue
    yield { body: bodyOf(messageOf(metrics, resource), encoding), points }
    metrics = new Map()
    points = 0
  }
  if (points > 0) yield { body: bodyOf(messageOf(metrics, resource), encoding), points }
}

function bodyOf(message: Fields, encoding: Encoding): Uint8Array<ArrayBuffer> {
  if (encoding === 'protobuf') return new Uint8Array(encodeOpenTelemetry([message])[0]!)
  return new Uint8Array(Buffer.from(JSON.stringify({ resourceMetrics: [message] })))
}

interface Metric {
  /** One of its readings, for what all have in common. */
  readonly reading: Reading
  readonly points: Fields[]
}

function messageOf(metrics: ReadonlyMap<string, Metric>, resource: Resource): Fields {
  return {
    resource: { attributes: attributesOf(Object.entries(resource)) },
    scopeMetrics: [{ metrics: [...metrics.values()].map(metricOf) }],
  }
}

function metricOf({ reading, points: dataPoints }: Metric): Fields {
  const { provider, name, units, displayName } = reading.description
  const unit = Object.hasOwn(UNITS, units.toLowerCase()) ? UNITS[units.toLowerCase()] : units
  const head = { name: `${provider}.${name}`, unit, description: displayName }
  switch (reading.kind) {
    case 'counter':
      return { ...head, sum: { dataPoints, aggregationTemporality: CUMULATIVE, isMonotonic: true } }
    case 'gauge':
      return { ...head, gauge: { dataPoints } }
    case 'histogram': {
      const data = { dataPoints, aggregationTemporality: CUMULATIVE }
      return { ...head, exponentialHistogram: data }
    }
    case 'summary':
      return { ...head, summary: { dataPoints } }
  }
}

/** Makes the point of a reading; undefined for a gauge that has no value yet. */
function pointOf(reading: Reading, times: Fields): Fields | undefined {
  const { labels = reading.description.metaData } = reading
  const head = { ...times, attributes: attributesOf(labels) }
  switch (reading.kind) {
    case 'counter':
      return { ...head, ...numberOf(reading.total) }
    case 'gauge':
      return Number.isNaN(reading.value) ? undefined : { ...head, asDouble: double(reading.value) }
    case 'histogram':
      return { ...head, ...distributionOf(reading.histogram) }
    case 'summary':
      return { ...head, count: `${reading.count}`, sum: double(reading.sum) }
  }
}

/** Says an integer as one, up to what the format takes. */
function numberOf(total: Exact): Fields {
  const isInteger = typeof total === 'bigint' ? total <= INT64_MAX : Number.isSafeInteger(total)
  return isInteger ? { asInt: `${total}` } : { asDouble: double(Number(total)) }
}

function distributionOf(histogram: Histogram): Fields {
  const { scale, zeroThreshold, zeroCount, positive, negative } = exponentialBuckets(histogram)
  const { count, sum, min, max } = histogram
  return {
    ...{ count: `${count}`, sum: sum === undefined ? undefined : double(Number(sum)) },
    ...(count === 0n ? {} : { min: double(Number(min)), max: double(Number(max)) }),
    ...{ scale, zeroThreshold, zeroCount: `${zeroCount}` },
    ...{ positive: bucketsOf(positive), negative: bucketsOf(negative) },
  }
}

function bucketsOf({ offset, counts }: BucketsField): Fields {
  return { offset, bucketCounts: counts.map(String) }
}

function attributesOf(pairs: Labels): readonly Fields[] {
  return pairs.map(([key, value]) => ({ key, value: { stringValue: value } }))
}

/** Says a double as OTLP/JSON does: what JSON has no number for is a text. */
function double(value: number): number | string {
  return Number.isFinite(value) ? value : String(value)
}

function nanoseconds(ms: number): bigint {
  return BigInt(Math.round(ms * 1000)) * 1000n
}
