/**
 * A message that a protocol cannot say: the caller's error, thrown before a byte is made of it.
 *
 * @example
 * import { EncodeError } from 'pentameter/wire'
 *
 * const codeOf = (error: unknown) => (error instanceof EncodeError ? error.code : undefined)
 * console.log(codeOf(new Error('another'))) // undefined
 */
export class EncodeError extends RangeError {
  override readonly name = 'EncodeError'
  /** Registry name of the dialect. */
  readonly dialect: string
  /** One of the dialect's closed set (`ENCODE_ERROR_CODES` of its constants). */
  readonly code: string

  constructor(fields: Pick<EncodeError, 'dialect' | 'code'>, detail: string) {
    super(`${fields.dialect}: ${fields.code}: ${detail}`)
    this.dialect = fields.dialect
    this.code = fields.code
  }
}
