/** A terminal too small for the list: one line says so, then values without pictures. */
import { shownName } from '../../viewer/format/name.ts'
import type { Entry } from '../../viewer/store/catalogue.ts'
import type { Store } from '../../viewer/store/store.ts'
import { textWidth } from '../columns.ts'
import type { ScreenBuffer } from '../screen-buffer.ts'
import { figuresOf } from '../series/figures.ts'
import { contextOf } from './list.ts'
import type { ListRows } from './rows.ts'

interface SmallView {
  readonly store: Store
  readonly rows: ListRows
  /** Size from which on all is shown. */
  readonly least: string
}

/** @returns the series that are shown */
export function drawSmall(buffer: ScreenBuffer, { store, rows, least }: SmallView): Entry[] {
  const words = `${buffer.columns} x ${buffer.rows} is small, ${least} shows all.`
  const { state } = store.clock.connection.peek()
  buffer.write(0, 0, state === 'lost' ? `■ Reconnecting. ${words}` : words)
  const entries = rows.rows.flatMap((row) => (row.kind === 'series' ? [row.entry] : []))
  const shown = entries.slice(0, Math.max(0, buffer.rows - 1))
  const second = store.clock.readingSecond()
  shown.forEach((entry, i) => {
    const context = contextOf(store, entry, second, false)
    const { rate, now, last, mark, style } = figuresOf(
      store.readings(entry.id, context.hasCursor),
      context,
    )
    const text = last.text || now.text || rate.text
    const name = buffer.columns - textWidth(text) - 3
    buffer.write(i + 1, 0, mark, style)
    buffer.write(i + 1, 2, shownName(rows.nameOf(entry)), 'plain', name)
    buffer.writeRight(i + 1, buffer.columns, text, style)
  })
  return shown
}
