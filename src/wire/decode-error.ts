/**
 * A peer's error. Every one answers the question: can the stream go on?
 */
export interface DecodeErrorFields {
  /** Registry name of the dialect. */
  readonly dialect: string
  /** One of the dialect's closed set (`errorCodes`). */
  readonly code: string
  /** Bytes from the first byte of the message in which it was found. */
  readonly offset: number
  /** True when the next message can still be found. */
  readonly resync: boolean
}

/**
 * The same as an error that is thrown or handed over.
 *
 * @example
 * import { DecodeError } from 'pentameter/wire'
 *
 * const canGoOn = (error: unknown) => error instanceof DecodeError && error.resync
 * console.log(canGoOn(new Error('another'))) // false
 */
export class DecodeError extends Error implements DecodeErrorFields {
  override readonly name = 'DecodeError'
  readonly dialect: string
  readonly code: string
  readonly offset: number
  readonly resync: boolean

  constructor(fields: DecodeErrorFields, detail: string) {
    super(`${fields.dialect}: ${fields.code} at ${fields.offset}: ${detail}`)
    this.dialect = fields.dialect
    this.code = fields.code
    this.offset = fields.offset
    this.resync = fields.resync
  }
}
