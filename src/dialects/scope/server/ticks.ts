/**
 * When one viewer's snapshots are due: at start + k * interval, with `t` = k * interval. A wake-up
 * that comes late sends one snapshot for all ticks it has passed; the others count as missed and
 * are not made up for (the real server sends them in a burst, with equal `t` and current values).
 */
interface Tick {
  /** Nanoseconds since the start; a multiple of the interval, larger than that of the last tick. */
  readonly t: bigint
  /** Ticks between the last one and this. */
  readonly missed: number
}

const NS_PER_MS = 1_000_000

export class Schedule {
  /** The effective interval. */
  readonly intervalNs: bigint
  /** Number of the last tick sent. */
  #last = -1n

  constructor(requestedNs: bigint, minIntervalNs: bigint) {
    this.intervalNs = requestedNs < minIntervalNs ? minIntervalNs : requestedNs
  }

  /** Gives the tick to send now; undefined when none is due. */
  wake(elapsedNs: bigint): Tick | undefined {
    const tick = elapsedNs / this.intervalNs
    if (tick <= this.#last) return undefined
    const missed = Number(tick - this.#last) - 1
    this.#last = tick
    return { t: tick * this.intervalNs, missed }
  }

  /**
   * Computes the milliseconds until the next tick, rounded up so that the wake-up is not too early.
   * @param notBeforeNs since the start; ticks before it are let go
   */
  delayMs(elapsedNs: bigint, notBeforeNs = 0n): number {
    const next = this.#last + 1n
    const first = (notBeforeNs + this.intervalNs - 1n) / this.intervalNs
    const leftNs = (first > next ? first : next) * this.intervalNs - elapsedNs
    return leftNs <= 0n ? 0 : Math.ceil(Number(leftNs) / NS_PER_MS)
  }
}
