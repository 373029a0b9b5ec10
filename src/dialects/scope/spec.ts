/**
 * Constants of the metrics-exporter-scope protocol, version 1: limits and the
 * closed sets of error codes and reasons (source document: proto.md; README.md, "Document
 * and peers", says where the real exporter differs).
 */
export const NAME = 'scope'
export const VERSION = 1
/** [version:u16le], the server's first two bytes. */
export const VERSION_BYTES: Uint8Array = new Uint8Array([VERSION, 0])
export const DEFAULT_PORT = 5001

/** `framed`: [length:u32le] in front of every message; `bare`: the MessagePack value alone. */
export type Framing = 'framed' | 'bare'
/** `auto` takes both and finds out which; the others forbid the other kind. */
export type FramingChoice = 'auto' | Framing

/** Field names on the wire, in the order in which they are written and indexed. */
export const SETTINGS_FIELDS = ['sampling_interval'] as const
export const INFO_FIELDS = ['metrics'] as const
export const METRIC_FIELDS = ['labels'] as const
export const SNAPSHOT_FIELDS = ['t', 'd'] as const

/** Label keys that are hints for viewers. */
export const PLOT_LABEL = 'plot'
export const COLOR_LABEL = 'color'
/** Folded into a name that would otherwise stand for two series. */
export const TYPE_LABEL = '__type'

/** Refusals of what a client sent; every one ends its connection. */
export const SETTINGS_ERROR_CODES = [
  'settings_empty',
  'settings_too_large',
  'settings_malformed',
  'settings_shape',
  'settings_type',
  'settings_range',
  'framing',
] as const
export type SettingsErrorCode = (typeof SETTINGS_ERROR_CODES)[number]

/** Errors of one packet of a server. */
export const PACKET_ERROR_CODES = ['bad_msgpack', 'bad_shape', 'bad_time', 'too_large'] as const
export type PacketErrorCode = (typeof PACKET_ERROR_CODES)[number]

/** Errors of the first two bytes of a server. */
export const VERSION_ERROR_CODES = ['version', 'closed_early'] as const

export const ERROR_CODES: readonly string[] = [
  ...SETTINGS_ERROR_CODES,
  ...PACKET_ERROR_CODES,
  ...VERSION_ERROR_CODES,
]

/** Messages that a caller wants to send and the protocol cannot say. */
export const ENCODE_ERROR_CODES = ['bad_message', 'bad_range'] as const
export type EncodeErrorCode = (typeof ENCODE_ERROR_CODES)[number]

/** Settings that a client sends once. */
export interface Settings {
  readonly kind: 'settings'
  readonly samplingIntervalNs: bigint
}

/** Metadata by wire name; of a repeated name or key the last is kept. */
export interface Info {
  readonly kind: 'info'
  readonly metrics: ReadonlyMap<string, ReadonlyMap<string, string>>
  readonly reading: Reading
}

/** Values at one instant, in columns: the names rarely change, the values always do. */
export interface Snapshot {
  readonly kind: 'snapshot'
  /** Nanoseconds since the communication phase began. */
  readonly t: bigint
  /** Distinct, in wire order; the same array as last time while a decoder saw the same names. */
  readonly names: readonly string[]
  /** `values[i]` belongs to `names[i]`; NaN = no value. Valid until the decoder's next packet. */
  readonly values: Float64Array
  readonly reading: Reading
}

export type Packet = Info | Snapshot

/** Way in which a packet had to be read. */
export interface Reading {
  /** False when only the lenient reading could use the packet. */
  readonly isStrict: boolean
  /** Entries left out or emptied by the lenient reading. */
  readonly dropped: number
  /** Entries left out because of a limit of the reader; absent where there are none. */
  readonly omitted?: number
  /** Form of `t`; a float means seconds. */
  readonly time?: TimeForm
}

export type TimeForm = 'unsigned' | 'signed' | 'float' | 'text' | 'pair'

/** The usual reading: nothing was wrong. */
export const STRICT_READING: Reading = { isStrict: true, dropped: 0 }

/**
 * The settings cap must stay below this: bare settings `91 cf 00 00 …` read as a length of 53137,
 * the smallest length that acceptable bare settings can be mistaken for.
 */
export const SETTINGS_CAP_BELOW = 53_137

/** A server of another version is asked again no sooner than this. */
export const VERSION_RETRY_MS = 30_000
/** Attempts in a row without a packet after which a proven target's other framing is tried. */
export const REPROVE_ATTEMPTS = 10
