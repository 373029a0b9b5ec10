/**
 * Constants of NetTrace, the stream of a .NET process' events, and of the Diagnostics IPC that asks
 * for it: type codes, limits and the closed sets of error codes (documents: README.md).
 */
export const NAME = 'nettrace'

/** First bytes of every stream; the byte behind them tells the two framings apart. */
export const STREAM_MAGIC = 'Nettrace'
/** Text in front of the objects of version 4, its length before it. */
export const SERIALIZER = '!FastSerialization.1'

/** Type codes of fields; the last six are of version 6. */
export const TYPE = {
  object: 1,
  boolean: 3,
  char: 4,
  i8: 5,
  u8: 6,
  i16: 7,
  u16: 8,
  i32: 9,
  u32: 10,
  i64: 11,
  u64: 12,
  f32: 13,
  f64: 14,
  date: 16,
  guid: 17,
  text: 18,
  array: 19,
  varint: 20,
  varuint: 21,
  fixedArray: 22,
  utf8Unit: 23,
  relativeText: 24,
  absoluteText: 25,
  boolean8: 26,
} as const

/** Size of an object or block, bytes. */
export const BLOCK_BYTES_LIMIT = 64 * 1024 * 1024
/** Size of an object's name, bytes. */
export const OBJECT_NAME_BYTES_LIMIT = 64
/** Fields of one kind of event, and objects and arrays within each other. */
export const FIELDS_LIMIT = 1000
export const NESTING_LIMIT = 16
/** Kinds of events that one stream may define, and the bytes of all their names. */
export const METADATA_LIMIT = 65_536
export const METADATA_BYTES_LIMIT = 64 * 1024 * 1024
/** Threads whose sequence numbers are remembered. */
export const THREADS_LIMIT = 65_536
/** Events that wait for their turn in time, and the bytes of their payloads. */
export const WAITING_EVENTS_LIMIT = 100_000
export const WAITING_BYTES_LIMIT = 64 * 1024 * 1024

/** Codes that end the reading of a stream. */
export const STREAM_ERROR_CODES = [
  ...['bad_magic', 'bad_tag', 'bad_padding', 'too_large', 'bad_version', 'truncated'],
] as const
/** Codes of what is left out of a stream, or of a message, which goes on. */
export const PART_ERROR_CODES = [
  ...['bad_block', 'bad_metadata', 'metadata_limit', 'undecodable', 'bad_message'],
] as const
export const ERROR_CODES = [...STREAM_ERROR_CODES, ...PART_ERROR_CODES] as const
export type ErrorCode = (typeof ERROR_CODES)[number]

/** Messages that a caller wants to write and the formats cannot say. */
export const ENCODE_ERROR_CODES = ['bad_message', 'bad_value', 'not_sayable'] as const
export type EncodeErrorCode = (typeof ENCODE_ERROR_CODES)[number]

/** First bytes of every message of Diagnostics IPC, and of the advertisement in front of one. */
export const IPC_MAGIC = 'DOTNET_IPC_V1\0'
export const ADVERTISE_MAGIC = 'ADVR_V1\0'
/** [magic:14][size:u16][set:u8][id:u8][0:u16] */
export const IPC_HEADER_BYTES = 20
export const ADVERTISE_BYTES = 34
/** Size of a whole message, bytes. */
export const IPC_BYTES_LIMIT = 65_535
/** Providers of one session. */
export const PROVIDERS_LIMIT = 1000

/** Results that a runtime answers with instead of OK, as eight digits of hex. */
export const HRESULT = {
  badEncoding: '80131384',
  unknownCommand: '80131385',
  unknownMagic: '80131386',
  unknownError: '80131387',
  notSupported: '80131515',
  insufficientBuffer: '8007007a',
  profilerActive: '8013136a',
  fail: '80004005',
  notYetAvailable: '8013135b',
  runtimeUninitialized: '80131371',
  invalidArgument: '80070057',
  variableNotFound: '800000cb',
} as const

/**
 * Limits of a collection of meters, as dotnet-counters asks for them: with others than those of the
 * first tool a runtime refuses all further ones (§9).
 */
export const METER_LIMITS = Object.freeze({ timeSeries: 1000, histograms: 10 })

/** Limits of what tools may cost a process that they look at (README.md). */
export const SOCKET_LIMITS = Object.freeze({
  /** Connections at once; further ones are closed. */
  connections: 256,
  /** Sessions at once, as of a runtime; further ones are refused. */
  sessions: 64,
  /** Time for a command to come whole, ms. */
  commandMs: 5000,
  /** Bytes behind a command that are thrown away; more close the connection. */
  bytesBehind: 65_536,
  /** Output that waits for one tool, and for all of them, bytes; then boundaries are left out. */
  outputBytes: 4 * 1024 * 1024,
  outputBytesOfAll: 16 * 1024 * 1024,
  /** Longest time between two sequence points of a session, ms. */
  sequencePointMs: 10_000,
  /** Time that a tool has to read the end of its stream, ms. */
  endMs: 5000,
})

/** Field of an event, in the order of its payload. */
export interface Field {
  readonly name: string
  /** One of {@link TYPE}. */
  readonly type: number
  /** Members of an object. */
  readonly fields?: readonly Field[]
  /** Elements of an array or a text of version 6. */
  readonly element?: Field
  /** Elements of a fixed array. */
  readonly count?: number
}

/** Description of one kind of event, which a stream gives before the first of them. */
export interface EventMetadata {
  /** Number within the stream. */
  readonly id: number
  readonly provider: string
  readonly eventId: number
  /** Name; empty for events of the runtime itself. */
  readonly name: string
  readonly keywords: bigint
  readonly version: number
  readonly level: number
  readonly opcode: number
  readonly fields: readonly Field[]
}

/** Start of a stream: its clock, and the process that it comes from. */
export interface Trace {
  /** 4, or 6. */
  readonly version: number
  /** Time of the session's start, Unix ms; NaN for a date that is none. */
  readonly syncTimeMs: number
  /** The same moment in ticks. */
  readonly syncTicks: bigint
  /** Ticks in a second. */
  readonly frequency: bigint
  readonly pointerSize: number
  readonly pid: number
  readonly cpus: number
  /** Nanoseconds between samples of the processor. */
  readonly samplingRate: number
}

/** Value of a field: dates are ISO texts of 100 ns, integers beyond 2^53 bigints. */
export type FieldValue =
  | string
  | number
  | bigint
  | boolean
  | readonly FieldValue[]
  | { readonly [name: string]: FieldValue }

/** Values of an event's fields by their names; of a repeated name the last one. */
export type Payload = Readonly<Record<string, FieldValue>>
