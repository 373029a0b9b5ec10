/** All groups as one table, so that the columns stay in line; the alternative to the charts. */
import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { exact, format, NO_VALUE, type Quantity } from '../format/number.ts'
import type { Shown } from '../format/rate.ts'
import { dialectTitle } from '../format/status.ts'
import { durationText, spanText } from '../format/time.ts'
import { usePage, usePanel } from '../shell/page.ts'
import { Name, Scroll, setQuantity, setText } from '../shell/parts.tsx'
import { mergeSeconds, quantile } from '../store/buckets.ts'
import type { Entry } from '../store/catalogue.ts'
import { MAIN_LANE, type SeriesData } from '../store/series-data.ts'
import { contextOf, SeriesLink, useSeriesPicture, useSubscription } from './cell.tsx'
import { changeColumn, readSeries } from './reading.ts'
import { type Group, groupAnchor } from './select.ts'

const NUMBERS = ['Now', 'Min', 'Max', 'p50', 'p90', 'p99', 'Change', 'Age'] as const
const COLUMNS = 4 + NUMBERS.length
const CHANGE = NUMBERS.indexOf('Change')
const NOTHING: Quantity = ['', '']

/** Lists the numbers of a row, in the order of their columns up to p99. */
function numbersOf(
  data: SeriesData | undefined,
  { unit, factor }: Shown,
  second: number,
  from: number,
  to: number,
): readonly Quantity[] {
  if (data === undefined) return []
  if (data.kind === 'histogram') {
    const merged = mergeSeconds(data, from, to)
    const parts = [0.5, 0.9, 0.99].map((q) => format(quantile(merged, q), unit))
    const ends = [merged.min, merged.max].map((end) => format(end, unit))
    return [format(data.at('count', second), '/s'), ...ends, ...parts]
  }
  const values = new Float64Array(to - from)
  data.copy(MAIN_LANE[data.kind], from + 1, values)
  const known = values.filter((value) => !Number.isNaN(value))
  const least = known.reduce((a, b) => Math.min(a, b), Infinity)
  const most = known.reduce((a, b) => Math.max(a, b), -Infinity)
  const write = (value: number): Quantity => format(value * factor, unit)
  const now = write(data.at(MAIN_LANE[data.kind], second))
  return known.length === 0 ? [now] : [now, write(least), write(most)]
}

function RowContent({ entry }: { entry: Entry }): JSX.Element {
  const page = usePage()
  const { store } = page
  const source = useRef<HTMLTableCellElement | null>(null)
  const cells = useRef<(HTMLTableCellElement | null)[]>([])
  const drawPicture = useSeriesPicture(entry, 'spark')
  const canvas = usePanel<HTMLCanvasElement>({
    draw: (size) => {
      const reading = readSeries(store.data(entry.id), contextOf(page, entry))
      drawPicture(canvas.current, size, reading)
    },
  })
  const writeNumbers = (): void => {
    // the titles come with the sources, which may be later than the series
    setText(source.current, dialectTitle(store.sources.value, entry.info.dialect))
    const context = contextOf(page, entry)
    const to = store.clock.edge()
    const data = context.isStale ? undefined : store.data(entry.id)
    const shown = page.shown(entry.info)
    const numbers = numbersOf(data, shown, context.second, to - store.clock.window.value, to)
    for (let i = 0; i < CHANGE; i += 1) {
      setQuantity(cells.current[i], numbers[i] ?? (i === 0 ? [NO_VALUE, ''] : NOTHING))
    }
    const change = changeColumn({ ...context, isStale: false, lastDataMs: context.nowMs })
    setText(cells.current[CHANGE], change.words)
    cells.current[CHANGE]?.classList.toggle('warn', change.isWarning)
    name.current?.classList.toggle('unusual', change.isWarning)
    const age = (context.nowMs - context.lastDataMs) / 1000
    setText(cells.current[CHANGE + 1], durationText(age))
    cells.current[CHANGE + 1]?.classList.toggle('warn', age >= 60)
  }
  // In narrow windows the canvas is scrolled out of sight: the name stands for the row.
  const name = usePanel<HTMLTableCellElement>({
    ...useSubscription(entry.id),
    draw: writeNumbers,
  })
  return (
    <>
      <td ref={name}>
        <SeriesLink entry={entry} withLabels />
      </td>
      <td>{entry.info.kind}</td>
      <td class="soft" ref={source} />
      <td>
        <canvas ref={canvas} role="img" aria-label={entry.text} />
      </td>
      {NUMBERS.map((name, i) => (
        <td
          key={name}
          class="num"
          ref={(cell) => {
            cells.current[i] = cell
          }}
        />
      ))}
    </>
  )
}

function Row({ entry, isLazy }: { entry: Entry; isLazy: boolean }): JSX.Element {
  const [isNear, setNear] = useState(!isLazy)
  const row = usePanel<HTMLTableRowElement>({
    enter: () => setNear(true),
    leave: () => {
      if (isLazy) setNear(false)
    },
  })
  return <tr ref={row}>{isNear ? <RowContent entry={entry} /> : <td colSpan={COLUMNS} />}</tr>
}

interface SeriesTableProps {
  readonly groups: readonly Group[]
  readonly isLazy: boolean
}

export function SeriesTable({ groups, isLazy }: SeriesTableProps): JSX.Element {
  const { store } = usePage()
  return (
    <Scroll label="All series">
      <table class="fixed">
        <thead>
          <tr>
            <th class="name-column">Series</th>
            <th class="kind-column">Kind</th>
            <th class="source-column">Source</th>
            <th>Last {spanText(store.clock.window.value)}</th>
            {NUMBERS.map((name) => (
              <th key={name} class="num">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        {groups.map(({ key, entries }) => (
          <tbody key={key} id={groupAnchor(key)}>
            <tr class="of">
              <th colSpan={COLUMNS} scope="rowgroup">
                <b>
                  <Name text={key} />
                </b>{' '}
                {exact(entries.length)}
              </th>
            </tr>
            {entries.map((entry) => (
              <Row key={entry.identity} entry={entry} isLazy={isLazy} />
            ))}
          </tbody>
        ))}
      </table>
    </Scroll>
  )
}
