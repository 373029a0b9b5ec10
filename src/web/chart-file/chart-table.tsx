/** The table of a chart: all rows of what is shown, of which those in sight are made. */
import type { JSX } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useShownSeconds } from '../shell/page.ts'
import { Scroll } from '../shell/parts.tsx'
import { type ChartTable, cellText, isOfTime } from './table.ts'

/** Height of a row, as the style has it, and of what is seen of a table, in CSS pixels. */
const ROW = 28
const SEEN = 252
/** Rows that are made above and below those in sight. */
const MARGIN = 4

function Spacer({ rows, columns }: { rows: number; columns: number }): JSX.Element | null {
  if (rows === 0) return null
  return (
    <tr class="spacer" style={{ height: `${rows * ROW}px` }}>
      <td colSpan={columns} />
    </tr>
  )
}

interface TableOfProps {
  readonly title: string
  /** Gives the rows of what is shown now; undefined while nothing is known. */
  readonly table: () => ChartTable | undefined
}

/** Shows the newest row first, where rows are seconds, and keeps the row that is read in place. */
export function TableOf({ title, table }: TableOfProps): JSX.Element {
  useShownSeconds()
  const box = useRef<HTMLElement | null>(null)
  const [top, setTop] = useState(0)
  const newest = useRef<number | undefined>(undefined)
  const rows = table()
  const isReversed = rows !== undefined && isOfTime(rows)
  const secondAt = (fromEnd: number): number => {
    return rows === undefined ? Number.NaN : Number(rows.row(rows.length - fromEnd)[0])
  }
  const last = rows === undefined || rows.length === 0 ? undefined : secondAt(1)
  useLayoutEffect(() => {
    const { current } = box
    const second = Number(last)
    const by = isReversed && newest.current !== undefined ? second - newest.current : 0
    newest.current = second
    if (current === null || current.scrollTop === 0 || by <= 0) return
    const step = (rows?.length ?? 0) > 1 ? secondAt(1) - secondAt(2) : 1
    current.scrollTop += (by / step) * ROW
  })
  if (rows === undefined) return <p class="small muted">–</p>
  const { columns, length } = rows
  const first = Math.max(0, Math.min(Math.floor(top / ROW), length) - MARGIN)
  const end = Math.min(length, first + Math.ceil(SEEN / ROW) + 2 * MARGIN)
  return (
    <Scroll
      label={`${title}, table`}
      class="scroll chart-table"
      box={box}
      onScroll={() => setTop(box.current?.scrollTop ?? 0)}
    >
      <table aria-rowcount={length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map(({ name, form }) => (
              <th key={name} class={form === 'second' || form === 'words' ? '' : 'num'} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer rows={first} columns={columns.length} />
          {Array.from({ length: end - first }, (_, i) => {
            const at = first + i
            const cells = rows.row(isReversed ? length - 1 - at : at)
            return (
              <tr key={String(cells[0])} aria-rowindex={at + 2}>
                {columns.map((column, k) => (
                  <td
                    key={column.name}
                    class={column.form === 'second' || column.form === 'words' ? '' : 'num'}
                  >
                    {cellText(column, cells[k] ?? null)}
                  </td>
                ))}
              </tr>
            )
          })}
          <Spacer rows={length - end} columns={columns.length} />
        </tbody>
      </table>
    </Scroll>
  )
}
