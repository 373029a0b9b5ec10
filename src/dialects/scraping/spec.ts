/**
 * Constants of Prometheus' exposition formats and of scraping: limits and the closed sets of codes.
 * Documents: "Exposition formats" of prometheus.io (text 0.0.4 and protobuf), OpenMetrics 1.0, and
 * metrics.proto of prometheus/client_model.
 */
export const NAME = 'scraping'

/** Schemes of targets in `--attach`. */
export const SCHEMES = ['prometheus+http', 'prometheus+https'] as const
export const METRICS_PATH = '/metrics'
/** Job of a target whose address names none. */
export const USUAL_JOB = 'attached'

/**
 * Formats that are asked for, and how willingly. OpenMetrics has integers to their last digit, and
 * protobuf alone has native histograms.
 */
export const ACCEPT_TEXT =
  'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8,' +
  'application/openmetrics-text;version=1.0.0;q=0.9,' +
  'text/plain;version=1.0.0;escaping=allow-utf-8;q=0.6,text/plain;version=0.0.4;q=0.5,*/*;q=0.1'
const PROTOBUF = 'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily'
export const ACCEPT_NATIVE =
  `${PROTOBUF};encoding=delimited;escaping=allow-utf-8,${PROTOBUF};encoding=delimited,` +
  ACCEPT_TEXT.replace('utf-8,', 'utf-8;q=0.95,')

/** Answer as it is read, unpacked, bytes. */
export const BODY_BYTES_LIMIT = 16 * 1024 * 1024
export const SAMPLES_LIMIT = 200_000
/** Labels of a sample, its name not counted, and bytes of a sample's name and labels as sent. */
export const LABELS_LIMIT = 128
export const SERIES_BYTES_LIMIT = 16_384
export const NAME_LENGTH_LIMIT = 1024
export const HELP_LENGTH_LIMIT = 1024
/** Buckets of a histogram: classic ones, or native ones of one sign. */
export const BUCKETS_LIMIT = 4096
/** Sample with a time so far ahead of the hub's clock is refused, as Prometheus does, ms. */
export const AHEAD_MS_LIMIT = 600_000
/** Sample with a time longer ago is noted, ms. */
export const LATE_MS = 300_000

/** Label whose value is the name of the metric. */
export const NAME_LABEL = '__name__'
export const BOUND_LABEL = 'le'
export const QUANTILE_LABEL = 'quantile'
/** Prefix for a label of a sample that would hide one of its target. */
export const EXPORTED = 'exported_'

/** Types of metrics, by the numbers of the enum MetricType; `unknown` is `untyped` in text. */
export const PROTOBUF_TYPES = [
  ...['counter', 'gauge', 'summary', 'unknown', 'histogram', 'gaugehistogram'],
] as const
export const TYPES = [
  ...['counter', 'gauge', 'summary', 'unknown', 'histogram', 'gaugehistogram', 'info', 'stateset'],
] as const
export type MetricType = (typeof TYPES)[number]

/** Codes of what costs a whole answer. */
export const ANSWER_ERROR_CODES = [
  ...['bad_protobuf', 'cut_off', 'too_large', 'samples_limit'],
] as const
/** Codes of what costs one line or sample. */
export const SAMPLE_ERROR_CODES = [
  ...['bad_line', 'bad_metadata', 'bad_name', 'bad_labels', 'labels_limit', 'bad_value'],
  ...['bad_time', 'bad_exemplar', 'bad_buckets', 'buckets_limit', 'bad_schema', 'float_counts'],
  ...['gauge_histogram', 'bad_sample'],
] as const
export const ERROR_CODES = [...ANSWER_ERROR_CODES, ...SAMPLE_ERROR_CODES] as const
export type ErrorCode = (typeof ERROR_CODES)[number]
export type SampleErrorCode = (typeof SAMPLE_ERROR_CODES)[number]

/** Codes of samples that can be read and are not taken. */
export const REFUSAL_CODES = [
  ...['duplicate', 'out_of_order', 'clock_ahead', 'hub_loop', 'attached_bytes_limit'],
] as const
export type RefusalCode = (typeof REFUSAL_CODES)[number]

/** Messages that a caller wants to write and the formats cannot say. */
export const ENCODE_ERROR_CODES = ['bad_message', 'bad_value'] as const
