/**
 * Log of what peers cause again and again: each message of ours once a minute, with the number of
 * times since the last one. What comes after the last line is told with the next time.
 */
import type { Clock } from '../time/clock.ts'

const PAUSE_NS = 60_000_000_000n

interface Message {
  readonly atNs: bigint
  untold: number
}

type WriteLine = (message: string, facts: Readonly<Record<string, unknown>>) => void

export class MinuteLog {
  readonly #clock: Pick<Clock, 'monotonicNs'>
  readonly #write: WriteLine
  readonly #messages = new Map<string, Message>()

  constructor(clock: Pick<Clock, 'monotonicNs'>, write: WriteLine) {
    this.#clock = clock
    this.#write = write
  }

  /**
   * Notes that something happened once more.
   * @param message text of ours, one of few
   * @param facts of this time, which stand in the line if one is due
   */
  note(message: string, facts: Readonly<Record<string, unknown>> = {}): void {
    const nowNs = this.#clock.monotonicNs()
    const known = this.#messages.get(message)
    if (known !== undefined && nowNs - known.atNs < PAUSE_NS) {
      known.untold++
      return
    }
    this.#messages.set(message, { atNs: nowNs, untold: 0 })
    this.#write(message, { ...facts, count: 1 + (known?.untold ?? 0) })
  }
}
