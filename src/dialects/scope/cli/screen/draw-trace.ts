/** Lines, averages and thresholds as dots of a canvas; what lies outside is cut at its edge. */
import type { Range } from '../../../../model/axis.ts'
import type { Trace } from '../../../../model/board/line/trace.ts'
import type { Span } from '../../../../model/board/time-view.ts'
import type { BrailleCanvas } from '../../../../terminal/braille.ts'
import type { Style } from '../../../../terminal/index.ts'

/** Dots that are set of a line, and those that follow unset. */
interface Pattern {
  readonly on: number
  readonly off: number
}

export const SOLID: Pattern = { on: 1, off: 0 }
export const DASHED: Pattern = { on: 6, off: 4 }
export const DOTTED: Pattern = { on: 1, off: 2 }

/** Furthest that a dot is looked for beside the picture: infinite values end there, too. */
const FAR_DOTS = 1e6

/** Place of a picture in time and value. */
export interface Place {
  readonly span: Span
  readonly range: Range
}

/** Finds the dot of a time, from the left; it may be outside. */
export function dotOfTime(canvas: BrailleCanvas, { from, to }: Span, time: number): number {
  return Math.floor(((time - from) / (to - from)) * canvas.width)
}

/** Finds the dot of a value, from the top; it may be outside. */
export function dotOfValue(canvas: BrailleCanvas, { lo, hi }: Range, value: number): number {
  const dot = (1 - (value - lo) / (hi - lo)) * (canvas.height - 1)
  return Math.round(Math.min(Math.max(dot, -FAR_DOTS), FAR_DOTS))
}

/** Draws a trace. Patterns lie on the grid of time, so that they move with the line. */
export function drawTrace(
  canvas: BrailleCanvas,
  { times, values, length }: Trace,
  { span, range }: Place,
  style: Style,
  pattern: Pattern,
): void {
  const first = Math.floor((span.from / (span.to - span.from)) * canvas.width)
  const period = pattern.on + pattern.off
  const isSet = (x: number): boolean => {
    const place = (x + first) % period
    return (place < 0 ? place + period : place) < pattern.on
  }
  let x1 = Number.NaN
  let y1 = 0
  for (let i = 0; i < length; i++) {
    const value = values[i]!
    if (Number.isNaN(value)) {
      x1 = Number.NaN
      continue
    }
    const x2 = dotOfTime(canvas, span, times[i]!)
    const y2 = dotOfValue(canvas, range, value)
    if (Number.isNaN(x1)) {
      if (isSet(x2)) canvas.dot(x2, y2, style)
    } else drawSegment(canvas, [x1, y1, x2, y2], style, isSet)
    x1 = x2
    y1 = y2
  }
}

type Segment = readonly [x1: number, y1: number, x2: number, y2: number]

/** Draws from one dot to another; each column from where the line enters to where it leaves it. */
function drawSegment(
  canvas: BrailleCanvas,
  [x1, y1, x2, y2]: Segment,
  style: Style,
  isSet: (x: number) => boolean,
): void {
  if (x1 === x2) {
    if (isSet(x1)) canvas.column(x1, y1, y2, style)
    return
  }
  const slope = (y2 - y1) / (x2 - x1)
  const last = Math.min(x2, canvas.width - 1)
  for (let x = Math.max(x1, 0); x <= last; x++) {
    if (!isSet(x)) continue
    const enter = x === x1 ? y1 : Math.round(y1 + slope * (x - 0.5 - x1))
    const leave = x === x2 ? y2 : Math.round(y1 + slope * (x + 0.5 - x1))
    canvas.column(x, enter, leave, style)
  }
}

/** Draws a dashed line across the whole picture. */
export function drawThreshold(canvas: BrailleCanvas, range: Range, value: number): void {
  const y = dotOfValue(canvas, range, value)
  for (let x = 0; x < canvas.width; x++) if (x % 4 < 2) canvas.dot(x, y, 'unusual')
}
