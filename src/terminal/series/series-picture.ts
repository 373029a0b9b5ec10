/**
 * One series: its picture over time, its distribution now, its numbers, where it comes from. All
 * that is shown is of the instant of the cursor, where there is one.
 */
import type { SeriesNameJson } from '../../http/api.ts'
import { shownName } from '../../viewer/format/name.ts'
import { format, join } from '../../viewer/format/number.ts'
import { type Shown, shownAs } from '../../viewer/format/rate.ts'
import { dialectTitle } from '../../viewer/format/status.ts'
import { spanText } from '../../viewer/format/time.ts'
import { originFacts, sinceStart } from '../../viewer/series/facts.ts'
import { emptyWordsOf, type ReadingContext, readSeries } from '../../viewer/series/reading.ts'
import { exactnessWords, oneValue, windowNumbers } from '../../viewer/series/statistics.ts'
import { mergeSeconds } from '../../viewer/store/buckets.ts'
import type { Entry } from '../../viewer/store/catalogue.ts'
import type { Lane, SeriesData } from '../../viewer/store/series-data.ts'
import type { Store } from '../../viewer/store/store.ts'
import { drawBars } from '../chart/bars.ts'
import { type Box, type ChartLine, drawChart } from '../chart/chart.ts'
import type { Style } from '../color.ts'
import type { ScreenBuffer } from '../screen-buffer.ts'
import { wide } from './figures.ts'
import { drawSections, type Section } from './sections.ts'

interface SeriesView {
  readonly store: Store
  readonly entry: Entry
  readonly context: ReadingContext
  /** Second of the cursor, null without one. */
  readonly cursor: number | null
  /** Page of facts. */
  readonly page: number
  /** Names in every dialect and export, as the hub says them; none until it has. */
  readonly names: readonly SeriesNameJson[]
}

/** Lines of a distribution, the least first. */
const PERCENTILES: readonly (readonly [lane: Lane, style: Style])[] = [
  ['p50', 'faint'],
  ['p90', 'data'],
  ['p99', 'plain'],
]
const EXTREMES: readonly (readonly [lane: Lane, style: Style])[] = [
  ['min', 'faint'],
  ['mean', 'data'],
  ['max', 'plain'],
]
const HEAD_ROWS = 3
/** Least rows of bars and facts, below the chart. */
const LOWER_LEAST = 7
/** Columns from which on bars and facts stand side by side. */
const SIDE_BY_SIDE = 76

/** Draws a series into a box. @returns how many pages of facts there are */
export function drawSeries(buffer: ScreenBuffer, box: Box, view: SeriesView): number {
  const { store, entry } = view
  const data = store.data(entry.id)
  drawHeading(buffer, box, view, store.readings(entry.id, view.cursor !== null))
  const rest = box.rows - HEAD_ROWS
  const upper = Math.max(5, Math.min(rest - LOWER_LEAST - 1, Math.ceil(rest * 0.5)))
  drawPicture(buffer, { ...box, row: box.row + HEAD_ROWS, rows: upper }, view, data)
  const row = box.row + HEAD_ROWS + upper + 1
  const lower = { ...box, row, rows: box.row + box.rows - row }
  if (lower.rows < 3) return 1
  if (data?.kind !== 'histogram' || box.columns < SIDE_BY_SIDE) {
    return drawSections(buffer, lower, sectionsOf(view, data), view.page)
  }
  const left = Math.floor(lower.columns * (lower.columns >= 140 ? 0.35 : 0.55))
  drawDistribution(buffer, { ...lower, columns: left - 2 }, view, data)
  const facts = { ...lower, column: lower.column + left, columns: lower.columns - left }
  return drawSections(buffer, facts, sectionsOf(view, data), view.page)
}

function drawHeading(
  buffer: ScreenBuffer,
  { row, column, columns }: Box,
  { store, entry, context, cursor }: SeriesView,
  data: SeriesData | undefined,
): void {
  const { info } = entry
  const title = dialectTitle(store.sources.peek(), info.dialect)
  const what = [info.kind, info.unit, title].filter(Boolean).join('  ')
  buffer.write(row, column, shownName(entry.text), 'bold', columns - what.length - 2)
  buffer.writeRight(row, column + columns, what, 'faint')
  const { caption, main, sub, isWarning } = readSeries(data, context)
  const style: Style = cursor === null ? 'bold' : 'cursor'
  const value = wide(join(main))
  const words = caption === '' ? value : `${caption} ${value}`
  let at = buffer.write(row + 1, column, words, style)
  if (data !== undefined && (info.kind === 'histogram' || info.kind === 'summary')) {
    const rate = wide(join(format(data.at('count', context.second), '/s')))
    at = buffer.write(row + 1, at + 3, rate)
  }
  const mark = isWarning ? (context.isStale ? '– ' : '◆ ') : ''
  const subStyle: Style = isWarning ? 'unusual' : 'plain'
  at = buffer.write(row + 1, at + 3, mark + wide(sub), subStyle, columns - at - 3)
  buffer.write(row + 2, column, '─'.repeat(columns), 'faint')
}

