/**
 * The open window of one item: 65 bins, least and greatest latency (§4.3). Recording never throws
 * and allocates nothing.
 */
import type { Exact } from '../../../model/index.ts'
import { binOf, wholeLatency } from '../codec/binning.ts'
import { BINS, type Binning, NO_MAX, NO_MIN } from '../spec.ts'

export class LatencyWindow {
  /** Counts; exact up to 2^53 samples a window. */
  readonly bins = new Float64Array(BINS)
  /** Minimum as sent where there are no samples. */
  minNs: Exact = NO_MIN
  maxNs: Exact = NO_MAX
  isEmpty = true
  readonly #binning: Binning

  constructor(binning: Binning) {
    this.#binning = binning
  }

  /** @returns false for what is no latency, which is left out */
  record(latencyNs: Exact): boolean {
    const whole = wholeLatency(latencyNs, this.#binning)
    if (whole === undefined) return false
    const bin = binOf(whole, this.#binning)
    this.bins[bin] = this.bins[bin]! + 1
    if (this.isEmpty || whole < this.minNs) this.minNs = whole
    if (this.isEmpty || whole > this.maxNs) this.maxNs = whole
    this.isEmpty = false
    return true
  }

  /** Counts messages that have no latency, as of a source: bin 0. */
  count(messages: number): boolean {
    if (!Number.isSafeInteger(messages) || messages < 0) return false
    if (messages === 0) return true
    this.bins[0] = this.bins[0]! + messages
    this.minNs = 0
    if (this.isEmpty) this.maxNs = 0
    this.isEmpty = false
    return true
  }

  clear(): void {
    this.bins.fill(0)
    this.minNs = NO_MIN
    this.maxNs = NO_MAX
    this.isEmpty = true
  }
}
