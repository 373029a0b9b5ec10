/**
 * The last readings of the zone, one column for each kind, and the cells of what changed since.
 * Rows rise by series id, as the store lists them; columns follow the store when its list changed.
 */
import { binsHistogram } from '../../dialects/proxywasm/map.ts'
import { type Exact, exact, Histogram, histogramGain } from '../../model/index.ts'
import type { DenseReading, GaugeReading, WindowReading, ZoneReader } from '../../shm/index.ts'
import type { CounterWindows } from '../ingest/windows/counter-windows.ts'
import type { SeriesRecord } from '../series.ts'
import type { FrameBuilder } from './frame.ts'
import type { Totals } from './totals.ts'

const NOTHING = new Histogram()

/**
 * By row of the new list, the row that the series had in the old one; -1 for a series that is new.
 */
function rowsBefore(
  records: readonly SeriesRecord[],
  old: readonly SeriesRecord[],
): readonly number[] {
  let row = 0
  return records.map(({ id }) => {
    while (row < old.length && old[row]!.id < id) row++
    return old[row]?.id === id ? row : -1
  })
}

/** Read all at once, into typed arrays that stay: a tick makes no garbage per counter. */
export class CounterReadings {
  #records: readonly SeriesRecord[] = []
  #cumulative: readonly SeriesRecord[] = []
  #metrics = new Uint32Array(0)
  #totals = new BigUint64Array(0)
  #last = new BigUint64Array(0)
  // Of the cells of one tick; as long as the column.
  #ids = new Uint32Array(0)
  #deltas = new BigUint64Array(0)
  #fractions = new Map<number, Exact>()

  follow(records: readonly SeriesRecord[]): void {
    const before = rowsBefore(records, this.#records)
    const last = this.#last
    this.#last = BigUint64Array.from(before, (row) => (row < 0 ? 0n : last[row]!))
    this.#totals = new BigUint64Array(records.length)
    this.#metrics = Uint32Array.from(records, ({ metric }) => metric)
    this.#ids = new Uint32Array(records.length)
    this.#deltas = new BigUint64Array(records.length)
    this.#cumulative = records.filter(({ reading }) => reading !== undefined)
    this.#records = records
  }

  /** @param windowed the series that had windows in this interval, of any kind */
  close(
    reader: ZoneReader,
    builder: FrameBuilder,
    endMs: number,
    windowed: readonly SeriesRecord[],
  ): void {
    reader.counters(this.#metrics, this.#totals)
    this.#fractions = new Map()
    const hasFractions = windowed.some(({ counterWindows }) => counterWindows?.hasFractions)
    const count = this.#findDeltas(endMs, hasFractions)
    const deltas = this.#deltas.subarray(0, count)
    builder.counters(this.#ids.subarray(0, count), deltas, this.#fractions)
    this.#closeUnchanged(windowed, endMs)
    for (const record of this.#cumulative) {
      if (record.reading!.takeFreshness()) record.lastDataMs = endMs
    }
    const totals = this.#totals
    this.#totals = this.#last
    this.#last = totals
  }

  /** Only a wrapping counter can fall: it began anew, and counts from 0. */
  #findDeltas(endMs: number, hasFractions: boolean): number {
    const records = this.#records
    const totals = this.#totals
    const last = this.#last
    const ids = this.#ids
    const deltas = this.#deltas
    let count = 0
    for (let row = 0; row < records.length; row++) {
      const isSame = totals[row] === last[row]
      if (isSame && !(hasFractions && records[row]!.counterWindows?.hasFractions)) continue
      const record = records[row]!
      record.lastDataMs = endMs
      if (totals[row]! < last[row]!) {
        record.falls = { count: (record.falls?.count ?? 0) + 1, lastMs: endMs }
        last[row] = 0n
      }
      ids[count] = record.id
      const whole = totals[row]! - last[row]!
      deltas[count] = whole
      const { counterWindows } = record
      if (counterWindows !== undefined) this.#closeWindows(record.id, counterWindows, whole)
      count++
    }
    return count
  }

  #closeWindows(id: number, windows: CounterWindows, whole: bigint): void {
    if (!windows.isOpen) return
    const delta = windows.close(whole)
    if (delta !== exact(whole)) this.#fractions.set(id, delta)
  }

  /** Windows in which nothing happened say that the series lives. */
  #closeUnchanged(windowed: readonly SeriesRecord[], endMs: number): void {
    for (const record of windowed) {
      if (record.counterWindows?.isOpen !== true) continue
      record.counterWindows.close(0n)
      record.lastDataMs = endMs
    }
  }
}

export class GaugeReadings {
  #records: readonly SeriesRecord[] = []
  #metrics = new Uint32Array(0)
  /** Places of the writes in the order of all: now, and at the last reading. */
  #sequences = new Float64Array(0)
  #last = new Float64Array(0)
  readonly #reading: GaugeReading = { value: Number.NaN, sequence: 0 }

