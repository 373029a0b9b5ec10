/** A series now and some time before: both over one axis, one distribution up, one down. */
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { text } from '../../viewer/format/number.ts'
import { spanText } from '../../viewer/format/time.ts'
import { undrawnWords } from '../../viewer/series/statistics.ts'
import { bucketEnds, type Merged, mergeSeconds } from '../../viewer/store/buckets.ts'
import type { Entry } from '../../viewer/store/catalogue.ts'
import { type Lane, MAIN_LANE, type SeriesData } from '../../viewer/store/series-data.ts'
import type { Line } from '../chart/line.ts'
import type { Plot } from '../chart/plot.ts'
import { SERIES } from '../series/address.ts'
import { ChartPanel } from '../series/chart-panel.tsx'
import { noteOf } from '../series/series-chart.ts'
import { usePage, useShownSeconds } from '../shell/page.ts'
import { Pick, Section } from '../shell/parts.tsx'
import { to as toView } from '../shell/route.ts'
import { SERIES_WINDOW_MOST } from '../zoom/span.ts'
import { SIDES } from './butterfly.ts'
import { ButterflyPanel } from './butterfly-panel.tsx'
import { comparedRows } from './series-rows.ts'
import { ComparedTable, Swatch } from './sides.tsx'

/** Offered distances of the two windows, seconds. */
const DISTANCES = [10, 30, 60, 120, 300, 600, 900] as const
const NAME_ROOM = 112

interface TwoWindowsProps {
  readonly entry: Entry
  /** Seconds that the second window lies before the first. */
  readonly before: number
}

/** Lanes that are drawn, with the looks of their lines. */
const LANES: Readonly<Record<SeriesData['kind'], readonly (readonly [Lane, number, boolean])[]>> = {
  counter: [[MAIN_LANE.counter, 1.5, false]],
  gauge: [[MAIN_LANE.gauge, 1.5, false]],
  summary: [[MAIN_LANE.summary, 1.5, false]],
  histogram: [
    ['p50', 1.25, true],
    ['p99', 1.75, false],
  ],
}

/** Names both windows; that of a held picture is not now. */
function namesOf(before: number, isHeld: boolean): readonly [string, string] {
  return [isHeld ? 'shown' : 'now', `${spanText(before)} before`]
}

function linesOf(
  data: SeriesData,
  from: number,
  to: number,
  { before, factor, names }: { before: number; factor: number; names: readonly [string, string] },
): readonly Line[] {
  return [0, before].flatMap((shift, side) =>
    LANES[data.kind].map(([lane, width, isDashed]): Line => {
      const values = new Float64Array(to - from + 1)
      data.copy(lane, from - shift, values)
      const isOne = LANES[data.kind].length === 1
      return {
        values: values.map((value) => value * factor),
        color: SIDES[side]!,
        width,
        dash: isDashed ? [2, 3] : [],
        name: isOne ? names[side]! : `${names[side]} ${lane}`,
      }
    }),
  )
}

function Lines({ entry, before }: TwoWindowsProps): JSX.Element {
  const page = usePage()
  const { unit, factor } = page.shown(entry.info)
  const isHistogram = entry.info.kind === 'histogram'
  const names = namesOf(before, page.store.clock.pausedAt.value !== undefined)
  const plot = (data: SeriesData, view: Pick<Plot, 'from' | 'to' | 'cursor' | 'steady'>): Plot => {
    const lines = linesOf(data, view.from, view.to, { before, factor, names })
    const isAboveZero = lines.every(({ values }) => !values.some((value) => value <= 0))
    const around = entry.info.kind === 'counter' ? 'zero' : 'around'
    const axis = isHistogram && isAboveZero ? 'log' : around
    return { ...view, lines, axis, unit, step: 1, size: 'large', nameRoom: NAME_ROOM }
  }
  return (
    <ChartPanel
      key={unit}
      entry={entry}
      title="Both windows"
      note={isHistogram ? 'p50 dotted, p99 solid' : `${names[0]} and ${names[1]}`}
      height="h232"
      isWide
      label={`${entry.text}, ${names[0]} and ${names[1]}; T: as a table`}
      plot={plot}
      table={(data, { from, to }) => {
        const lines = linesOf(data, from, to, { before, factor, names })
        return {
          columns: [
            { name: 'Second', form: 'second' },
            ...lines.map(({ name = '' }) => ({ name, form: 'value', unit }) as const),
          ],
          length: to - from,
          row: (i) => [from + 1 + i, ...lines.map(({ values }) => values[i + 1]!)],
        }
      }}
    />
  )
}

