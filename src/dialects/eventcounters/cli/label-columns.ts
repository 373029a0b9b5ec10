/** Labels of a counter's series as columns: keys above, values below, in the room of the names. */

import type { Grid, Style } from '../../../terminal/index.ts'
import type { MetaData } from '../window.ts'
import type { LabelColumn } from './listing.ts'

/** Under the counter's name, one step deeper. */
const INDENT = 8
const GAP = 1
/** A column is not made narrower than this: the last ones are left out instead. */
const WIDTH_LEAST = 5

export function labelsWidth(columns: readonly LabelColumn[]): number {
  return columns.reduce((sum, { width }) => sum + width + GAP, INDENT)
}

export function drawLabelKeys(
  grid: Grid,
  row: number,
  columns: readonly LabelColumn[],
  nameWidth: number,
): void {
  drawTexts(grid, row, columns, (key) => key, nameWidth, 'faint')
}

export function drawLabelValues(
  grid: Grid,
  row: number,
  columns: readonly LabelColumn[],
  metaData: MetaData,
  nameWidth: number,
): void {
  const values = new Map(metaData)
  drawTexts(grid, row, columns, (key) => values.get(key) ?? '', nameWidth, 'plain')
}

function drawTexts(
  grid: Grid,
  row: number,
  columns: readonly LabelColumn[],
  textOf: (key: string) => string,
  nameWidth: number,
  style: Style,
): void {
  const widths = fitted(columns, nameWidth - INDENT)
  let at = INDENT
  columns.forEach(({ key }, i) => {
    const width = Math.min(widths[i]!, nameWidth - GAP - at)
    if (width > 0) grid.write(row, at, textOf(key), style, width)
    at += widths[i]! + GAP
  })
}

/** The widest gives way first. */
function fitted(columns: readonly LabelColumn[], room: number): number[] {
  const widths = columns.map(({ width }) => width)
  const sum = (most: number): number =>
    widths.reduce((total, width) => total + Math.min(width, most) + GAP, 0)
  let most = Math.max(WIDTH_LEAST, ...widths)
  while (most > WIDTH_LEAST && sum(most) > room) most--
  return widths.map((width) => Math.min(width, most))
}
