/**
 * What the page keeps of one series: a ring of closed steps per lane, as typed arrays, NaN where
 * nothing is known. A step is a second, or of a longer past as many as a picture has room for.
 * Step n, the merged cell of the seconds that end at n × step, lies at n % STEPS_KEPT; it is found
 * by any of its seconds.
 */
import type {
  ExactJson,
  HistogramCellJson,
  Kind,
  RangeAnswer,
  RangeColumn,
  SummaryCellJson,
} from '../../http/api.ts'
import { BucketMatrix } from './buckets.ts'

/** The twenty minutes that a hub keeps, and a little, so that the longest window has both ends. */
export const STEPS_KEPT = 1260

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

/** Facts that an answer tells of its columns besides. */
interface ColumnFacts {
  /** Unix second up to which the hub has closed all: a step beyond it is not whole. */
  readonly closed?: number
  /** Stretches of columns in which no hub ran. */
  readonly gaps?: RangeAnswer['gaps']
  /** The step in which the series came counts as a whole one. */
  readonly isFirstWhole?: boolean
}

/** Extremes of a gauge in an interval, where more values than the last are known. */
interface Spread {
  readonly min: number
  readonly max: number
}

export class SeriesData {
  readonly kind: Kind
  /** Seconds of a step. */
  readonly step: number
  /**
   * Begin of the known seconds, which are (coveredFrom, coveredTo]; equal when nothing is known.
   */
  coveredFrom = 0
  coveredTo = 0
  /** Number of the newest step. */
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
  /** Step that is not whole yet, and how many of its seconds are known. */
  #open = { number: 0, seconds: 0 }
  /** Step in which the series came, and how many seconds of it were after that. */
  #first = { number: 0, seconds: 0 }

  constructor(kind: Kind, step = 1) {
    this.kind = kind
    this.step = step
    for (const lane of LANES[kind]) {
      this.#lanes.set(lane, new Float64Array(STEPS_KEPT).fill(Number.NaN))
    }
    if (kind === 'histogram') this.buckets = new BucketMatrix(STEPS_KEPT)
  }

