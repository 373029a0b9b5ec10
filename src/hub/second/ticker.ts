/**
 * Whole seconds of the wall clock, as they end. The clock may be set (by hand, by NTP, after the
 * machine slept): the seconds follow it, and the step is told. What is counted in between belongs
 * to the second that ends then; how long that really was is taken from the monotonic clock.
 *
 *   due        look                       due
 *   |———————————▏—————————————————————————|      in time: it is the second's end
 *   |—————————————————————▏———————————————|      nearer to the next one: the interval goes on
 *   |——————————|——————————|———▏———————————|      seconds whose ends were not seen are a gap
 */
import type { Clock } from '../../time/clock.ts'

const SECOND_MS = 1000
/** Difference that makes a step, ms: of the wall clock to the monotonic one between two looks. */
const STEP_MS = 1000
/**
 * Lateness of a look that only a process has which stood still, ms: stopped, or on a machine that
 * was. Nothing of the hub holds its event loop for a tenth of that.
 */
const STANDSTILL_MS = 2000

interface TickEvents {
  /**
   * Called when seconds have passed: one, or two where the look at the first came too late to be
   * its end. A late wake-up is a longer interval and stays on the grid; nothing is made up for in
   * a burst.
   */
  boundary(endMs: number, seconds: number): void
  /**
   * Called when the process has stood still for so many seconds, which are a gap. What was counted
   * before, in a second whose end it did not see, is in the first one behind the gap, with all that
   * has come meanwhile.
   */
  standstill(seconds: number): void
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
  /** Wall time of the next one. */
  #dueMs: number
  /** Whether that was put off, since the look at the one before came too late. */
  #isPutOff = false
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
    this.#dueMs = this.#boundaryMs + SECOND_MS
  }

  /** Interval that has not ended. */
  get open(): { readonly endMs: number; readonly seconds: number } {
    return { endMs: this.#dueMs, seconds: (this.#dueMs - this.#boundaryMs) / SECOND_MS }
  }

  start(events: TickEvents): void {
    const waitMs = this.#dueMs - this.#clock.wallMs()
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
      const passedMs = Number(ns - this.#boundaryNs) / 1e6
      const isWatched = passedMs < SECOND_MS + STANDSTILL_MS
      events.step(Math.round(stepMs))
      const endMs = Math.floor(wallMs / SECOND_MS) * SECOND_MS
      this.#end(endMs, isWatched ? Math.round(passedMs / SECOND_MS) : 1, events)
      return
    }
    const lateMs = wallMs - this.#dueMs
    if (lateMs >= 0) this.#lookAtEnd(lateMs, events)
  }

  #lookAtEnd(lateMs: number, events: TickEvents): void {
    const endMs = this.#dueMs + Math.floor(lateMs / SECOND_MS) * SECOND_MS
    if (lateMs >= STANDSTILL_MS) {
      events.standstill((endMs - this.#boundaryMs) / SECOND_MS)
      this.#moveTo(endMs)
    }
    // once: a loop that is always late would never see an end
    if (lateMs >= SECOND_MS / 2 && !this.#isPutOff) {
      this.#isPutOff = true
      this.#dueMs = endMs + SECOND_MS
    } else this.#end(endMs, (endMs - this.#boundaryMs) / SECOND_MS, events)
  }

  #end(endMs: number, seconds: number, events: TickEvents): void {
    this.#isPutOff = false
    this.#moveTo(endMs)
    this.#dueMs = endMs + SECOND_MS
    events.boundary(endMs, Math.max(1, seconds))
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
