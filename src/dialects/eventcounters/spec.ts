/**
 * Constants of EventCounters: names on the wire, limits, error codes (source document: "Evolving
 * EventCounter"; README.md says where shipped .NET differs).
 */
export const NAME = 'eventcounters'

/** The event of every payload; lines with another one are reserved and ignored (§3.1). */
export const EVENT_NAME = 'EventCounters'

/** Path of a producer's endpoint (§2). */
export const PATH = '/api/v1/eventcounters'
/** Response header with the Series text in force, or `none`. */
export const SERIES_HEADER = 'EventCounters-Series'
/**
 * Request header of a client that wants marks: what no payload can say, in a member of the line,
 * `"marks":[…]` (README.md).
 */
export const MARKS_HEADER = 'EventCounters-Marks'
/** Value of that header of a client that wants the buckets of distributions, too. */
export const WITH_BUCKETS = 'buckets'
/**
 * Marks of a line. `scale`: a time scale of one second was chosen, which the document's spelling
 * has for none, too. `tags`: the pairs are labels of an instrument, not metadata.
 */
export const MARKS = ['scale', 'tags'] as const
export type Mark = (typeof MARKS)[number]

export const CONTENT_TYPE = 'application/x-ndjson; charset=utf-8'

/** Query parameter of the interval, and the session argument of .NET. */
export const INTERVAL_ARGUMENT = 'EventCounterIntervalSec'

/** The key under which the document's spelling carries the unit, as the last pair (§3.2). */
export const UNITS_KEY = 'DisplayUnits'

/** Reasons why a line was dropped; the next one is read normally (§6). */
export const ERROR_CODES = [
  'not_json',
  'not_an_object',
  'no_payload',
  'missing_name',
  'unknown_counter_type',
  'missing_value',
  'line_too_long',
] as const
export type ErrorCode = (typeof ERROR_CODES)[number]

/** Errors of a message to send; `not_sayable`: its line would be read otherwise. */
export const ENCODE_ERROR_CODES = [...ERROR_CODES, 'not_sayable'] as const
export type EncodeErrorCode = (typeof ENCODE_ERROR_CODES)[number]

/** Largest i32: where Count of shipped .NET stops, and its longest interval in milliseconds. */
export const INT32_MAX = 2_147_483_647

/** Defaults of section 2; those of sessions and sizes can be configured where they are used. */
export const LIMITS = Object.freeze({
  /** A line that is read, without its end. */
  lineBytes: 65_536,
  /** Metadata text of one counter, UTF-8. */
  metaDataBytes: 8192,
  /** Name, display name, unit, key, value: UTF-16 units. */
  textUnits: 512,
  /** Providers, and counters of all of them, in the list of one session. */
  filterProviders: 256,
  filterCounters: 2048,
  countersPerSource: 10_000,
  sourcesPerProcess: 1000,
  sessions: 64,
  /** Bytes that may wait for one client; a boundary that does not fit is skipped whole. */
  outputBytes: 1_048_576,
  /** Boundaries skipped in a row that close the session. */
  skippedInARow: 30,
  /** Silence after which an endpoint sends an empty line, ms. */
  keepAliveMs: 15_000,
  /** A client gives up after this many times the longer of interval and keep-alive. */
  silencesUntilLost: 3,
  documentIntervalSecMin: 1,
  documentIntervalSecMax: 4_294_967_295,
  peerIntervalMsMin: 1,
  peerIntervalMsMax: INT32_MAX,
})
