/**
 * Readings of a registry as messages of OTLP (opentelemetry-proto, metrics.proto), in the words of
 * OTLP/JSON: totals since the process began, so that a request that is lost or sent twice changes
 * nothing. A counter `orders` of the source `shop.cart` is the metric `shop.cart.orders`.
 */
import { exportRules } from '../../dialects/eventcounters/export-rules.ts'
import { exemplarMessage } from '../../dialects/opentelemetry/codec/exemplar.ts'
import { encodeOpenTelemetry } from '../../dialects/opentelemetry/codec.ts'
import { CUMULATIVE } from '../../dialects/opentelemetry/spec.ts'
import { type BucketsField, exponentialBuckets } from '../../exposition/exponential.ts'
import { type Bounds, Histogram, type Labels } from '../../model/index.ts'
import type { Reading } from '../readings/reading.ts'
import type { Encoding, Resource } from './push-options.ts'

/** Times of all points, Unix ms. */
export interface PointTimes {
  readonly startMs: number
  readonly timeMs: number
}

/** Series that were not there at a time: points of them begin at 0 then. */
export interface Fresh {
  readonly sinceMs: number
  isFresh(reading: Reading): boolean
}

/** Points of a request: receivers take bodies of 4 MiB at least, a histogram has some 1 KiB. */
const POINTS_LIMIT = 2000
const INT64_MAX = 2n ** 63n - 1n
const UNITS = exportRules({ prometheusNames: 'standard' }).otlp?.units ?? {}

type Fields = Readonly<Record<string, unknown>>

/** Body of one request, and how many points it has. */
interface Batch {
  readonly body: Uint8Array<ArrayBuffer>
  readonly points: number
}

/**
 * Makes the bodies of as many requests as it takes; none without a value.
 * @param fresh series that get a point of 0 before theirs: to a receiver that began later than the
 *   program, the first point of a stream is a place to count from
 */
export function* otlpBatches(
  readings: readonly Reading[],
  resource: Resource,
  times: PointTimes,
  encoding: Encoding,
  fresh?: Fresh,
): Generator<Batch, void> {
  const head = {
    startTimeUnixNano: `${nanoseconds(times.startMs)}`,
    timeUnixNano: `${nanoseconds(times.timeMs)}`,
  }
  const freshHead = { ...head, timeUnixNano: `${nanoseconds(fresh?.sinceMs ?? times.timeMs)}` }
  let metrics = new Map<string, Metric>()
  let points = 0
  for (const reading of readings) {
    const point = pointOf(reading, head)
    if (point === undefined) continue
    const { provider, name, units } = reading.description
    const key = JSON.stringify([provider, name, units, reading.kind, hasBounds(reading)])
    const metric = metrics.get(key) ?? { reading, points: [] }
    metrics.set(key, metric)
    if (fresh?.isFresh(reading) && reading.kind !== 'gauge') {
      metric.points.push(pointOf(emptied(reading), freshHead)!)
      points++
    }
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
  // a metric of another library has its own name and a unit of UCUM
  const isOwn = provider !== ''
  const known = isOwn && Object.hasOwn(UNITS, units.toLowerCase())
  const unit = known ? UNITS[units.toLowerCase()] : units
  const head = { name: isOwn ? `${provider}.${name}` : name, unit, description: displayName }
  switch (reading.kind) {
    case 'counter':
      return { ...head, sum: { dataPoints, aggregationTemporality: CUMULATIVE, isMonotonic: true } }
    case 'gauge':
      return { ...head, gauge: { dataPoints } }
    case 'histogram': {
      const data = { dataPoints, aggregationTemporality: CUMULATIVE }
      return hasBounds(reading)
        ? { ...head, histogram: data }
        : { ...head, exponentialHistogram: data }
    }
    case 'summary':
      return { ...head, summary: { dataPoints } }
  }
}

/** Tells whether a reading has buckets between bounds of its own, not powers of a base. */
function hasBounds(reading: Reading): boolean {
  return reading.kind === 'histogram' && reading.histogram.bounds !== undefined
}

/** Gives a reading as it was before anything was recorded. */
function emptied({ exemplars: _, ...reading }: Reading): Reading {
  if (reading.kind === 'counter') return { ...reading, total: 0 }
  if (reading.kind === 'summary') return { ...reading, sum: 0, count: 0, quantiles: [] }
  if (reading.kind === 'gauge') return reading
  const histogram = new Histogram(reading.histogram.scale)
  histogram.bounds = reading.histogram.bounds
  return { ...reading, histogram }
}

/** Makes the point of a reading; undefined for a gauge that has no value yet. */
function pointOf(reading: Reading, times: Fields): Fields | undefined {
  const { labels = reading.description.metaData } = reading
  const exemplars = reading.exemplars?.map(exemplarMessage) ?? []
  const attributes = attributesOf(labels)
  const head = { ...times, attributes, ...(exemplars.length > 0 ? { exemplars } : {}) }
  switch (reading.kind) {
    case 'counter':
      return { ...head, ...numberOf(reading) }
    case 'gauge':
      return Number.isNaN(reading.value) ? undefined : { ...head, asDouble: double(reading.value) }
    case 'histogram':
      return { ...head, ...distributionOf(reading.histogram) }
    case 'summary':
      return {
        ...{ ...head, count: `${reading.count}`, sum: double(reading.sum) },
        quantileValues: (reading.quantiles ?? []).map(([quantile, value]) => ({
          ...{ quantile, value: double(value) },
        })),
      }
  }
}

/** Says an integer as one, up to what the format takes; fractions as doubles, whole ones, too. */
function numberOf({ total, isFractional }: Extract<Reading, { kind: 'counter' }>): Fields {
  if (isFractional === true) return { asDouble: double(Number(total)) }
  const isInteger = typeof total === 'bigint' ? total <= INT64_MAX : Number.isSafeInteger(total)
  return isInteger ? { asInt: `${total}` } : { asDouble: double(Number(total)) }
}

function distributionOf(histogram: Histogram): Fields {
  if (histogram.bounds !== undefined) return explicitOf(histogram, histogram.bounds)
  const { scale, zeroThreshold, zeroCount, positive, negative } = exponentialBuckets(histogram)
  const { count, sum, min, max } = histogram
  return {
    ...{ count: `${count}`, sum: sum === undefined ? undefined : double(Number(sum)) },
    ...(count === 0n ? {} : { min: double(Number(min)), max: double(Number(max)) }),
    ...{ scale, zeroThreshold, zeroCount: `${zeroCount}` },
    ...{ positive: bucketsOf(positive), negative: bucketsOf(negative) },
  }
}

function explicitOf({ count, sum, positive }: Histogram, explicitBounds: Bounds): Fields {
  const counts = explicitBounds.map((_, i) => positive.counts[i - positive.offset] ?? 0n)
  const above = positive.counts[explicitBounds.length - positive.offset] ?? 0n
  return {
    ...{ count: `${count}`, sum: sum === undefined ? undefined : double(Number(sum)) },
    ...{ explicitBounds, bucketCounts: [...counts, above].map(String) },
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
