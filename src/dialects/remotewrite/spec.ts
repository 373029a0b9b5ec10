/**
 * Constants of Prometheus remote write 1.0 and 2.0: limits and the closed sets of codes. Documents:
 * https://prometheus.io/docs/specs/prw/remote_write_spec/ and …_spec_2_0/ (2.0-rc.4), and
 * the messages of prompb (remote.proto, types.proto; io/prometheus/write/v2/types.proto); snappy's
 * block format (format_description.txt of google/snappy).
 */
export const NAME = 'remotewrite'

/** Path of Prometheus' own receiver. */
export const PATH = '/api/v1/write'

/** Word in front of the URL of a receiver. */
export const SCHEME_PREFIX = 'remotewrite+'
export const SCHEMES = [`${SCHEME_PREFIX}http`, `${SCHEME_PREFIX}https`] as const

export const PROTOBUF_TYPE = 'application/x-protobuf'
/** Version of the messages of a request. */
export type Version = 1 | 2
/** Messages that a content type may name behind `proto=`, by version; 1.0 needs no name. */
export const MESSAGES: Readonly<Record<Version, string>> = {
  1: 'prometheus.WriteRequest',
  2: 'io.prometheus.write.v2.Request',
}
/** Header of a request that says its version, and what it says. */
export const VERSION_HEADER = 'X-Prometheus-Remote-Write-Version'
export const VERSION_TEXTS: Readonly<Record<Version, string>> = { 1: '0.1.0', 2: '2.0.0' }
/** Headers of an answer of 2.0: how many of each were written. */
export const WRITTEN_HEADERS = {
  samples: 'X-Prometheus-Remote-Write-Samples-Written',
  histograms: 'X-Prometheus-Remote-Write-Histograms-Written',
  exemplars: 'X-Prometheus-Remote-Write-Exemplars-Written',
} as const

/** Body as it is sent, bytes: a larger one gets 413. */
export const REQUEST_BYTES_LIMIT = 4 * 1024 * 1024
/** Body once unpacked, bytes. */
export const UNPACKED_BYTES_LIMIT = 16 * 1024 * 1024
/** Bytes of what is read in one step: a series, or what a request has besides them. */
export const PART_BYTES_LIMIT = 1024 * 1024
/** Labels of a series, its name among them. */
export const LABELS_LIMIT = 128
/** Bytes of all of them. */
export const LABELS_BYTES_LIMIT = 16_384
/** Strings in the table of a request of 2.0. */
export const SYMBOLS_LIMIT = 262_144
/**
 * Bytes of labels and words of all series of a request of 2.0, written out: what its few bytes may
 * say again and again. Series beyond have too many labels.
 */
export const WRITTEN_OUT_BYTES_LIMIT = 64 * 1024 * 1024
/** Bytes of the name of a metric or its unit, and of its description. */
export const NAME_BYTES_LIMIT = 1024
export const HELP_BYTES_LIMIT = 1024
/** Metrics whose metadata is remembered. */
export const FAMILIES_LIMIT = 10_000
/** Buckets of a native histogram, of one sign. */
export const BUCKETS_LIMIT = 4096
/** Exemplars that are read of a series in a request. */
export const EXEMPLARS_LIMIT = 32
/** Sample that is so far ahead of the hub's clock is refused, as Prometheus does, ms. */
export const AHEAD_MS_LIMIT = 600_000
/** Sample that is older is noted, ms. */
export const LATE_MS = 300_000

/** Label whose value is the name of the metric. */
export const NAME_LABEL = '__name__'
/** Bits of the NaN that ends a series: high and low word. */
export const STALE_HIGH = 0x7ff00000
export const STALE_LOW = 2
export const STALE_BITS = (BigInt(STALE_HIGH) << 32n) | BigInt(STALE_LOW)

/** Numbers of the enum MetricMetadata.MetricType, which 2.0 has, too. */
export const METRIC_TYPES = [
  ...['UNKNOWN', 'COUNTER', 'GAUGE', 'HISTOGRAM', 'GAUGEHISTOGRAM', 'SUMMARY', 'INFO'],
  'STATESET',
] as const
/** Numbers of the enum Histogram.ResetHint. */
export const RESET_HINTS = ['UNKNOWN', 'YES', 'NO', 'GAUGE'] as const

/** Codes of what costs a whole request. */
export const REQUEST_ERROR_CODES = [
  ...['bad_snappy', 'bad_protobuf', 'other_version', 'bad_symbols', 'too_large'],
] as const
/** Codes of what costs a series of a request, or one sample. */
export const SAMPLE_ERROR_CODES = [
  ...[
    'bad_name',
    'bad_labels',
    'bad_reference',
    'labels_limit',
    'series_too_large',
    'bad_sample',
    'bad_value',
    'bad_schema',
  ],
  ...['bad_buckets', 'buckets_limit', 'float_counts', 'gauge_histogram'],
] as const
export const ERROR_CODES = [...REQUEST_ERROR_CODES, ...SAMPLE_ERROR_CODES] as const
export type ErrorCode = (typeof ERROR_CODES)[number]
export type SampleErrorCode = (typeof SAMPLE_ERROR_CODES)[number]

/** Codes of samples that can be read and are not taken, by what came before them, or the clock. */
export const REFUSAL_CODES = [
  ...['out_of_order', 'duplicate_timestamp', 'clock_ahead', 'streams_limit'],
] as const
export type RefusalCode = (typeof REFUSAL_CODES)[number]

/** Messages that a caller wants to write and the format cannot say. */
export const ENCODE_ERROR_CODES = ['bad_message', 'bad_value'] as const
