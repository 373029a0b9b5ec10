/** Facts under titles, flowed into columns: what finds no room comes on a further page. */

import type { Box } from '../chart/chart.ts'
import type { Style } from '../color.ts'
import { textWidth } from '../columns.ts'
import type { ScreenBuffer } from '../screen-buffer.ts'
import { wide } from './figures.ts'

export interface Section {
  readonly title: string
  /** Words beside the title. */
  readonly note?: string
  readonly facts: readonly (readonly [name: string, words: string, style?: Style])[]
}

const COLUMN_LEAST = 34
const COLUMN_MOST = 52
const BETWEEN = 3
/** Columns of a name: the longest one of a dialect has room. */
const NAME_MOST = 13

/** Draws a page of sections. @returns how many pages there are */
export function drawSections(
  buffer: ScreenBuffer,
  box: Box,
  sections: readonly Section[],
  page: number,
): number {
  const columns = Math.max(1, Math.floor((box.columns + BETWEEN) / (COLUMN_LEAST + BETWEEN)))
  const width = Math.min(COLUMN_MOST, Math.floor((box.columns - (columns - 1) * BETWEEN) / columns))
  const placed = place(sections, box.rows)
  const pages = Math.max(1, Math.ceil(placed.length / columns))
  const first = (page % pages) * columns
  const shown = placed.slice(first, first + columns)
  shown.forEach((parts, i) => {
    let row = box.row
    const left = i * (width + BETWEEN)
    const column = box.column + left
    // nothing stands at the right of the last one
    const room = i === shown.length - 1 ? box.columns - left : width
    for (const part of parts) {
      drawSection(buffer, { row, column, rows: part.facts.length + 1, columns: room }, part)
      row += part.facts.length + 2
    }
  })
  return pages
}

/** Fills columns of so many rows; a section that is longer is cut, and goes on in the next. */
function place(sections: readonly Section[], rows: number): Section[][] {
  const columns: Section[][] = []
  let left = 0
  for (const section of sections) {
    let facts = section.facts
    while (facts.length > 0) {
      const isFresh = left < Math.min(rows, facts.length + 1)
      if (isFresh) {
        columns.push([])
        left = rows
      }
      const taken = Math.max(1, Math.min(facts.length, left - 1))
      columns.at(-1)!.push({ ...section, facts: facts.slice(0, taken) })
      facts = facts.slice(taken)
      left -= taken + 2
    }
  }
  return columns
}

function drawSection(buffer: ScreenBuffer, box: Box, { title, note, facts }: Section): void {
  const at = buffer.write(box.row, box.column, title, 'bold', box.columns)
  if (note !== undefined) {
    buffer.write(box.row, at + 2, wide(note), 'faint', box.columns - (at - box.column) - 2)
  }
  const names = Math.min(NAME_MOST, Math.max(...facts.map(([name]) => textWidth(name))))
  facts.forEach(([name, words, style], i) => {
    const row = box.row + 1 + i
    buffer.write(row, box.column, name, 'faint', names)
    buffer.write(
      row,
      box.column + names + 2,
      wide(words),
      style ?? 'plain',
      box.columns - names - 2,
    )
  })
}
