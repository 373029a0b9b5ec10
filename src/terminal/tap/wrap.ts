/** A line of a tap in as many rows as it takes, up to a few, where a terminal is narrower. */
import type { ColorDepth, Style } from '../color.ts'
import { characterWidth, printable, textWidth } from '../columns.ts'
import { ScreenBuffer } from '../screen-buffer.ts'

export type Part = readonly [text: string, style?: Style]

interface Place {
  readonly columns: number
  /** Columns before the rows that go on. */
  readonly indent: number
  readonly color: ColorDepth
}

/** Rows of one line: what has more is cut, so that a message hides none of its neighbours. */
const ROWS_LIMIT = 4

/**
 * Writes a line in rows that break between its fields, and within those that fill a row. What is
 * beyond the last row is cut, with `…` at the cut.
 * @param head begins the first row, and is never broken
 * @param fields parts that stay together, a blank before each
 */
export function wrapLine(
  head: readonly Part[],
  fields: readonly (readonly Part[])[],
  { columns, indent, color }: Place,
): string {
  const buffer = new ScreenBuffer(columns, ROWS_LIMIT)
  const last = ROWS_LIMIT - 1
  let row = 0
  let at = 0
  for (const [text, style] of head) at = buffer.write(0, at, text, style)
  const begin = (): void => {
    row += 1
    at = indent
  }
  const put = ([text, style]: Part): void => {
    let rest = printable(text)
    while (row < last && textWidth(rest) > columns - at) {
      const fitting = start(rest, columns - at)
      buffer.write(row, at, fitting, style)
      rest = rest.slice(fitting.length)
      begin()
    }
    at = buffer.write(row, at, rest, style)
  }
  for (const [i, field] of fields.entries()) {
    const width = field.reduce((sum, [text]) => sum + textWidth(text), 0)
    // the last row keeps a column for the mark of what is left out
    const room = columns - at - 1 - (row === last && i < fields.length - 1 ? 1 : 0)
    if (width > room && row < last) begin()
    else at += 1
    for (const part of field) put(part)
    if (width > room && row === last && at >= columns - 1) {
      buffer.write(row, columns - 1, '…')
      break
    }
  }
  return Array.from({ length: row + 1 }, (_, i) => buffer.rowLine(i, color)).join('\n')
}

/** Gives the beginning of a text that takes at most so many columns. */
function start(text: string, columns: number): string {
  let width = 0
  let length = 0
  for (const character of text) {
    width += characterWidth(character)
    if (width > columns) break
    length += character.length
  }
  return text.slice(0, length)
}
