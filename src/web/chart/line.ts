/** Straight lines between points, nothing between ticks; a gap is a gap. */
import { decimate, GAP } from '../../viewer/chart/decimate.ts'
import { type SpreadLine, spreadStrokes } from '../../viewer/chart/spread.ts'
import type { Painter, Token } from './painter.ts'

export interface Line extends SpreadLine {
  readonly color: Token
  readonly width: number
  /** Dashes and gaps, CSS pixels; none of a solid line. */
  readonly dash?: readonly number[]
  /** Filled down to the bottom of the plot. */
  readonly isFilled?: boolean
  /** Name that stands at the right end of the line in large charts. */
  readonly name?: string
}

export interface LineGeometry {
  /** Absolute number of the first step, see {@link decimate}. */
  readonly first: number
  /** Steps per pixel, rounded up. */
  readonly group: number
  readonly x: (step: number) => number
  readonly y: (value: number) => number
  readonly bottom: number
}

/** Radius of a lone point between two gaps, half the width of a lone bar: to be seen at all. */
const LONE_POINT = 1.75

let indices = new Int32Array(2048)

export function drawLine(painter: Painter, line: Line, geometry: LineGeometry): void {
  const { context, palette } = painter
  const { x, y, bottom } = geometry
  const { values } = line
  const needed = 2 * values.length + 2
  if (indices.length < needed) indices = new Int32Array(needed)
  const length = decimate(values, geometry.first, geometry.group, indices)
  const stroke = new Path2D()
  const points = new Path2D()
  const area = line.isFilled ? new Path2D() : undefined
  let start = 0
  for (let at = 0; at < length; at += 1) {
    if (indices[at] !== GAP) continue
    const first = indices[start]!
    const last = indices[at - 1]!
    if (first === last) {
      const left = x(first)
      const top = y(values[first]!)
      points.moveTo(left + LONE_POINT, top)
      points.arc(left, top, LONE_POINT, 0, 2 * Math.PI)
    } else {
      area?.moveTo(x(first), bottom)
      for (let k = start; k < at; k += 1) {
        const index = indices[k]!
        const px = x(index)
        const py = y(values[index]!)
        if (k === start) stroke.moveTo(px, py)
        else stroke.lineTo(px, py)
        area?.lineTo(px, py)
      }
      area?.lineTo(x(last), bottom)
    }
    start = at + 1
  }
  if (area) {
    context.fillStyle = palette.color('trace-fill')
    context.fill(area)
  }
  context.lineWidth = line.width
  context.strokeStyle = palette.color(line.color)
  context.setLineDash([...(line.dash ?? [])])
  context.stroke(stroke)
  context.setLineDash([])
  context.fillStyle = palette.color(line.color)
  context.fill(points)
}

/**
 * Draws how far a value went within each step, as strokes that leave the line: a peak between two
 * ticks is seen as strongly as the line.
 */
export function drawSpread(
  { context, palette }: Painter,
  line: Line,
  geometry: LineGeometry,
): void {
  if (line.spread === undefined) return
  const { x, y } = geometry
  const strokes = new Path2D()
  for (const { at, low, high } of spreadStrokes(line, geometry.first, geometry.group)) {
    strokes.moveTo(x(at), y(low))
    strokes.lineTo(x(at), y(high))
  }
  context.lineWidth = 1
  context.strokeStyle = palette.color(line.color)
  context.stroke(strokes)
}

/**
 * Draws the area between two lines of the same steps, where both are known; a bar for a lone step.
 */
export function drawBand(
  painter: Painter,
  low: Float64Array,
  high: Float64Array,
  geometry: LineGeometry,
): void {
  const { x, y } = geometry
  const area = new Path2D()
  let from = 0
  for (let at = 0; at <= low.length; at += 1) {
    const isKnown = at < low.length && !Number.isNaN(low[at]!) && !Number.isNaN(high[at]!)
    if (isKnown) continue
    if (at - from === 1) {
      const top = y(high[from]!)
      area.rect(x(from) - LONE_POINT, top, 2 * LONE_POINT, y(low[from]!) - top)
    } else if (at - from > 1) {
      area.moveTo(x(from), y(high[from]!))
      for (let i = from + 1; i < at; i += 1) area.lineTo(x(i), y(high[i]!))
      for (let i = at - 1; i >= from; i -= 1) area.lineTo(x(i), y(low[i]!))
      area.closePath()
    }
    from = at + 1
  }
  painter.context.fillStyle = painter.palette.color('trace-fill')
  painter.context.fill(area)
}
