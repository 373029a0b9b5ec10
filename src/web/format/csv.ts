/** Comma-separated values (RFC 4180, lines end with LF), for tables that leave the page. */

export type CsvCell = string | number | null

/** First characters that make spreadsheets take a text for a formula. */
const FORMULA = /^[=+\-@\t\r]/
const QUOTED = /[",\r\n]/

/**
 * Texts are names that peers have chosen: one that a spreadsheet would calculate gets an
 * apostrophe in front, as its own text form has. Numbers stay as they are; null is empty.
 */
function cellText(cell: CsvCell): string {
  if (cell === null || Number.isNaN(cell)) return ''
  if (typeof cell === 'number') return String(cell)
  const text = FORMULA.test(cell) ? `'${cell}` : cell
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export function csvText(heads: readonly string[], rows: readonly (readonly CsvCell[])[]): string {
  return [heads, ...rows].map((cells) => `${cells.map(cellText).join(',')}\n`).join('')
}
