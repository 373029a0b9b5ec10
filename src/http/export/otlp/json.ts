/**
 * An OTLP request in JSON: proto3's mapping in lowerCamelCase, 64-bit integers as decimal text,
 * enums as numbers (opentelemetry-proto, docs/specification.md, "JSON Protobuf Encoding").
 */
import type { BucketsField } from '../../../exposition/exponential.ts'
import type { Labels } from '../../../model/index.ts'
import type { Taken } from '../../../peers/delivery.ts'
import {
  type ExplicitPoint,
  type ExponentialPoint,
  type MetricBody,
  type MetricPiece,
  NO_RECORDED_VALUE,
  type NumberPoint,
  type OtlpScope,
  type Resource,
  type SummaryPoint,
  TEMPORALITIES,
  toNanoseconds,
} from './metric.ts'

type Fields = Readonly<Record<string, unknown>>

export function resourceJson(resource: Resource): string {
  return JSON.stringify({ attributes: attributesOf(Object.entries(resource)) })
}

export function scopeJson(scope: OtlpScope): string {
  return JSON.stringify(scope)
}

export function metricJson(piece: MetricPiece): string {
  const { name, description, unit, kind } = piece
  return JSON.stringify({
    name,
    ...(description === '' ? {} : { description }),
    ...(unit === '' ? {} : { unit }),
    [kind]: {
      dataPoints: pointsOf(piece),
      ...('temporality' in piece
        ? { aggregationTemporality: TEMPORALITIES[piece.temporality] }
        : {}),
      ...(kind === 'sum' ? { isMonotonic: true } : {}),
    },
  })
}

function pointsOf(body: MetricBody): Fields[] {
  switch (body.kind) {
    case 'gauge':
    case 'sum':
      return body.points.map(numberFields)
    case 'histogram':
      return body.points.map(explicitFields)
    case 'exponentialHistogram':
      return body.points.map(exponentialFields)
    case 'summary':
      return body.points.map(summaryFields)
  }
}

interface PointHead {
  readonly attributes: Labels
  readonly startMs?: number
  readonly timeMs: number
}

function headFields({ attributes, startMs, timeMs }: PointHead): Fields {
  return {
    attributes: attributesOf(attributes),
    ...(startMs === undefined ? {} : { startTimeUnixNano: `${toNanoseconds(startMs)}` }),
    timeUnixNano: `${toNanoseconds(timeMs)}`,
  }
}

function attributesOf(pairs: Labels): Fields[] {
  return pairs.map(([key, value]) => ({ key, value: { stringValue: value } }))
}

function numberFields(point: NumberPoint): Fields {
  const { value, isInteger } = point
  if (value === undefined) return { ...headFields(point), flags: NO_RECORDED_VALUE }
  const shown = isInteger ? { asInt: `${value}` } : { asDouble: double(Number(value)) }
  return { ...headFields(point), ...shown }
}

interface Distribution extends PointHead {
  readonly count: bigint
  readonly sum?: number
  readonly min?: number
  readonly max?: number
}

function distributionFields(point: Distribution): Fields {
  const { count, sum, min, max } = point
  return {
    ...headFields(point),
    count: `${count}`,
    ...(sum === undefined ? {} : { sum: double(sum) }),
    ...(min === undefined ? {} : { min: double(min) }),
    ...(max === undefined ? {} : { max: double(max) }),
  }
}

function explicitFields(point: ExplicitPoint): Fields {
  return {
    ...distributionFields(point),
    bucketCounts: point.counts.map(String),
    explicitBounds: point.bounds,
  }
}

function exponentialFields(point: ExponentialPoint): Fields {
  const { scale, zeroCount, zeroThreshold, positive, negative } = point
  return {
    ...distributionFields(point),
    scale,
    zeroCount: `${zeroCount}`,
    positive: bucketsFields(positive),
    ...(negative.counts.length === 0 ? {} : { negative: bucketsFields(negative) }),
    ...(zeroThreshold === 0 ? {} : { zeroThreshold }),
  }
}

function bucketsFields({ offset, counts }: BucketsField): Fields {
  return { offset, bucketCounts: counts.map(String) }
}

function summaryFields(point: SummaryPoint): Fields {
  return {
    ...headFields(point),
    count: `${point.count}`,
    sum: double(point.sum),
    quantileValues: point.quantiles.map(([quantile, value]) => ({
      quantile,
      value: double(value),
    })),
  }
}

/** Writes a double: JSON has no infinite numbers; proto3's mapping writes them as text. */
function double(value: number): number | string {
  return Number.isFinite(value) ? value : String(value)
}

interface ScopeTexts {
  readonly scope: OtlpScope
  /** Metrics as JSON. */
  readonly parts: readonly string[]
}

/** Writes the whole request around metrics that are text already. */
export function joinJson(resource: Resource, scopes: readonly ScopeTexts[]): string {
  const texts = scopes.map(({ scope, parts }) => {
    return `{"scope":${scopeJson(scope)},"metrics":[${parts.join(',')}]}`
  })
  return `${JSON_OPEN}${resourceJson(resource)},"scopeMetrics":[${texts.join(',')}]${JSON_CLOSE}`
}

export const JSON_OPEN = '{"resourceMetrics":[{"resource":'
export const JSON_CLOSE = '}]}'

/** @throws {SyntaxError} for what is no JSON */
export function parseResponse(text: string): Taken {
  const response = JSON.parse(text === '' ? '{}' : text) as {
    partialSuccess?: { rejectedDataPoints?: string | number; errorMessage?: string }
  } | null
  const { rejectedDataPoints = 0, errorMessage = '' } = response?.partialSuccess ?? {}
  return { rejectedPoints: Number(rejectedDataPoints) || 0, message: String(errorMessage) }
}
