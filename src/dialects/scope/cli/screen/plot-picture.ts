/** One plot: caption, axis, lines, thresholds, the trigger's event and the cursor. */
import type { Range } from '../../../../model/axis.ts'
import type { PlotPicture } from '../../../../model/board/picture.ts'
import type { Plot } from '../../../../model/board/plots.ts'
import type { Span } from '../../../../model/board/time-view.ts'
import type { TriggerEvent } from '../../../../model/board/trigger.ts'
import { BrailleCanvas, DOTS_ACROSS, DOTS_DOWN } from '../../../../terminal/braille.ts'
import type { ScreenBuffer, Style } from '../../../../terminal/index.ts'
import { pushApart } from '../../../../viewer/chart/labels.ts'
import { shownName } from '../../../../viewer/format/name.ts'
import { axisLabels } from './axis-labels.ts'
import { type CaptionView, drawCaption, NUMBERED } from './caption.ts'
import {
  DASHED,
  DOTTED,
  dotOfTime,
  dotOfValue,
  drawThreshold,
  drawTrace,
  type Place,
  SOLID,
} from './draw-trace.ts'
import type { Cell } from './layout.ts'

/** Rows of a plot for each that its caption may take. */
const ROWS_PER_CAPTION = 4
/** Rows between two labels of the axis at least. */
const LABEL_ROWS = 2
/** Part of a plot that the name of a threshold may take. */
const NAME_PART = 0.5

interface PlotView extends CaptionView {
  /** Columns of the axis, a blank included. */
  readonly axisWidth: number
}

/** Draws a plot. @returns columns that its axis would like to have */
export function drawPlot(buffer: ScreenBuffer, cell: Cell, plot: Plot, view: PlotView): number {
  const { board, cursor, axisWidth } = view
  const most = Math.max(1, Math.floor(cell.height / ROWS_PER_CAPTION))
  const captionRows = drawCaption(buffer, cell, plot, view, most)
  const chart = chartOf(cell, captionRows, axisWidth)
  if (chart.width < 1 || chart.height < 1) return axisWidth
  const ticks = Math.max(1, Math.floor(chart.height / LABEL_ROWS))
  const picture = board.picture(plot, chart.width * DOTS_ACROSS, ticks)
  const { span, events } = board
  const event = events.shown ?? events.latched
  const wished = drawAxis(buffer, chart, picture.range, unitOf(plot), axisWidth)
  drawInstant(buffer, chart, span, cursor, 'cursor')
  drawInstant(buffer, chart, span, event?.t, 'unusual')
  const canvas = new BrailleCanvas(chart.width, chart.height)
  const place = { span, range: picture.range }
  drawLines(canvas, picture, place, (line) => board.isSilent(line))
  canvas.drawInto(buffer, chart.row, chart.column)
  drawThresholdNames(buffer, chart, canvas, picture)
  if (plot.lines.length > 1) drawNumbers(buffer, chart, canvas, picture, place)
  if (event !== undefined && plot.lines.some(({ key }) => key === event.key)) {
    drawEventName(buffer, chart, view, event)
  }
  return wished
}

function drawEventName(
  buffer: ScreenBuffer,
  chart: Cell,
  { board }: PlotView,
  event: TriggerEvent,
): void {
  const { events, span } = board
  const isOver = events.shown !== undefined || events.isStopped
  const at = columnOf(chart, span, event.t)
  const label = `TRIG ${shownName(event.key)}`
  const start = Math.min(Math.max(0, at + 1), Math.max(0, chart.width - label.length))
  buffer.write(chart.row, chart.column + start, label, isOver ? 'faint' : 'unusual', chart.width)
}

/** Gives the part of a plot that lines are in. */
function chartOf({ row, column, width, height }: Cell, captionRows: number, axis: number): Cell {
  return {
    row: row + captionRows,
    column: column + axis,
    width: width - axis,
    height: height - captionRows,
  }
}

/** Finds the unit that all lines have. */
function unitOf({ lines }: Plot): string | undefined {
  const unit = lines[0]?.about.unit
  return lines.every(({ about }) => about.unit === unit) ? unit : undefined
}

