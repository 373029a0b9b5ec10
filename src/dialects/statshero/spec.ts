/**
 * Constants of the Stats Hero Protocol, version 1: type words, limits, options and the closed sets
 * of error codes (source document: PROTOCOL.md of chef/statsd; README.md, "Document and peers").
 */
import type { Profile } from '../decoder.ts'

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

/** What can be wrong with bytes that arrive. */
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
/** Those that cost one line; the others cost a packet. */
export type LineErrorCode = Extract<
  ErrorCode,
  'parse_error' | 'empty_key' | 'bad_key' | 'bad_value' | 'unknown_type' | 'bad_sample_rate'
>
export type PacketErrorCode = Exclude<ErrorCode, LineErrorCode>

/** What can be wrong with a line that a caller wants to send. */
export const EMIT_ERROR_CODES = [
  'empty_key',
  'bad_key',
  'bad_value',
  'bad_type',
  'bad_sample_rate',
  'line_too_long',
] as const
export type EmitErrorCode = (typeof EMIT_ERROR_CODES)[number]

/** Options of the receiving side. */
export interface ReceiveOptions {
  /** `document` takes only what the document's grammar allows; `peer` what real clients send. */
  readonly profile: Profile
  /** TCP: largest body; a longer announced one is refused before anything is buffered. */
  readonly maxFrameBytes: number
  /** Largest gzip body once unpacked. */
  readonly maxInflatedBytes: number
  /** Digits of a value, its sign not counted, leading zeros counted. */
  readonly maxValueDigits: number
  /** Longer keys are refused on their way into the model. */
  readonly maxKeyBytes: number
  /** TCP: longest time that one frame may take to arrive; 0 = any. */
  readonly frameTimeoutMs: number
  /** Widths of meter readers, by key; `*` in a pattern is any run of characters. */
  readonly counterBits: Readonly<Record<string, 32 | 64>>
}

export const RECEIVE_DEFAULTS: ReceiveOptions = {
  profile: 'peer',
  maxFrameBytes: 1_048_576,
  maxInflatedBytes: 1_048_576,
  maxValueDigits: 100,
  maxKeyBytes: 4096,
  frameTimeoutMs: 30_000,
  counterBits: {},
}

/** Options of the sending side that shape its bytes. */
export interface EmitOptions {
  readonly profile: Profile
  /** Whole packet, header included. A single longer line travels alone. */
  readonly maxDatagramBytes: number
  /** Cleans keys to `_` and rounds values instead of throwing. */
  readonly lenient: boolean
}

export const EMIT_DEFAULTS: EmitOptions = {
  profile: 'peer',
  /** 1500 of an Ethernet frame less IPv6 and UDP headers, with room for a tunnel's. */
  maxDatagramBytes: 1432,
  lenient: false,
}
