/** A clock of whole nanoseconds that stands still until a test moves it. */
interface Timer {
  readonly atNs: bigint
  readonly callback: () => void
}

export class NanoClock {
  #nowNs: bigint
  #timers: Timer[] = []

  constructor(startNs: bigint) {
    this.#nowNs = startNs
  }

  /** Timers that wait; none may be left when everything has been closed. */
  get pending(): number {
    return this.#timers.length
  }

  wallNs(): bigint {
    return this.#nowNs
  }

  wallMs(): number {
    return Number(this.#nowNs) / 1e6
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { atNs: this.#nowNs + BigInt(Math.round(delayMs * 1e6)), callback }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer)
    }
  }

  /** Lets time pass; every callback that falls due by then runs at its own time. */
  moveTo(endNs: bigint): void {
    for (let timer = this.#next(endNs); timer !== undefined; timer = this.#next(endNs)) {
      const due = timer
      this.#timers = this.#timers.filter((each) => each !== due)
      if (due.atNs > this.#nowNs) this.#nowNs = due.atNs
      due.callback()
    }
    this.#nowNs = endNs
  }

  /** Sets the wall time, forwards or back, and wakes nobody. */
  set(nowNs: bigint): void {
    this.#nowNs = nowNs
  }

  #next(endNs: bigint): Timer | undefined {
    return this.#timers
      .filter(({ atNs }) => atNs <= endNs)
      .toSorted((a, b) => (a.atNs < b.atNs ? -1 : a.atNs > b.atNs ? 1 : 0))[0]
  }
}
