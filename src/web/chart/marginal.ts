/** A distribution on its side, sharing the y axis of the heat map at its left. */
import { type Merged, quantile } from '../store/quantile.ts'
import type { Painter } from './painter.ts'
import { logScale, type Range } from './scale.ts'

const PERCENTILES = [
  ['p50', 0.5],
  ['p90', 0.9],
  ['p99', 0.99],
] as const

export function drawMarginal(painter: Painter, merged: Merged, range: Range): void {
  const { width, height, context, palette } = painter
  const top = 8
  const bottom = height - 20
  const room = width - 40
  const { y } = logScale(range, top, bottom, 4)
  const most = merged.counts.reduce((greatest, count) => Math.max(greatest, count), 0)
  painter.vertical(0, top, bottom, 'edge')
  if (most === 0) return
  let free = Number.NEGATIVE_INFINITY
  for (const [name, q] of [...PERCENTILES].reverse()) {
    const at = y(quantile(merged, q))
    if (!(at >= top && at <= bottom)) continue
    painter.horizontal(at, 0, width - 30, 'edge', [2, 3])
    const label = Math.max(at, free)
    free = label + 14
    painter.label(name, width, label + 4, { align: 'right', color: 'ink2' })
  }
  context.fillStyle = palette.color('trace')
  const perOctave = 2 ** merged.scale
  merged.counts.forEach((count, i) => {
    const upper = Math.max(top, y(2 ** ((merged.offset + i + 1) / perOctave)))
    const lower = Math.min(bottom, y(2 ** ((merged.offset + i) / perOctave)))
    if (count === 0 || lower <= upper) return
    const length = Math.max(1, (count / most) * room)
    context.fillRect(0, upper, length, Math.max(1, lower - upper - 1))
  })
  painter.label('0', 1, height - 4)
  const share = `${((most / merged.count) * 100).toFixed(0)}\u00a0%`
  painter.label(share, room, height - 4, { align: 'right' })
}
