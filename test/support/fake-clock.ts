/** A clock that stands still until a test moves it; callbacks run in the order of their times. */
import type { Clock } from '../../src/time/clock.ts'

interface Timer {
  readonly atMs: number
  readonly callback: () => void
}

export class FakeClock implements Clock {
  /** Wall time at the start, a whole second. */
  readonly startMs: number
  #elapsedMs = 0
  #aheadMs = 0
  #timers: Timer[] = []

  constructor(startMs = 1_700_000_000_000) {
    this.startMs = startMs
  }

  /** Timers that wait; none may be left when everything has been closed. */
  get pending(): number {
    return this.#timers.length
  }

  monotonicNs(): bigint {
    return BigInt(Math.round(this.#elapsedMs * 1e6))
  }

  wallMs(): number {
    return this.startMs + this.#elapsedMs + this.#aheadMs
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { atMs: this.#elapsedMs + delayMs, callback }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer)
    }
  }

  /** Sets the wall clock, as a person or NTP does; the monotonic one knows nothing of it. */
  setWall(byMs: number): void {
    this.#aheadMs += byMs
  }

  /** Lets time pass; every callback that falls due runs at its own time. */
  advance(ms: number): void {
    const endMs = this.#elapsedMs + ms
    for (let timer = this.#next(endMs); timer !== undefined; timer = this.#next(endMs)) {
      this.#timers = this.#timers.filter((each) => each !== timer)
      this.#elapsedMs = Math.max(this.#elapsedMs, timer.atMs)
      timer.callback()
    }
    this.#elapsedMs = endMs
  }

  /** Lets time pass without waking anyone until its end: what a blocked event loop looks like. */
  stall(ms: number): void {
    this.pass(ms)
    this.advance(0)
  }

  /** Lets time pass and wakes nobody, not even at its end: inside of a stall. */
  pass(ms: number): void {
    this.#elapsedMs += ms
  }

  #next(endMs: number): Timer | undefined {
    let first: Timer | undefined
    for (const timer of this.#timers) {
      if (timer.atMs <= endMs && (first === undefined || timer.atMs < first.atMs)) first = timer
    }
    return first
  }
}
