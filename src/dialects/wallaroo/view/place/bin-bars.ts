/**
 * Per cent by latency bin: bars over bins of powers of two, each ending at its label, the bin's
 * upper bound. The axis is the square root of the share, because one slow message in a hundred is
 * what one looks for.
 */
import type { Painter } from '../../../../web/chart/painter.ts'
import {
  type BinSpan,
  boundText,
  columnsOf,
  filledSpan,
  labelStarts,
  placeOf,
  SKEW_BIN,
  shareHeight,
} from './bin-layout.ts'

interface BinBars {
  /** Messages by bin; bin i ends at 2^i ns. */
  readonly counts: readonly number[]
  /** Marked by dotted lines, in nanoseconds. */
  readonly percentiles: readonly (readonly [name: string, ns: number])[]
  /** The bin under the pointer. */
  readonly marked?: number | null
}

const LEFT = 60
const RIGHT = 4
const TOP = 32
/** Names of percentiles stand above the lines. */
const NAME_FLOOR = 16
const TICKS = [0.01, 0.05, 0.2, 0.5] as const
/** Bars stay visible however few they stand for. */
const LEAST_HEIGHT = 1.5
/** Bars this wide carry their per cent, labels this far apart stand at every bar. */
const NUMBER_FROM = 30
const LABEL_FROM = 56

/** Finds the bin at a place of the chart; null beside the bars. */
export function binAt(counts: readonly number[], x: number, width: number): number | null {
  const span = filledSpan(counts)
  if (span === undefined || x < LEFT || x > width - RIGHT) return null
  const step = (width - RIGHT - LEFT) / span.columns
  const column = Math.min(span.columns - 1, Math.floor((x - LEFT) / step))
  return columnsOf(span).find(([, each]) => each === column)?.[0] ?? null
}

export function drawBinBars(painter: Painter, bars: BinBars): void {
  const { counts, percentiles, marked = null } = bars
  const { width, height, context, palette } = painter
  const floor = height - 20
  const right = width - RIGHT
  const span = filledSpan(counts)
  if (span === undefined) {
    const y = (TOP + floor) / 2
    painter.label('nothing in this window', (LEFT + right) / 2, y, { align: 'center' })
    return
  }
  const { first, last, columns } = span
  const total = counts.reduce((sum, count) => sum + count, 0)
  const most = counts.reduce((greatest, count) => Math.max(greatest, count), 0) / total
  const tall = floor - TOP
  const step = (right - LEFT) / columns
  for (const tick of TICKS) {
    const y = floor - shareHeight(tick, most) * tall
    if (y < TOP) continue
    painter.horizontal(y, LEFT, right)
    painter.label(`${tick * 100}\u00a0%`, LEFT - 8, y + 4, { align: 'right' })
  }
  for (const [bin, column] of columnsOf(span)) {
    const left = LEFT + column * step
    if (bin === marked) {
      context.fillStyle = palette.color('line')
      context.fillRect(left, TOP, step, tall)
    }
    const size = Math.max(LEAST_HEIGHT, shareHeight(counts[bin]! / total, most) * tall)
    const gap = step > 6 ? 2 : 0
    if (counts[bin]! > 0) {
      const color = bin === SKEW_BIN ? 'warn-mark' : 'trace'
      context.fillStyle = palette.color(bin === marked ? 'accent' : color)
      context.fillRect(left + gap / 2, floor - size, step - gap, size)
    }
  }
  painter.horizontal(floor, LEFT, right, 'edge')
  drawLabels(painter, counts, span, step)
  const places = percentiles
    .filter(([, ns]) => !Number.isNaN(ns))
    .map(([name, ns]) => {
      return [name, LEFT + Math.min(last - first + 1, placeOf(ns, first)) * step] as const
    })
  drawPercentiles(painter, places, { floor, right })
}

function drawPercentiles(
  painter: Painter,
  names: readonly (readonly [name: string, x: number])[],
  { floor, right }: { floor: number; right: number },
): void {
  const style = { color: 'ink', weight: 600 } as const
  const places = names.map(([, x]) => x)
  const widths = names.map(([name]) => painter.textWidth(name, style))
  const starts = labelStarts(places, widths, right)
  names.forEach(([name, x], i) => {
    painter.vertical(x, NAME_FLOOR, floor, 'ink-soft', [2, 3])
    painter.label(name, starts[i]!, NAME_FLOOR - 4, style)
  })
}

/** Draws per cents above the bars, upper bounds below them. */
function drawLabels(
  painter: Painter,
  counts: readonly number[],
  span: BinSpan,
  step: number,
): void {
  const floor = painter.height - 20
  const total = counts.reduce((sum, count) => sum + count, 0)
  const most = counts.reduce((greatest, count) => Math.max(greatest, count), 0) / total
  const every = Math.max(1, Math.ceil(LABEL_FROM / step))
  for (const [bin, column] of columnsOf(span)) {
    const percent = (counts[bin]! / total) * 100
    const end = LEFT + (column + 1) * step
    if (step > NUMBER_FROM && percent >= 0.1) {
      const size = shareHeight(percent / 100, most) * (floor - TOP)
      const words = percent.toFixed(percent < 10 ? 1 : 0)
      painter.label(words, end - step / 2, floor - size - 4, { align: 'center', color: 'ink-soft' })
    }
    const isLast = column === span.columns - 1
    // that of bin 64 needs the room of the one before it
    const before = span.columns > span.last - span.first + 1 && every > 2 ? every : 0
    if (!isLast && (bin > span.last - before || (span.last - bin) % every !== 0)) continue
    const align = isLast ? 'right' : 'center'
    painter.label(boundText(bin), end, painter.height - 4, { align })
  }
}
