/** Histograms and summaries by column. */
import {
  type Cell,
  EMPTY_SUMMARY,
  Histogram,
  mergeSummaries,
  type Summary,
} from '../../../model/index.ts'
import type { Pieces } from '../../pieces.ts'
import { histogramCell, summaryCell } from '../cell-json.ts'
import { type Columns, FRAMES_PER_STEP, type Placement, split } from './columns.ts'

export function* histogramColumn(columns: Columns, id: number): Pieces<never, string[]> {
  const cells = new Array<Histogram | undefined>(columns.window.length).fill(undefined)
  yield* columns.forEach(id, 'histogram', (frame, row, placement) => {
    const parts = splitHistogram(frame.histogramAt(row), placement)
    placement.columns.forEach((column, i) => {
      if (column < 0 || column >= cells.length) return
      const held = cells[column]
      if (held === undefined) cells[column] = parts[i]
      else held.mergeFrom(parts[i]!)
    })
  })
  const before = pastCells(columns, id, (cell) =>
    cell.kind === 'histogram' ? cell.histogram : undefined,
  )
  return yield* textsOf([...before, ...cells], (cell) =>
    cell.isEmpty ? 'null' : JSON.stringify(histogramCell(cell)),
  )
}

/** Splits every bucket by itself; min and max of the parts are not known and stay the whole's. */
function splitHistogram(whole: Histogram, placement: Placement): Histogram[] {
  if (placement.columns.length === 1) return [whole]
  const parts = placement.columns.map(() => {
    const part = new Histogram(whole.scale)
    part.bounds = whole.bounds
    return part
  })
  for (const side of ['positive', 'negative'] as const) {
    whole[side].forEach((index, count) => {
      const shares = split(count, placement)
      parts.forEach((part, i) => {
        part.addBucket(index, shares[i]!, side === 'negative')
      })
    })
  }
  const zeros = split(whole.zeroCount, placement)
  const overflows = split(whole.overflow, placement)
  parts.forEach((part, i) => {
    part.zeroThreshold = whole.zeroThreshold
    part.zeroCount = zeros[i]!
    part.overflow = overflows[i]!
    part.overflowFrom = whole.overflowFrom
    part.count += zeros[i]! + overflows[i]!
    part.min = whole.min
    part.max = whole.max
    const ratio = Number(part.count) / Number(whole.count)
    part.sum = whole.sum === undefined ? undefined : Number(whole.sum) * ratio
  })
  return parts
}

export function* summaryColumn(columns: Columns, id: number): Pieces<never, string[]> {
  const cells = new Array<Summary | undefined>(columns.window.length).fill(undefined)
  yield* columns.forEach(id, 'summary', (frame, row, placement) => {
    const whole = frame.summaryAt(row)
    const counts = split(BigInt(whole.count), placement)
    placement.columns.forEach((column, i) => {
      if (column < 0 || column >= cells.length) return
      const count = Number(counts[i])
      const part = { ...whole, count, squares: whole.squares * (count / whole.count) }
      cells[column] = mergeSummaries(cells[column] ?? EMPTY_SUMMARY, part)
    })
  })
  const before = pastCells(columns, id, (cell) =>
    cell.kind === 'summary' ? cell.summary : undefined,
  )
  return yield* textsOf([...before, ...cells], (cell) =>
    cell.count === 0 ? 'null' : JSON.stringify(summaryCell(cell)),
  )
}

/** Lists the cells of a distribution in the columns of the past. */
function pastCells<T>(
  { past }: Columns,
  id: number,
  pick: (cell: Cell) => T | undefined,
): (T | undefined)[] {
  const cells = new Array<T | undefined>(past?.length ?? 0).fill(undefined)
  past?.forEach(id, (column, cell) => {
    if (column >= 0 && cell !== undefined) cells[column] = pick(cell)
  })
  return cells
}

/** Writes the cells of a column in steps, those that nothing is known of as null. */
function* textsOf<T>(
  cells: readonly (T | undefined)[],
  textOf: (cell: T) => string,
): Pieces<never, string[]> {
  const texts: string[] = []
  for (const cell of cells) {
    if (texts.length % FRAMES_PER_STEP === 0) yield
    texts.push(cell === undefined ? 'null' : textOf(cell))
  }
  return texts
}
