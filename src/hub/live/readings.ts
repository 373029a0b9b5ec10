/**
 * The last readings of the zone, one column for each kind, and the cells of what changed since.
 * Rows rise by series id, as the store numbers them; columns follow the store's list when it
 * changed.
 */
import { binsHistogram } from '../../dialects/proxywasm/map.ts'
import { type Exact, exact, Histogram, histogramGain } from '../../model/index.ts'
import type { DenseReading, GaugeReading, WindowReading, ZoneReader } from '../../shm/index.ts'
import type { CounterWindows } from '../ingest/windows/counter-windows.ts'
import type { WindowedSeries } from '../ingest/windows/windows.ts'
import type { SeriesRecord } from '../series.ts'
import type { Steps } from '../turns/steps.ts'
import type { FrameBuilder } from './frame.ts'
import type { Totals } from './totals.ts'

const NOTHING = new Histogram()
const ROWS_FIRST = 64
/** Gauges between two looks at the clock; most of them have not changed. */
const GAUGES_PER_STEP = 4096

type IsKept = (record: SeriesRecord) => boolean

/** Length of arrays by row that have no room for another one. */
function grownLength(length: number): number {
  return Math.max(ROWS_FIRST, 2 * length)
}

function grown<T extends Uint32Array | Float64Array | BigUint64Array>(column: T, size = 1): T {
  const Column = column.constructor as new (length: number) => T
  const larger = new Column(size * grownLength(column.length / size))
  larger.set(column as never)
  return larger
}

/** Moves the rows that are kept together, and tells from where to where. */
function compact(
  records: SeriesRecord[],
  isKept: IsKept,
  move: (from: number, to: number) => void,
): void {
  let kept = 0
  for (let row = 0; row < records.length; row++) {
    const record = records[row]!
    if (!isKept(record)) continue
    if (row !== kept) {
      records[kept] = record
      move(row, kept)
    }
    kept++
  }
  records.length = kept
}

/** Read all at once, into typed arrays that stay: a tick makes no garbage per counter. */
export class CounterReadings {
  readonly #records: SeriesRecord[] = []
  #cumulative: SeriesRecord[] = []
  #metrics = new Uint32Array(0)
  #totals = new BigUint64Array(0)
  #last = new BigUint64Array(0)
  // Of the cells of one tick; as long as the column.
  #ids = new Uint32Array(0)
  #deltas = new BigUint64Array(0)
  #fractions = new Map<number, Exact>()

  add(record: SeriesRecord): void {
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
      record.isWaiting = false
      if (record.counterWindows?.isOpen !== true) continue
      record.counterWindows.close(0n)
      record.lastDataMs = endMs
    }
  }
}

export class GaugeReadings {
  readonly #records: SeriesRecord[] = []
  #metrics = new Uint32Array(0)
  /** Places of the writes in the order of all: now, and at the last reading. */
  #sequences = new Float64Array(0)
  #last = new Float64Array(0)
  readonly #reading: GaugeReading = { value: Number.NaN, sequence: 0 }

  add(record: SeriesRecord): void {
    const row = this.#records.length
    if (row === this.#metrics.length) {
      this.#metrics = grown(this.#metrics)
      this.#last = grown(this.#last)
      this.#sequences = new Float64Array(this.#metrics.length)
    }
    this.#records.push(record)
    this.#metrics[row] = record.metric
    this.#last[row] = 0
  }

  retain(isKept: IsKept): void {
    compact(this.#records, isKept, (from, to) => {
      this.#metrics[to] = this.#metrics[from]!
      this.#last[to] = this.#last[from]!
    })
  }

  /** Each has the value of the moment at which its turn comes, which need not be that of others. */
  *close(reader: ZoneReader, builder: FrameBuilder, endMs: number): Steps {
    const count = this.#records.length
    for (let row = 0; row < count; row += GAUGES_PER_STEP) {
      this.#closeRows(row, Math.min(row + GAUGES_PER_STEP, count), reader, builder, endMs)
      yield
    }
  }

  #closeRows(
    first: number,
    end: number,
    reader: ZoneReader,
    builder: FrameBuilder,
    endMs: number,
  ): void {
    const reading = this.#reading
    const last = this.#last
    const sequences = this.#sequences.subarray(first, end)
    reader.gaugeSequences(this.#metrics.subarray(first, end), sequences)
    for (let row = first; row < end; row++) {
      if (sequences[row - first] === last[row]) continue
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
  readonly #records: SeriesRecord[] = []
  readonly #last: (Exact | undefined)[] = []

  add(record: SeriesRecord): void {
    this.#records.push(record)
    this.#last.push(undefined)
  }

  retain(isKept: IsKept): void {
    compact(this.#records, isKept, (from, to) => {
      this.#last[to] = this.#last[from]
    })
    this.#last.length = this.#records.length
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

/** Series with windows between two looks at the clock: half a millisecond. */
const ROWS_PER_STEP = 256

/**
 * Cells of the summaries and histograms that had windows; an empty window makes none. Nothing of
 * them is in the zone, so each is closed when its turn comes.
 * @param windowed sorted here, by id
 */
export function* closeDistributions(
  windowed: SeriesRecord[],
  builder: FrameBuilder,
  endMs: number,
): Steps {
  windowed.sort((a, b) => a.id - b.id)
  for (let i = 0; i < windowed.length; i++) {
    if (i % ROWS_PER_STEP === 0) yield
    const record = windowed[i]!
    record.isWaiting = false
    record.lastDataMs = endMs
    record.histogramWindows?.close((histogram) => builder.histogram(record.id, histogram))
    const summary = record.summaryWindows?.close()
    if (summary !== undefined && summary.count > 0) builder.summary(record.id, summary)
  }
}

/**
 * A histogram's reading is more to allocate than to take. So the reading before the last is filled
 * anew for the next histogram, and one gain serves for all.
 */
export class HistogramReadings {
  readonly #records: SeriesRecord[] = []
  readonly #last: (Histogram | undefined)[] = []
  #spare: Histogram | undefined
  readonly #gain = new Histogram()
  readonly #window: WindowReading = { min: Number.NaN, max: Number.NaN, isExact: true }

  add(record: SeriesRecord): void {
    this.#records.push(record)
    this.#last.push(undefined)
  }

  retain(isKept: IsKept): void {
    compact(this.#records, isKept, (from, to) => {
      this.#last[to] = this.#last[from]
    })
    this.#last.length = this.#records.length
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
  readonly #records: SeriesRecord[] = []
  #last = new BigUint64Array(0)
  readonly #gain = { counts: new BigUint64Array(SUM_AT), sum: 0n }

  add(record: SeriesRecord): void {
    const at = this.#records.length * WORDS
    if (at === this.#last.length) this.#last = grown(this.#last, WORDS)
    this.#records.push(record)
    this.#last.fill(0n, at, at + WORDS)
  }

  retain(isKept: IsKept): void {
    compact(this.#records, isKept, (from, to) => {
      this.#last.copyWithin(to * WORDS, from * WORDS, (from + 1) * WORDS)
    })
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
