/**
 * Constants of the protocol by which a hub tells another of its closed seconds (README.md): types
 * of messages, limits and the closed sets of codes. It is Pentameter's own, version 1.
 */
export const NAME = 'federation'

/** Version of the protocol; a hub refuses every other one. */
export const VERSION = 1

/** Schemes of hubs in `--attach`; the latter is spoken over TLS. */
export const SCHEMES = ['pentameter', 'pentameters'] as const
export const PATH = '/api/v1/federation'
export const CONTENT_TYPE = 'application/vnd.pentameter.seconds'
/** Parameters of the request: version, and for one who comes back start and last sequence. */
export const QUERY = { version: 'version', start: 'start', after: 'after' } as const

/** Types of messages, by their number on the wire. */
export const TYPE = {
  hello: 1,
  series: 2,
  gone: 3,
  counters: 4,
  gauges: 5,
  histograms: 6,
  summaries: 7,
  end: 8,
} as const
export type TypeName = keyof typeof TYPE

/** Bits of what is said of a series besides identity and metadata. */
export const FORM = {
  cumulative: 1,
  windowed: 2,
  decrements: 4,
  bits32: 8,
  bits64: 16,
  /** Bit of the hub's readings of its machine. */
  host: 32,
} as const

/** Header of a message: size and type. */
export const HEADER_BYTES = 5
/** Body of a message, bytes; a longer one ends the connection. */
export const BODY_BYTES_LIMIT = 1_048_576
/** Body that a hub fills before it begins another message, bytes. */
export const BODY_BYTES = 65_536
/** Metadata of a series as JSON, bytes. */
export const METADATA_BYTES_LIMIT = 4096
/** Seconds that one message may stand for: a hub that stood still for longer says less. */
export const SECONDS_MAX = 2 ** 31
/** Time within which a hub answers, and for which it may be silent, ms. */
export const ANSWER_MS = 10_000
export const SILENCE_MS = 10_000
/** Difference of clocks from which on times of the other hub are moved by whole seconds, ms. */
export const BEHIND_MS = 700
export const AHEAD_MS = 2000

/** Codes of what can't be read. */
export const ERROR_CODES = [
  ...['too_large', 'cut_off', 'bad_type', 'bad_hello', 'bad_series', 'bad_gone', 'bad_cells'],
  'bad_end',
] as const
export type ErrorCode = (typeof ERROR_CODES)[number]

/** Messages that a caller wants to write and the protocol cannot say. */
export const ENCODE_ERROR_CODES = ['bad_message'] as const
