/** Rows of texts as a table of columns, each as wide as its widest cell. */
import { textWidth } from './character-width.ts'

const GAP = '  '

/**
 * Lays out rows of the same length; the last column ends its line.
 * @param right columns whose texts end below each other, as figures do
 */
export function tableLines(
  rows: readonly (readonly string[])[],
  right: ReadonlySet<number> = new Set(),
): string[] {
  const last = (rows[0]?.length ?? 0) - 1
  const widths = Array.from({ length: last + 1 }, (_, column) =>
    Math.max(...rows.map((row) => textWidth(row[column]!))),
  )
  return rows.map((row) =>
    row
      .map((text, column) => {
        const blanks = ' '.repeat(widths[column]! - textWidth(text))
        if (right.has(column)) return blanks + text
        return column === last ? text : text + blanks
      })
      .join(GAP),
  )
}
