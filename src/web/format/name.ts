/**
 * Names of peers as text that can be read: what has no picture of its own gets one, so that names
 * that differ look different, and none turns the direction of the words around it.
 */

/** Longer names are cut where they are shown; the address bar and exports have them whole. */
const NAME_LENGTH_LIMIT = 1000
/** Unicode's pictures of the control characters begin here: `␀`, `␊`. */
const CONTROL_PICTURES = 0x2400
const DELETE = 0x7f
const DELETE_PICTURE = '\u2421'
/** Controls, spaces of no width, line ends, and what turns the direction of text. */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g

function picture(character: string): string {
  const code = character.charCodeAt(0)
  if (code < 0x20) return String.fromCharCode(CONTROL_PICTURES + code)
  if (code === DELETE) return DELETE_PICTURE
  return `‹U+${code.toString(16).toUpperCase().padStart(4, '0')}›`
}

/** A name in a sentence or a title. */
export function shownName(name: string): string {
  const isLong = name.length > NAME_LENGTH_LIMIT
  // never within a pair: half of one is no character
  const end = isLong && /[\ud800-\udbff]/.test(name[NAME_LENGTH_LIMIT - 1]!) ? 1 : 0
  const shown = isLong ? `${name.slice(0, NAME_LENGTH_LIMIT - end)}…` : name
  return shown.trim() === '' ? '(blank)' : shown.replace(UNSEEN, picture)
}
