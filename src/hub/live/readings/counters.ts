/** The last readings of counters, and the cells of those that have grown since. */
import { type Exact, exact } from '../../../model/index.ts'
import type { ZoneReader } from '../../../shm/index.ts'
import type { CounterWindows } from '../../ingest/windows/counter-windows.ts'
import type { WindowedSeries } from '../../ingest/windows/windows.ts'
import type { CounterRecord } from '../../series/record.ts'
import type { FrameBuilder } from '../frame.ts'
import { compact, grown, type IsKept } from './column.ts'

/**
 * Readings of counters, all at once, into typed arrays that stay: a tick makes no garbage per
 * counter.
 */
export class CounterReadings {
  readonly #records: CounterRecord[] = []
  #cumulative: CounterRecord[] = []
  #metrics = new Uint32Array(0)
  #totals = new BigUint64Array(0)
  #last = new BigUint64Array(0)
  // Of the cells of one tick; as long as the column.
  #ids = new Uint32Array(0)
  #deltas = new BigUint64Array(0)
  #fractions = new Map<number, Exact>()

  add(record: CounterRecord): void {
    const row = this.#records.length
    if (row === this.#metrics.length) {
      this.#metrics = grown(this.#metrics)
      this.#last = grown(this.#last)
      this.#totals = new BigUint64Array(this.#metrics.length)
      this.#ids = new Uint32Array(this.#metrics.length)
      this.#deltas = new BigUint64Array(this.#metrics.length)
    }
    this.#records.push(record)
    this.#metrics[row] = record.metric
    this.#last[row] = 0n
    if (record.reading !== undefined) this.#cumulative.push(record)
  }

  retain(isKept: IsKept): void {
    compact(this.#records, isKept, (from, to) => {
      this.#metrics[to] = this.#metrics[from]!
      this.#last[to] = this.#last[from]!
    })
    this.#cumulative = this.#cumulative.filter(isKept)
  }

  /** @param windowed those that had windows in this interval */
  close(
    reader: ZoneReader,
    builder: FrameBuilder,
    endMs: number,
    { counters, hasFractions }: WindowedSeries,
  ): void {
    reader.counters(this.#metrics.subarray(0, this.#records.length), this.#totals)
    this.#fractions = new Map()
    const count = this.#findDeltas(endMs, hasFractions)
    const deltas = this.#deltas.subarray(0, count)
    builder.counters(this.#ids.subarray(0, count), deltas, this.#fractions)
    this.#closeUnchanged(counters, endMs)
    for (const record of this.#cumulative) {
      if (record.reading!.takeFreshness()) record.lastDataMs = endMs
    }
    const totals = this.#totals
    this.#totals = this.#last
    this.#last = totals
  }

  /** Finds the deltas. Only a wrapping counter can fall: it began anew, and counts from 0. */
  #findDeltas(endMs: number, hasFractions: boolean): number {
    const records = this.#records
    const totals = this.#totals
    const last = this.#last
    const ids = this.#ids
    const deltas = this.#deltas
    let count = 0
    for (let row = 0; row < records.length; row++) {
      const isSame = totals[row] === last[row]
      if (isSame && !(hasFractions && records[row]!.windows?.hasFractions)) continue
      const record = records[row]!
      record.lastDataMs = endMs
      if (totals[row]! < last[row]!) {
        record.falls = { count: (record.falls?.count ?? 0) + 1, lastMs: endMs }
        last[row] = 0n
      }
      ids[count] = record.id
      const whole = totals[row]! - last[row]!
      deltas[count] = whole
      const { windows } = record
      if (windows !== undefined) this.#closeWindows(record.id, windows, whole)
      count++
    }
    return count
  }

  #closeWindows(id: number, windows: CounterWindows, whole: bigint): void {
    if (!windows.isOpen) return
    const delta = windows.close(whole)
    if (delta !== exact(whole)) this.#fractions.set(id, delta)
  }

  /** Closes windows in which nothing happened: they tell that the series lives. */
  #closeUnchanged(windowed: readonly CounterRecord[], endMs: number): void {
    for (const record of windowed) {
      record.isWaiting = false
      if (record.windows?.isOpen !== true) continue
      record.windows.close(0n)
      record.lastDataMs = endMs
    }
  }
}
