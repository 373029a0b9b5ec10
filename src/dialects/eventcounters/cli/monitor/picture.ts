/**
 * The monitor's screen: title, status, the table of counters, keys. Everything comes in with
 * `MonitorView`; only the place in a long table is kept here.
 */
import {
  drawKeys,
  type Key,
  type KeyWords,
  keyLine,
  ScreenBuffer,
  type Style,
  sparkRows,
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
  /** Name of what is watched: `host:port`. */
  readonly target: string
  readonly interval: string
  readonly status: MonitorStatus
  readonly seriesCount: number
  /** Number of series without the filter. */
  readonly seriesTotal: number
  readonly filter: string
  readonly isTyping: boolean
  /** Words for a table without a line; empty while there is nothing to say. */
  readonly emptyText: string
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
/** Tables side by side are at least so wide, with a gap between them. */
const TABLE_LEAST = 80
const TABLE_GAP = 3
/** Rows from which on sparks may be higher than a line, and how high. */
const TALL_FROM = 30
const TALL_MOST = 3
/** Characters of a filter among the keys. */
const FILTER_SHOWN = 16

const TITLES: Readonly<Record<Column, string>> = {
  raw: 'Current Value',
  rate: 'Rate',
  second: 'Per Second',
  minute: 'Per Minute',
  hour: 'Per Hour',
  total: 'Total',
  delta: 'Last Delta',
}

const KEYS: KeyWords = [
  ['p', 'pause: the screen stands still, the counters go on'],
  ['r', 'resume, with what came last'],
  ['/', 'filter: words of provider, name or KEY=VALUE; * is any run'],
  ['Esc', 'help, filter off'],
  ['s', 'sort by name, value or change within each provider'],
  ['↑↓', 'scroll; Page Up, Page Down, Home, End as well'],
]

export class MonitorPicture {
  readonly #options: PictureOptions
  readonly #columns: readonly Column[]
  #top = 0
  /** Widest name so far; it never shrinks, so that columns do not move when a counter goes. */
  #nameWidest = 0
  #bodyRows = 1
  /** Lines that the tables have room for. */
  #room = 1
  #lineCount = 0

  constructor(options: PictureOptions) {
    this.#options = options
    this.#columns = [...options.views, ...(options.showDeltas ? (['delta'] as const) : [])]
  }

  /** @returns whether the key moves the table */
  scroll(key: Key): boolean {
    const page = Math.max(1, this.#room - 1)
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
    const tables = this.#tables(buffer.columns)
    this.#room = this.#bodyRows * tables
    this.#top = this.#clamp(this.#top)
    for (const line of view.lines) this.#nameWidest = Math.max(this.#nameWidest, nameWidth(line))
    drawHead(buffer, view)
    if (view.isHelp) drawKeys(buffer, HEAD_ROWS - 1, this.#bodyRows + 1, KEYS)
    else {
      this.#drawTables(buffer, view, tables)
      if (view.lines.length === 0) buffer.write(HEAD_ROWS, INDENT, view.emptyText)
    }
    this.#drawFoot(buffer, view)
  }

  /** Counts the tables side by side: one, unless it has too few rows and there is width. */
  #tables(columns: number): number {
    const room = Math.floor((columns + TABLE_GAP) / (TABLE_LEAST + TABLE_GAP))
    return Math.max(1, Math.min(room, Math.ceil(this.#lineCount / this.#bodyRows)))
  }

  #drawTables(buffer: ScreenBuffer, view: MonitorView, tables: number): void {
    const width = Math.floor((buffer.columns + TABLE_GAP) / tables) - TABLE_GAP
    const layout = layoutOf(width, this.#columns, this.#nameWidest)
    const isTall = tables === 1 && layout.spark !== undefined && buffer.rows >= TALL_FROM
    const tall = isTall ? tallness(view.lines, this.#bodyRows) : 1
    for (let i = 0; i < tables; i++) {
      const table = new ScreenBuffer(width, 1 + this.#bodyRows)
      const first = this.#top + i * this.#bodyRows
      this.#drawTitles(table, layout)
      this.#drawLines(table, view, layout, view.lines.slice(first, first + this.#bodyRows), tall)
      buffer.paste(table, HEAD_ROWS - 1, i * (width + TABLE_GAP))
    }
  }

  #drawTitles(table: ScreenBuffer, { values }: Layout): void {
    table.write(0, 0, 'Name', 'bold')
    for (const { column, end } of values) {
      table.writeRight(0, end, TITLES[column], 'bold', VALUE_WIDTH)
    }
  }

  /** @param tall rows of a series, of which the last one has its figures */
  #drawLines(
    table: ScreenBuffer,
    view: MonitorView,
    layout: Layout,
    lines: readonly Line[],
    tall: number,
  ): void {
    const { nameWidth } = layout
    let row = 0
    for (const line of lines) {
      const series = seriesOf(line)
      row += series === undefined ? 1 : tall
      if (line.kind === 'provider') {
        const end = table.write(row, 0, `[${line.provider}]`, 'bold')
        table.write(row, end + 2, line.shared, 'faint')
      } else if (line.kind === 'keys') drawLabelKeys(table, row, line.columns, nameWidth)
      else if (line.kind === 'labels') {
        drawLabelValues(table, row, line.columns, line.series.counter.metaData, nameWidth)
      } else table.write(row, INDENT, line.label.text, 'plain', nameWidth - INDENT)
      if (series !== undefined) this.#drawSeries(table, row, series, view, layout, tall)
    }
  }

  #drawSeries(
    buffer: ScreenBuffer,
    row: number,
    series: Series,
    view: MonitorView,
    layout: Layout,
    tall: number,
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
    sparkRows(series.past, width, tall).forEach((text, i) => {
      buffer.write(row - tall + 1 + i, start, text, isStale ? 'faint' : 'data')
    })
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

  #drawFoot(buffer: ScreenBuffer, { lines, sort, filter, isTyping }: MonitorView): void {
    const row = buffer.rows - FOOT_ROWS
    buffer.write(row, 0, '─'.repeat(buffer.columns), 'faint')
    if (isTyping) {
      const hint = 'Enter takes it  Esc gives it up'
      const room = buffer.columns - hint.length - 4
      const after = buffer.write(row + 1, 1, `/ ${filter}`, 'bold', room)
      buffer.write(row + 1, after, '▏', 'cursor')
      buffer.writeRight(row + 1, buffer.columns, hint, 'faint')
    } else {
      const chosen = filter === '' ? '/ filter' : `/ ${cut(filter)}`
      const keys = [
        'p pause',
        'r resume',
        chosen,
        `s sort: ${sort}`,
        '↑↓ scroll',
        '? keys',
        'q quit',
      ]
      buffer.write(row + 1, 1, keyLine(keys, buffer.columns - 2))
    }
    if (lines.length <= this.#room) return
    const last = Math.min(lines.length, this.#top + this.#room)
    buffer.writeRight(row, buffer.columns, ` ${this.#top + 1}-${last} of ${lines.length} lines`)
  }

  #clamp(top: number): number {
    return Math.max(0, Math.min(top, this.#lineCount - this.#room))
  }
}

function drawHead(
  buffer: ScreenBuffer,
  { target, interval, status, seriesCount, seriesTotal, troubles }: MonitorView,
) {
  const of = seriesCount === seriesTotal ? '' : ` of ${seriesTotal}`
  const seen = `${seriesCount}${of} series  ${interval}`
  const after = buffer.write(0, 0, 'Pentameter', 'bold')
  buffer.write(0, after, `  ${target}`, 'plain', buffer.columns - after - seen.length - 2)
  buffer.writeRight(0, buffer.columns, seen)
  const trouble = troubles.map((text) => `■ ${text}`).join('  ')
  const room = Math.floor(buffer.columns / 2)
  buffer.writeRight(1, buffer.columns, trouble, 'lost', room)
  const statusRoom = buffer.columns - Math.min(trouble.length, room) - INDENT - 2
  buffer.write(1, INDENT, `Status: ${status.text}`, status.style, statusRoom)
  buffer.write(2, 0, '─'.repeat(buffer.columns), 'faint')
}

/** Counts the rows that each series may have where all lines have room, for a higher spark. */
function tallness(lines: readonly Line[], rows: number): number {
  const series = lines.filter((line) => seriesOf(line) !== undefined).length
  const room = Math.floor((rows - (lines.length - series)) / Math.max(1, series))
  return Math.max(1, Math.min(TALL_MOST, room))
}

function seriesOf(line: Line): Series | undefined {
  return line.kind === 'counter' || line.kind === 'labels' ? line.series : undefined
}

/** Cuts a filter to what the line of keys has room for. */
function cut(filter: string): string {
  return filter.length > FILTER_SHOWN ? `${filter.slice(0, FILTER_SHOWN - 1)}…` : filter
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
    const series = seriesOf(line)
    if (series === undefined) continue
    const value = number(series).trimEnd()
    const pairs = pairsText(series)
    const text = pairs === '' ? name : `${name}[${pairs}]`
    buffer.write(row, 0, text, 'plain', buffer.columns - value.length - 1)
    buffer.writeRight(row, buffer.columns, value)
    row++
  }
}
