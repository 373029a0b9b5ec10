/**
 * The messages of the protobuf format as a table, from io/prometheus/client/metrics.proto. An
 * answer is a sequence `[length:varint][MetricFamily]…`.
 */
import { message } from '../../../wire/protobuf/schema.ts'

const labelPair = message([
  ['name', 1, 'string'],
  ['value', 2, 'string'],
])
const timestamp = message([
  ['seconds', 1, 'int64'],
  ['nanos', 2, 'uint32'],
])
const exemplar = message([
  ['label', 1, () => labelPair, '*'],
  ['value', 2, 'double'],
  ['timestamp', 3, () => timestamp, '?'],
])
const number = message([['value', 1, 'double']])
const counter = message([
  ['value', 1, 'double'],
  ['exemplar', 2, () => exemplar, '?'],
  ['createdTimestamp', 3, () => timestamp, '?'],
])
const quantile = message([
  ['quantile', 1, 'double'],
  ['value', 2, 'double'],
])
const summary = message([
  ['sampleCount', 1, 'uint64'],
  ['sampleSum', 2, 'double'],
  ['quantile', 3, () => quantile, '*'],
  ['createdTimestamp', 4, () => timestamp, '?'],
])
const bucket = message([
  ['cumulativeCount', 1, 'uint64'],
  ['upperBound', 2, 'double'],
  ['exemplar', 3, () => exemplar, '?'],
  ['cumulativeCountFloat', 4, 'double', '?'],
])
const span = message([
  ['offset', 1, 'sint32'],
  ['length', 2, 'uint32'],
])
const histogram = message([
  ['sampleCount', 1, 'uint64'],
  ['sampleSum', 2, 'double'],
  ['bucket', 3, () => bucket, '*'],
  ['sampleCountFloat', 4, 'double', '?'],
  ['schema', 5, 'sint32'],
  ['zeroThreshold', 6, 'double'],
  ['zeroCount', 7, 'uint64'],
  ['zeroCountFloat', 8, 'double', '?'],
  ['negativeSpan', 9, () => span, '*'],
  ['negativeDelta', 10, 'sint64', '*'],
  ['negativeCount', 11, 'double', '*'],
  ['positiveSpan', 12, () => span, '*'],
  ['positiveDelta', 13, 'sint64', '*'],
  ['positiveCount', 14, 'double', '*'],
  ['createdTimestamp', 15, () => timestamp, '?'],
  ['exemplars', 16, () => exemplar, '*'],
])

/** One series of a family. */
export const METRIC = message([
  ['label', 1, () => labelPair, '*'],
  ['gauge', 2, () => number, '?'],
  ['counter', 3, () => counter, '?'],
  ['summary', 4, () => summary, '?'],
  ['untyped', 5, () => number, '?'],
  ['timestampMs', 6, 'int64'],
  ['histogram', 7, () => histogram, '?'],
])

/** Fields of MetricFamily, which is read field by field: it may have a million series. */
export const FAMILY_FIELDS = { name: 1, help: 2, type: 3, metric: 4, unit: 5 } as const

export interface Timestamp {
  readonly seconds?: string
  readonly nanos?: number
}
export interface LabelPair {
  readonly name?: string
  readonly value?: string
}
/** Doubles that JSON has no number for are texts. */
export type Double = number | 'NaN' | 'Infinity' | '-Infinity'
export interface ExemplarMessage {
  readonly label?: readonly LabelPair[]
  readonly value?: Double
  readonly timestamp?: Timestamp
}
export interface BucketMessage {
  readonly cumulativeCount?: string
  readonly cumulativeCountFloat?: Double
  readonly upperBound?: Double
  readonly exemplar?: ExemplarMessage
}
export interface SpanMessage {
  readonly offset?: number
  readonly length?: number
}
export interface HistogramMessage {
  readonly sampleCount?: string
  readonly sampleCountFloat?: Double
  readonly sampleSum?: Double
  readonly bucket?: readonly BucketMessage[]
  readonly schema?: number
  readonly zeroThreshold?: Double
  readonly zeroCount?: string
  readonly zeroCountFloat?: Double
  readonly negativeSpan?: readonly SpanMessage[]
  readonly negativeDelta?: readonly string[]
  readonly negativeCount?: readonly Double[]
  readonly positiveSpan?: readonly SpanMessage[]
  readonly positiveDelta?: readonly string[]
  readonly positiveCount?: readonly Double[]
  readonly createdTimestamp?: Timestamp
  readonly exemplars?: readonly ExemplarMessage[]
}
export interface SummaryMessage {
  readonly sampleCount?: string
  readonly sampleSum?: Double
  readonly quantile?: readonly { readonly quantile?: Double; readonly value?: Double }[]
  readonly createdTimestamp?: Timestamp
}
export interface CounterMessage {
  readonly value?: Double
  readonly exemplar?: ExemplarMessage
  readonly createdTimestamp?: Timestamp
}
export interface MetricMessage {
  readonly label?: readonly LabelPair[]
  readonly gauge?: { readonly value?: Double }
  readonly counter?: CounterMessage
  readonly summary?: SummaryMessage
  readonly untyped?: { readonly value?: Double }
  readonly timestampMs?: string
  readonly histogram?: HistogramMessage
}
