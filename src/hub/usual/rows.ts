/**
 * Ten minutes of series in columns of ten seconds, and what is usual for each of them: the memory
 * of usual.ts.
 */
import type { Kind } from '../../model/index.ts'
import { baselineOf, changeFrom, comparable, isUnusual, leftUsualAgo } from '../../model/usual.ts'
import { NumberedInts } from '../series/numbered-list.ts'

export const COLUMN_MS = 10_000
const COLUMNS = 60
/** Series that are compared with their usual; each takes some 500 bytes. */
const ROWS_LIMIT = 100_000

/** Interval of a gauge. */
interface Held {
  /** Value over the interval. */
  readonly value: number
  /** Value at the end. */
  readonly last: number
  /** Unix ms. */
  readonly endMs: number
  readonly seconds: number
}

/** Arrival of data for a series in the column that is being made. */
interface Arrival {
  /** Growth of a counter; p99 or mean of a distribution. */
  readonly value: number
  /** Increments or observations. */
  readonly count: number
  /** End of the newest second with something, Unix ms. */
  readonly endMs: number
}

export class Row {
  readonly id: number
  readonly kind: Kind
  lastDataMs = 0
  /** Value of the newest column: of a counter its rate, of a gauge its mean, of a histogram p99. */
  recent = Number.NaN
  /** Increments or observations per second in that column; NaN of a gauge. */
  rate = Number.NaN
  usual = Number.NaN
  spread = Number.NaN
  /** Seconds for which it has been unusual; 0 while it is not. */
  unusualS = 0
  /** Columns by their number modulo {@link COLUMNS}. */
  readonly #values = new Float32Array(COLUMNS).fill(Number.NaN)
  /** Value of a gauge as it was last written, and until when it is in the column: Unix ms. */
  #held = Number.NaN
  #heldMs = 0
  #isOpen = false
  /** Growth or value; the sum of a gauge's values over its seconds in the column, and these. */
  #value = 0
  #count = 0

  constructor(id: number, kind: Kind) {
    this.id = id
    this.kind = kind
  }

  take({ value, count, endMs }: Arrival): void {
    const isSum = this.kind === 'counter' && this.#isOpen
    this.#value = isSum ? this.#value + value : value
    this.#count = this.#isOpen ? this.#count + count : count
    this.#isOpen = true
    this.lastDataMs = Math.max(this.lastDataMs, endMs)
  }

  /** Takes what a gauge was in an interval; until it began it was as it was last written. */
  takeGauge({ value, last, endMs, seconds }: Held): void {
    this.#hold(endMs - seconds * 1000)
    this.#add(value, seconds)
    this.#held = last
    this.#heldMs = endMs
    this.#isOpen = true
    this.lastDataMs = Math.max(this.lastDataMs, endMs)
  }

  #hold(untilMs: number): void {
    this.#add(this.#held, Math.max(0, untilMs - this.#heldMs) / 1000)
  }

  #add(value: number, seconds: number): void {
    if (Number.isNaN(value)) return
    this.#value += comparable(value) * seconds
    this.#count += seconds
  }

  /** Writes a column of the past in which a counter stood still. */
  stoodStill(column: number): void {
    this.#values[column % COLUMNS] = 0
  }

  /** Writes a column of which nothing is known. */
  skip(column: number): void {
    this.#heldMs = column * COLUMN_MS
    this.#values[column % COLUMNS] = Number.NaN
  }

  /**
   * Ends the column that is being made.
   * @param isUnknown whether nothing is known of it where nothing came
   */
  close(column: number, seconds: number, isUnknown: () => boolean): void {
    const value = this.#closed(column, seconds, isUnknown)
    this.recent = comparable(value)
    this.rate = this.kind === 'gauge' ? Number.NaN : this.#isOpen ? this.#count / seconds : 0
    this.#values[column % COLUMNS] = this.recent
    this.#isOpen = false
    if (this.kind !== 'gauge') return
    this.#value = 0
    this.#count = 0
  }

  #closed(column: number, seconds: number, isUnknown: () => boolean): number {
    if (this.kind === 'gauge') {
      this.#hold(column * COLUMN_MS)
      this.#heldMs = column * COLUMN_MS
      return !this.#isOpen && isUnknown() ? Number.NaN : this.#value / this.#count
    }
    if (this.kind === 'counter') {
      if (this.#isOpen) return this.#value / seconds
      return isUnknown() ? Number.NaN : 0
    }
    return this.#isOpen ? this.#value : Number.NaN
  }

  /** Compares the newest column with all. */
  judge(column: number): void {
    const first = (column + 1) % COLUMNS
    const past = new Float32Array(COLUMNS)
    past.set(this.#values.subarray(first))
    past.set(this.#values.subarray(0, first), COLUMNS - first)
    const baseline = baselineOf(past)
    const change = changeFrom(this.kind, this.recent, baseline)
    this.usual = baseline.usual
    this.spread = baseline.spread
    this.unusualS = isUnusual(change) ? leftUsualAgo(past, change, COLUMN_MS / 1000) : 0
  }
}

/** Rows by the ids of their series. */
export class Rows {
  readonly #places = new NumberedInts()
  readonly #rows: (Row | undefined)[] = []
  readonly #free: number[] = []

  get size(): number {
    return this.#rows.length - this.#free.length
  }

  *[Symbol.iterator](): IterableIterator<Row> {
    for (const row of this.#rows) if (row !== undefined) yield row
  }

  get(id: number): Row | undefined {
    const row = this.#rows[this.#places.get(id)]
    return row?.id === id ? row : undefined
  }

  /** Makes the row of a series; undefined where there is no room. */
  create(id: number, kind: Kind): Row | undefined {
    if (this.size >= ROWS_LIMIT) return undefined
    const row = new Row(id, kind)
    const place = this.#free.pop() ?? this.#rows.length
    this.#rows[place] = row
    this.#places.set(id, place)
    return row
  }

  delete({ id }: Row): void {
    const place = this.#places.get(id)
    this.#rows[place] = undefined
    this.#places.set(id, -1)
    this.#free.push(place)
  }
}

/** Time of silence behind which no column says anything any more. */
export function forgottenAfterMs(staleAfterMs: number): number {
  return staleAfterMs + COLUMNS * COLUMN_MS
}

export const PAST_MS = COLUMNS * COLUMN_MS
