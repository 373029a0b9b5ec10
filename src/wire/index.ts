/** Errors that all dialects share: bytes that can't be read, messages that can't be said. */
export { DecodeError, type DecodeErrorFields } from './decode-error.ts'
export { EncodeError } from './encode-error.ts'
