/** How much a filter may do in a second: log, and be built anew; and how long it waits for that. */
import { Backoff } from '../../../../time/backoff.ts'
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

/** Calls in a row that may take too long before the filter has to wait. */
const TIMEOUTS_FORGIVEN = 3
/** Life without such a call after which earlier ones are forgotten. */
const FORGIVEN_AFTER_NS = 60n * NS_PER_SECOND
const PAUSES = { reconnectFirstMs: 1000, reconnectLimitMs: 60_000, reconnectJitter: 0.2 }

/**
 * Pauses of a filter whose calls take too long: each of them costs a core for all of its time. A
 * few are forgiven; then it waits before it is started again, longer each time.
 */
export class TimeoutPauses {
  readonly #clock: Clock
  readonly #backoff: Backoff
  #inARow = 0
  #untilNs: bigint

  /** @param random uniform in [0, 1) */
  constructor(clock: Clock, random: () => number = Math.random) {
    this.#clock = clock
    this.#backoff = new Backoff(PAUSES, random)
    this.#untilNs = clock.monotonicNs()
  }

  /** Time until the filter may be started again, ms; 0 = now. */
  get restMs(): number {
    const restNs = Number(this.#untilNs - this.#clock.monotonicNs())
    return Math.max(0, Math.ceil(restNs / 1e6))
  }

  /**
   * Takes note of a call that took too long.
   * @param startedNs when the instance that made it was started
   * @returns the pause that begins now, ms
   */
  timedOut(startedNs: bigint): number {
    const nowNs = this.#clock.monotonicNs()
    if (nowNs - startedNs >= FORGIVEN_AFTER_NS) {
      this.#inARow = 0
      this.#backoff.reset()
    }
    if (++this.#inARow <= TIMEOUTS_FORGIVEN) return 0
    const pauseMs = Math.round(this.#backoff.nextMs())
    this.#untilNs = nowNs + BigInt(pauseMs) * 1_000_000n
    return pauseMs
  }
}
