/** A table of series: which column stands where, in a terminal of any width, and its lines. */

import { shownName } from '../../viewer/format/name.ts'
import { type Lane, MAIN_LANE, type SeriesData } from '../../viewer/store/series-data.ts'
import { DOTS_ACROSS } from '../braille.ts'
import { spark, sparkLine } from '../chart/spark.ts'
import type { ScreenBuffer } from '../screen-buffer.ts'
import { FIGURE_WIDTH, type Figures, RATE_WIDTH } from './figures.ts'

/** Columns of one table, from its left edge. */
export interface TableLayout {
  readonly left: number
  /** Room of the name, from column NAME_AT on. */
  readonly name: number
  /** Column of the kind's letter. */
  readonly kind: number
  /** Columns behind the last characters of the figures. */
  readonly rate: number
  readonly now: number
  readonly last: number
  readonly spark: number
  readonly sparkWidth: number
}

/** Place of the row that is chosen, of the mark, and of the name. */
const MARK_AT = 1
const NAME_AT = 3
const FIGURE = FIGURE_WIDTH
const GAP = 1
const KIND = 1
const SPARK_LEAST = 8
const SPARK_MOST = 24
/** Columns besides name and spark. */
const FIXED = NAME_AT + GAP + KIND + (GAP + RATE_WIDTH) + 2 * (GAP + FIGURE) + GAP
/** Least width of one of several tables side by side. */
const TABLE_LEAST = 80
const BETWEEN = 3

/**
 * Lays out tables side by side, as many as there is room and use for.
 * @param nameWidest columns of the widest name
 * @param rows how many there are, and how many one table has room for
 * @param sparkSeconds steps of time that the small pictures show
 */
export function tablesOf(
  width: number,
  nameWidest: number,
  rows: { readonly count: number; readonly room: number },
  sparkSeconds: number,
): readonly TableLayout[] {
  const wanted = Math.ceil(rows.count / Math.max(1, rows.room))
  const fitting = Math.floor((width + BETWEEN) / (TABLE_LEAST + BETWEEN))
  const tables = Math.max(1, Math.min(wanted, fitting))
  const each = Math.floor((width - (tables - 1) * BETWEEN) / tables)
  return Array.from({ length: tables }, (_, i) =>
    tableOf(i * (each + BETWEEN), each, nameWidest, sparkSeconds),
  )
}

function tableOf(
  left: number,
  width: number,
  nameWidest: number,
  sparkSeconds: number,
): TableLayout {
  const room = width - FIXED
  const name = Math.max(1, Math.min(room - SPARK_LEAST, Math.max(nameWidest, 20)))
  const sparkWidth = cellsOf(sparkSeconds, Math.max(0, Math.min(SPARK_MOST, room - name)))
  const kind = left + NAME_AT + (room - sparkWidth) + GAP
  const rate = kind + KIND + GAP + RATE_WIDTH
  return {
    ...{ left, name: room - sparkWidth, kind, rate },
    now: rate + GAP + FIGURE,
    last: rate + 2 * (GAP + FIGURE),
    spark: rate + 2 * (GAP + FIGURE) + GAP,
    sparkWidth,
  }
}

/** Computes how many cells a time takes in whole columns of seconds: no more would be filled. */
function cellsOf(seconds: number, most: number): number {
  if (most === 0) return 0
  const group = Math.ceil(seconds / (most * DOTS_ACROSS))
  return Math.ceil(seconds / group / DOTS_ACROSS)
}

/** @param window of the sparks, in words */
export function drawTitles(
  buffer: ScreenBuffer,
  row: number,
  layout: TableLayout,
  window: string,
): void {
  buffer.write(row, layout.left + NAME_AT, 'series', 'faint', layout.name)
  buffer.writeRight(row, layout.kind + 1, 'kind', 'faint', 4)
  buffer.writeRight(row, layout.rate, 'rate', 'faint')
  buffer.writeRight(row, layout.now, 'now', 'faint')
  buffer.writeRight(row, layout.last, 'p99', 'faint')
  buffer.writeRight(row, layout.spark + layout.sparkWidth, window, 'faint', layout.sparkWidth)
}

/** Values of a small picture, two a cell; empty for none. */
interface Past {
  readonly greatest: ArrayLike<number>
  /** The same of a gauge, whose picture is a line from the least to the greatest. */
  readonly least?: ArrayLike<number> | undefined
}

interface SeriesLine {
  /** Name that it has beside its neighbours. */
  readonly name: string
  readonly figures: Figures
  readonly past: Past
  readonly isChosen: boolean
}

export function drawSeriesLine(
  buffer: ScreenBuffer,
  row: number,
  layout: TableLayout,
  { name, figures, past, isChosen }: SeriesLine,
): void {
  const { kind, rate, now, last, mark, style } = figures
  const { left } = layout
  if (isChosen) buffer.write(row, left, '›', 'cursor')
  buffer.write(row, left + MARK_AT, mark, style)
  const nameStyle = style === 'faint' ? 'faint' : isChosen ? 'bold' : 'plain'
  buffer.write(row, left + NAME_AT, shownName(name), nameStyle, layout.name)
  buffer.write(row, layout.kind, kind, 'faint')
  buffer.writeRight(row, layout.rate, rate.text, rate.style, RATE_WIDTH)
  buffer.writeRight(row, layout.now, now.text, now.style, FIGURE)
  buffer.writeRight(row, layout.last, last.text, last.style, FIGURE)
  const { greatest, least } = past
  const { sparkWidth } = layout
  const picture = least ? sparkLine(least, greatest, sparkWidth) : spark(greatest, sparkWidth)
  buffer.write(row, layout.spark, picture, style === 'faint' ? 'faint' : 'data')
}

/**
 * Reads the steps of the seconds before `to` in so many columns, the largest of each and of a gauge
 * the least as well, so that a peak survives. Columns lie on the grid of absolute time: the picture
 * does not flicker while it moves.
 */
export function pastOf(
  data: SeriesData | undefined,
  to: number,
  seconds: number,
  columns: number,
): Past {
  if (data === undefined) return { greatest: [] }
  const read = (lane: Lane): Float64Array => extremesOf(data, lane, to, seconds, columns)
  if (data.kind === 'gauge') return { greatest: read('max'), least: read('min') }
  return { greatest: read(MAIN_LANE[data.kind]) }
}

/** Reads a lane in columns, the largest of each; of `min` the least. */
function extremesOf(
  data: SeriesData,
  lane: Lane,
  to: number,
  seconds: number,
  columns: number,
): Float64Array {
  const out = new Float64Array(columns).fill(Number.NaN)
  const pick = lane === 'min' ? Math.min : Math.max
  const group = Math.max(1, Math.ceil(seconds / columns))
  const last = Math.ceil(to / group)
  const { step } = data
  const first = Math.floor((to - seconds) / step) * step
  for (let second = first + step; second < to + step; second += step) {
    const value = data.at(lane, second)
    const column = columns - 1 - (last - Math.ceil(second / group))
    if (Number.isNaN(value) || column < 0) continue
    const known = out[column]!
    out[column] = Number.isNaN(known) ? value : pick(known, value)
  }
  return out
}
