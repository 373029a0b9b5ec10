/** The last readings of histograms in the zone, and the cells of those that have gained since. */
import { binsHistogram, type Exact, Histogram, histogramGain } from '../../../model/index.ts'
import type { DenseReading, WindowReading, ZoneReader } from '../../../shm/index.ts'
import type { HistogramRecord } from '../../series/series.ts'
import type { FrameBuilder } from '../frame.ts'
import { compact, grown, type IsKept, LastReadings } from './column.ts'

const NOTHING = new Histogram()

/**
 * A histogram's reading is more to allocate than to take. So the reading before the last is filled
 * anew for the next histogram, and one gain serves for all.
 */
export class HistogramReadings extends LastReadings<HistogramRecord, Histogram> {
  #spare: Histogram | undefined
  readonly #gain = new Histogram()
  readonly #window: WindowReading = { min: Number.NaN, max: Number.NaN, isExact: true }

  /** @param window the window that ends with this interval; most histograms were not in it */
  close(reader: ZoneReader, builder: FrameBuilder, endMs: number, window: number): void {
    const gain = this.#gain
    for (let row = 0; row < this.last.length; row++) {
      const record = this.records[row]!
      if (!reader.windowChanged(record.metric, window)) continue
      const total = reader.exponential(record.metric, this.#spare)
      this.#spare = total
      const last = this.last[row]
      histogramGain(total, last ?? NOTHING, gain)
      if (gain.isEmpty) continue
      this.last[row] = total
      this.#spare = last
      reader.window(record.metric, window, this.#window)
      gain.min = this.#extreme(this.#window.min, total.min)
      gain.max = this.#extreme(this.#window.max, total.max)
      record.lastDataMs = endMs
      builder.histogram(record.id, gain)
    }
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
  readonly #records: HistogramRecord[] = []
  #last = new BigUint64Array(0)
  readonly #gain = { counts: new BigUint64Array(SUM_AT), sum: 0n }

  add(record: HistogramRecord): void {
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
