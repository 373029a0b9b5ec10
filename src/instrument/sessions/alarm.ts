/** One timer for all sessions, set to the earliest boundary of any. */
import type { Clock } from '../../time/clock.ts'

/** Longest delay a platform timer takes, 2^31 - 1 ms (24.8 days); one above it fires at once. */
const DELAY_MS_MAX = 2_147_483_647

/**
 * A boundary may come this early (eventcounters.md §4.3): timers count in milliseconds and may be
 * one short.
 */
const EARLY_NS = 1_000_000n

export class Alarm {
  readonly #clock: Clock
  readonly #onTime: (reachedNs: bigint) => void
  #atNs: bigint | undefined
  #cancel: (() => void) | undefined

  /**
   * @param onTime called with the time that counts as reached: now, or the moment that the alarm
   *   was set to, when that is less than 1 ms ahead. So it is early for no other series: to open a
   *   session does not shift the boundaries of another.
   */
  constructor(clock: Clock, onTime: (reachedNs: bigint) => void) {
    this.#clock = clock
    this.#onTime = onTime
  }

  /** @param atNs undefined = nothing to wait for */
  set(atNs: bigint | undefined): void {
    if (atNs === this.#atNs) return
    this.#cancel?.()
    this.#cancel = undefined
    this.#atNs = atNs
    if (atNs === undefined) return
    const delayMs = Number(atNs - this.#clock.monotonicNs()) / 1e6
    this.#cancel = this.#clock.after(Math.min(Math.max(delayMs, 0), DELAY_MS_MAX), () => {
      this.#cancel = undefined
      this.#atNs = undefined
      const nowNs = this.#clock.monotonicNs()
      this.#onTime(atNs > nowNs && atNs - nowNs <= EARLY_NS ? atNs : nowNs)
    })
  }
}
