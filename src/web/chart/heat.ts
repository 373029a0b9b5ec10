/**
 * Heat maps: a column per second or step, a row per bucket. Columns narrower than 3 px are merged
 * by adding bins, on the absolute grid of time, so that the columns keep their contents while they
 * move.
 */

import { logScale, type Range } from '../../viewer/chart/scale.ts'
import { type BucketRows, type Merged, quantile, rowEdge } from '../../viewer/store/buckets.ts'
import type { Painter, Ramp } from './painter.ts'

const COLUMN_PIXELS_LEAST = 3
/** Cells stand 1 px apart once they are larger than this. */
const APART_ABOVE = 6
/** Share of all observations that may lie above the map: one in 2,500 stretches no axis. */
const TOP_CUT = 0.0004

/** Buckets of seconds, as the data of a series keep them. */
export interface HeatSource {
  /** Seconds of a step; 1 unless given. */
  readonly step?: number
  readonly buckets: (BucketRows & { readonly width: number }) | undefined
  /** Adds the buckets of the steps that have some of the seconds (from, to] into `sums`. */
  addBuckets(sums: Float64Array, from: number, to: number): void
}

export interface HeatColumns extends BucketRows {
  readonly width: number
  /** Seconds per column, and the second in which the first column begins. */
  readonly group: number
  readonly first: number
  readonly count: number
  /** Sums of buckets, column by column. */
  readonly sums: Float64Array
  readonly most: number
}

/** Merges the buckets of the seconds (from, to] to columns that are wide enough to be seen. */
export function heatColumns(
  data: HeatSource,
  from: number,
  to: number,
  pixels: number,
): HeatColumns {
  const { scale = 0, offset = 0, width = 0, bounds } = data.buckets ?? {}
  const { step = 1 } = data
  const perColumn = ((to - from) * COLUMN_PIXELS_LEAST) / Math.max(1, pixels)
  const group = Math.max(1, Math.ceil(perColumn / step)) * step
  const first = Math.floor(from / group) * group
  const count = Math.ceil((to - first) / group)
  const sums = new Float64Array(count * width)
  let most = 0
  for (let column = 0; column < count; column += 1) {
    const start = first + column * group
    const part = sums.subarray(column * width, (column + 1) * width)
    data.addBuckets(part, Math.max(from, start), Math.min(to, start + group))
    for (const sum of part) if (sum > most) most = sum
  }
  return { scale, offset, bounds, width, group, first, count, sums, most }
}

/**
 * Finds the range from below the first filled bucket to the last that is not a rare exception;
 * whole octaves, or rows between bounds.
 */
export function heatRange(columns: HeatColumns): Range | undefined {
  const { width, sums, scale, offset, bounds } = columns
  const totals = new Float64Array(width)
  for (let i = 0; i < sums.length; i += 1) totals[i % width] = totals[i % width]! + sums[i]!
  const first = totals.findIndex((sum) => sum > 0)
  if (first < 0) return undefined
  const cut = totals.reduce((sum, each) => sum + each, 0) * TOP_CUT
  const last = totals.findLastIndex((sum) => sum > cut)
  if (bounds !== undefined) {
    const hi = rowEdge(columns, Math.max(first, last) + 1)
    // of bounds at zero and below, a logarithmic axis shows nothing
    const lo = rowEdge(columns, first)
    return hi > 0 ? { lo: lo > 0 ? lo : hi / 2, hi } : undefined
  }
  const perOctave = 2 ** scale
  return {
    lo: 2 ** Math.floor((offset + first) / perOctave),
    hi: 2 ** Math.ceil((offset + Math.max(first, last) + 1) / perOctave),
  }
}

interface HeatBox {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
  /** Unix seconds at the left and right edge. */
  readonly from: number
  readonly to: number
}

export function drawHeat(
  painter: Painter,
  columns: HeatColumns,
  ramp: Ramp,
  y: (value: number) => number,
  box: HeatBox,
): void {
  const { width, count, sums, most, group, first } = columns
  if (most === 0) return
  const { context } = painter
  const colors = painter.palette.ramp(ramp)
  const perSecond = (box.right - box.left) / (box.to - box.from)
  const tops = rowEdges(columns, y, box)
  const gap = group * perSecond > APART_ABOVE ? 1 : 0
  for (let step = 0; step < colors.length; step += 1) {
    context.beginPath()
    for (let i = 0; i < sums.length; i += 1) {
      const sum = sums[i]!
      if (sum === 0 || heatStep(sum, most, colors.length) !== step) continue
      const row = i % width
      const column = (i - row) / width
      const top = tops[row + 1]!
      const height = tops[row]! - top
      if (column >= count || height <= 0) continue
      const start = box.left + (first + column * group - box.from) * perSecond
      const left = Math.max(box.left, start)
      const right = Math.min(box.right, start + group * perSecond)
      // Without a gap between them, columns overlap a little: no seam of paper shows through.
      const wide = right - left + (gap === 0 ? 0.5 : -gap)
      context.rect(left, top, wide, height > APART_ABOVE ? height - 1 : height)
    }
    context.fillStyle = colors[step]!
    context.fill()
  }
}

/**
 * Computes a step: square root of the share of the fullest bucket in view; every observation is
 * painted.
 */
function heatStep(sum: number, most: number, steps: number): number {
  return Math.min(steps - 1, Math.floor(Math.sqrt(sum / most) * steps))
}

function rowEdges(columns: HeatColumns, y: (value: number) => number, box: HeatBox): Float64Array {
  const edges = new Float64Array(columns.width + 1)
  for (let i = 0; i <= columns.width; i += 1) {
    const at = y(rowEdge(columns, i))
    edges[i] = Math.min(box.bottom, Math.max(box.top, at))
  }
  return edges
}

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
    painter.label(name, width, label + 4, { align: 'right', color: 'ink-soft' })
  }
  context.fillStyle = palette.color('trace')
  merged.counts.forEach((count, i) => {
    const upper = Math.max(top, y(rowEdge(merged, i + 1)))
    const lower = Math.min(bottom, y(rowEdge(merged, i)))
    if (count === 0 || lower <= upper) return
    const length = Math.max(1, (count / most) * room)
    context.fillRect(0, upper, length, Math.max(1, lower - upper - 1))
  })
  painter.label('0', 1, height - 4)
  const share = `${((most / merged.count) * 100).toFixed(0)}\u00a0%`
  painter.label(share, room, height - 4, { align: 'right' })
}
