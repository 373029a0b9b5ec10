/**
 * Text of peers on its way to a person: characters that steer a terminal, turn the direction of the
 * words around them or are not seen at all are spelled out, and a cell of a table is never taken
 * for a formula. Whatever leaves for a terminal, a log or a file of rows goes through here.
 */

/** Controls (C0, delete, C1), spaces of no width, line ends, what turns the direction of text. */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g

/** Replaces each such character by what `spell` makes of its code. */
function replaceUnseen(text: string, spell: (code: number) => string): string {
  return text.replace(UNSEEN, (character) => spell(character.charCodeAt(0)))
}

/** Spells them as programs do: `\x1b`, `\u202e`. */
export function escapeUnseen(text: string): string {
  return replaceUnseen(text, escapeOf)
}

function escapeOf(code: number): string {
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : unicodeEscape(code)
}

/** Makes JSON of one line in which they are escaped; bigints become text, as JSON has none. */
export function unseenJson(value: unknown): string {
  const json = JSON.stringify(value, (_key, each) =>
    typeof each === 'bigint' ? String(each) : each,
  ) as string | undefined
  return replaceUnseen(json ?? 'null', unicodeEscape)
}

function unicodeEscape(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`
}

export type CsvCell = string | number | null

/** First characters that make spreadsheets take a text for a formula. */
const FORMULA = /^[=+\-@\t\r]/
/** Tab and line ends, which a quoted cell may hold. */
const KEPT: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0d])
const QUOTED = /[",\r\n]/

/**
 * Writes a row of CSV (RFC 4180) with its line end. Texts are names that peers have chosen: one
 * that a spreadsheet would calculate gets an apostrophe in front, as its own text form has. Numbers
 * stay as they are; null and NaN are empty.
 */
export function csvRow(cells: readonly CsvCell[]): string {
  return `${cells.map(cellText).join(',')}\n`
}

function cellText(cell: CsvCell): string {
  if (cell === null || Number.isNaN(cell)) return ''
  if (typeof cell === 'number') return String(cell)
  const text = replaceUnseen(FORMULA.test(cell) ? `'${cell}` : cell, (code) =>
    KEPT.has(code) ? String.fromCharCode(code) : escapeOf(code),
  )
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