  follow(records: readonly SeriesRecord[]): void {
    const last = this.#last
    const before = rowsBefore(records, this.#records)
    this.#last = Float64Array.from(before, (row) => (row < 0 ? 0 : last[row]!))
    this.#sequences = new Float64Array(records.length)
    this.#metrics = Uint32Array.from(records, ({ metric }) => metric)
    this.#records = records
  }

  close(reader: ZoneReader, builder: FrameBuilder, endMs: number): void {
    const reading = this.#reading
    const sequences = this.#sequences
    const last = this.#last
    reader.gaugeSequences(this.#metrics, sequences)
    for (let row = 0; row < last.length; row++) {
      if (sequences[row] === last[row]) continue
      const record = this.#records[row]!
      reader.gauge(record.metric, reading)
      last[row] = reading.sequence
      record.lastDataMs = endMs
      builder.gauge(record.id, reading.value)
    }
  }
}

/**
 * Shared gauges show no writes, only values: a cell is made where the value differs. One that keeps
 * its value is as fresh as its source.
 */
export class SharedGaugeReadings {
  #records: readonly SeriesRecord[] = []
  #last: (Exact | undefined)[] = []

  follow(records: readonly SeriesRecord[]): void {
    const last = this.#last
    this.#last = rowsBefore(records, this.#records).map((row) => last[row])
    this.#records = records
  }

  close(totals: Totals, builder: FrameBuilder, endMs: number): void {
    for (let row = 0; row < this.#last.length; row++) {
      const record = this.#records[row]!
      if (totals.sources.isActive(record.source)) record.lastDataMs = endMs
      const value = totals.gauge(record)
      if (value === undefined || value === this.#last[row]) continue
      this.#last[row] = value
      record.lastDataMs = endMs
      builder.gauge(record.id, value)
    }
  }
}

/** Cells of the summaries among the series that had windows; an empty window makes none. */
export function closeSummaries(
  windowed: readonly SeriesRecord[],
  builder: FrameBuilder,
  endMs: number,
): void {
  for (const record of windowed) {
    if (record.summaryWindows === undefined) continue
    const summary = record.summaryWindows.close()
    record.lastDataMs = endMs
    if (summary.count > 0) builder.summary(record.id, summary)
  }
}

/**
 * A histogram's reading is more to allocate than to take. So the reading before the last is filled
 * anew for the next histogram, and one gain serves for all.
 */
export class HistogramReadings {
  #records: readonly SeriesRecord[] = []
  #last: (Histogram | undefined)[] = []
  #spare: Histogram | undefined
  readonly #gain = new Histogram()
  readonly #window: WindowReading = { min: Number.NaN, max: Number.NaN, isExact: true }

  follow(records: readonly SeriesRecord[]): void {
    const last = this.#last
    const before = rowsBefore(records, this.#records)
    this.#last = before.map((row) => (row < 0 ? undefined : last[row]))
    this.#records = records
  }

  /** @param window the window that ends with this interval; most histograms were not in it */
  close(reader: ZoneReader, builder: FrameBuilder, endMs: number, window: number): void {
    const gain = this.#gain
    for (let row = 0; row < this.#last.length; row++) {
      const record = this.#records[row]!
      if (!reader.windowChanged(record.metric, window)) continue
      const total = reader.exponential(record.metric, this.#spare)
      this.#spare = total
      const last = this.#last[row]
      histogramGain(total, last ?? NOTHING, gain)
      if (gain.isEmpty) continue
      this.#last[row] = total
      this.#spare = last
      reader.window(record.metric, window, this.#window)
      gain.min = this.#extreme(this.#window.min, total.min)
      gain.max = this.#extreme(this.#window.max, total.max)
      record.lastDataMs = endMs
      builder.histogram(record.id, gain)
    }
  }

  /**
   * A window keeps doubles: an integer beyond 2^53 is known where the total's extreme is the same.
   * NaN, not known, when the last observations of the window before came after its reading.
   */
  #extreme(window: number, total: Exact): Exact {
    if (this.#window.isExact) return window
    return Number(total) === window ? total : Number.NaN
  }
}

const SUM_AT = 33
const WORDS = 34

/** Dense histograms: the last reading of all in one array, 33 bins and the sum (mod 2^64) each. */
export class DenseReadings {
  #records: readonly SeriesRecord[] = []
  #last = new BigUint64Array(0)
  readonly #gain = { counts: new BigUint64Array(SUM_AT), sum: 0n }

  follow(records: readonly SeriesRecord[]): void {
    const last = this.#last
    const before = rowsBefore(records, this.#records)
    this.#last = new BigUint64Array(records.length * WORDS)
    before.forEach((row, i) => {
      if (row >= 0) this.#last.set(last.subarray(row * WORDS, (row + 1) * WORDS), i * WORDS)
    })
    this.#records = records
  }

  close(reader: ZoneReader, builder: FrameBuilder, endMs: number): void {
    for (let row = 0; row < this.#records.length; row++) {
      const record = this.#records[row]!
      if (!this.#takeGain(row * WORDS, reader.dense(record.metric))) continue
      record.lastDataMs = endMs
      builder.histogram(record.id, binsHistogram(this.#gain))
    }
  }

  /** False when no bin has gained. */
  #takeGain(at: number, { bins, sum }: DenseReading): boolean {
    const last = this.#last
    const gain = this.#gain
    let hasGained = false
    for (let bin = 0; bin < SUM_AT; bin++) {
      gain.counts[bin] = bins[bin]! - last[at + bin]!
      if (gain.counts[bin] === 0n) continue
      last[at + bin] = bins[bin]!
      hasGained = true
    }
    if (!hasGained) return false
    gain.sum = BigInt.asUintN(64, sum - last[at + SUM_AT]!)
    last[at + SUM_AT] = sum
    return true
  }
}
