/** Constants of Semaphore: the letters of its lines, limits and error codes (README.md). */

export const NAME = 'semaphore'

/** First byte of every line. */
export const MARK = 0x21
export const LF = 0x0a
export const SPACE = 0x20

/** Letters of what a line says, by the small integer that stands for them in a series' key. */
export const LETTERS = ['c', 'g'] as const
export type Letter = (typeof LETTERS)[number]
export const COUNTER = 0
export const GAUGE = 1

/** Longest name, bytes. */
export const NAME_BYTES_LIMIT = 200

/** Codes of what can be wrong with a line; the next one is read all the same. */
export const ERROR_CODES = ['bad_line', 'bad_name', 'bad_value', 'line_too_long'] as const
export type ErrorCode = (typeof ERROR_CODES)[number]

/** Codes of what can be wrong with a message that a caller wants to send. */
export const ENCODE_ERROR_CODES = ['bad_message'] as const
export type EncodeErrorCode = (typeof ENCODE_ERROR_CODES)[number]
