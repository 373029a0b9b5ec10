/** The way to a peer whose address was given: reached or not, since when, and why not. */
import type { Clock } from './clock.ts'

export interface LinkStatus {
  readonly isConnected: boolean
  /** Time since which it is so, Unix ms. */
  readonly sinceMs: number
  /** False for a peer that was never reached. */
  readonly wasReached: boolean
  /** Reason for the last failure, while there is no connection. */
  readonly reason?: string
  /** Time of the next attempt, Unix ms; absent while one is under way. */
  readonly nextTryMs?: number
}

export class LinkState {
  readonly #clock: Pick<Clock, 'wallMs'>
  #status: LinkStatus

  constructor(clock: Pick<Clock, 'wallMs'>) {
    this.#clock = clock
    this.#status = { isConnected: false, sinceMs: clock.wallMs(), wasReached: false }
  }

  get status(): LinkStatus {
    return this.#status
  }

  /** Notes that the peer is there. */
  connected(): void {
    if (this.#status.isConnected) return
    this.#status = { isConnected: true, sinceMs: this.#clock.wallMs(), wasReached: true }
  }

  /** Notes that another attempt is under way. */
  trying(): void {
    const { nextTryMs: _, ...rest } = this.#status
    this.#status = rest
  }

  /**
   * Notes that the peer is gone, or was not reached.
   * @param retryMs pause until the next attempt
   */
  failed(reason: string, retryMs?: number): void {
    const nowMs = this.#clock.wallMs()
    const { isConnected, sinceMs, wasReached } = this.#status
    this.#status = {
      ...{ isConnected: false, sinceMs: isConnected ? nowMs : sinceMs, wasReached, reason },
      ...(retryMs === undefined ? {} : { nextTryMs: nowMs + Math.ceil(retryMs) }),
    }
  }
}
