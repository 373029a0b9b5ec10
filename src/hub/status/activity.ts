/**
 * Who sends, and how much: per dialect the measurements of each of the last 60 seconds, per source
 * the time of its last data. Bounded: the 1,000 sources heard last.
 */
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
  #total = 0
  #lastDataMs: number | undefined

  constructor(dialect: string) {
    this.dialect = dialect
  }

  /** Last 60 seconds, oldest first. */
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
    for (let i = 0; i < Math.min(seconds, RECENT_SECONDS); i++) {
      if (this.#recent.length === RECENT_SECONDS) this.#recent.shift()
      this.#recent.push(gained / seconds)
    }
  }
}
