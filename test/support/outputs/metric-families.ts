/** Prometheus' protobuf exposition as tests compare it. */
import { delimitedMessages, type Message } from './protobuf-reader.ts'

export interface NativeSide {
  readonly spans: readonly (readonly [offset: number, length: number])[]
  readonly deltas: readonly string[]
}

export interface ReadMetric {
  readonly labels: Readonly<Record<string, string>>
  readonly value?: number
  readonly count?: string
  readonly sum?: number
  /** Upper bound and cumulative count. */
  readonly buckets?: readonly (readonly [bound: number, count: string])[]
  readonly quantiles?: readonly (readonly [quantile: number, value: number])[]
  readonly native?: {
    readonly schema: number
    readonly zeroThreshold: number
    readonly zeroCount: string
    readonly positive: NativeSide
    readonly negative: NativeSide
  }
  readonly createdMs?: number
  readonly timeMs?: number
}

export interface ReadFamily {
  readonly type: 'counter' | 'gauge' | 'summary' | 'histogram'
  readonly help: string
  readonly unit: string
  readonly metrics: readonly ReadMetric[]
}

const TYPES: Readonly<Record<number, ReadFamily['type']>> = {
  0: 'counter',
  1: 'gauge',
  2: 'summary',
  4: 'histogram',
}

/** Families by name; a repeated one is an error. */
export function readFamilies(bytes: Uint8Array): Map<string, ReadFamily> {
  const families = new Map<string, ReadFamily>()
  for (const family of delimitedMessages(bytes)) {
    const name = family.text(1)
    if (families.has(name)) throw new Error(`family ${name} twice`)
    const type = TYPES[Number(family.unsigned(3))]!
    families.set(name, {
      type,
      help: family.text(2),
      unit: family.text(5),
      metrics: family.messages(4).map((metric) => readMetric(metric, type)),
    })
  }
  return families
}

function readMetric(metric: Message, type: ReadFamily['type']): ReadMetric {
  const pairs = metric.messages(1).map((label) => [label.text(1), label.text(2)] as const)
  return {
    labels: Object.fromEntries(pairs),
    ...VALUES[type](metric),
    ...(metric.has(6) ? { timeMs: Number(metric.unsigned(6)) } : {}),
  }
}

const VALUES: Record<ReadFamily['type'], (metric: Message) => Partial<ReadMetric>> = {
  counter: (metric) => {
    const counter = metric.message(3)
    return { value: counter.double(1), createdMs: millisecondsOf(counter.message(3)) }
  },
  gauge: (metric) => ({ value: metric.message(2).double(1) }),
  summary: (metric) => {
    const summary = metric.message(4)
    return {
      count: `${summary.unsigned(1)}`,
      sum: summary.double(2),
      quantiles: summary.messages(3).map((each) => [each.double(1), each.double(2)] as const),
      createdMs: millisecondsOf(summary.message(4)),
    }
  },
  histogram: (metric) => {
    const histogram = metric.message(7)
    return {
      count: `${histogram.unsigned(1)}`,
      sum: histogram.double(2),
      buckets: histogram
        .messages(3)
        .map((each) => [each.double(2), `${each.unsigned(1)}`] as const),
      ...(histogram.has(5) ? { native: nativeOf(histogram) } : {}),
      createdMs: millisecondsOf(histogram.message(15)),
    }
  },
}

function nativeOf(histogram: Message): NonNullable<ReadMetric['native']> {
  const side = (field: number): NativeSide => ({
    spans: histogram
      .messages(field)
      .map((span) => [Number(span.zigzag(1)), Number(span.unsigned(2))] as const),
    deltas: histogram.packedZigzag(field + 1).map(String),
  })
  return {
    schema: Number(histogram.zigzag(5)),
    zeroThreshold: histogram.double(6),
    zeroCount: `${histogram.unsigned(7)}`,
    positive: side(12),
    negative: side(9),
  }
}

function millisecondsOf(timestamp: Message): number {
  return Number(timestamp.unsigned(1)) * 1000 + Number(timestamp.unsigned(2)) / 1e6
}
