/** How often a filter may be built anew: so many times within any second. */
import type { Clock } from '../../../../time/clock.ts'
import { STARTS_PER_SECOND } from '../options.ts'

const NS_PER_SECOND = 1_000_000_000n

export class StartLimit {
  readonly #clock: Clock
  /** Times of the latest starts, the oldest first. */
  readonly #startsNs: bigint[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** @returns false when there were too many within the second that ends now */
  take(): boolean {
    const now = this.#clock.monotonicNs()
    const oldest = this.#startsNs[0]
    if (this.#startsNs.length >= STARTS_PER_SECOND && oldest !== undefined) {
      if (now - oldest < NS_PER_SECOND) return false
      this.#startsNs.shift()
    }
    this.#startsNs.push(now)
    return true
  }
}
