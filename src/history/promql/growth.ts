/**
 * Increases of a series of an engine over steps: its rows are totals, and a cell is what they have
 * grown by. A total that falls began anew.
 *
 * A hub writes what a row was half a second before it was there, so the growth of a series that
 * begins, or of a new bucket, is known too. All rows of a series have the same times.
 */
import { type Cell, Histogram, mergeCells } from '../../model/index.ts'
import { grownBy, histogramOfBounds } from './buckets.ts'
import type { WrittenSeries } from './written.ts'

/** Rows of a series at one instant: `value`, `sum`, `count`, `native`, or `le` with a bound. */
type Rows = Map<string, number | Histogram>

export interface RowSample {
  readonly timeS: number
  readonly row: string
  readonly value: number | Histogram
}

/** Even steps: step i has the seconds of (fromS + i × stepS, fromS + (i + 1) × stepS]. */
export interface StepRange {
  readonly fromS: number
  readonly stepS: number
  readonly length: number
}

/** Finds the step of an instant, by the end of its second; may lie outside. */
export function stepAt({ fromS, stepS }: StepRange, timeS: number): number {
  return Math.ceil((Math.ceil(timeS) - fromS) / stepS) - 1
}

interface Distribution {
  readonly count: number
  readonly sum: number
}

type Total = number | Distribution | Histogram

/**
 * Computes the cells of one series that one hub wrote.
 * @param samples of its rows, in any order; some before the first step say where it stood
 */
export function growthOf(
  series: WrittenSeries,
  samples: readonly RowSample[],
  steps: StepRange,
): Map<number, Cell> {
  const meter = new Meter(series)
  const cells = new Map<number, Cell>()
  let open = Number.NEGATIVE_INFINITY
  const settle = (): void => {
    const cell = meter.grown()
    if (cell === undefined || open < 0 || open >= steps.length) return
    const held = cells.get(open)
    cells.set(open, held === undefined ? cell : mergeCells(held, cell))
  }
  const sorted = samples.toSorted((a, b) => a.timeS - b.timeS)
  for (let i = 0; i < sorted.length; ) {
    const { timeS } = sorted[i]!
    const rows: Rows = new Map()
    for (; sorted[i]?.timeS === timeS; i++) rows.set(sorted[i]!.row, sorted[i]!.value)
    const step = stepAt(steps, timeS)
    if (step !== open) settle()
    open = step
    if (meter.isReset(rows)) {
      settle()
      meter.reset()
    }
    meter.take(rows)
  }
  settle()
  return cells
}

/** Totals of a series as they stand, and as they stood when they were asked for last. */
class Meter {
  readonly #series: WrittenSeries
  readonly #held: Rows = new Map()
  #before: Total | undefined

  constructor(series: WrittenSeries) {
    this.#series = series
  }

  isReset(rows: Rows): boolean {
    const [now, held] = [countOf(rows), countOf(this.#held)]
    return now !== undefined && held !== undefined && now < held
  }

  /** Begins at nothing. */
  reset(): void {
    this.#held.clear()
    this.#before = this.#nothing()
  }

  take(rows: Rows): void {
    const isFirst = this.#held.size === 0 && this.#before === undefined
    for (const [row, value] of rows) this.#held.set(row, value)
    if (isFirst) this.#before = this.#total()
  }

  /** Gives what came since the last call; undefined for nothing. */
  grown(): Cell | undefined {
    const before = this.#before
    const total = this.#total()
    if (before === undefined || total === undefined) return undefined
    this.#before = total
    if (total instanceof Histogram) {
      const histogram = grownBy(total, before as Histogram)
      return histogram.isEmpty ? undefined : { kind: 'histogram', histogram }
    }
    if (typeof total === 'number') {
      const delta = total - (before as number)
      return delta > 0 ? { kind: 'counter', delta } : undefined
    }
    const { count: counted, sum: summed } = before as Distribution
    const count = total.count - counted
    if (!(count > 0)) return undefined
    const [mean, unknown] = [(total.sum - summed) / count, Number.NaN]
    return {
      kind: 'summary',
      summary: { count, mean, squares: unknown, min: unknown, max: unknown },
    }
  }

  #nothing(): Total {
    switch (this.#series.kind) {
      case 'histogram':
        return this.#histogram(new Map())
      case 'summary':
        return { count: 0, sum: 0 }
      default:
        return 0
    }
  }

  #total(): Total | undefined {
    const held = this.#held
    if (held.size === 0) return undefined
    switch (this.#series.kind) {
      case 'histogram':
        return this.#histogram(held)
      case 'summary':
        return { count: numberAt(held, 'count') ?? 0, sum: numberAt(held, 'sum') ?? Number.NaN }
      default:
        return numberAt(held, 'value')
    }
  }

  /** Gives the native form where there is one: it is the finer. */
  #histogram(held: Rows): Histogram {
    const native = held.get('native')
    if (native instanceof Histogram) return native
    const seen = new Map<number, number>()
    for (const [row, value] of held) {
      if (row.startsWith('le ')) seen.set(Number(row.slice(3)), value as number)
    }
    const count = numberAt(held, 'count')
    if (count !== undefined) seen.set(Number.POSITIVE_INFINITY, count)
    const sum = seen.size === 0 ? 0 : numberAt(held, 'sum')
    return histogramOfBounds(seen, sum, this.#series.bounds)
  }
}

function numberAt(rows: Rows, row: string): number | undefined {
  const value = rows.get(row)
  return typeof value === 'number' ? value : undefined
}

/** Gives the total of a series that never falls but by a beginning. */
function countOf(rows: Rows): number | undefined {
  const native = rows.get('native')
  if (native instanceof Histogram) return Number(native.count)
  return numberAt(rows, 'count') ?? numberAt(rows, 'value') ?? numberAt(rows, 'le Infinity')
}
