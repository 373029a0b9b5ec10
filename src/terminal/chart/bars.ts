/**
 * A distribution as bars that lie on their side, a bar for one or several buckets, in eighths of a
 * cell; every bucket with an observation is seen. Percentiles stand beside the bars that hold them.
 */
import { digits, exact, format } from '../../viewer/format/number.ts'
import { bucketEnds, type Merged, quantile } from '../../viewer/store/buckets.ts'
import type { ScreenBuffer } from '../screen-buffer.ts'
import { quantityText, wide } from '../series/figures.ts'
import type { Box } from './chart.ts'

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const
const FULL = '█'
const LABEL = 8
const SHARE = 7
const MARKS = 9
const COUNT = 11
const GAP = 1
/** Columns below which a bar says nothing. */
const BAR_LEAST = 4

interface Bar {
  /** Upper bound, inclusive; the lowest bar of all has zero, the overflow no bound. */
  readonly words: string
  readonly count: number
  readonly low: number
  readonly high: number
}

const PERCENTILES = [
  ['p50', 0.5],
  ['p90', 0.9],
  ['p99', 0.99],
  ['p99.9', 0.999],
] as const

/**
 * Draws as many bars as there is room for, by merging neighbours: with upper bound, share and the
 * percentiles that a bar holds.
 */
export function drawBars(buffer: ScreenBuffer, box: Box, merged: Merged, unit: string): void {
  drawTable(buffer, box, merged, unit, false)
}

/** Draws the same under titles, with the share of all up to a bar, and counts. */
export function drawDetailedBars(
  buffer: ScreenBuffer,
  { row, column, rows, columns }: Box,
  merged: Merged,
  unit: string,
): void {
  const ends = columnsOf(column, columns, true)
  buffer.writeRight(row, ends.label, 'up to', 'faint', LABEL)
  buffer.writeRight(row, ends.share, 'share', 'faint', SHARE)
  buffer.writeRight(row, ends.below, 'so far', 'faint', SHARE)
  buffer.writeRight(row, ends.count, 'count', 'faint', COUNT)
  drawTable(buffer, { row: row + 1, column, rows: rows - 1, columns }, merged, unit, true)
}

/** Columns behind the last characters of each column; the bar begins behind the label. */
function columnsOf(column: number, columns: number, isDetailed: boolean) {
  const label = column + LABEL
  const details = isDetailed ? SHARE + GAP + COUNT + GAP : 0
  const bar = Math.max(BAR_LEAST, columns - LABEL - SHARE - MARKS - details - 3 * GAP)
  const share = label + GAP + bar + GAP + SHARE
  const below = share + GAP + SHARE
  const count = below + GAP + COUNT
  return { label, bar, share, below, count, marks: (isDetailed ? count : share) + GAP }
}

function drawTable(
  buffer: ScreenBuffer,
  box: Box,
  merged: Merged,
  unit: string,
  isDetailed: boolean,
): void {
  if (merged.count === 0) {
    buffer.write(box.row, box.column, 'no observations in this window', 'faint', box.columns)
    return
  }
  const bars = barsOf(merged, unit, box.rows)
  const most = Math.max(...bars.map(({ count }) => count))
  const ends = columnsOf(box.column, box.columns, isDetailed)
  const marks = marksOf(merged, bars)
  let sum = 0
  bars.forEach(({ words, count }, i) => {
    const row = box.row + i
    sum += count
    const style = count > 0 ? 'plain' : 'faint'
    buffer.writeRight(row, ends.label, words, 'faint', LABEL)
    buffer.write(row, ends.label + GAP, barText(count / most, ends.bar), 'data')
    buffer.writeRight(row, ends.share, shareText(count / merged.count), style, SHARE)
    if (isDetailed) {
      buffer.writeRight(row, ends.below, shareText(sum / merged.count), 'faint', SHARE)
      buffer.writeRight(row, ends.count, wide(exact(count)), style, COUNT)
    }
    buffer.write(row, ends.marks, marks[i]!, 'bold', MARKS)
  })
}

function barsOf(merged: Merged, unit: string, rows: number): Bar[] {
  const { counts, zero, negative, overflow, overflowFrom } = merged
  const edges: Bar[] = []
  const write = (value: number): string => quantityText(format(value, unit))
  if (negative > 0) edges.push({ words: '< 0', count: negative, low: -Infinity, high: 0 })
  if (zero > 0) edges.push({ words: '0', count: zero, low: 0, high: 0 })
  const above: Bar[] = []
  if (overflow > 0) {
    const words = `≥${write(overflowFrom)}`
    above.push({ words, count: overflow, low: overflowFrom, high: Infinity })
  }
  const first = counts.findIndex((count) => count > 0)
  const last = counts.findLastIndex((count) => count > 0)
  if (first === -1) return [...edges, ...above]
  const room = Math.max(1, rows - edges.length - above.length)
  const middle = runsOf(merged, first, last, room).map(([from, to]): Bar => {
    const [low] = bucketEnds(merged, from)
    const [, high] = bucketEnds(merged, to)
    const words = high === null ? `>${write(low ?? 0)}` : write(high)
    const count = counts.slice(Math.max(0, from), to + 1).reduce((sum, each) => sum + each, 0)
    return { words, count, low: low ?? -Infinity, high: high ?? Infinity }
  })
  return [...edges, ...middle, ...above]
}

/** Puts neighbours together until they find room: powers of two as a coarser scale has them. */
function runsOf({ offset, bounds }: Merged, first: number, last: number, room: number) {
  const runs: (readonly [from: number, to: number])[] = []
  const start = bounds === undefined ? offset : 0
  let size = 1
  const runOf = (bucket: number): number => Math.floor((start + bucket) / size)
  while (runOf(last) - runOf(first) + 1 > room) size *= 2
  for (let run = runOf(first); run <= runOf(last); run++) {
    const from = run * size - start
    const end = from + size - 1
    // the buckets of powers go on without end, those between bounds do not
    runs.push(
      bounds === undefined ? [from, end] : [Math.max(0, from), Math.min(bounds.length, end)],
    )
  }
  return runs
}

/** Names the percentiles of each bar. */
function marksOf(merged: Merged, bars: readonly Bar[]): string[] {
  const marks = bars.map((): string[] => [])
  for (const [name, q] of PERCENTILES) {
    const value = quantile(merged, q)
    const at = bars.findIndex(({ low, high }) => value <= high && (value > low || low === high))
    if (at !== -1) marks[at]!.push(name)
  }
  return marks.map((names) => (names.length > 2 ? `${names[0]}–${names.at(-1)}` : names.join(' ')))
}

/** Writes a bar in eighths; one that is not nothing has at least one of them. */
function barText(part: number, width: number): string {
  if (!(part > 0)) return ''
  const eighths = Math.max(1, Math.round(part * width * 8))
  return FULL.repeat(eighths >> 3) + EIGHTHS[eighths & 7]!
}

function shareText(part: number): string {
  if (part === 0) return ''
  return part < 0.001 ? '< 0.1 %' : `${digits(part * 100, part >= 0.1 ? 3 : 2)} %`
}
