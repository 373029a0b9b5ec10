/**
 * The messages of OTLP metrics as a table: name in JSON, field number and type of each field, from
 * opentelemetry-proto. What reads and writes whole requests walks it; the way of points into the
 * hub has its own scan.
 */

import { message, type Row, type Schema } from '../../../wire/protobuf/schema.ts'

/** Names of the enum AggregationTemporality. */
const TEMPORALITIES = [
  'AGGREGATION_TEMPORALITY_UNSPECIFIED',
  'AGGREGATION_TEMPORALITY_DELTA',
  'AGGREGATION_TEMPORALITY_CUMULATIVE',
]

const anyValue: Schema = message([
  ['stringValue', 1, 'string', '?'],
  ['boolValue', 2, 'bool', '?'],
  ['intValue', 3, 'int64', '?'],
  ['doubleValue', 4, 'double', '?'],
  ['arrayValue', 5, () => arrayValue, '?'],
  ['kvlistValue', 6, () => attributeList, '?'],
  ['bytesValue', 7, 'bytes', '?'],
])
const arrayValue = message([['values', 1, () => anyValue, '*']])
const attribute = message([
  ['key', 1, 'string'],
  ['value', 2, () => anyValue, '?'],
])
const attributeList = message([['values', 1, () => attribute, '*']])
const exemplar = message([
  ['filteredAttributes', 7, () => attribute, '*'],
  ['timeUnixNano', 2, 'fixed64'],
  ['asDouble', 3, 'double', '?'],
  ['asInt', 6, 'sfixed64', '?'],
  ['spanId', 4, 'hex'],
  ['traceId', 5, 'hex'],
])
const numberPoint = message(
  [
    ['attributes', 7, () => attribute, '*'],
    ['startTimeUnixNano', 2, 'fixed64'],
    ['timeUnixNano', 3, 'fixed64'],
    ['asDouble', 4, 'double', '?'],
    ['asInt', 6, 'sfixed64', '?'],
    ['exemplars', 5, () => exemplar, '*'],
    ['flags', 8, 'uint32'],
  ],
  true,
)
const histogramPoint = message(
  [
    ['attributes', 9, () => attribute, '*'],
    ['startTimeUnixNano', 2, 'fixed64'],
    ['timeUnixNano', 3, 'fixed64'],
    ['count', 4, 'fixed64'],
    ['sum', 5, 'double', '?'],
    ['bucketCounts', 6, 'fixed64', '*'],
    ['explicitBounds', 7, 'double', '*'],
    ['exemplars', 8, () => exemplar, '*'],
    ['flags', 10, 'uint32'],
    ['min', 11, 'double', '?'],
    ['max', 12, 'double', '?'],
  ],
  true,
)
const buckets = message([
  ['offset', 1, 'sint32'],
  ['bucketCounts', 2, 'uint64', '*'],
])
const exponentialPoint = message(
  [
    ['attributes', 1, () => attribute, '*'],
    ['startTimeUnixNano', 2, 'fixed64'],
    ['timeUnixNano', 3, 'fixed64'],
    ['count', 4, 'fixed64'],
    ['sum', 5, 'double', '?'],
    ['scale', 6, 'sint32'],
    ['zeroCount', 7, 'fixed64'],
    ['positive', 8, () => buckets, '?'],
    ['negative', 9, () => buckets, '?'],
    ['flags', 10, 'uint32'],
    ['exemplars', 11, () => exemplar, '*'],
    ['min', 12, 'double', '?'],
    ['max', 13, 'double', '?'],
    ['zeroThreshold', 14, 'double'],
  ],
  true,
)
const valueAtQuantile = message([
  ['quantile', 1, 'double'],
  ['value', 2, 'double'],
])
const summaryPoint = message(
  [
    ['attributes', 7, () => attribute, '*'],
    ['startTimeUnixNano', 2, 'fixed64'],
    ['timeUnixNano', 3, 'fixed64'],
    ['count', 4, 'fixed64'],
    ['sum', 5, 'double'],
    ['quantileValues', 6, () => valueAtQuantile, '*'],
    ['flags', 8, 'uint32'],
  ],
  true,
)
const points = (point: Schema): Row => ['dataPoints', 1, () => point, '*']
const temporality: Row = ['aggregationTemporality', 2, 'enum', '', TEMPORALITIES]
const gauge = message([points(numberPoint)])
const sum = message([points(numberPoint), temporality, ['isMonotonic', 3, 'bool']])
const histogram = message([points(histogramPoint), temporality])
const exponentialHistogram = message([points(exponentialPoint), temporality])
const summary = message([points(summaryPoint)])
const metric = message([
  ['name', 1, 'string'],
  ['description', 2, 'string'],
  ['unit', 3, 'string'],
  ['gauge', 5, () => gauge, '?'],
  ['sum', 7, () => sum, '?'],
  ['histogram', 9, () => histogram, '?'],
  ['exponentialHistogram', 10, () => exponentialHistogram, '?'],
  ['summary', 11, () => summary, '?'],
  ['metadata', 12, () => attribute, '*'],
])
const scope = message([
  ['name', 1, 'string'],
  ['version', 2, 'string'],
  ['attributes', 3, () => attribute, '*'],
  ['droppedAttributesCount', 4, 'uint32'],
])
const resource = message([
  ['attributes', 1, () => attribute, '*'],
  ['droppedAttributesCount', 2, 'uint32'],
])
const scopeMetrics = message([
  ['scope', 1, () => scope, '?'],
  ['metrics', 2, () => metric, '*'],
  ['schemaUrl', 3, 'string'],
])

/** One resource with its metrics: the unit that a stream of requests is made of. */
export const RESOURCE_METRICS: Schema = message([
  ['resource', 1, () => resource, '?'],
  ['scopeMetrics', 2, () => scopeMetrics, '*'],
  ['schemaUrl', 3, 'string'],
])
/** One exemplar of a point. */
export const EXEMPLAR: Schema = exemplar
/** Attributes alone, as resources and scopes have them. */
export const ATTRIBUTE: Schema = attribute
