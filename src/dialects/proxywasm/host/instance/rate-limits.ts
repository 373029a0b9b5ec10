/** How much a filter may do in a second: log, and be built anew. */
import type { Clock } from '../../../../time/clock.ts'
import type { LogLevel } from '../abi.ts'
import { type FilterLogLine, LOG_LINES_PER_SECOND, STARTS_PER_SECOND } from '../options.ts'
import type { FilterCounts } from '../statistics.ts'

const NS_PER_SECOND = 1_000_000_000n

/** Gate for a filter's log, against floods: lines above the limit are counted. */
export class LogGate {
  readonly #clock: Clock
  readonly #counts: FilterCounts
  readonly #onLine: ((line: FilterLogLine) => void) | undefined
  #second = -1n
  #lines = 0

  constructor(clock: Clock, counts: FilterCounts, onLine?: (line: FilterLogLine) => void) {
    this.#clock = clock
    this.#counts = counts
    this.#onLine = onLine
  }

  write(level: LogLevel, text: string): void {
    const second = this.#clock.monotonicNs() / NS_PER_SECOND
    if (second !== this.#second) {
      this.#second = second
      this.#lines = 0
    }
    this.#counts.add('logLines')
    if (++this.#lines > LOG_LINES_PER_SECOND) this.#counts.add('logLinesDropped')
    else this.#onLine?.({ level, text })
  }
}

/** Limit of how often a filter may be built anew: so many times within any second. */
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
