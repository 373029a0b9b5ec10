/**
 * Names of peers as text that can be read: what has no picture of its own gets one, so that names
 * that differ look different, and none turns the direction of the words around it.
 */

import { replaceUnseen } from '../../model/text/unseen.ts'

/** Longer names are cut where they are shown; the address bar and exports have them whole. */
const NAME_LENGTH_LIMIT = 1000
/** Unicode's pictures of the control characters begin here: `␀`, `␊`. */
const CONTROL_PICTURES = 0x2400
const DELETE = 0x7f
const DELETE_PICTURE = '\u2421'
function picture(code: number): string {
  if (code < 0x20) return String.fromCharCode(CONTROL_PICTURES + code)
  if (code === DELETE) return DELETE_PICTURE
  return `‹U+${code.toString(16).toUpperCase().padStart(4, '0')}›`
}

/** Writes a name for a sentence or a title. */
export function shownName(name: string): string {
  const isLong = name.length > NAME_LENGTH_LIMIT
  // never within a pair: half of one is no character
  const end = isLong && /[\ud800-\udbff]/.test(name[NAME_LENGTH_LIMIT - 1]!) ? 1 : 0
  const shown = isLong ? `${name.slice(0, NAME_LENGTH_LIMIT - end)}…` : name
  return shown.trim() === '' ? '(blank)' : replaceUnseen(shown, picture)
}
