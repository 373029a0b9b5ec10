/**
 * What the page keeps of one series: a ring of closed seconds per lane, as typed arrays, NaN where
 * nothing is known. Second s, the cell that ends at s (Unix seconds), lies at s % SECONDS_KEPT.
 */
import type {
  ExactJson,
  HistogramCellJson,
  Kind,
  RangeColumn,
  SummaryCellJson,
} from '../../http/api.ts'
import { BucketMatrix } from './buckets.ts'

/** The twenty minutes that a hub keeps, and a little, so that the longest window has both ends. */
export const SECONDS_KEPT = 1260

const LANES = {
  counter: ['rate'],
  gauge: ['value', 'min', 'max'],
  histogram: ['p50', 'p90', 'p99', 'count', 'sum', 'min', 'max', 'zero', 'negative', 'overflow'],
  summary: ['mean', 'deviation', 'min', 'max', 'count'],
} as const satisfies Record<Kind, readonly string[]>

export type Lane = (typeof LANES)[Kind][number]

/** The lane that stands for the series: its large value, its line in small pictures. */
export const MAIN_LANE: Readonly<Record<Kind, Lane>> = {
  counter: 'rate',
  gauge: 'value',
  histogram: 'p99',
  summary: 'mean',
}

/** Computes the second that an instant in ms closes. */
export function secondOf(ms: number): number {
  return Math.round(ms / 1000)
}

export type CellJson = ExactJson | HistogramCellJson | SummaryCellJson

/** Extremes of a gauge in an interval, where more values than the last are known. */
interface Spread {
  readonly min: number
  readonly max: number
}

export class SeriesData {
  readonly kind: Kind
  /**
   * Begin of the known seconds, which are (coveredFrom, coveredTo]; equal when nothing is known.
   */
  coveredFrom = 0
  coveredTo = 0
  newest = 0
  /** Second of the newest cell that the stream brought. */
  lastData = 0
  /** The newest cell as the stream brought it. */
  lastCell: CellJson | undefined
  buckets: BucketMatrix | undefined
  /** Largest value counted as zero, and least one in the overflow, as the newest cell says. */
  zeroTo = 0
  overflowFrom = Number.POSITIVE_INFINITY
  readonly #lanes = new Map<Lane, Float64Array>()

  constructor(kind: Kind) {
    this.kind = kind
    for (const lane of LANES[kind]) {
      this.#lanes.set(lane, new Float64Array(SECONDS_KEPT).fill(Number.NaN))
    }
    if (kind === 'histogram') this.buckets = new BucketMatrix(SECONDS_KEPT)
  }

