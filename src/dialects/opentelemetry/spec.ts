/**
 * Constants of OTLP/HTTP metrics: field numbers, limits and the closed sets of codes. Documents:
 * opentelemetry-proto (metrics/v1/metrics.proto and what it names) and the OTLP specification.
 */
export const NAME = 'opentelemetry'

/** Path of the standard, below the address that OTEL_EXPORTER_OTLP_ENDPOINT has. */
export const PATH = '/v1/metrics'

export const PROTOBUF_TYPE = 'application/x-protobuf'
export const JSON_TYPE = 'application/json'

/** Body as it is sent, bytes: a larger one gets 413. */
export const REQUEST_BYTES_LIMIT = 4 * 1024 * 1024
/** Body once unpacked, bytes. */
export const UNPACKED_BYTES_LIMIT = 16 * 1024 * 1024
/** The same of JSON, which is parsed in one step, while everybody else waits. */
export const JSON_BYTES_LIMIT = 4 * 1024 * 1024
/** Objects and lists in it: a request of real points has one for each 40 bytes, or fewer. */
export const JSON_OBJECTS_LIMIT = 262_144
/** Names of an object in it: no message has more than 12. */
export const JSON_NAMES_LIMIT = 64
/** Sequences of names, of all objects in it: a request has some twenty. */
export const JSON_FORMS_LIMIT = 1024
/** Bytes of what is read in one step: a point, or what a message has besides what leads to them. */
export const PART_BYTES_LIMIT = 1024 * 1024
/** Attributes of a point, a resource or a scope. */
export const ATTRIBUTES_LIMIT = 128
/** Bytes of all attributes of a point, and of a resource or a scope. */
export const ATTRIBUTES_BYTES_LIMIT = 16_384
/** Bytes of the name of a metric, its unit, and its description. */
export const NAME_BYTES_LIMIT = 1024
export const DESCRIPTION_BYTES_LIMIT = 4096
export { DEPTH_LIMIT } from '../../wire/protobuf/schema.ts'
/** Buckets of a point: explicit ones, or those of one sign. */
export const BUCKETS_LIMIT = 4096
/** Exemplars of a point that are read: the first ones. */
export const EXEMPLARS_LIMIT = 32
/** Quantiles of a summary. */
export const QUANTILES_LIMIT = 64

/** Values of the enum AggregationTemporality. */
export const DELTA = 1
export const CUMULATIVE = 2
/** Flag of a point without a value. */
export const NO_RECORDED_VALUE = 1

/** Fields of Metric by the kind of its data. */
export const DATA_FIELDS = {
  gauge: 5,
  sum: 7,
  histogram: 9,
  exponentialHistogram: 10,
  summary: 11,
} as const
export type DataKind = keyof typeof DATA_FIELDS

/** Codes of what a whole request, or one resource of it, costs. */
export const REQUEST_ERROR_CODES = [
  ...['bad_protobuf', 'bad_json', 'too_large', 'too_deep', 'bad_gzip'],
] as const
/** Codes of what costs one point. */
export const POINT_ERROR_CODES = [
  ...[
    'bad_point',
    'point_too_large',
    'bad_name',
    'bad_attributes',
    'attributes_limit',
    'no_value',
    'bad_value',
  ],
  ...['bad_temporality', 'bad_buckets', 'buckets_limit', 'bad_quantiles'],
] as const
export const ERROR_CODES = [...REQUEST_ERROR_CODES, ...POINT_ERROR_CODES] as const
export type ErrorCode = (typeof ERROR_CODES)[number]
export type PointErrorCode = (typeof POINT_ERROR_CODES)[number]

/** Codes of points that can be read and are not taken, by what the hub has and what came before. */
export const REFUSAL_CODES = [
  ...['duplicate', 'out_of_order', 'streams_limit', 'series_refused'],
] as const
export type RefusalCode = (typeof REFUSAL_CODES)[number]

/** Messages that a caller wants to write and the format cannot say. */
export const ENCODE_ERROR_CODES = ['bad_message', 'bad_value'] as const
