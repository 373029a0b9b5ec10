/**
 * An answer of a history as columns of bytes, which another thread gets without a copy of each cell
 * as an object: an hour of seconds takes a tenth of the time so. Histograms come as their bytes, in
 * lists of series, too.
 */
import type { CellAnswer, StoredSeries } from '../../../history/store.ts'
import type { Cell, GaugeSpread, Kind } from '../../../model/index.ts'
import { packHistogram, unpackHistogram } from '../../../model/packed/packed-histogram.ts'

/** Numbers of a gauge's cell that has no more than a value, and of one with a spread. */
const GAUGE_NUMBERS = 3
const SPREAD_NUMBERS = 8
const SUMMARY_NUMBERS = 5

interface PackedColumn {
  readonly kind: Kind | undefined
  /** Steps that have a cell, rising. */
  readonly steps: Uint32Array
  /**
   * Increments of counters; of gauges [value, time, 0] or [value, time, 1, and the spread]; of
   * summaries count, mean, squares, min, max.
   */
  readonly numbers: Float64Array
  /** Integers that no double holds, by their place among the cells. */
  readonly wide: ReadonlyMap<number, bigint>
  readonly histograms: readonly Uint8Array[]
}

export interface PackedAnswer extends Omit<CellAnswer, 'columns'> {
  readonly packedColumns: readonly PackedColumn[]
}

/** A series whose total is that of a histogram, as its bytes. */
export interface PackedSeries extends StoredSeries {
  readonly histogramBytes?: Uint8Array
}

export function packList(list: readonly StoredSeries[]): readonly PackedSeries[] {
  return list.map((series) => {
    if (series.total?.kind !== 'histogram') return series
    const histogramBytes = packHistogram(series.total.histogram)
    return { ...series, total: undefined, histogramBytes }
  })
}

export function unpackList(list: readonly PackedSeries[]): readonly StoredSeries[] {
  return list.map(({ histogramBytes, ...series }) => {
    if (histogramBytes === undefined) return series
    return { ...series, total: { kind: 'histogram', histogram: unpackHistogram(histogramBytes) } }
  })
}

export function packAnswer({ columns, ...rest }: CellAnswer): PackedAnswer {
  return { ...rest, packedColumns: columns.map(({ kind, cells }) => packColumn(kind, cells)) }
}

function packColumn(kind: Kind | undefined, cells: readonly (Cell | undefined)[]): PackedColumn {
  if (kind === 'counter') return packCounter(cells)
  const steps = new Uint32Array(cells.length)
  const numbers: number[] = []
  const wide = new Map<number, bigint>()
  const histograms: Uint8Array[] = []
  let count = 0
  for (let step = 0; step < cells.length; step++) {
    const cell = cells[step]
    if (cell === undefined) continue
    steps[count] = step
    if (cell.kind === 'histogram') histograms.push(packHistogram(cell.histogram))
    else if (cell.kind !== 'counter') {
      const exact = pushNumbers(numbers, cell)
      if (typeof exact === 'bigint') wide.set(count, exact)
    }
    count++
  }
  return {
    kind,
    steps: steps.slice(0, count),
    numbers: Float64Array.from(numbers),
    wide,
    histograms,
  }
}

function packCounter(cells: readonly (Cell | undefined)[]): PackedColumn {
  const steps = new Uint32Array(cells.length)
  const numbers = new Float64Array(cells.length)
  const wide = new Map<number, bigint>()
  let count = 0
  for (let step = 0; step < cells.length; step++) {
    const cell = cells[step]
    if (cell?.kind !== 'counter') continue
    const { delta } = cell
    if (typeof delta === 'bigint') wide.set(count, delta)
    steps[count] = step
    numbers[count++] = Number(delta)
  }
  const rows = { steps: steps.slice(0, count), numbers: numbers.slice(0, count) }
  return { kind: 'counter', ...rows, wide, histograms: [] }
}

/** @returns the exact number of a gauge */
function pushNumbers(
  numbers: number[],
  cell: Extract<Cell, { kind: 'gauge' | 'summary' }>,
): number | bigint | undefined {
  if (cell.kind === 'summary') {
    const { count, mean, squares, min, max } = cell.summary
    numbers.push(count, mean, squares, min, max)
    return undefined
  }
  const { value, at, spread } = cell
  numbers.push(Number(value), at)
  if (spread === undefined) numbers.push(0)
  else numbers.push(1, spread.first, spread.firstAt, spread.min, spread.max, spread.count)
  return value
}

export function unpackAnswer({ packedColumns, ...rest }: PackedAnswer): CellAnswer {
  const columns = packedColumns.map((column) => {
    const cells = new Array<Cell | undefined>(rest.length).fill(undefined)
    unpackColumn(column, cells)
    return { kind: column.kind, cells }
  })
  return { ...rest, columns }
}

function unpackColumn(column: PackedColumn, cells: (Cell | undefined)[]): void {
  const { kind, steps, numbers, wide, histograms } = column
  let at = 0
  for (let i = 0; i < steps.length; i++) {
    const exact = wide.get(i) ?? numbers[at]!
    const step = steps[i]!
    switch (kind) {
      case 'counter':
        cells[step] = { kind, delta: exact }
        at++
        break
      case 'gauge': {
        const hasSpread = numbers[at + 2] === 1
        const gauge = { kind, value: exact, at: numbers[at + 1]! } as const
        cells[step] = hasSpread
          ? { ...gauge, spread: spreadAt(numbers, at + GAUGE_NUMBERS) }
          : gauge
        at += hasSpread ? SPREAD_NUMBERS : GAUGE_NUMBERS
        break
      }
      case 'histogram':
        cells[step] = { kind, histogram: unpackHistogram(histograms[i]!) }
        break
      case 'summary': {
        const [count, mean, squares, min, max] = numbers.subarray(at, at + SUMMARY_NUMBERS)
        const summary = { count: count!, mean: mean!, squares: squares!, min: min!, max: max! }
        cells[step] = { kind, summary }
        at += SUMMARY_NUMBERS
        break
      }
    }
  }
}

function spreadAt(numbers: Float64Array, at: number): GaugeSpread {
  return {
    first: numbers[at]!,
    firstAt: numbers[at + 1]!,
    min: numbers[at + 2]!,
    max: numbers[at + 3]!,
    count: numbers[at + 4]!,
  }
}
