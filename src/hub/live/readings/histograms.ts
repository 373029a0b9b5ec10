/** The last readings of histograms in the zone, and the cells of those that have gained since. */
import {
  type BoundedBins,
  type Bounds,
  binsHistogram,
  boundedHistogram,
  type Exact,
  Histogram,
  histogramGain,
} from '../../../model/index.ts'
import type { BinsReading, DenseReading, WindowReading, ZoneReader } from '../../../shm/index.ts'
import { PlainCopy, PlainGain } from '../../../shm/reading/plain-reading.ts'
import type { HistogramRecord } from '../../series/record.ts'
import type { Task } from '../../tasks/task.ts'
import type { FrameBuilder } from '../frame.ts'
import { grown, type Heard, type IsKept, LastReadings, SeriesRows } from './column.ts'

/** Histograms between two looks at the clock: a tenth of a millisecond. */
const ROWS_PER_STEP = 64
const DENSE_PER_STEP = 128
const NOTHING = new Histogram()

/**
 * Readings of histograms. Nearly all are read the quick way, from a slot into arrays that stay;
 * what that can't take is read as a histogram, and a row may change from one way to the other.
 */
export class HistogramReadings extends LastReadings<PlainCopy | Histogram> {
  readonly #heard: Heard
  readonly #plain = new PlainGain()
  readonly #gain = new Histogram()
  readonly #window: WindowReading = { min: Number.NaN, max: Number.NaN, isExact: true }

  constructor(heard: Heard) {
    super()
    this.#heard = heard
  }

  /** Gives the copy of a row that is read the quick way. */
  #copyOf(row: number): PlainCopy | undefined {
    const last = this.last[row]
    if (last !== undefined) return last instanceof PlainCopy ? last : undefined
    const copy = new PlainCopy()
    this.last[row] = copy
    return copy
  }

  /**
   * Closes cells in steps: each histogram with what it holds when its turn comes.
   * @param window the window that ends with this interval; most histograms were not in it
   */
  *close(reader: ZoneReader, builder: FrameBuilder, endMs: number, window: number): Task {
    const gain = this.#plain
    const { ids, metrics } = this.rows
    for (let row = 0; row < this.last.length; row++) {
      if (row % ROWS_PER_STEP === 0) yield
      const id = ids[row]!
      const copy = this.#copyOf(row)
      const outcome =
        copy === undefined ? 'general' : reader.gain(metrics[row]!, window, copy, gain)
      if (outcome === 'silent') continue
      if (outcome === 'general') {
        if (!this.#closeGeneral(row, reader, builder, window)) continue
      } else if (gain.count === 0) continue
      else builder.histogramGain(id, gain)
      this.#heard(id, endMs)
    }
  }

  #closeGeneral(row: number, reader: ZoneReader, builder: FrameBuilder, window: number): boolean {
    const id = this.rows.ids[row]!
    const metric = this.rows.metrics[row]!
    if (!reader.windowChanged(metric, window)) return false
    const total = reader.exponential(metric)
    const last = this.last[row] ?? NOTHING
    const before = last instanceof PlainCopy ? last.histogram() : last
    const gain = histogramGain(total, before, this.#gain)
    if (gain.isEmpty) return false
    this.last[row] = PlainCopy.of(total) ?? total
    reader.window(metric, window, this.#window)
    gain.min = this.#extreme(this.#window.min, total.min)
    gain.max = this.#extreme(this.#window.max, total.max)
    builder.histogram(id, gain)
    return true
  }

  /**
   * Finds an extreme. A window keeps doubles: an integer beyond 2^53 is known where the total's
   * extreme is the same. NaN, not known, when the last observations of the window before came after
   * its reading.
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
  readonly #heard: Heard
  readonly #rows = new SeriesRows()
  #last = new BigUint64Array(0)
  readonly #gain = { counts: new BigUint64Array(SUM_AT), sum: 0n }

  constructor(heard: Heard) {
    this.#heard = heard
  }

  add(record: HistogramRecord): void {
    const at = this.#rows.add(record) * WORDS
    if (at === this.#last.length) this.#last = grown(this.#last, WORDS)
    this.#last.fill(0n, at, at + WORDS)
  }

  *retain(isKept: IsKept): Task {
    yield* this.#rows.retain(isKept, (from, to) => {
      this.#last.copyWithin(to * WORDS, from * WORDS, (from + 1) * WORDS)
    })
  }

  *close(reader: ZoneReader, builder: FrameBuilder, endMs: number): Task {
    const { count, ids, metrics } = this.#rows
    for (let row = 0; row < count; row++) {
      if (row % DENSE_PER_STEP === DENSE_PER_STEP - 1) yield
      if (!this.#takeGain(row * WORDS, reader.dense(metrics[row]!))) continue
      this.#heard(ids[row]!, endMs)
      builder.histogram(ids[row]!, binsHistogram(this.#gain))
    }
  }

  /** Takes the gain; false when no bin has any. */
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

/** Histograms between bounds of their own: few, so each last reading is an object. */
export class BoundedReadings extends LastReadings<BoundedBins> {
  readonly #heard: Heard

  constructor(heard: Heard) {
    super()
    this.#heard = heard
  }

  *close(reader: ZoneReader, builder: FrameBuilder, endMs: number): Task {
    const { ids, metrics } = this.rows
    for (let row = 0; row < this.last.length; row++) {
      if (row % DENSE_PER_STEP === DENSE_PER_STEP - 1) yield
      const last = this.last[row]
      const total = boundedBins(reader.bins(metrics[row]!), last?.bounds)
      this.last[row] = total
      const counts = total.counts.map((count, i) => count - (last?.counts[i] ?? 0n))
      if (!counts.some((count) => count > 0n)) continue
      const sum = BigInt.asUintN(64, BigInt(total.sum) - BigInt(last?.sum ?? 0))
      this.#heard(ids[row]!, endMs)
      builder.histogram(ids[row]!, boundedHistogram({ bounds: total.bounds, counts, sum }))
    }
  }
}

/**
 * Makes of a zone's bins those of the model, which has no bound for what is greater than all.
 * @param bounds those of an earlier reading: a metric's own do not change
 */
export function boundedBins(
  { bounds, counts, sum }: BinsReading,
  held: Bounds = bounds.slice(0, -1),
): BoundedBins {
  return { bounds: held, counts, sum }
}
