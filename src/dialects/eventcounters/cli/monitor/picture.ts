/**
 * The monitor's screen: title, status, the table of counters, keys. Everything comes in with
 * `MonitorView`; only the place in a long table is kept here.
 */
import {
  type Key,
  type ScreenBuffer,
  type Style,
  spark,
  textWidth,
} from '../../../../terminal/index.ts'
import type { Series } from './board.ts'
import {
  type Column,
  drawLabelKeys,
  drawLabelValues,
  type Layout,
  labelsWidth,
  layoutOf,
  VALUE_WIDTH,
} from './columns.ts'
import { numberText, scaleText, type ValueView } from './figures.ts'
import { type Line, pairsText, type Sort } from './listing.ts'

export interface MonitorStatus {
  /**
   * State in the words of dotnet-counters: `Running`, `Paused`, `Waiting for initial payload...`
   */
  readonly text: string
  readonly style: Style
}

interface MonitorView {
  /** `host:port`. */
  readonly endpoint: string
  readonly interval: string
  readonly status: MonitorStatus
  readonly seriesCount: number
  /** Errors so far, and what is not shown; empty when nothing. */
  readonly troubles: readonly string[]
  readonly lines: readonly Line[]
  readonly sort: Sort
  readonly isHelp: boolean
  isStale(series: Series): boolean
}

interface PictureOptions {
  readonly views: readonly ValueView[]
  readonly showDeltas: boolean
  readonly isAbbreviated: boolean
}

const LEAST_COLUMNS = 60
const LEAST_ROWS = 12
/** Title, status, rule and heads above the table; rule and keys below it. */
const HEAD_ROWS = 4
const FOOT_ROWS = 2
const INDENT = 4

const TITLES: Readonly<Record<Column, string>> = {
  raw: 'Current Value',
  rate: 'Rate',
  second: 'Per Second',
  minute: 'Per Minute',
  hour: 'Per Hour',
  total: 'Total',
  delta: 'Last Delta',
}

const HELP = [
  ['p', 'pause: the screen stands still, the counters go on'],
  ['r', 'resume, with what came last'],
  ['s', 'sort by name, value or change within each provider'],
  ['↑ ↓', 'scroll; Page Up, Page Down, Home, End as well'],
  ['?', 'these keys, and back'],
  ['q', 'quit; Ctrl-C as well'],
] as const

export class MonitorPicture {
  readonly #options: PictureOptions
  readonly #columns: readonly Column[]
  #top = 0
  /** Widest name so far; it never shrinks, so that columns do not move when a counter goes. */
  #nameWidest = 0
  #bodyRows = 1
  #lineCount = 0

  constructor(options: PictureOptions) {
    this.#options = options
    this.#columns = [...options.views, ...(options.showDeltas ? (['delta'] as const) : [])]
  }

