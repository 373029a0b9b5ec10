/**
 * An OTLP request in protobuf, read as tests compare it: in the JSON form of the same request, so
 * that both encodings can be checked by the same expectations.
 */
import { Message } from './protobuf-reader.ts'

type Fields = Record<string, unknown>

export interface OtlpPoint extends Fields {
  readonly attributes: readonly { key: string; value: { stringValue: string } }[]
  readonly startTimeUnixNano?: string
  readonly timeUnixNano: string
}

export interface OtlpMetric {
  readonly name: string
  readonly description?: string
  readonly unit?: string
  readonly kind: string
  readonly temporality?: number
  readonly isMonotonic?: boolean
  readonly scope: string
  readonly scopeVersion: string
  readonly points: readonly OtlpPoint[]
}

const KINDS: Readonly<Record<number, string>> = {
  5: 'gauge',
  7: 'sum',
  9: 'histogram',
  10: 'exponentialHistogram',
  11: 'summary',
}

/** The request's JSON form. */
export function readRequest(bytes: Uint8Array): Fields {
  return {
    resourceMetrics: new Message(bytes).messages(1).map((each) => ({
      resource: { attributes: attributesOf(each.message(1), 1) },
      scopeMetrics: each.messages(2).map((scoped) => ({
        scope: {
          name: scoped.message(1).text(1),
          ...(scoped.message(1).has(2) ? { version: scoped.message(1).text(2) } : {}),
        },
        metrics: scoped.messages(2).map(metricOf),
      })),
    })),
  }
}

function metricOf(metric: Message): Fields {
  const field = Object.keys(KINDS)
    .map(Number)
    .find((each) => metric.has(each))!
  const data = metric.message(field)
  const kind = KINDS[field]!
  return {
    name: metric.text(1),
    ...(metric.has(2) ? { description: metric.text(2) } : {}),
    ...(metric.has(3) ? { unit: metric.text(3) } : {}),
    [kind]: {
      dataPoints: data.messages(1).map(POINTS[kind]!),
      ...(data.has(2) ? { aggregationTemporality: Number(data.unsigned(2)) } : {}),
      ...(data.has(3) ? { isMonotonic: data.unsigned(3) === 1n } : {}),
    },
  }
}

const POINTS: Readonly<Record<string, (point: Message) => Fields>> = {
  gauge: numberOf,
  sum: numberOf,
  histogram: (point) => ({
    ...distributionOf(point, 9, [11, 12]),
    bucketCounts: point.packedFixed64(6).map(String),
    explicitBounds: point.packedDoubles(7),
  }),
  exponentialHistogram: (point) => ({
    ...distributionOf(point, 1, [12, 13]),
    scale: Number(point.zigzag(6)),
    zeroCount: `${point.unsigned(7)}`,
    positive: bucketsOf(point.message(8)),
    ...(point.has(9) ? { negative: bucketsOf(point.message(9)) } : {}),
    ...(point.has(14) ? { zeroThreshold: point.double(14) } : {}),
  }),
  summary: (point) => ({
    ...headOf(point, 7),
    count: `${point.unsigned(4)}`,
    sum: point.double(5),
    quantileValues: point
      .messages(6)
      .map((each) => ({ quantile: each.double(1), value: each.double(2) })),
  }),
}

function numberOf(point: Message): Fields {
  return {
    ...headOf(point, 7),
    ...(point.has(4) ? { asDouble: point.double(4) } : {}),
    ...(point.has(6) ? { asInt: `${point.signed(6)}` } : {}),
    ...(point.has(8) ? { flags: Number(point.unsigned(8)) } : {}),
  }
}

function headOf(point: Message, attributes: number): Fields {
  return {
    attributes: attributesOf(point, attributes),
    ...(point.has(2) ? { startTimeUnixNano: `${point.unsigned(2)}` } : {}),
    timeUnixNano: `${point.unsigned(3)}`,
  }
}

function distributionOf(point: Message, attributes: number, [min, max]: readonly [number, number]) {
  return {
    ...headOf(point, attributes),
    count: `${point.unsigned(4)}`,
    ...(point.has(5) ? { sum: point.double(5) } : {}),
    ...(point.has(min) ? { min: point.double(min) } : {}),
    ...(point.has(max) ? { max: point.double(max) } : {}),
  }
}

function bucketsOf(buckets: Message): Fields {
  return {
    offset: Number(buckets.zigzag(1)),
    bucketCounts: buckets.packedVarints(2).map(String),
  }
}

function attributesOf(message: Message, field: number): Fields[] {
  return message
    .messages(field)
    .map((pair) => ({ key: pair.text(1), value: { stringValue: pair.message(2).text(1) } }))
}

interface JsonRequest {
  readonly resourceMetrics: readonly {
    readonly scopeMetrics: readonly {
      readonly scope: { readonly name: string; readonly version?: string }
      readonly metrics: readonly Fields[]
    }[]
  }[]
}

/** All metrics of a request in its JSON form; pieces of one metric are joined. */
export function metricsOf(request: unknown): Map<string, OtlpMetric> {
  const metrics = new Map<string, OtlpMetric>()
  for (const { scopeMetrics } of (request as JsonRequest).resourceMetrics) {
    for (const { scope, metrics: some } of scopeMetrics) {
      for (const { name, description, unit, ...data } of some) {
        const [kind, body] = Object.entries(data)[0] as [string, Fields]
        const points = body.dataPoints as OtlpPoint[]
        const held = metrics.get(name as string)
        metrics.set(name as string, {
          name: name as string,
          ...(description === undefined ? {} : { description: description as string }),
          ...(unit === undefined ? {} : { unit: unit as string }),
          kind,
          ...('aggregationTemporality' in body
            ? { temporality: body.aggregationTemporality as number }
            : {}),
          ...('isMonotonic' in body ? { isMonotonic: body.isMonotonic as boolean } : {}),
          scope: scope.name,
          scopeVersion: scope.version ?? '',
          points: [...(held?.points ?? []), ...points],
        })
      }
    }
  }
  return metrics
}
