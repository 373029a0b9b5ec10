/**
 * One chart of time: heat below, grid, lines, cursor, scale. Three sizes: `spark` has no axis,
 * `small` has its scale at the right beside the newest value, `large` has its own axes and names
 * at the ends of its lines.
 */

import { placeTimes, pushApart } from '../../viewer/chart/labels.ts'
import {
  linearScale,
  logScale,
  niceRange,
  type Range,
  type Scale,
  type SteadyRange,
  timeTicks,
} from '../../viewer/chart/scale.ts'
import { axisTexts } from '../../viewer/format/number.ts'
import { tickText } from '../../viewer/format/time.ts'
import type { TimeAxis } from './cursor.ts'
import { drawHeat, type HeatColumns, type HeatSource, heatColumns, heatRange } from './heat.ts'
import { drawBand, drawLine, drawSpread, type Line, type LineGeometry } from './line.ts'
import type { Painter, Ramp } from './painter.ts'

/** Width of the scale of small charts, and of the space below it in the ruler. */
export const SCALE_WIDTH = 48
const NAME_WIDTH = 44
/** Share by which labels of a scale may be set narrower than they are. */
const NARROWED = 1.08
/** Least distance of names. */
const NAME_STEP = 14
/** Half of the width of `14:03:22`, with the space beside it. */
export const HALF_TIME = 30

export type PlotSize = 'spark' | 'small' | 'large'

export interface Plot {
  /** Unix seconds at the left and right edge. */
  readonly from: number
  readonly to: number
  /** Seconds between two values of a line. */
  readonly step: number
  /** Unix second of the first one, at the left edge or before it; that edge unless given. */
  readonly first?: number
  readonly lines: readonly Line[]
  readonly axis: 'zero' | 'around' | 'log'
  readonly unit: string
  readonly size: PlotSize
  readonly steady: SteadyRange
  readonly heat?: { readonly data: HeatSource; readonly ramp: Ramp }
  readonly band?: { readonly low: Float64Array; readonly high: Float64Array }
  /** Words where there is nothing to draw. */
  readonly emptyWords?: string
  /** A part that is marked: Unix seconds and words. */
  readonly mark?: { readonly from: number; readonly to: number; readonly words: string }
  readonly cursor: number | null
  /** Room for the names at the ends of the lines of a large chart, CSS pixels. */
  readonly nameRoom?: number
}

