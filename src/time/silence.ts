/**
 * Notices that something did not happen for long. One timer for as long as it is watched: it looks
 * how long ago the last sign came, so that a sign costs the reading of a clock and no new timer.
 */
import type { Clock } from './clock.ts'

export class SilenceWatch {
  readonly #clock: Clock
  readonly #limitMs: number
  readonly #onSilence: () => void
  #lastNs: bigint
  #isStopped = false
  #cancel: () => void = () => {}

  /** @param onSilence called after `limitMs` without a sign, and again after each `limitMs` more */
  constructor(clock: Clock, limitMs: number, onSilence: () => void) {
    this.#clock = clock
    this.#limitMs = limitMs
    this.#onSilence = onSilence
    this.#lastNs = clock.monotonicNs()
    this.#wait(limitMs)
  }

  /** Takes a sign of life: it has happened now. */
  sign(): void {
    this.#lastNs = this.#clock.monotonicNs()
  }

  /** Stops; idempotent; may be called while silence is told. */
  stop(): void {
    this.#isStopped = true
    this.#cancel()
  }

  #wait(delayMs: number): void {
    this.#cancel = this.#clock.after(delayMs, () => {
      const silentMs = Number(this.#clock.monotonicNs() - this.#lastNs) / 1e6
      if (silentMs < this.#limitMs) {
        this.#wait(Math.ceil(this.#limitMs - silentMs))
        return
      }
      this.#onSilence()
      if (!this.#isStopped) this.#wait(this.#limitMs)
    })
  }
}
