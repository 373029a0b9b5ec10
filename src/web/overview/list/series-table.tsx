/** All groups as one table, so that the columns stay in line; the alternative to the charts. */
import type { JSX, RefObject } from 'preact'
import { useMemo, useRef } from 'preact/hooks'
import { exact, format, NO_VALUE, type Quantity } from '../../../viewer/format/number.ts'
import type { Shown } from '../../../viewer/format/rate.ts'
import { dialectTitle } from '../../../viewer/format/status.ts'
import { durationText, spanText } from '../../../viewer/format/time.ts'
import { groupLabels } from '../../../viewer/series/labels.ts'
import {
  changeColumn,
  lastReadSecond,
  type ReadingContext,
  readAt,
  readSeries,
} from '../../../viewer/series/reading.ts'
import { type Group, groupAnchor } from '../../../viewer/series/select.ts'
import { extremeOf, valueNow } from '../../../viewer/series/statistics.ts'
import { mergeSeconds, quantile } from '../../../viewer/store/buckets.ts'
import type { Entry } from '../../../viewer/store/catalogue.ts'
import { type Lane, MAIN_LANE, type SeriesData } from '../../../viewer/store/series-data.ts'
import { usePage, usePanel } from '../../shell/page.ts'
import { Name, Scroll, setQuantity, setText } from '../../shell/parts.tsx'
import {
  contextOf,
  isRead,
  SeriesLink,
  SeriesMenu,
  useSeriesPicture,
  useSubscription,
} from '../cell.tsx'
import { type Heights, type Part, partsWithin, placeGroups } from './layout.ts'
import { type Reveal, useReveal } from './reveal.ts'
import { EVERYTHING, useBoxes, useKept, useStretch, WHOLE_LIMIT } from './viewport.ts'

const NUMBERS = ['Now', 'Min', 'Max', 'p50', 'p90', 'p99', 'Change', 'Age'] as const
const COLUMNS = 4 + NUMBERS.length
const CHANGE = NUMBERS.indexOf('Change')
const NOTHING: Quantity = ['', '']

/**
 * Lists the numbers of a row, in the order of their columns up to p99.
 * @param latest what the first of them is read from
 */
function numbersOf(
  data: SeriesData | undefined,
  { unit, factor }: Shown,
  latest: SeriesData | undefined,
  context: ReadingContext,
  from: number,
  to: number,
): readonly Quantity[] {
  if (data === undefined) return []
  const at = (lane: Lane): number => (latest ? latest.at(lane, secondOf(latest)) : Number.NaN)
  const secondOf = (read: SeriesData): number => {
    if (context.hasCursor) return context.second
    // of a distribution in a second without observations that is told: there were none
    return read.kind === 'histogram' ? lastReadSecond(read, context.second) : readAt(read, context)
  }
  if (data.kind === 'histogram') {
    const merged = mergeSeconds(data, from, to)
    const parts = [0.5, 0.9, 0.99].map((q) => format(quantile(merged, q), unit))
    const ends = [merged.min, merged.max].map((end) => format(end, unit))
    return [format(at('count'), '/s'), ...ends, ...parts]
  }
  const least = extremeOf(data, 'min', from, to)
  const most = extremeOf(data, 'max', from, to)
  const write = (value: number): Quantity => format(value * factor, unit)
  const isNow = latest !== undefined && !context.hasCursor
  const now = write(isNow ? valueNow(latest, secondOf(latest)) : at(MAIN_LANE[data.kind]))
  return Number.isNaN(least) ? [now] : [now, write(least), write(most)]
}

interface RowProps {
  readonly entry: Entry
  /** Labels that tell it from its neighbours. */
  readonly labels: string
  readonly index: number
}