function drawPicture(
  buffer: ScreenBuffer,
  box: Box,
  { store, entry, cursor }: SeriesView,
  data: SeriesData | undefined,
): void {
  const to = store.clock.edge()
  const from = to - store.clock.window.peek()
  const shown = shownAs(entry.info)
  const lines = data === undefined ? [] : linesOf(data, shown, from, to, cursor)
  drawChart(buffer, box, {
    ...{ lines, from, to, unit: shown.unit, cursor: cursor ?? undefined },
    axis: axisOf(entry.info.kind),
    emptyWords: data === undefined ? 'not read yet' : emptyWordsOf(data, from),
  })
}

function axisOf(kind: SeriesData['kind']): 'zero' | 'around' | 'log' {
  if (kind === 'counter') return 'zero'
  return kind === 'histogram' ? 'log' : 'around'
}

function linesOf(
  data: SeriesData,
  { unit, factor }: Shown,
  from: number,
  to: number,
  cursor: number | null,
): ChartLine[] {
  const valuesOf = (lane: Lane): Float64Array =>
    data.values(lane, from - data.step, to).map((value) => value * factor)
  const lineOf = (lane: Lane, style: Style, isNamed: boolean): ChartLine => {
    const values = valuesOf(lane)
    if (!isNamed) return { values, style }
    const value = cursor === null ? lastKnown(values) : data.at(lane, cursor) * factor
    return { values, style, name: `${lane} ${wide(join(format(value, unit)))}` }
  }
  if (data.kind === 'histogram')
    return PERCENTILES.map(([lane, style]) => lineOf(lane, style, true))
  if (data.kind === 'summary') return EXTREMES.map(([lane, style]) => lineOf(lane, style, true))
  if (data.kind === 'counter') return [{ ...lineOf('rate', 'data', false), isFilled: true }]
  return [{ ...lineOf('value', 'data', false), spread: [valuesOf('min'), valuesOf('max')] }]
}

function lastKnown(values: Float64Array): number {
  return values.findLast((value) => !Number.isNaN(value)) ?? Number.NaN
}

/** Draws the seconds of the window, or those up to the cursor, as bars. */
function drawDistribution(
  buffer: ScreenBuffer,
  box: Box,
  { store, entry, cursor }: SeriesView,
  data: SeriesData,
): void {
  const [from, to] = cursor === null ? spanOf(store) : [cursor - 1, cursor]
  const merged = mergeSeconds(data, from, to)
  const at = buffer.write(box.row, box.column, 'Distribution', 'bold')
  const when = cursor === null ? windowNote(store) : 'the second of the cursor'
  buffer.write(box.row, at + 2, when, 'faint')
  const bars = { ...box, row: box.row + 1, rows: box.rows - 1 }
  drawBars(buffer, bars, merged, entry.info.unit ?? '')
}

function spanOf({ clock }: Store): readonly [from: number, to: number] {
  const to = clock.readingSecond()
  return [to - clock.window.peek(), to]
}

function windowNote({ clock }: Store): string {
  return `last ${wide(spanText(clock.window.peek()))}`
}

function sectionsOf({ store, entry, names }: SeriesView, data: SeriesData | undefined): Section[] {
  const latest = store.catalogue.get(entry.id) ?? entry
  const shown = shownAs(latest.info)
  const { step = 1 } = data ?? {}
  const [begin, end] = spanOf(store)
  // of a picture of wide steps, up to the last one that is whole
  const [from, to] = [begin, Math.floor(end / step) * step]
  const buckets = data?.buckets?.width ? data.buckets : undefined
  const error = buckets === undefined ? '' : `, ${exactnessWords(buckets)}`
  const origin = originFacts(latest, store).map(({ name, words, manner }) => {
    const style: Style = manner === 'warning' ? 'unusual' : 'plain'
    return [shownName(name), manner === 'label' ? shownName(words) : words, style] as const
  })
  const { name } = latest.info.canonical
  const value = oneValue(latest.info, data, end)
  const unit = latest.info.kind === 'counter' ? '' : (latest.info.unit ?? '')
  return [
    {
      title: 'Statistics',
      note: windowNote(store) + error,
      facts: data ? windowNumbers(data, shown, from, to, latest.info.firstSeenMs) : [],
    },
    { title: 'Since the start', facts: sinceStart(latest, shown) },
    { title: 'Comes from', facts: origin },
    {
      title: 'Named',
      facts: [
        ['series', shownName(latest.text)],
        ...names.map(({ where, text }) => [where, shownName(text)] as const),
        ['API', `/api/v1/series/${latest.id}`],
        ['one value', `${shownName(name)} ${wide(join(format(value, unit)))}`],
      ],
    },
  ]
}
