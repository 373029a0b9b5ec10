/** A terminal too small for pictures: one line that says so, and values. */
import { boardValueText } from '../../../../model/board/captions.ts'
import type { Plot } from '../../../../model/board/plots.ts'
import type { ScreenBuffer } from '../../../../terminal/index.ts'
import { shownName } from '../../../../viewer/format/name.ts'
import type { HeadView } from './frame.ts'

export function drawSmall(
  buffer: ScreenBuffer,
  plots: readonly Plot[],
  { status, board }: HeadView,
  least: string,
): void {
  const { columns, rows } = buffer
  const state = status.state === 'online' ? 'ONLINE' : 'OFFLINE'
  buffer.write(0, 0, `${columns} x ${rows} is small, ${least} shows all. ${state}`)
  let row = 1
  for (const line of plots.flatMap(({ lines }) => lines)) {
    if (row >= rows) return
    const value = boardValueText(line.value, line.about.unit)
    const style = board.isSilent(line) ? 'faint' : 'plain'
    buffer.write(row, 0, shownName(line.name), style, columns - value.length - 1)
    buffer.writeRight(row, columns, value, style)
    row++
  }
}