  at(lane: Lane, second: number): number {
    const values = this.#lanes.get(lane)
    if (values === undefined || !this.#isKept(second)) return Number.NaN
    return values[second % SECONDS_KEPT]!
  }

  /** Copies seconds from `from` on into `out`; NaN where nothing is known. */
  copy(lane: Lane, from: number, out: Float64Array): void {
    const values = this.#lanes.get(lane)
    for (let i = 0; i < out.length; i += 1) {
      const second = from + i
      out[i] = values && this.#isKept(second) ? values[second % SECONDS_KEPT]! : Number.NaN
    }
  }

  /** Sums the buckets of seconds (from, to] into `sums`, which is `buckets.width` long. */
  addBuckets(sums: Float64Array, from: number, to: number): void {
    for (let second = from + 1; second <= to; second += 1) {
      if (!this.#isKept(second)) continue
      const column = second % SECONDS_KEPT
      this.buckets?.addInto(sums, column, column)
    }
  }

  /** Writes the cell of an interval that ends at `second`; a long one fills all its seconds. */
  write(second: number, cell: CellJson | null, seconds = 1, spread?: Spread): void {
    for (let at = second - seconds + 1; at <= second; at += 1) {
      if (this.#open(at)) this.#writeCell(at % SECONDS_KEPT, cell, seconds, spread)
    }
    if (second >= this.newest && cell !== null) this.lastCell = cell
  }

  /**
   * Writes a second in which nothing arrived: a counter stood still, a gauge keeps its value unless
   * it is stale, a distribution is empty.
   * @param isAway the peer that it comes from is not there: nothing is known
   */
  writeQuiet(second: number, isStale: boolean, isAway = false): void {
    if (!this.#open(second)) return
    const slot = second % SECONDS_KEPT
    if (this.kind === 'counter') this.#put('rate', slot, isStale || isAway ? Number.NaN : 0)
    if (this.kind === 'gauge') {
      this.#putGauge(slot, isStale || isAway ? Number.NaN : this.at('value', second - 1))
    }
    if (this.kind === 'histogram' || this.kind === 'summary') {
      this.#put('count', slot, isAway ? Number.NaN : 0)
    }
  }

  /**
   * Writes a column of a range answer with steps of one second; step i ends at `first + i`.
   * @param since first second of the series: from there on, no cell of a distribution means that
   *   nothing was observed, as the answer has no other word for it
   */
  writeColumn(first: number, column: RangeColumn, since: number): void {
    const cells: readonly (CellJson | null)[] = cellsOf(column)
    for (let i = 0; i < cells.length; i += 1) {
      const second = first + i
      const cell = cells[i] ?? null
      if (cell !== null) {
        if (!this.#open(second)) continue
        this.#writeCell(second % SECONDS_KEPT, cell, 1, spreadAt(column, i))
        continue
      }
      // An unknown second takes nothing away from what the stream brought meanwhile.
      if (second <= this.newest && !Number.isNaN(this.at('count', second))) continue
      const isQuiet = second >= since && (this.kind === 'histogram' || this.kind === 'summary')
      if (second > this.newest) this.#open(second)
      if (isQuiet && this.#isKept(second)) this.#put('count', second % SECONDS_KEPT, 0)
    }
  }

  /** Joins known seconds (from, to] to those already known; apart from them, they replace them. */
  cover(from: number, to: number): void {
    const touches = from <= this.coveredTo && to >= this.coveredFrom && this.coveredTo > 0
    this.coveredFrom = touches ? Math.min(from, this.coveredFrom) : from
    this.coveredTo = touches ? Math.max(to, this.coveredTo) : to
  }

  /** Tells whether the seconds from here on have been read: what is not drawn is not there. */
  isReadFrom(second: number): boolean {
    return this.coveredTo > 0 && this.coveredFrom <= second
  }

  clone(): SeriesData {
    const copy = new SeriesData(this.kind)
    copy.coveredFrom = this.coveredFrom
    copy.coveredTo = this.coveredTo
    copy.newest = this.newest
    copy.lastData = this.lastData
    copy.lastCell = this.lastCell
    copy.zeroTo = this.zeroTo
    copy.overflowFrom = this.overflowFrom
    for (const [lane, values] of this.#lanes) copy.#lanes.get(lane)!.set(values)
    copy.buckets = this.buckets?.clone()
    return copy
  }

  #isKept(second: number): boolean {
    return second <= this.newest && second > this.newest - SECONDS_KEPT
  }

  /** Makes a second writable and unknown; false where it is older than what is kept. */
  #open(second: number): boolean {
    if (second <= this.newest - SECONDS_KEPT || second <= 0) return false
    const from = Math.max(this.newest + 1, second - SECONDS_KEPT + 1)
    for (let at = from; at < second; at += 1) this.#forget(at % SECONDS_KEPT)
    this.newest = Math.max(this.newest, second)
    this.#forget(second % SECONDS_KEPT)
    return true
  }

  #forget(slot: number): void {
    for (const values of this.#lanes.values()) values[slot] = Number.NaN
    this.buckets?.clear(slot)
  }

  /** Puts a value; an infinite one, which no axis can show, is none. */
  #put(lane: Lane, slot: number, value: number): void {
    this.#lanes.get(lane)![slot] = Number.isFinite(value) ? value : Number.NaN
  }

  #putGauge(slot: number, value: number, spread?: Spread): void {
    this.#put('value', slot, value)
    this.#put('min', slot, spread?.min ?? value)
    this.#put('max', slot, spread?.max ?? value)
  }

  #writeCell(slot: number, cell: CellJson | null, seconds: number, spread?: Spread): void {
    if (cell === null || typeof cell !== 'object') {
      const number = cell === null ? Number.NaN : Number(cell)
      if (this.kind === 'counter') this.#put('rate', slot, number / seconds)
      if (this.kind === 'gauge') this.#putGauge(slot, number, spread)
      return
    }
    this.#put('count', slot, cell.count / seconds)
    if ('p50' in cell) {
      this.#put('p50', slot, cell.count > 0 ? cell.p50 : Number.NaN)
      this.#put('p90', slot, cell.count > 0 ? cell.p90 : Number.NaN)
      this.#put('p99', slot, cell.count > 0 ? cell.p99 : Number.NaN)
      this.#put('sum', slot, cell.sum ?? Number.NaN)
      this.#put('min', slot, cell.min ?? Number.NaN)
      this.#put('max', slot, cell.max ?? Number.NaN)
      this.#put('zero', slot, cell.zero)
      this.#put('negative', slot, cell.negative)
      this.#put('overflow', slot, cell.overflow?.count ?? 0)
      this.zeroTo = cell.zeroTo ?? 0
      this.overflowFrom = cell.overflow?.from ?? this.overflowFrom
      this.buckets?.write(slot, cell)
      return
    }
    const isEmpty = cell.count === 0
    this.#put('mean', slot, isEmpty ? Number.NaN : cell.mean)
    this.#put('deviation', slot, isEmpty ? Number.NaN : cell.deviation)
    this.#put('min', slot, cell.min ?? Number.NaN)
    this.#put('max', slot, cell.max ?? Number.NaN)
  }
}

function spreadAt(column: RangeColumn, i: number): Spread | undefined {
  if (column.kind !== 'gauge') return undefined
  const [min, max] = [column.min[i], column.max[i]]
  return typeof min === 'number' && typeof max === 'number' ? { min, max } : undefined
}

function cellsOf(column: RangeColumn): readonly (CellJson | null)[] {
  if (column.kind === 'counter') return column.delta
  return column.kind === 'gauge' ? column.value : column.cells
}