/** Writes the ends of the axis, and what lies between as there is room. @returns see drawPlot */
function drawAxis(
  buffer: ScreenBuffer,
  chart: Cell,
  range: Range,
  unit: string | undefined,
  axisWidth: number,
): number {
  const last = chart.height - 1
  const taken: number[] = []
  let widest = 0
  for (const { value, text } of axisLabels(range, last / LABEL_ROWS, unit)) {
    const row = Math.round((1 - (value - range.lo) / (range.hi - range.lo)) * last)
    if (row < 0 || row > last || taken.some((each) => Math.abs(each - row) < LABEL_ROWS)) continue
    taken.push(row)
    widest = Math.max(widest, text.length)
    buffer.writeRight(chart.row + row, chart.column - 1, text, 'faint', axisWidth - 1)
  }
  return widest + 1
}

/** Draws a column at an instant, where it is in sight. */
function drawInstant(
  buffer: ScreenBuffer,
  chart: Cell,
  span: Span,
  time: number | undefined,
  style: Style,
): void {
  if (time === undefined) return
  const at = columnOf(chart, span, time)
  if (at < 0 || at >= chart.width) return
  for (let row = 0; row < chart.height; row++) {
    buffer.write(chart.row + row, chart.column + at, '│', style)
  }
}

/** Finds the column of a time within a chart; that of its right edge is the last. */
export function columnOf({ width }: Cell, { from, to }: Span, time: number): number {
  return Math.floor(Math.min(((time - from) / (to - from)) * width, width - (time > to ? 0 : 1)))
}

function drawLines(
  canvas: BrailleCanvas,
  { lines, thresholds, range }: PlotPicture,
  place: Place,
  isSilent: (line: PlotPicture['lines'][number]['line']) => boolean,
): void {
  for (const { value } of thresholds) drawThreshold(canvas, range, value)
  for (const { average } of lines) {
    if (average !== undefined) drawTrace(canvas, average.trace, place, 'plain', DOTTED)
  }
  for (const { line, trace, color, isDashed } of lines) {
    const style = isSilent(line) ? 'faint' : (color as Style)
    drawTrace(canvas, trace, place, style, isDashed ? DASHED : SOLID)
  }
}

function drawThresholdNames(
  buffer: ScreenBuffer,
  chart: Cell,
  canvas: BrailleCanvas,
  { thresholds, range }: PlotPicture,
): void {
  const width = Math.floor(chart.width * NAME_PART)
  for (const { name, value } of thresholds) {
    const row = Math.floor(dotOfValue(canvas, range, value) / DOTS_DOWN)
    if (row < 0 || row >= chart.height) continue
    buffer.write(chart.row + row, chart.column, shownName(name), 'unusual', width)
  }
}

/**
 * Writes the number of each line at its end, so that lines are told apart without colours, too. Of
 * those that end close together, the one with the larger value stands higher.
 */
function drawNumbers(
  buffer: ScreenBuffer,
  chart: Cell,
  canvas: BrailleCanvas,
  { lines }: PlotPicture,
  { span, range }: Place,
): void {
  const ends = lines.slice(0, NUMBERED).flatMap(({ line, trace, color }, i) => {
    let last = trace.length - 1
    while (last >= 0 && trace.times[last]! > span.to) last -= 1
    const value = trace.values[last] ?? Number.NaN
    if (Number.isNaN(value) || line.isHidden) return []
    const x = Math.floor(dotOfTime(canvas, span, trace.times[last]!) / DOTS_ACROSS)
    const row = Math.floor(dotOfValue(canvas, range, value) / DOTS_DOWN)
    const column = Math.min(x, chart.width - 1)
    if (column < 0 || row < 0 || row >= chart.height) return []
    return [{ value, column, row, number: String((i + 1) % NUMBERED), style: color as Style }]
  })
  for (const [column, group] of Map.groupBy(ends, (end) => end.column)) {
    const sorted = group.sort((a, b) => (a.value === b.value ? 0 : b.value - a.value))
    const wanted = sorted.map(({ row }) => row)
    for (const [i, row] of pushApart(wanted, chart.height - 1, 1).entries()) {
      const { number, style } = sorted[i]!
      buffer.write(chart.row + row, chart.column + column, number, style)
    }
  }
}
