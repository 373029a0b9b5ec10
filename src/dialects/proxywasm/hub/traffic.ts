/**
 * Invented requests at a steady rate, one at a time. A filter that is slower than the rate gets
 * fewer: what it misses in a step of the clock is not made up for.
 */

import type { Clock } from '../../../time/clock.ts'
import type { FilterRequest } from '../host/stream/exchange.ts'

/** Pause between looks for requests that are due, ms. */
const STEP_MS = 50

const PATHS = ['/', '/search?q=lamp', '/product/17', '/cart', '/pay'] as const
const METHODS = ['GET', 'GET', 'GET', 'POST', 'POST'] as const

/** Makes the n-th invented request: what a shop's front would see. */
export function inventedRequest(n: number): FilterRequest {
  const place = n % PATHS.length
  return {
    headers: [
      [':method', METHODS[place]!],
      [':path', PATHS[place]!],
      [':authority', 'shop.example'],
      [':scheme', 'http'],
      ['user-agent', 'pentameter'],
      ['x-request-id', String(n)],
    ],
  }
}

export class Traffic {
  readonly #clock: Clock
  readonly #ratePerSecond: number
  readonly #send: (request: FilterRequest) => Promise<unknown>
  #sent = 0
  #due = 0
  #isBusy = false
  #cancel: (() => void) | undefined

  /** @param send resolves when the request is done; must not reject */
  constructor(
    clock: Clock,
    ratePerSecond: number,
    send: (request: FilterRequest) => Promise<unknown>,
  ) {
    this.#clock = clock
    this.#ratePerSecond = ratePerSecond
    this.#send = send
  }

  start(): void {
    if (this.#ratePerSecond > 0) this.#schedule()
  }

  stop(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }

  #schedule(): void {
    this.#cancel = this.#clock.after(STEP_MS, () => {
      this.#schedule()
      void this.#step()
    })
  }

  async #step(): Promise<void> {
    if (this.#isBusy) return
    this.#isBusy = true
    this.#due += (this.#ratePerSecond * STEP_MS) / 1000
    for (; this.#due >= 1 && this.#cancel !== undefined; this.#due--) {
      await this.#send(inventedRequest(this.#sent++))
    }
    this.#isBusy = false
  }
}
