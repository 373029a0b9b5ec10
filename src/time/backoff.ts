/**
 * Pauses between attempts: doubled each time up to a limit, and spread so that clients do not
 * march.
 */
export interface BackoffOptions {
  readonly reconnectFirstMs: number
  readonly reconnectLimitMs: number
  /** Share of the pause by which it varies both ways. */
  readonly reconnectJitter: number
}

export class Backoff {
  readonly #options: BackoffOptions
  readonly #random: () => number
  #pauseMs: number

  /** @param random uniform in [0, 1) */
  constructor(options: BackoffOptions, random: () => number) {
    this.#options = options
    this.#random = random
    this.#pauseMs = options.reconnectFirstMs
  }

  /** Gives the next pause. */
  nextMs(): number {
    const { reconnectLimitMs, reconnectJitter } = this.#options
    const pauseMs = Math.min(this.#pauseMs, reconnectLimitMs)
    this.#pauseMs = 2 * pauseMs
    return pauseMs * (1 + reconnectJitter * (2 * this.#random() - 1))
  }

  /** Resets to the first pause, because it worked. */
  reset(): void {
    this.#pauseMs = this.#options.reconnectFirstMs
  }
}
