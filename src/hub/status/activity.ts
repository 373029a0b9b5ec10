/**
 * Who sends, and how much: per dialect the measurements of each of the last 60 seconds, per source
 * the time of its last data (of the 1,000 heard last), per ingest thread what it took in the last
 * second.
 */
import type { WorkerStatus } from './status.ts'

const RECENT_SECONDS = 60
const SOURCES_LIMIT = 1000

interface SourceActivity {
  readonly address: string
  readonly dialect: string
  readonly lastDataMs: number
}

export class Activity {
  readonly dialect: string
  readonly #sources = new Map<string, SourceActivity>()
  readonly #recent: number[] = []
  #endMs = 0
  #total = 0
  #lastDataMs: number | undefined

  constructor(dialect: string) {
    this.dialect = dialect
  }

  /** Last 60 seconds, oldest first; fewer behind a gap in time. */
  get recent(): readonly number[] {
    return this.#recent
  }

  get ratePerSecond(): number {
    return this.#recent.at(-1) ?? 0
  }

  get lastDataMs(): number | undefined {
    return this.#lastDataMs
  }

  sources(): IterableIterator<SourceActivity> {
    return this.#sources.values()
  }

  #heard(address: string, nowMs: number): void {
    this.#sources.delete(address)
    if (this.#sources.size >= SOURCES_LIMIT) {
      this.#sources.delete(this.#sources.keys().next().value!)
    }
    this.#sources.set(address, { address, dialect: this.dialect, lastDataMs: nowMs })
  }

  /** Closes an interval, told the count of all measurements so far and who spoke in it. */
  close(total: number, sources: Iterable<string>, endMs: number, seconds: number): void {
    for (const address of sources) this.#heard(address, endMs)
    const gained = total - this.#total
    this.#total = total
    if (gained > 0) this.#lastDataMs = endMs
    if (endMs - seconds * 1000 !== this.#endMs) this.#recent.length = 0
    this.#endMs = endMs
    for (let i = 0; i < Math.min(seconds, RECENT_SECONDS); i++) {
      if (this.#recent.length === RECENT_SECONDS) this.#recent.shift()
      this.#recent.push(gained / seconds)
    }
  }
}

/** An ingest thread as its pool knows it. */
export type WorkerReading = Omit<WorkerStatus, 'ratePerSecond'>

/** Rates of ingest threads, from totals read once a second. */
export class WorkerRates {
  /** Totals by thread. */
  #totals: readonly number[] = []
  #rates: readonly number[] = []

  /** Closes an interval of so many seconds. */
  close(workers: readonly WorkerReading[], seconds: number): void {
    const totals = workers.map(({ measurements }) => measurements)
    this.#rates = totals.map((total, thread) => (total - (this.#totals[thread] ?? 0)) / seconds)
    this.#totals = totals
  }

  describe(workers: readonly WorkerReading[]): WorkerStatus[] {
    return workers.map((worker, thread) => ({
      ...worker,
      ratePerSecond: this.#rates[thread] ?? 0,
    }))
  }
}
