/** Rates of one dialect by second, kept longer than the sixty seconds that the hub sends. */
import { SECONDS_KEPT } from './series-data.ts'

export class MeterRates {
  readonly #values = new Float64Array(SECONDS_KEPT).fill(Number.NaN)
  newest = 0
  oldest = 0

  /** @param recent oldest first; the last of them is the second that ends at `second` */
  merge(second: number, recent: readonly number[]): void {
    const first = second - recent.length + 1
    const from = Math.max(this.newest + 1, second - SECONDS_KEPT + 1)
    for (let at = from; at < first; at += 1) this.#values[at % SECONDS_KEPT] = Number.NaN
    for (let i = Math.max(0, recent.length - SECONDS_KEPT); i < recent.length; i += 1) {
      this.#values[(first + i) % SECONDS_KEPT] = recent[i]!
    }
    this.newest = Math.max(this.newest, second)
    if (this.oldest === 0) this.oldest = first
  }

  at(second: number): number {
    if (second > this.newest || second <= this.newest - SECONDS_KEPT) return Number.NaN
    return this.#values[second % SECONDS_KEPT]!
  }

  copy(from: number, out: Float64Array): void {
    for (let i = 0; i < out.length; i += 1) out[i] = this.at(from + i)
  }
}
