/**
 * Whole seconds of the wall clock, as they end. The clock may be set (by hand, by NTP, after the
 * machine slept): the seconds follow it, and the step is told. What is counted in between belongs
 * to the second that ends then; how long that really was is taken from the monotonic clock.
 */
import type { Clock } from '../../time/clock.ts'

const SECOND_MS = 1000
/** Difference that makes a step, ms: of the wall clock to the monotonic one between two looks. */
const STEP_MS = 1000

interface TickEvents {
  /**
   * Called when seconds have passed: one, or more after a standstill. A late wake-up is one longer
   * interval and stays on the grid; nothing is made up for in a burst.
   */
  boundary(endMs: number, seconds: number): void
  /**
   * Called when the wall clock was set by so much; the boundary that follows is on the new grid.
   */
  step(stepMs: number): void
}

export class Ticker {
  readonly #clock: Clock
  /** Wall time of the last boundary, a whole second. */
  #boundaryMs: number
  /** Monotonic time of the last boundary. */
  #boundaryNs: bigint
  /** Both clocks at the last look. */
  #wallMs: number
  #ns: bigint
  #cancel: (() => void) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
    this.#wallMs = clock.wallMs()
    this.#ns = clock.monotonicNs()
    this.#boundaryMs = Math.floor(this.#wallMs / SECOND_MS) * SECOND_MS
    this.#boundaryNs = this.#ns - nanoseconds(this.#wallMs - this.#boundaryMs)
  }

  get boundaryMs(): number {
    return this.#boundaryMs
  }

  start(events: TickEvents): void {
    const waitMs = this.#boundaryMs + SECOND_MS - this.#clock.wallMs()
    // a clock that has just been set back is looked at soon all the same
    const boundedMs = Math.min(SECOND_MS, Math.max(0, Math.ceil(waitMs)))
    this.#cancel = this.#clock.after(boundedMs, () => {
      this.#look(events)
      if (this.#cancel !== undefined) this.start(events)
    })
  }

  #look(events: TickEvents): void {
    const wallMs = this.#clock.wallMs()
    const ns = this.#clock.monotonicNs()
    const stepMs = wallMs - this.#wallMs - Number(ns - this.#ns) / 1e6
    this.#wallMs = wallMs
    this.#ns = ns
    if (Math.abs(stepMs) >= STEP_MS) {
      const passedS = Math.round(Number(ns - this.#boundaryNs) / 1e9)
      this.#moveTo(Math.floor(wallMs / SECOND_MS) * SECOND_MS)
      events.step(Math.round(stepMs))
      events.boundary(this.#boundaryMs, Math.max(1, passedS))
      return
    }
    const seconds = Math.floor((wallMs - this.#boundaryMs) / SECOND_MS)
    if (seconds < 1) return
    this.#moveTo(this.#boundaryMs + seconds * SECOND_MS)
    events.boundary(this.#boundaryMs, seconds)
  }

  #moveTo(boundaryMs: number): void {
    this.#boundaryMs = boundaryMs
    this.#boundaryNs = this.#ns - nanoseconds(this.#wallMs - boundaryMs)
  }

  stop(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }
}

function nanoseconds(ms: number): bigint {
  return BigInt(Math.round(ms * 1e6))
}
