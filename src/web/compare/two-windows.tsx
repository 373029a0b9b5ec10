/** A series now and some time before: both over one axis, one distribution up, one down. */
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { text } from '../../viewer/format/number.ts'
import { spanText } from '../../viewer/format/time.ts'
import { undrawnWords } from '../../viewer/series/statistics.ts'
import { bucketEnds, inSameRows, type Merged, mergeSeconds } from '../../viewer/store/buckets.ts'
import type { Entry } from '../../viewer/store/catalogue.ts'
import type { SeriesData } from '../../viewer/store/series-data.ts'
import { stepsOf } from '../chart/picture.ts'
import type { Plot } from '../chart/plot.ts'
import { ChartPanel } from '../series/chart-panel.tsx'
import { noteOf } from '../series/series-chart.ts'
import { stepRows } from '../series/tables.ts'
import { usePage, useShownSeconds } from '../shell/page.ts'
import { Section } from '../shell/parts.tsx'
import { ButterflyPanel } from './butterfly-panel.tsx'
import { comparedRows } from './series-rows.ts'
import { ComparedTable } from './sides.tsx'
import { windowLines } from './window-lines.ts'

const NAME_ROOM = 112

export interface TwoWindowsProps {
  readonly entry: Entry
  /** Seconds that the second window lies before the first. */
  readonly before: number
}

/** Names both windows; that of a held picture is not now. */
function namesOf(before: number, isHeld: boolean): readonly [string, string] {
  return [isHeld ? 'shown' : 'now', `${spanText(before)} before`]
}

function Lines({ entry, before }: TwoWindowsProps): JSX.Element {
  const page = usePage()
  const { unit, factor } = page.shown(entry.info)
  const isHistogram = entry.info.kind === 'histogram'
  const { store } = page
  const names = namesOf(before, store.clock.pausedAt.value !== undefined)
  const pair = (data: SeriesData) => [data, store.earlier(entry.id)] as const
  const plot = (data: SeriesData, view: Pick<Plot, 'from' | 'to' | 'cursor' | 'steady'>): Plot => {
    const lines = windowLines(pair(data), view.from, view.to, { before, factor, names })
    const isAboveZero = lines.every(({ values }) => !values.some((value) => value <= 0))
    const around = entry.info.kind === 'counter' ? 'zero' : 'around'
    const axis = isHistogram && isAboveZero ? 'log' : around
    const steps = stepsOf(data, view)
    return { ...view, ...steps, lines, axis, unit, size: 'large', nameRoom: NAME_ROOM }
  }
  return (
    <ChartPanel
      key={unit}
      entry={entry}
      title="Both windows"
      note={isHistogram ? 'p50 dotted, p99 solid' : `${names[0]} and ${names[1]}`}
      height="h232"
      isWide
      label={`${entry.text}, ${names[0]} and ${names[1]}`}
      plot={plot}
      table={(data, { from, to }) => {
        const lines = windowLines(pair(data), from, to, { before, factor, names })
        const { column, length, endOf } = stepRows(data, { from, to })
        return {
          columns: [
            column,
            ...lines.map(({ name = '' }) => ({ name, form: 'value', unit }) as const),
          ],
          length,
          row: (i) => [endOf(i), ...lines.map(({ values }) => values[i + 1]!)],
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
  const past = store.earlier(entry.id)
  if (data === undefined || past === undefined) return <p class="small muted">–</p>
  const earlier = { data: past, from: from - before, to: to - before }
  const isDistribution = data.kind === 'histogram'
  const [now, then] = isDistribution
    ? inSameRows([mergeSeconds(data, from, to), mergeSeconds(past, earlier.from, earlier.to)])
    : []
  const missing = isDistribution ? undrawnWords(data, from, to) : ''
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
          rows={comparedRows(shown, [{ data, from, to }, earlier])}
        />
      </Section>
    </>
  )
}

export function TwoWindows({ entry, before }: TwoWindowsProps): JSX.Element {
  const { store } = usePage()
  useEffect(() => store.compare(entry.id, before), [store, entry.id, before])
  return (
    <>
      <Lines {...{ entry, before }} />
      <Numbers {...{ entry, before }} />
    </>
  )
}