/** Writes the ends of every bucket, and its upper one alone. */
function bucketWords(merged: Merged, unit: string) {
  return Array.from(merged.counts, (_, row) => {
    const [above, upTo] = bucketEnds(merged, row)
    const words = (value: number | null): string => (value === null ? '' : text(value, unit))
    const range =
      above === null
        ? `up to ${words(upTo)}`
        : upTo === null
          ? `above ${words(above)}`
          : `above ${words(above)} to ${words(upTo)}`
    return { range, bound: upTo === null ? '∞' : words(upTo) }
  })
}

function Numbers({ entry, before }: TwoWindowsProps): JSX.Element {
  const page = usePage()
  const { store } = page
  useShownSeconds()
  const shown = page.shown(entry.info)
  const data = store.data(entry.id)
  const to = store.clock.edge()
  const from = to - store.clock.window.value
  const names = namesOf(before, store.clock.pausedAt.value !== undefined)
  if (data === undefined) return <p class="small muted">–</p>
  const earlier = { from: from - before, to: to - before }
  const isDistribution = data.kind === 'histogram'
  const now = isDistribution ? mergeSeconds(data, from, to) : undefined
  const then = isDistribution ? mergeSeconds(data, earlier.from, earlier.to) : undefined
  const missing = isDistribution ? undrawnWords(data, earlier.from, to) : ''
  const words = now === undefined ? [] : bucketWords(now, shown.unit)
  return (
    <>
      {now !== undefined && then !== undefined && (
        <ButterflyPanel
          title="Distribution in both windows"
          of={entry.text}
          counts={[[...now.counts], [...then.counts]]}
          bounds={words.map(({ bound }) => bound)}
          ranges={words.map(({ range }) => range)}
          names={names}
          note={() => noteOf(page, entry, from, to)}
        />
      )}
      {missing !== '' && <p class="small muted">{missing}</p>}
      <Section title="Numbers" note={`${names[0]} against ${names[1]}`}>
        <ComparedTable
          label="Numbers"
          names={names}
          rows={comparedRows(data, shown, [{ from, to }, earlier])}
        />
      </Section>
    </>
  )
}

/** Offers windows to compare with: as far back as the hub keeps a whole one. */
export function CompareWith({ before }: { before: number }): JSX.Element {
  const { navigation, store } = usePage()
  const room = SERIES_WINDOW_MOST - store.clock.window.value
  const distances: number[] = DISTANCES.filter((each) => each <= room)
  // a link may carry any other one
  if (before > 0 && !distances.includes(before)) distances.push(before)
  const choices = distances
    .sort((a, b) => a - b)
    .map((each) => [String(each), `${spanText(each)} before`] as const)
  return (
    <div class="compared">
      <span>
        {before > 0 && <Swatch side={1} />}
        <Pick
          caption="Compare with"
          value={String(before)}
          choices={[['0', 'nothing'], ...choices]}
          choose={(each) => navigation.go(toView(SERIES, { before: Number(each) }))}
        />
      </span>
    </div>
  )
}

export function TwoWindows({ entry, before }: TwoWindowsProps): JSX.Element {
  const { store } = usePage()
  const pausedAt = store.clock.pausedAt.value
  const seconds = Math.min(SERIES_WINDOW_MOST, store.clock.window.value + before)
  useEffect(() => store.screen.showLong(entry.id, seconds), [store, entry.id, pausedAt, seconds])
  return (
    <>
      <Lines {...{ entry, before }} />
      <Numbers {...{ entry, before }} />
    </>
  )
}