function Row({ entry, labels, index }: RowProps): JSX.Element {
  const page = usePage()
  const { store } = page
  const source = useRef<HTMLTableCellElement | null>(null)
  const cells = useRef<(HTMLTableCellElement | null)[]>([])
  const drawPicture = useSeriesPicture(entry, 'spark')
  const canvas = usePanel<HTMLCanvasElement>({
    isReady: () => isRead(store, entry.id),
    draw: (size) => {
      const context = contextOf(page, entry)
      const reading = readSeries(store.readings(entry.id, context.hasCursor), context)
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
    const latest = store.readings(entry.id, context.hasCursor)
    const from = to - store.clock.window.value
    const numbers = numbersOf(data, shown, latest, context, from, to)
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
    <tr aria-rowindex={index} data-series={entry.id}>
      <td ref={name}>
        <SeriesLink entry={entry} labels={labels} />
        <SeriesMenu entry={entry} />
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
    </tr>
  )
}

interface SeriesTableProps {
  readonly groups: readonly Group[]
  readonly reveal: RefObject<Reveal | null>
}

/** Heights of its rows, and of the line of heads above them, as the styles have them. */
const HEIGHTS: Heights = { head: 40, box: 28 }
const HEADS = 25

export function SeriesTable({ groups, reveal }: SeriesTableProps): JSX.Element {
  const { store } = usePage()
  const table = useRef<HTMLTableElement>(null)
  const near = useStretch(table)
  const kept = useKept(groups, table)
  const sizes = useMemo(() => groups.map(({ entries }) => entries.length), [groups])
  const layout = useMemo(() => placeGroups(sizes, 1, HEIGHTS), [sizes])
  const rows = useMemo(() => firstRows(sizes), [sizes])
  const isWhole = rows.at(-1)! <= WHOLE_LIMIT
  const parts = partsWithin(layout, sizes, HEIGHTS, isWhole ? EVERYTHING : near, kept)
  useReveal(reveal, table, groups, (index) => {
    const placed = layout.groups[index]
    return placed && placed.top + HEADS
  })
  let y = 0
  return (
    <Scroll label="All series">
      <table class="fixed" ref={table} aria-rowcount={rows.at(-1)! - 1}>
        <thead>
          <tr aria-rowindex={1}>
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
        {/* one flat list: lists within it would be told apart by their place, and made anew */}
        {parts.flatMap((part) => {
          const { index, top, height } = part.placed
          const above = top - y
          y = top + height
          return [
            above > 0 && (
              <tbody key={`above ${index}`}>
                <Gap height={above} />
              </tbody>
            ),
            <Rows
              key={groups[index]!.key}
              group={groups[index]!}
              part={part}
              firstRow={rows[index]!}
            />,
          ]
        })}
        {y < layout.height && (
          <tbody>
            <Gap height={layout.height - y} />
          </tbody>
        )}
      </table>
    </Scroll>
  )
}

/** Lists the row, counted from 1, in which each group begins, and the one behind the last. */
function firstRows(sizes: readonly number[]): readonly number[] {
  let next = 2
  const rows = [next]
  for (const size of sizes) {
    next += 1 + size
    rows.push(next)
  }
  return rows
}

interface RowsProps {
  readonly group: Group
  readonly part: Part
  readonly firstRow: number
}

/** Shows the rows of a group that are there, with gaps as high as those that are not. */
function Rows({ group, part, firstRow }: RowsProps): JSX.Element {
  const { key, entries } = group
  const labels = groupLabels(group)
  const rowAt = useBoxes(part.boxes, [group, firstRow], (box) => {
    const entry = entries[box]!
    const index = firstRow + 1 + box
    return <Row key={entry.identity} entry={entry} labels={labels.of(entry)} index={index} />
  })
  let next = 0
  const gapTo = (box: number): JSX.Element | undefined => {
    const count = box - next
    next = box + 1
    return count > 0 ? <Gap key={`gap ${box}`} height={count * HEIGHTS.box} /> : undefined
  }
  return (
    <tbody id={groupAnchor(key)}>
      <tr class="of" aria-rowindex={firstRow}>
        <th colSpan={COLUMNS} scope="rowgroup">
          <b>
            <Name text={key} />
          </b>{' '}
          {exact(entries.length)}
          {labels.shared !== '' && `\u2002${labels.shared}`}
        </th>
      </tr>
      {part.boxes.flatMap((box) => [gapTo(box), rowAt(box)])}
      {gapTo(entries.length)}
    </tbody>
  )
}

function Gap({ height }: { height: number }): JSX.Element {
  return (
    // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: a row of nothing
    <tr role="none" style={{ height: `${height}px` }} />
  )
}
