/**
 * A chart of lines in braille: values to the left on round steps, the time below, names at the
 * right ends of the lines, pushed apart. A column of dots has the least and the greatest of the
 * values that fall into it, so that a peak survives, and a gap is a gap.
 */
import {
  linearScale,
  logScale,
  niceRange,
  type Range,
  timeTicks,
} from '../../viewer/chart/scale.ts'
import { axisTexts } from '../../viewer/format/number.ts'
import { clockText } from '../../viewer/format/time.ts'
import { BrailleCanvas, DOTS_ACROSS, DOTS_DOWN } from '../braille.ts'
import type { Style } from '../color.ts'
import { textWidth } from '../columns.ts'
import type { ScreenBuffer } from '../screen-buffer.ts'
import { wide } from '../series/figures.ts'

export interface ChartLine {
  /** Values at even steps of the time that the chart shows, oldest first; NaN = none. */
  readonly values: ArrayLike<number>
  /** The least and the greatest of each step, where more than its one value is known. */
  readonly spread?: readonly [least: ArrayLike<number>, greatest: ArrayLike<number>]
  readonly style: Style
  /** Words at its right end. */
  readonly name?: string
  /** Whether the room between zero and the line is filled. */
  readonly isFilled?: boolean
}

/** Place of a chart in the picture, its axes included. */
export interface Box {
  readonly row: number
  readonly column: number
  readonly rows: number
  readonly columns: number
}

interface ChartOptions {
  readonly lines: readonly ChartLine[]
  /** Unix seconds at the left and right edge. */
  readonly from: number
  readonly to: number
  /** `zero`: from zero on; `around`: around the data; `log`: octaves, for distributions. */
  readonly axis: 'zero' | 'around' | 'log'
  readonly unit: string
  /** Second of the cursor, where there is one. */
  readonly cursor?: number | undefined
  /** Words where there is nothing to draw. */
  readonly emptyWords: string
}

const LABEL = 8
const NAMES_MOST = 18
/** Rows of a chart between two labels, at least. */
const ROWS_PER_TICK = 2
/** Columns of a label of time and what keeps it from the next. */
const TIME_ROOM = 14

export function drawChart(buffer: ScreenBuffer, box: Box, options: ChartOptions): void {
  const { lines, from, to, cursor } = options
  const names = Math.max(0, ...lines.map(({ name }) => (name === undefined ? 0 : textWidth(name))))
  const right = names === 0 ? 0 : Math.min(NAMES_MOST, names) + 1
  const left = LABEL + 1
  const columns = box.columns - left - right
  const rows = box.rows - 1
  if (columns < 4 || rows < 2) return
  const canvas = new BrailleCanvas(columns, rows)
  const place = { row: box.row, column: box.column + left }
  const x = (second: number): number => ((second - from) / (to - from)) * (canvas.width - 1)
  drawTimes(buffer, { ...box, row: box.row + rows, column: place.column, columns }, from, to)
  const range = rangeOf(options)
  if (range === undefined) {
    const words = options.emptyWords
    const middle = place.column + Math.max(0, (columns - words.length) >> 1)
    buffer.write(place.row + (rows >> 1), middle, words, 'faint', columns)
  } else {
    const y = drawValues(buffer, place, canvas, range, options)
    for (const line of lines) drawLine(canvas, line, y)
    const at = place.column + columns + 1
    drawNames(buffer, place.row, at, right - 1, rows, lines, y)
  }
  if (cursor !== undefined && cursor >= from && cursor <= to) {
    const at = place.column + Math.floor(Math.round(x(cursor)) / DOTS_ACROSS)
    for (let row = 0; row < rows; row++) buffer.write(place.row + row, at, '│', 'cursor')
  }
  canvas.drawInto(buffer, place.row, place.column)
}

type Y = (value: number) => number

/** Finds the range with round ends; undefined where there is no value. */
function rangeOf({ lines, axis, unit }: ChartOptions): Range | undefined {
  let lo = Number.POSITIVE_INFINITY
  let hi = Number.NEGATIVE_INFINITY
  for (const values of lines.flatMap((line) => [line.values, ...(line.spread ?? [])])) {
    for (let i = 0; i < values.length; i++) {
      const value = values[i]!
      if (!Number.isFinite(value) || (axis === 'log' && value <= 0)) continue
      lo = Math.min(lo, value)
      hi = Math.max(hi, value)
    }
  }
  if (hi < lo) return undefined
  if (axis !== 'log') return niceRange(axis, { lo, hi }, 4, unit)
  const low = Math.floor(Math.log2(lo) + 1e-9)
  return { lo: 2 ** low, hi: 2 ** Math.max(low + 1, Math.ceil(Math.log2(hi) - 1e-9)) }
}

