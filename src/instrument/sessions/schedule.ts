/**
 * The moments at which a series has its boundaries (eventcounters.md §4.3): open time + k * T, in
 * whole nanoseconds, so that no day of boundaries drifts.
 */

const NS_PER_MS = 1_000_000n

export class Schedule {
  readonly #originNs: bigint
  readonly #stepNs: bigint
  #deadlineNs: bigint

  /**
   * @param originNs monotonic time from which the points are counted; it is not one of them
   * @param nowNs where the first boundary is the first point later than this, not than the origin
   */
  constructor(originNs: bigint, intervalMs: number, nowNs = originNs) {
    this.#originNs = originNs
    this.#stepNs = BigInt(intervalMs) * NS_PER_MS
    this.#deadlineNs = this.#pointAfter(nowNs)
  }

  get deadlineNs(): bigint {
    return this.#deadlineNs
  }

  /** Begin of the interval that ends at the deadline. */
  get beginNs(): bigint {
    return this.#deadlineNs - this.#stepNs
  }

  isDue(reachedNs: bigint): boolean {
    return this.#deadlineNs <= reachedNs
  }

  /** Moves on to the first point later than both now and the boundary that is served now. */
  serve(nowNs: bigint): void {
    this.#deadlineNs = this.#pointAfter(nowNs > this.#deadlineNs ? nowNs : this.#deadlineNs)
  }

  #pointAfter(timeNs: bigint): bigint {
    const passed = (timeNs - this.#originNs) / this.#stepNs
    return this.#originNs + (passed + 1n) * this.#stepNs
  }
}
