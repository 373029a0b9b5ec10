/**
 * Range bars: a tick at p50, thick to p95, a dot at p99, a line to p99.9, on one logarithmic axis
 * for all rows of a page, so that the slow one is the only long one.
 */

import type { Range } from '../../../../viewer/chart/scale.ts'
import { axisText } from '../../../../viewer/format/number.ts'
import type { Painter, Token } from '../../../../web/chart/painter.ts'

/** Percentiles in nanoseconds; NaN where unknown. */
export interface Percentiles {
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly p999: number
}

/** Room right of the last decade for half of its label. */
const ROOM = 28
const LEFT = 2
const LABEL_ROOM = 44
/** Gap between two labels, px. */
const LABEL_GAP = 6

/** Finds whole decades around all that is shown; at least one. */
export function axisOf(rows: Iterable<Percentiles>): Range {
  let lo = Number.POSITIVE_INFINITY
  let hi = 0
  for (const { p50, p999 } of rows) {
    if (p50 < lo) lo = p50
    if (p999 > hi) hi = p999
  }
  if (!(hi > 0)) return { lo: 1e3, hi: 1e6 }
  const from = Math.floor(Math.log10(Math.max(1, lo)))
  const to = Math.ceil(Math.log10(Math.max(1, hi)))
  return { lo: 10 ** from, hi: 10 ** Math.max(to, from + 1) }
}

function placeIn({ lo, hi }: Range, width: number): (ns: number) => number {
  const low = Math.log2(lo)
  const high = Math.log2(hi)
  return (ns) => LEFT + ((Math.log2(Math.max(ns, lo)) - low) / (high - low)) * (width - ROOM)
}

function decades({ lo, hi }: Range): number[] {
  const count = Math.round(Math.log10(hi / lo))
  return Array.from({ length: count + 1 }, (_, i) => lo * 10 ** i)
}

/** Draws the decades' names, left out where there is no room. */
export function drawRangeAxis(painter: Painter, axis: Range): void {
  const x = placeIn(axis, painter.width)
  const all = decades(axis)
  const words = all.map((ns) => axisText(ns, 'ns'))
  const widths = words.map((each) => painter.textWidth(each))
  for (const [i, from] of decadeLabels(all.map(x), widths)) {
    painter.label(words[i]!, from, painter.height - 5)
  }
}

/**
 * Finds which of the decades have a label, and where it begins: the first one right of its tick.
 */
function decadeLabels(
  places: readonly number[],
  widths: readonly number[],
): readonly (readonly [index: number, from: number])[] {
  const distance = places[1]! - places[0]!
  const every = Math.max(1, Math.ceil(LABEL_ROOM / distance))
  const labels: (readonly [number, number])[] = []
  let free = 0
  for (let i = 0; i < places.length; i += every) {
    const from = i === 0 ? 0 : places[i]! - widths[i]! / 2
    if (from < free) continue
    free = from + widths[i]! + LABEL_GAP
    labels.push([i, from])
  }
  return labels
}

export function drawRangeBar(
  painter: Painter,
  { p50, p95, p99, p999 }: Percentiles,
  axis: Range,
  color: Token,
): void {
  const { context, palette, width, height } = painter
  const x = placeIn(axis, width)
  for (const ns of decades(axis)) painter.vertical(x(ns), 0, height)
  if (Number.isNaN(p50)) return
  const middle = Math.round(height / 2)
  const [from, thick, dot, to] = [x(p50), x(p95), x(p99), x(p999)] as const
  context.fillStyle = palette.color(color)
  context.fillRect(from, middle - 0.5, to - from, 1)
  context.globalAlpha = 0.45
  context.fillRect(from, middle - 4, thick - from, 8)
  context.globalAlpha = 1
  context.fillRect(from - 1, middle - 6, 2, 12)
  context.beginPath()
  context.arc(dot, middle, 4, 0, 2 * Math.PI)
  context.fill()
}