  /** @returns whether the key moves the table */
  scroll(key: Key): boolean {
    const page = Math.max(1, this.#bodyRows - 1)
    const steps: Readonly<Record<string, number>> = {
      ...{ up: -1, down: 1, 'page-up': -page, 'page-down': page },
      ...{ home: -this.#lineCount, end: this.#lineCount },
    }
    const step = steps[key]
    if (step === undefined) return false
    this.#top = this.#clamp(this.#top + step)
    return true
  }

  draw(buffer: ScreenBuffer, view: MonitorView): void {
    if (buffer.columns < LEAST_COLUMNS || buffer.rows < LEAST_ROWS) {
      const least = `${LEAST_COLUMNS} x ${LEAST_ROWS}`
      drawSmall(buffer, view, least, (series) => this.#number(series, this.#columns[0]!))
      return
    }
    this.#bodyRows = buffer.rows - HEAD_ROWS - FOOT_ROWS
    this.#lineCount = view.lines.length
    this.#top = this.#clamp(this.#top)
    for (const line of view.lines) this.#nameWidest = Math.max(this.#nameWidest, nameWidth(line))
    const layout = layoutOf(buffer.columns, this.#columns, this.#nameWidest)
    drawHead(buffer, view)
    if (view.isHelp) drawHelp(buffer)
    else {
      this.#drawTitles(buffer, layout)
      this.#drawLines(buffer, view, layout)
    }
    this.#drawFoot(buffer, view)
  }

  #drawTitles(buffer: ScreenBuffer, { values }: Layout): void {
    buffer.write(HEAD_ROWS - 1, 0, 'Name', 'bold')
    for (const { column, end } of values) {
      buffer.writeRight(HEAD_ROWS - 1, end, TITLES[column], 'bold', VALUE_WIDTH)
    }
  }

  #drawLines(buffer: ScreenBuffer, view: MonitorView, layout: Layout): void {
    const shown = view.lines.slice(this.#top, this.#top + this.#bodyRows)
    shown.forEach((line, i) => {
      const row = HEAD_ROWS + i
      const { nameWidth } = layout
      if (line.kind === 'provider') buffer.write(row, 0, `[${line.provider}]`, 'bold')
      else if (line.kind === 'keys') drawLabelKeys(buffer, row, line.columns, nameWidth)
      else if (line.kind === 'labels') {
        drawLabelValues(buffer, row, line.columns, line.series.counter.metaData, nameWidth)
        this.#drawSeries(buffer, row, line.series, view, layout)
      } else {
        buffer.write(row, INDENT, line.label.text, 'plain', nameWidth - INDENT)
        if (line.series !== undefined) this.#drawSeries(buffer, row, line.series, view, layout)
      }
    })
  }

  #drawSeries(
    buffer: ScreenBuffer,
    row: number,
    series: Series,
    view: MonitorView,
    layout: Layout,
  ): void {
    const isStale = view.isStale(series)
    const mark = isStale ? '–' : series.isOver ? '◆' : ''
    const style = isStale ? 'faint' : series.isOver ? 'unusual' : 'plain'
    buffer.write(row, 1, mark, style)
    for (const { column, end } of layout.values) {
      buffer.writeRight(row, end, this.#number(series, column), style, VALUE_WIDTH)
    }
    if (layout.spark === undefined) return
    const { start, width } = layout.spark
    buffer.write(row, start, spark(series.past, width), isStale ? 'faint' : 'data')
  }

  /** Writes a figure. A Mean kind has one: it stands in the first column alone. */
  #number(series: Series, column: Column): string {
    const style = { isAbbreviated: this.#options.isAbbreviated, width: VALUE_WIDTH }
    if (column === 'delta') return numberText(series.delta, style)
    const isFirst = column === this.#columns[0]
    if (!series.isSum && !isFirst) return ''
    const text = numberText(series.figures[column], style)
    if (column !== 'rate' || isFirst) return text
    const scale = scaleText(series.counter.rateScaleSec)
    return `${text.trimEnd()}${scale}`
  }

  #drawFoot(buffer: ScreenBuffer, { lines, sort }: MonitorView): void {
    const row = buffer.rows - FOOT_ROWS
    buffer.write(row, 0, '─'.repeat(buffer.columns), 'faint')
    buffer.write(row + 1, 1, `p pause  r resume  s sort: ${sort}  ↑↓ scroll  ? keys  q quit`)
    if (lines.length <= this.#bodyRows) return
    const last = Math.min(lines.length, this.#top + this.#bodyRows)
    buffer.writeRight(row, buffer.columns, ` ${this.#top + 1}-${last} of ${lines.length} lines`)
  }

  #clamp(top: number): number {
    return Math.max(0, Math.min(top, this.#lineCount - this.#bodyRows))
  }
}

function drawHead(
  buffer: ScreenBuffer,
  { endpoint, interval, status, seriesCount, troubles }: MonitorView,
) {
  const seen = `${seriesCount} series  ${interval}`
  const after = buffer.write(0, 0, 'Pentameter', 'bold')
  buffer.write(0, after, `  ${endpoint}`, 'plain', buffer.columns - after - seen.length - 2)
  buffer.writeRight(0, buffer.columns, seen)
  const trouble = troubles.map((text) => `■ ${text}`).join('  ')
  const room = Math.floor(buffer.columns / 2)
  buffer.writeRight(1, buffer.columns, trouble, 'lost', room)
  const statusRoom = buffer.columns - Math.min(trouble.length, room) - INDENT - 2
  buffer.write(1, INDENT, `Status: ${status.text}`, status.style, statusRoom)
  buffer.write(2, 0, '─'.repeat(buffer.columns), 'faint')
}

function drawHelp(buffer: ScreenBuffer): void {
  buffer.write(HEAD_ROWS - 1, 0, 'Keys', 'bold')
  HELP.forEach(([key, text], i) => {
    buffer.write(HEAD_ROWS + i, INDENT, key, 'bold')
    buffer.write(HEAD_ROWS + i, INDENT + 6, text)
  })
}

function nameWidth(line: Line): number {
  if (line.kind === 'provider') return textWidth(line.provider) + 2
  if (line.kind === 'counter') return line.label.width + INDENT
  return labelsWidth(line.columns)
}

/**
 * Draws all series on a terminal too small for the table; one line says so.
 * @param number the first figure of a series as it stands in a column
 */
function drawSmall(
  buffer: ScreenBuffer,
  { lines, status }: Pick<MonitorView, 'lines' | 'status'>,
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
