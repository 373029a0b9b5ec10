/**
 * Constants of the Stats Hero Protocol, version 1: type words, limits and the closed sets
 * of error codes (source document: PROTOCOL.md of chef/statsd; README.md, "Document and peers").
 */
export const NAME = 'statshero'

/** Type words by the small integer that stands for them in the codec and in the series key. */
export const TYPE_WORDS = ['m', 'mr', 'g', 'h'] as const
export type TypeWord = (typeof TYPE_WORDS)[number]

/** Increment-only counter. */
export const METER = 0
/** Reading of a counter kept elsewhere. */
export const METER_READER = 1
/** Last write wins. */
export const GAUGE = 2
/** One observation. */
export const HISTOGRAM = 3

export const LF = 0x0a
export const BAR = 0x7c
export const COLON = 0x3a
/** First bytes of a gzip member (RFC 1952). */
export const GZIP_MAGIC = [0x1f, 0x8b] as const

/** TCP: most bytes of a header before its LF. */
export const HEADER_BYTES_LIMIT = 32
/** Largest UDP payload over IPv4: 65535 less 20 bytes of IP and 8 of UDP header. */
export const DATAGRAM_BYTES_LIMIT = 65507
/** A sampled line stands for at most this many. */
export const WEIGHT_MAX = 1e9

/** Errors of bytes that arrive. */
export const ERROR_CODES = [
  'bad_version',
  'bad_length',
  'length_mismatch',
  'too_long',
  'bad_gzip',
  'truncated',
  'parse_error',
  'empty_key',
  'bad_key',
  'bad_value',
  'unknown_type',
  'bad_sample_rate',
] as const
export type ErrorCode = (typeof ERROR_CODES)[number]
/** Errors that cost one line; the others cost a packet. */
export type LineErrorCode = Extract<
  ErrorCode,
  'parse_error' | 'empty_key' | 'bad_key' | 'bad_value' | 'unknown_type' | 'bad_sample_rate'
>
export type PacketErrorCode = Exclude<ErrorCode, LineErrorCode>

/** Errors of a line that a caller wants to send. */
export const ENCODE_ERROR_CODES = [
  'empty_key',
  'bad_key',
  'bad_value',
  'bad_type',
  'bad_sample_rate',
  'line_too_long',
] as const
export type EncodeErrorCode = (typeof ENCODE_ERROR_CODES)[number]
