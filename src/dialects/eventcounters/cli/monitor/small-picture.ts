/** A terminal too small for the table: one line says so, the values are shown all the same. */
import type { ScreenBuffer } from '../../../../terminal/index.ts'
import type { Series } from './board.ts'
import { type Line, pairsText } from './listing.ts'

export interface SmallView {
  readonly lines: readonly Line[]
  readonly status: { readonly text: string }
}

/** @param number the first figure of a series as it stands in a column */
export function drawSmall(
  buffer: ScreenBuffer,
  { lines, status }: SmallView,
  least: string,
  number: (series: Series) => string,
): void {
  buffer.write(
    0,
    0,
    `${buffer.columns} x ${buffer.rows} is small, ${least} shows all. ${status.text}`,
  )
  let row = 1
  let name = ''
  for (const line of lines) {
    if (row >= buffer.rows) return
    if (line.kind === 'counter') name = line.label.text
    const series = line.kind === 'counter' || line.kind === 'labels' ? line.series : undefined
    if (series === undefined) continue
    const value = number(series).trimEnd()
    const pairs = pairsText(series)
    const text = pairs === '' ? name : `${name}[${pairs}]`
    buffer.write(row, 0, text, 'plain', buffer.columns - value.length - 1)
    buffer.writeRight(row, buffer.columns, value)
    row++
  }
}
