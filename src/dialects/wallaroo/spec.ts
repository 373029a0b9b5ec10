/**
 * Constants of the Wallaroo Metrics Protocol: type codes, sizes, limits and the closed
 * sets of error codes and notes (docs/formats/wallaroo.md; "document" and "peer" as explained there
 * under §5).
 */
export const NAME = 'wallaroo'

/** The peer's default for metrics; shared with scope, whose viewers wait where workers speak. */
export const DEFAULT_PORT = 5001

export const CONNECT = 1
export const JOIN = 2
export const METRICS = 3

/** Bytes of the length field in front of every frame. */
export const LENGTH_BYTES = 4
/** Prefix of the application's name in a topic; only the first one is cut off. */
export const TOPIC_PREFIX = 'metrics:'
/** The one event of type 3 that the document knows. */
export const EVENT = 'metrics'

/** Bin 0 to bin 64: one for every bit length of a u64. */
export const BINS = 65
/** Differences of wall clocks that went wrong end here: messages that happened, no latencies. */
export const SKEW_BIN = 64
/**
 * Size of what stands behind the four names: [id:u16][65 bins][A][B][period][end], all u64 but the
 * id.
 */
export const TAIL_BYTES = 2 + 8 * BINS + 4 * 8
/** payloadSize less the names' bytes: [payloadHeader:u32], four lengths, the tail. */
export const PAYLOAD_BYTES = 4 + 4 * 4 + TAIL_BYTES
/**
 * Value that the document profile writes as payloadHeader, less the names: the bytes that follow
 * it.
 */
export const HEADER_DOCUMENT = PAYLOAD_BYTES - 4
/** Value that the peer writes: 152 more than really follow, always; no receiver reads it. */
export const HEADER_PEER = HEADER_DOCUMENT + 152

/** Minimum of a window without samples, at the peer; its maximum is 0. */
export const NO_MIN = 0xffff_ffff_ffff_ffffn
export const NO_MAX = 0n

/** Categories in the order in which a reporter sends them (§4.6). */
export const CATEGORIES = [
  'computation',
  'pipeline-ingestion',
  'start-to-end',
  'node-ingress-egress',
] as const
export type Category = (typeof CATEGORIES)[number]

/** Errors of a frame, in the words of §6. */
export const ERROR_CODES = [
  'frame_too_large',
  'empty_frame',
  'unknown_type',
  'malformed_connect',
  'malformed_join',
  'bad_topic',
  'malformed_metrics',
  'unknown_event',
] as const
export type ErrorCode = (typeof ERROR_CODES)[number]

/** Oddities that are accepted and counted; the place of each is its bit in a mask. */
export const NOTES = [
  'repeated_connect',
  'repeated_join',
  'before_connect',
  'topic_not_joined',
  'join_without_worker',
  'payload_size_mismatch',
  'array_count_prefix',
  'document_order',
  'empty_window',
  'minmax_inconsistent',
  'clock_skew',
  'invalid_utf8',
  'zero_period',
  'period_too_long',
  'late_window',
  'end_in_future',
  'series_overflow',
  'truncated_at_close',
  'length_includes_header',
] as const
export type Note = (typeof NOTES)[number]

/**
 * Gives the bit of a note in a mask.
 *
 * @example
 * import { noteBit } from 'pentameter/wallaroo/spec'
 *
 * const mask = noteBit('repeated_join') | noteBit('late_window')
 * console.log((mask & noteBit('clock_skew')) !== 0) // false
 */
export function noteBit(note: Note): number {
  return 1 << NOTES.indexOf(note)
}

/**
 * Lists the notes of a mask, in the order of {@link NOTES}.
 *
 * @example
 * import { noteBit, notesOf } from 'pentameter/wallaroo/spec'
 *
 * console.log(notesOf(noteBit('repeated_join'))) // [ 'repeated_join' ]
 */
export function notesOf(mask: number): Note[] {
  return NOTES.filter((_, i) => (mask & (1 << i)) !== 0)
}

/**
 * Rule of which of the two bins that meet at 2^k takes it: the lower (document), the upper (peer).
 */
export type Binning = 'document' | 'peer'
/** Rule of which window takes the sample that comes too late (§4.6). */
export type WindowRule = Binning

/** Topics that a connection's joins are remembered by, in bytes; more are not. */
export const JOINED_BYTES_LIMIT = 32_768

/** Longest name that is sent, in bytes. */
export const NAME_BYTES_LIMIT = 65_535

/** Errors of a message that a caller wants to send. */
export const ENCODE_ERROR_CODES = ['bad_message', 'out_of_range', 'name_too_long'] as const
export type EncodeErrorCode = (typeof ENCODE_ERROR_CODES)[number]

/** Prefix of every name in the model; an option of the hub. */
export const NAME_PREFIX = 'wallaroo_'
