/** What a filter logs, as far as it does not flood: so many lines a second, the others counted. */
import type { Clock } from '../../../../time/clock.ts'
import type { LogLevel } from '../abi.ts'
import { type FilterLogLine, LOG_LINES_PER_SECOND } from '../options.ts'
import type { FilterCounts } from '../statistics.ts'

const NS_PER_SECOND = 1_000_000_000n

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
