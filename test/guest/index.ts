/** Semaphore for programs. Public as `pentameter/semaphore`, were it real. */
export { createDecoder, encode, lineOf, type Message } from './codec.ts'