interface Box {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

/** Geometry to draw something beside the chart, and to find an instant under the pointer. */
export interface Drawn {
  readonly time: TimeAxis
  readonly range: Range | undefined
  readonly box: Box
}

export function drawPlot(painter: Painter, plot: Plot): Drawn {
  const box = boxOf(painter, plot)
  const { from, to } = plot
  const perSecond = (box.right - box.left) / (to - from)
  const heat = plot.heat && heatColumns(plot.heat.data, from, to, box.right - box.left)
  const scale = scaleOf(plot, box, heat)
  const time = { from, to, left: box.left, right: box.right }
  if (scale === undefined) {
    drawNothing(painter, plot, box)
    return { time, range: undefined, box }
  }
  if (heat && plot.heat) drawHeat(painter, heat, plot.heat.ramp, scale.y, { ...box, from, to })
  if (plot.size !== 'spark') {
    for (const tick of scale.ticks) painter.horizontal(scale.y(tick), box.left, box.right)
  }
  if (plot.size === 'large') drawTimes(painter, plot, box, perSecond)
  drawMark(painter, plot, box, scale, perSecond)
  drawLines(painter, plot, box, scale, perSecond)
  drawCursor(painter, plot, box, scale, perSecond)
  drawScale(painter, plot, box, scale)
  if (plot.size === 'large') drawNames(painter, plot, box, scale)
  return { time, range: { lo: scale.lo, hi: scale.hi }, box }
}

function boxOf(painter: Painter, { size, nameRoom = NAME_WIDTH }: Plot): Box {
  const { width, height } = painter
  if (size === 'spark') return { left: 0, right: width - 2, top: 3, bottom: height - 3 }
  if (size === 'small') return { left: 0, right: width - SCALE_WIDTH, top: 6, bottom: height - 6 }
  // room for `512 MiB/s`
  const left = width < 400 ? 56 : 64
  return { left, right: width - nameRoom, top: 8, bottom: height - 20 }
}

/** Ticks across the height: two in small charts, one per 52 px in large ones. */
function tickCount(size: PlotSize, box: Box): number {
  return size === 'large' ? Math.max(2, Math.floor((box.bottom - box.top) / 52)) : 2
}

function extent(plot: Plot): Range | undefined {
  let lo = Number.POSITIVE_INFINITY
  let hi = Number.NEGATIVE_INFINITY
  const lists = plot.lines.map((line) => line.values)
  for (const ends of [plot.band, ...plot.lines.map(({ spread }) => spread)]) {
    if (ends) lists.push(ends.low, ends.high)
  }
  for (const values of lists) {
    for (const value of values) {
      if (value < lo) lo = value
      if (value > hi) hi = value
    }
  }
  return hi >= lo ? { lo, hi } : undefined
}

function scaleOf(plot: Plot, box: Box, heat: HeatColumns | undefined): Scale | undefined {
  const count = tickCount(plot.size, box)
  const needed = extent(plot)
  const window = plot.to - plot.from
  const key = `${plot.axis} ${window} ${count} ${plot.unit}`
  if (plot.axis === 'log') {
    const range = logRange(needed, heat && heatRange(heat))
    if (range === undefined) return undefined
    return logScale(plot.steady.update(range, plot.to, window, key), box.top, box.bottom, count)
  }
  if (needed === undefined) return undefined
  const nice = niceRange(plot.axis, needed, count, plot.unit)
  const range = plot.steady.update(nice, plot.to, window, key)
  return linearScale(range, box.top, box.bottom, count, plot.unit)
}

/** Finds whole octaves around the buckets and the lines over them. */
function logRange(lines: Range | undefined, buckets: Range | undefined): Range | undefined {
  let lo = buckets?.lo ?? Number.POSITIVE_INFINITY
  let hi = buckets?.hi ?? 0
  if (lines && lines.lo > 0) lo = Math.min(lo, 2 ** Math.floor(Math.log2(lines.lo)))
  if (lines && lines.hi > 0) hi = Math.max(hi, 2 ** Math.ceil(Math.log2(lines.hi)))
  if (!(hi > 0) || !Number.isFinite(lo)) return lines && { lo: 0.5, hi: 2 }
  return hi > lo ? { lo, hi } : { lo: lo / 2, hi: hi * 2 }
}

function drawNothing(painter: Painter, plot: Plot, box: Box): void {
  if (plot.size !== 'spark') {
    const y = (box.top + box.bottom) / 2 + 4
    const words = plot.emptyWords ?? 'nothing in this window'
    painter.label(words, (box.left + box.right) / 2, y, { align: 'center' })
  }
  if (plot.size === 'large') {
    drawTimes(painter, plot, box, (box.right - box.left) / (plot.to - plot.from))
  }
  const { cursor, from, to } = plot
  if (cursor === null || cursor < from || cursor > to) return
  const x = box.left + ((cursor - from) / (to - from)) * (box.right - box.left)
  painter.vertical(x, box.top - 6, box.bottom, 'accent')
}

function drawTimes(painter: Painter, plot: Plot, box: Box, perSecond: number): void {
  const ticks = timeTicks(plot.from, plot.to, box.right - box.left, 96).map((tick) => {
    return [tick, box.left + (tick - plot.from) * perSecond] as const
  })
  for (const [, x] of ticks) {
    painter.vertical(x, box.bottom, box.bottom + 4, 'edge')
  }
  // Labels may reach below the scale at the left and the names at the right.
  const axis = { left: box.left - HALF_TIME / 2, right: box.right + HALF_TIME, half: HALF_TIME }
  for (const { tick, at } of placeTimes(ticks, axis)) {
    painter.label(tickText(tick, plot.to - plot.from), at, painter.height - 4, { align: 'center' })
  }
}

function drawMark(painter: Painter, plot: Plot, box: Box, scale: Scale, perSecond: number): void {
  if (plot.mark === undefined) return
  const left = Math.max(box.left, box.left + (plot.mark.from - plot.from) * perSecond)
  const right = Math.min(box.right, box.left + (plot.mark.to - plot.from) * perSecond)
  painter.context.fillStyle = painter.palette.color('trace-fill')
  painter.context.fillRect(left, box.top, right - left, box.bottom - box.top)
  const align = right - box.left > 90 ? 'right' : 'left'
  const at = align === 'right' ? right - 6 : left + 6
  // The words keep away from where the line ends.
  const last = plot.lines[0]?.values.findLast((value) => !Number.isNaN(value))
  const isHigh = last !== undefined && scale.y(last) < (box.top + box.bottom) / 2
  const y = isHigh ? box.bottom - 6 : box.top + 12
  painter.label(plot.mark.words, at, y, { align, color: 'ink-soft' })
}

function drawLines(painter: Painter, plot: Plot, box: Box, scale: Scale, perSecond: number): void {
  const { context } = painter
  const { first = plot.from } = plot
  const origin = box.left + (first - plot.from) * perSecond
  const geometry: LineGeometry = {
    first: Math.round(first / plot.step),
    group: Math.max(1, Math.ceil(1 / (perSecond * plot.step))),
    x: (step) => origin + step * plot.step * perSecond,
    y: scale.y,
    bottom: box.bottom,
  }
  context.save()
  context.beginPath()
  const [left, right] = [painter.snapped(box.left), painter.snapped(box.right + 1)]
  const [top, bottom] = [painter.snapped(box.top - 8), painter.snapped(box.bottom + 2)]
  context.rect(left, top, right - left, bottom - top)
  context.clip()
  if (plot.band) drawBand(painter, plot.band.low, plot.band.high, geometry)
  for (const line of plot.lines) drawSpread(painter, line, geometry)
  for (const line of plot.lines) drawLine(painter, line, geometry)
  context.restore()
}

function drawCursor(painter: Painter, plot: Plot, box: Box, scale: Scale, perSecond: number): void {
  const { cursor } = plot
  if (cursor === null || cursor < plot.from || cursor > plot.to) return
  const x = box.left + (cursor - plot.from) * perSecond
  painter.vertical(x, box.top - (plot.size === 'spark' ? 3 : 6), box.bottom, 'accent')
  for (const line of plot.lines) {
    // a value is that of the step before it
    const value = line.values[Math.ceil((cursor - (plot.first ?? plot.from)) / plot.step)]
    if (value === undefined || Number.isNaN(value)) continue
    painter.ring(x, scale.y(value), line.color)
  }
}

function drawScale(painter: Painter, plot: Plot, box: Box, scale: Scale): void {
  if (plot.size === 'spark') return
  const room = plot.size === 'large' ? box.left - 8 : SCALE_WIDTH - 6
  const isFitting = (words: string): boolean => painter.textWidth(words) <= room * NARROWED
  const texts = axisTexts(scale.ticks, plot.unit, isFitting, plot.axis === 'log')
  for (const [i, words] of texts.entries()) {
    const y = scale.y(scale.ticks[i]!) + 4
    if (plot.size === 'large') painter.label(words, box.left - 8, y, { align: 'right', room })
    else painter.label(words, box.right + 6, y, { room })
  }
}

/** Draws names at the right ends of lines, pushed apart so that none covers another. */
function drawNames(painter: Painter, plot: Plot, box: Box, scale: Scale): void {
  const ends = plot.lines
    .map((line) => ({
      name: line.name,
      y: scale.y(line.values.findLast((value) => !Number.isNaN(value)) ?? Number.NaN),
    }))
    .filter((end) => end.name !== undefined && !Number.isNaN(end.y))
    // Of equal ones the last is the greater percentile.
    .reverse()
    .sort((a, b) => a.y - b.y)
  const places = pushApart(
    ends.map(({ y }) => y),
    box.bottom,
    NAME_STEP,
  )
  for (const [i, { name }] of ends.entries()) {
    const style = { color: 'ink', weight: 600, room: painter.width - box.right - 6 } as const
    painter.label(name ?? '', box.right + 6, places[i]! + 4, style)
  }
}
