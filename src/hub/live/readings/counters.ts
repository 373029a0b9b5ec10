/** The last readings of counters, and the cells of those that have grown since. */
import { type Exact, exact } from '../../../model/index.ts'
import type { ZoneReader } from '../../../shm/index.ts'
import type { WindowedSeries } from '../../ingest/windows/windows.ts'
import type { CounterRecord } from '../../series/record.ts'
import type { SeriesStore } from '../../series/series.ts'
import type { Task } from '../../tasks/task.ts'
import type { FrameBuilder } from '../frame.ts'
import { grown, type IsKept } from './column.ts'

/** Counters between two looks at the clock: half a millisecond where all have grown. */
const ROWS_PER_STEP = 16_384

/**
 * Readings of counters, all at once, into typed arrays that stay: a tick makes no garbage per
 * counter. Totals are compared and subtracted in halves of 32 bits, which needs no BigInt.
 */
export class CounterReadings {
  readonly #store: Pick<SeriesStore, 'get' | 'heard'>
  #count = 0
  #cumulative: CounterRecord[] = []
  #rowIds = new Uint32Array(0)
  #metrics = new Uint32Array(0)
  #totals = new BigUint64Array(0)
  #last = new BigUint64Array(0)
  // Of the cells of one tick; as long as the column.
  #ids = new Uint32Array(0)
  #deltas = new BigUint64Array(0)
  #fractions = new Map<number, Exact>()
  /** Rows of cells that the whole part of the total does not show. */
  readonly #fractionRows = new Set<number>()

  constructor(store: Pick<SeriesStore, 'get' | 'heard'>) {
    this.#store = store
  }

  add(record: CounterRecord): void {
    const row = this.#count++
    if (row === this.#metrics.length) {
      this.#rowIds = grown(this.#rowIds)
      this.#metrics = grown(this.#metrics)
      this.#last = grown(this.#last)
      this.#totals = new BigUint64Array(this.#metrics.length)
      this.#ids = new Uint32Array(this.#metrics.length)
      this.#deltas = new BigUint64Array(this.#metrics.length)
    }
    this.#rowIds[row] = record.id
    this.#metrics[row] = record.metric
    this.#last[row] = 0n
    if (record.reading !== undefined) this.#cumulative.push(record)
  }

  retain(isKept: IsKept): void {
    let kept = 0
    for (let row = 0; row < this.#count; row++) {
      if (!isKept({ id: this.#rowIds[row]! })) continue
      this.#rowIds[kept] = this.#rowIds[row]!
      this.#metrics[kept] = this.#metrics[row]!
      this.#last[kept] = this.#last[row]!
      kept++
    }
    this.#count = kept
    this.#cumulative = this.#cumulative.filter(isKept)
  }

  /**
   * Reads all totals of one instant, and closes the windows that belong to them.
   * @param windowed those that had windows in this interval
   */
  read(reader: ZoneReader, endMs: number, { counters, hasFractions }: WindowedSeries): void {
    reader.counters(this.#metrics.subarray(0, this.#count), this.#totals)
    this.#fractions = new Map()
    this.#fractionRows.clear()
    for (const record of counters) {
      record.isWaiting = false
      this.#closeWindows(record, hasFractions)
      record.lastDataMs = endMs
    }
  }

  /** Closes windows; those in which nothing happened only tell that the series lives. */
  #closeWindows({ id, windows }: CounterRecord, hasFractions: boolean): void {
    if (windows?.isOpen !== true) return
    const row = this.#rowOf(id)
    const whole = row < 0 ? 0n : this.#grownBy(row)
    const isFractional = row >= 0 && hasFractions && windows.hasFractions
    const delta = windows.close(whole)
    if (whole === 0n && !isFractional) return
    if (isFractional) this.#fractionRows.add(row)
    if (delta !== exact(whole)) this.#fractions.set(id, delta)
  }

  #grownBy(row: number): bigint {
    const [total, last] = [this.#totals[row]!, this.#last[row]!]
    return total < last ? total : total - last
  }

  /** Finds the row of a series, or -1; ids rise. */
  #rowOf(id: number): number {
    let [low, high] = [0, this.#count - 1]
    while (low <= high) {
      const middle = (low + high) >>> 1
      const found = this.#rowIds[middle]!
      if (found === id) return middle
      if (found < id) low = middle + 1
      else high = middle - 1
    }
    return -1
  }

  /** Closes the cells of what was read, in steps. */
  *close(builder: FrameBuilder, endMs: number): Task {
    let count = 0
    for (let row = 0; row < this.#count; row += ROWS_PER_STEP) {
      count = this.#closeRows(row, Math.min(row + ROWS_PER_STEP, this.#count), count, endMs)
      yield
    }
    const deltas = this.#deltas.subarray(0, count)
    builder.counters(this.#ids.subarray(0, count), deltas, this.#fractions)
    for (const record of this.#cumulative) {
      if (record.reading!.takeFreshness()) record.lastDataMs = endMs
    }
    const totals = this.#totals
    this.#totals = this.#last
    this.#last = totals
  }

  /**
   * Finds the deltas of some rows.
   * @param count cells found before
   * @returns cells found so far
   */
  #closeRows(first: number, end: number, count: number, endMs: number): number {
    const totals = new Uint32Array(this.#totals.buffer)
    const last = new Uint32Array(this.#last.buffer)
    const deltas = new Uint32Array(this.#deltas.buffer)
    const ids = this.#ids
    const hasFractions = this.#fractionRows.size > 0
    for (let row = first; row < end; row++) {
      const low = totals[2 * row]!
      const high = totals[2 * row + 1]!
      let lastLow = last[2 * row]!
      let lastHigh = last[2 * row + 1]!
      if (low === lastLow && high === lastHigh) {
        if (!hasFractions || !this.#fractionRows.has(row)) continue
      }
      if (high < lastHigh || (high === lastHigh && low < lastLow)) {
        this.#noteFall(this.#rowIds[row]!, endMs)
        lastLow = 0
        lastHigh = 0
      }
      this.#store.heard(this.#rowIds[row]!, endMs)
      ids[count] = this.#rowIds[row]!
      deltas[2 * count] = low - lastLow
      deltas[2 * count + 1] = high - lastHigh - (low < lastLow ? 1 : 0)
      count++
    }
    return count
  }

  /** Notes a fall. Only a wrapping counter can: it began anew, and counts from 0. */
  #noteFall(id: number, endMs: number): void {
    const record = this.#store.get(id)
    if (record?.kind !== 'counter') return
    record.falls = { count: (record.falls?.count ?? 0) + 1, lastMs: endMs }
  }
}
