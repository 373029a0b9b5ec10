/**
 * Wall time of samples: base + t, where the base is the smallest (arrival - t) of the last minute,
 * the one packet that was delayed least. Kept as one minimum per second of arrival.
 */
const SECONDS = 60

export class TimeBase {
  readonly #minima = new Float64Array(SECONDS).fill(Number.POSITIVE_INFINITY)
  #newest = Number.NEGATIVE_INFINITY
  #base = Number.POSITIVE_INFINITY

  /**
   * Converts a sample's time to wall time in ms.
   * @param t nanoseconds on the server's time base
   * @param arrivalMs wall time of its arrival
   */
  wallMs(t: bigint, arrivalMs: number): number {
    const tMs = Number(t) / 1e6
    this.#advance(Math.floor(arrivalMs / 1000))
    const slot = this.#newest % SECONDS
    const distance = arrivalMs - tMs
    if (distance < this.#minima[slot]!) this.#minima[slot] = distance
    if (distance < this.#base) this.#base = distance
    return this.#base + tMs
  }

  /** Forgets the seconds that are a minute old; a clock that was set back stays in its second. */
  #advance(second: number): void {
    if (second <= this.#newest) return
    const from = Math.max(this.#newest + 1, second - SECONDS + 1)
    for (let each = from; each <= second; each++) {
      this.#minima[each % SECONDS] = Number.POSITIVE_INFINITY
    }
    this.#newest = second
    this.#base = this.#minima.reduce((least, each) => Math.min(least, each))
  }
}
