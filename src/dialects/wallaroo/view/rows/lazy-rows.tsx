/**
 * Rows of a table, however many there are: of a long one only the rows near the screen exist, the
 * others are empty chunks of the same height. Scrolling, search in place and the keyboard go on
 * working over the whole length.
 */
import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'
import { usePanel } from '../../../../web/shell/page.ts'
import { TableFrame, type TableProps } from '../../../../web/shell/parts.tsx'

/** Shorter tables are rendered whole. */
const WHOLE_UP_TO = 100
const CHUNK_ROWS = 50
/** Height of a row as wallaroo.css has it: 28 px and a hairline. */
const ROW_PX = 29

interface LazyRowsProps<T> {
  readonly rows: readonly T[]
  readonly columns: number
  readonly row: (row: T) => JSX.Element
}

function Chunk<T>({ rows, columns, row }: LazyRowsProps<T>): JSX.Element {
  const [isNear, setNear] = useState(false)
  const body = usePanel<HTMLTableSectionElement>({
    enter: () => setNear(true),
    leave: () => setNear(false),
  })
  const height = `${rows.length * ROW_PX}px`
  const empty: ComponentChildren = (
    <tr style={{ height }}>
      <td colSpan={columns} />
    </tr>
  )
  return <tbody ref={body}>{isNear ? rows.map(row) : empty}</tbody>
}

export function LazyRows<T>({ rows, columns, row }: LazyRowsProps<T>): JSX.Element {
  if (rows.length <= WHOLE_UP_TO) return <tbody>{rows.map(row)}</tbody>
  const count = Math.ceil(rows.length / CHUNK_ROWS)
  return (
    <>
      {Array.from({ length: count }, (_, i) => (
        <Chunk
          key={i}
          rows={rows.slice(i * CHUNK_ROWS, (i + 1) * CHUNK_ROWS)}
          columns={columns}
          row={row}
        />
      ))}
    </>
  )
}

type LongTableProps<T> = Omit<LazyRowsProps<T>, 'columns'> & Omit<TableProps, 'children'>

/** Shows a table of plain cells that scrolls inside itself, of any length. */
export function LongTable<T>({ rows, row, ...frame }: LongTableProps<T>): JSX.Element {
  return (
    <TableFrame {...frame}>
      <LazyRows rows={rows} columns={frame.heads.length} row={row} />
    </TableFrame>
  )
}
