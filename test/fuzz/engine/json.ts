/** What JSON texts of generated inputs must not contain, because the engine itself misreads it. */
import { latin1 } from './transcript.ts'

/** An escape in a text with a colon behind it. */
const ESCAPED_NAME = /\\.(?:[^"\\]|\\.)*"[ \t\r\n]*:/s

/**
 * Tells whether a member's name may be spelled with an escape. V8 up to 14.6 (nodejs/node#63785)
 * takes such a name for another one that it has read before, so that what is read depends on all
 * that was parsed earlier in the process.
 */
export function hasEscapedName(json: Uint8Array): boolean {
  return json.includes(0x5c) && ESCAPED_NAME.test(latin1(json))
}
