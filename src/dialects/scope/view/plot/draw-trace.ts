/** A trace on a canvas: straight lines, a gap where the pen is lifted, a dot for a lone sample. */
import type { Trace } from '../../../../model/board/line/trace.ts'

interface TraceStyle {
  readonly color: string
  readonly width: number
  readonly dash: number[]
}

interface Places {
  readonly x: (time: number) => number
  readonly y: (value: number) => number
  /** Edges beyond which nothing is seen: what is infinite, or far away, is drawn there. */
  readonly top: number
  readonly bottom: number
}

/** Radius of a lone sample, to be seen at all. */
const LONE_RADIUS = 1.75

export function strokeTrace(
  context: CanvasRenderingContext2D,
  { times, values, length }: Trace,
  { x, y, top, bottom }: Places,
  { color, width, dash }: TraceStyle,
): void {
  context.beginPath()
  const lone: number[] = []
  let start = 0
  for (let i = 0; i <= length; i++) {
    const value = i < length ? values[i]! : Number.NaN
    if (!Number.isNaN(value)) {
      const at = y(value)
      const place = at < top ? top : at > bottom ? bottom : at
      if (i === start) context.moveTo(x(times[i]!), place)
      else context.lineTo(x(times[i]!), place)
      continue
    }
    if (i - start === 1) lone.push(start)
    start = i + 1
  }
  context.setLineDash(dash)
  context.lineWidth = width
  context.strokeStyle = color
  context.stroke()
  context.setLineDash([])
  if (lone.length === 0) return
  context.beginPath()
  for (const i of lone) {
    const [left, at] = [x(times[i]!), y(values[i]!)]
    context.moveTo(left + LONE_RADIUS, at)
    context.arc(left, at, LONE_RADIUS, 0, 2 * Math.PI)
  }
  context.fillStyle = color
  context.fill()
}