/** Draws labels and a faint grid. @returns where a value is, in dots */
function drawValues(
  buffer: ScreenBuffer,
  place: { readonly row: number; readonly column: number },
  canvas: BrailleCanvas,
  range: Range,
  { axis, unit }: ChartOptions,
): Y {
  const count = Math.max(1, Math.floor(canvas.rows / ROWS_PER_TICK))
  const bottom = canvas.height - 1
  const scale =
    axis === 'log'
      ? logScale(range, 0, bottom, count)
      : linearScale(range, 0, bottom, Math.min(count, 5), unit)
  let free = Number.POSITIVE_INFINITY
  const isFitting = (words: string): boolean => wide(words).length <= LABEL
  const texts = axisTexts(scale.ticks, unit, isFitting, axis === 'log')
  for (const [i, tick] of scale.ticks.entries()) {
    const row = Math.floor(Math.min(bottom, Math.max(0, Math.round(scale.y(tick)))) / DOTS_DOWN)
    if (row >= free) continue
    free = row
    buffer.writeRight(place.row + row, place.column - 1, wide(texts[i]!), 'faint', LABEL)
    buffer.write(place.row + row, place.column, '┈'.repeat(canvas.columns), 'faint')
  }
  return scale.y
}

/** Draws a line; several values of one column, or of one step, are its least and its greatest. */
function drawLine(canvas: BrailleCanvas, line: ChartLine, y: Y): void {
  const { values, spread = [], style, isFilled } = line
  const { width, height } = canvas
  const tops = new Float64Array(width).fill(Number.NaN)
  const bottoms = new Float64Array(width).fill(Number.NaN)
  const put = (x: number, dot: number): void => {
    if (Number.isNaN(dot)) return
    if (!(tops[x]! <= dot)) tops[x] = dot
    if (!(bottoms[x]! >= dot)) bottoms[x] = dot
  }
  const dotOf = (value: number): number => Math.min(height - 1, Math.max(0, y(value)))
  const columnOf = (i: number): number =>
    Math.round((i / Math.max(1, values.length - 1)) * (width - 1))
  for (let i = 0; i < values.length; i++) {
    const dot = dotOf(values[i]!)
    if (Number.isNaN(dot)) continue
    const x = columnOf(i)
    put(x, dot)
    for (const ends of spread) put(x, dotOf(ends[i]!))
    const next = i + 1 < values.length ? dotOf(values[i + 1]!) : Number.NaN
    if (Number.isNaN(next)) continue
    const steps = columnOf(i + 1) - x
    for (let step = 1; step < steps; step++) put(x + step, dot + ((next - dot) * step) / steps)
  }
  if (isFilled !== true) canvas.line(tops, bottoms, style)
  else {
    for (let x = 0; x < width; x++) {
      if (!Number.isNaN(tops[x]!)) canvas.column(x, Math.round(tops[x]!), height - 1, style)
    }
  }
}

/** Writes names at the ends of the lines, one a row, in the order of the ends. */
function drawNames(
  buffer: ScreenBuffer,
  row: number,
  column: number,
  width: number,
  rows: number,
  lines: readonly ChartLine[],
  y: Y,
): void {
  const named = lines
    .flatMap(({ name, style, values }) => {
      const end = lastOf(values)
      if (name === undefined || end === undefined) return []
      return [{ name, style, at: Math.min(rows - 1, Math.max(0, y(end) / DOTS_DOWN)) }]
    })
    .sort((a, b) => a.at - b.at)
  let free = 0
  named.forEach(({ name, style, at }, i) => {
    const latest = rows - (named.length - i)
    const place = Math.max(free, Math.min(Math.floor(at), latest))
    free = place + 1
    if (place < rows) buffer.write(row + place, column, name, style, width)
  })
}

function lastOf(values: ArrayLike<number>): number | undefined {
  for (let i = values.length - 1; i >= 0; i--) if (!Number.isNaN(values[i]!)) return values[i]!
  return undefined
}

function drawTimes(buffer: ScreenBuffer, box: Box, from: number, to: number): void {
  let free = box.column
  for (const tick of timeTicks(from, to, box.columns, TIME_ROOM)) {
    const text = clockText(tick * 1000)
    const middle = box.column + Math.round(((tick - from) / (to - from)) * (box.columns - 1))
    const end = box.column + box.columns
    const at = Math.min(end - text.length, Math.max(box.column, middle - (text.length >> 1)))
    if (at < free) continue
    buffer.write(box.row, at, text, 'faint')
    free = at + text.length + 2
  }
}
