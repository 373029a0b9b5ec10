/**
 * Two distributions over the same bins: shares of one upwards, of the other downwards. The axis is
 * the square root of the share, because one slow thing in a hundred is what one looks for.
 */
import type { Painter, Token } from '../chart/painter.ts'

export interface Butterfly {
  /** Counts by bin, of the same bins; what is upwards stands first. */
  readonly counts: readonly [readonly number[], readonly number[]]
  /** Upper bounds of the bins as words; the bars end there. */
  readonly bounds: readonly string[]
  readonly names: readonly [string, string]
  /** Bin under the pointer. */
  readonly marked: number | null
}

export const SIDES: readonly [Token, Token] = ['c1', 'c2']

const LEFT = 60
const RIGHT = 4
const TOP = 8
const BELOW = 22
/** Room for the numbers at the ends of the bars. */
const NUMBER_ROOM = 16
const TICKS = [0.01, 0.05, 0.2, 0.5] as const
const LEAST_HEIGHT = 1.5
/** Bars this wide carry their per cent, bounds stand this far apart. */
const NUMBER_FROM = 30
const BOUND_FROM = 60

/** Filled part of the bins. */
interface Span {
  readonly first: number
  readonly length: number
}

function spanOf({ counts }: Butterfly): Span | undefined {
  const [up, down] = counts
  const isFilled = (_: number, i: number): boolean => (up[i] ?? 0) > 0 || (down[i] ?? 0) > 0
  const bins = up.length >= down.length ? up : down
  const first = bins.findIndex(isFilled)
  return first < 0 ? undefined : { first, length: bins.findLastIndex(isFilled) - first + 1 }
}

/** Computes the share of all of each bin, of 1. */
function sharesOf(counts: readonly number[]): number[] {
  const total = counts.reduce((sum, count) => sum + count, 0)
  return counts.map((count) => (total === 0 ? 0 : count / total))
}

/** Finds the bin at a place of the chart; null beside the bars. */
export function binAt(butterfly: Butterfly, x: number, width: number): number | null {
  const span = spanOf(butterfly)
  if (span === undefined || x < LEFT || x > width - RIGHT) return null
  const step = (width - RIGHT - LEFT) / span.length
  return span.first + Math.min(span.length - 1, Math.floor((x - LEFT) / step))
}

export function drawButterfly(painter: Painter, butterfly: Butterfly): void {
  const { width, height, context, palette } = painter
  const floor = height - BELOW
  const right = width - RIGHT
  const middle = Math.round((TOP + floor) / 2)
  const span = spanOf(butterfly)
  if (span === undefined) {
    painter.label('nothing in this window', (LEFT + right) / 2, middle, { align: 'center' })
    return
  }
  const shares = butterfly.counts.map(sharesOf)
  const most = Math.max(...shares.flat())
  const tall = middle - TOP - NUMBER_ROOM
  const heightOf = (share: number): number => Math.sqrt(share / Math.min(1, most * 1.1)) * tall
  for (const tick of TICKS) {
    if (heightOf(tick) > tall) continue
    for (const y of [middle - heightOf(tick), middle + heightOf(tick)]) {
      painter.horizontal(y, LEFT, right)
      painter.label(`${tick * 100}\u00a0%`, LEFT - 8, y + 4, { align: 'right' })
    }
  }
  const step = (right - LEFT) / span.length
  const gap = step > 6 ? 2 : 0
  for (let column = 0; column < span.length; column += 1) {
    const bin = span.first + column
    const left = LEFT + column * step
    if (bin === butterfly.marked) {
      context.fillStyle = palette.color('line')
      context.fillRect(left, TOP, step, floor - TOP)
    }
    shares.forEach((each, side) => {
      const share = each[bin] ?? 0
      if (share === 0) return
      const size = Math.max(LEAST_HEIGHT, heightOf(share))
      context.fillStyle = palette.color(SIDES[side]!)
      context.fillRect(left + gap / 2, side === 0 ? middle - size : middle, step - gap, size)
      if (step <= NUMBER_FROM || share < 0.001) return
      const words = (share * 100).toFixed(share < 0.1 ? 1 : 0)
      const y = side === 0 ? middle - size - 4 : middle + size + 12
      painter.label(words, left + step / 2, y, { align: 'center', color: 'ink-soft' })
    })
  }
  painter.horizontal(middle, LEFT, right, 'edge')
  drawBounds(painter, butterfly, span, step)
  drawSides(painter, butterfly.names, middle, floor)
}

/** Draws upper bounds below the bars, as many as there is room for; the last one always. */
function drawBounds(painter: Painter, { bounds }: Butterfly, span: Span, step: number): void {
  const every = Math.max(1, Math.ceil(BOUND_FROM / step))
  const last = span.length - 1
  for (let column = 0; column <= last; column += 1) {
    const isLast = column === last
    if ((last - column) % every !== 0) continue
    const align = isLast ? 'right' : 'center'
    const words = bounds[span.first + column] ?? ''
    painter.label(words, LEFT + (column + 1) * step, painter.height - 4, { align })
  }
}

/** Draws which side is whose: at the right, where distributions are thin. */
function drawSides(
  painter: Painter,
  names: readonly [string, string],
  middle: number,
  floor: number,
): void {
  const style = { color: 'ink', weight: 600, align: 'right' } as const
  const places = [TOP + 12, floor - 6] as const
  names.forEach((name, side) => {
    const room = (painter.width - LEFT) / 2
    const x = painter.width - RIGHT - 4
    const y = places[side]!
    painter.label(name, x, y, { ...style, room })
    const width = Math.min(room, painter.textWidth(name, style))
    painter.context.fillStyle = painter.palette.color(SIDES[side]!)
    painter.context.fillRect(x - width - 18, Math.min(Math.max(y - 6, TOP), middle * 2), 12, 3)
  })
}