  /** Reads the step that a second lies in. */
  at(lane: Lane, second: number): number {
    const values = this.#lanes.get(lane)
    const number = Math.ceil(second / this.step)
    if (values === undefined || !this.#isKept(number)) return Number.NaN
    return values[number % STEPS_KEPT]!
  }

  /** Copies steps into `out`, from that of `from` on; NaN where nothing is known. */
  copy(lane: Lane, from: number, out: Float64Array): void {
    const values = this.#lanes.get(lane)
    const first = Math.ceil(from / this.step)
    for (let i = 0; i < out.length; i += 1) {
      const number = first + i
      out[i] = values && this.#isKept(number) ? values[number % STEPS_KEPT]! : Number.NaN
    }
  }

  /** Gives the end of the step that an instant lies in, or at whose end it is. */
  endOf(second: number): number {
    return Math.ceil(second / this.step) * this.step
  }

  /** Counts the steps that have some of the seconds (from, to]. */
  countOf(from: number, to: number): number {
    return Math.max(0, Math.ceil(to / this.step) - Math.floor(from / this.step))
  }

  /** Copies the steps that have some of the seconds (from, to]. */
  values(lane: Lane, from: number, to: number): Float64Array {
    const values = new Float64Array(this.countOf(from, to))
    this.copy(lane, this.endOf(from + 1), values)
    return values
  }

  /** Counts the seconds that are known of the step of a second: all, but for the first and last. */
  secondsAt(second: number): number {
    const number = Math.ceil(second / this.step)
    const part = [this.#first, this.#open].find((each) => each.number === number)
    return part?.seconds ?? this.step
  }

  /** Sums the buckets of the steps of (from, to] into `sums`, which is `buckets.width` long. */
  addBuckets(sums: Float64Array, from: number, to: number): void {
    const last = Math.ceil(to / this.step)
    for (let number = Math.floor(from / this.step) + 1; number <= last; number += 1) {
      if (!this.#isKept(number)) continue
      const column = number % STEPS_KEPT
      this.buckets?.addInto(sums, column, column)
    }
  }

  /**
   * Writes the cell of an interval that ends at `second`, where steps are seconds; a long one fills
   * all of its own.
   */
  write(second: number, cell: CellJson | null, seconds = 1, spread?: Spread): void {
    for (let at = second - seconds + 1; at <= second; at += 1) {
      if (this.#reach(at)) this.#writeCell(at % STEPS_KEPT, cell, seconds, spread)
    }
    if (second >= this.newest && cell !== null) this.lastCell = cell
  }

  /**
   * Writes a second in which nothing arrived: a counter stood still, a gauge keeps its value unless
   * it is stale, a distribution is empty.
   * @param isAway the peer that it comes from is not there: nothing is known
   */
  writeQuiet(second: number, isStale: boolean, isAway = false): void {
    if (!this.#reach(second)) return
    const slot = second % STEPS_KEPT
    if (this.kind === 'counter') this.#put('rate', slot, isStale || isAway ? Number.NaN : 0)
    if (this.kind === 'gauge') {
      this.#putGauge(slot, isStale || isAway ? Number.NaN : this.at('value', second - 1))
    }
    if (this.kind === 'histogram' || this.kind === 'summary') {
      this.#put('count', slot, isAway ? Number.NaN : 0)
    }
  }

  /**
   * Writes a column of a range answer whose steps are those of the series; the first one ends at
   * the second `first`.
   * @param since first second of the series: from there on, no cell of a distribution means that
   *   nothing was observed, as the answer has no other word for it; rates of the step in which it
   *   came are those of the time since, unless it is known of the time before
   */
  writeColumn(first: number, column: RangeColumn, since: number, facts: ColumnFacts = {}): void {
    const cells: readonly (CellJson | null)[] = cellsOf(column)
    const { closed = Number.POSITIVE_INFINITY, gaps = [], isFirstWhole = false } = facts
    const isDistribution = this.kind === 'histogram' || this.kind === 'summary'
    for (let i = 0; i < cells.length; i += 1) {
      const end = first + i * this.step
      const number = end / this.step
      const seconds = this.step === 1 ? 1 : Math.min(this.step, this.step - (end - closed))
      if (seconds <= 0) break
      if (seconds < this.step) this.#open = { number, seconds }
      const cell = cells[i] ?? null
      const before = isFirstWhole ? 0 : since - 1 - (end - this.step)
      const isFirst = before > 0 && since <= end && (cells[i - 1] ?? null) === null
      if (cell !== null) {
        if (!this.#reach(number)) continue
        if (isFirst) this.#first = { number, seconds: Math.max(1, seconds - before) }
        const lived = isFirst ? this.#first.seconds : seconds
        this.#writeCell(number % STEPS_KEPT, cell, lived, spreadAt(column, i))
        continue
      }
      // An unknown second takes nothing away from what the stream brought meanwhile.
      if (number <= this.newest && !Number.isNaN(this.at('count', end))) continue
      const isGap = gaps.some(([begin, count]) => i >= begin && i < begin + count)
      if (number > this.newest) this.#reach(number)
      if (isDistribution && end >= since && !isGap && this.#isKept(number)) {
        this.#put('count', number % STEPS_KEPT, 0)
      }
    }
    if (closed >= this.#open.number * this.step) this.#open = { number: 0, seconds: 0 }
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
    const copy = new SeriesData(this.kind, this.step)
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

  #isKept(number: number): boolean {
    return number <= this.newest && number > this.newest - STEPS_KEPT
  }

  /** Tells whether a step that ends at a second is too old for what is kept. */
  isBeyond(second: number): boolean {
    return this.newest > 0 && Math.ceil(second / this.step) <= this.newest - STEPS_KEPT
  }

  /** Makes a step writable and unknown; false where it is older than what is kept. */
  #reach(number: number): boolean {
    if (number <= this.newest - STEPS_KEPT || number <= 0) return false
    const from = Math.max(this.newest + 1, number - STEPS_KEPT + 1)
    for (let at = from; at < number; at += 1) this.#forget(at % STEPS_KEPT)
    this.newest = Math.max(this.newest, number)
    this.#forget(number % STEPS_KEPT)
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
