/**
 * Samples below a second, of all sources that measure faster than the hub closes its cells: kept
 * for as long as its fine cells are, within a bound of bytes. Where that is reached the largest log
 * gives its oldest rows first, so that no source takes the past of another.
 */
import { WrittenValues } from '../../ingest/gauges/written-values.ts'
import type { Task } from '../../tasks/task.ts'
import { SampleLog } from './sample-log.ts'
import { Spreads } from './spreads.ts'

interface SamplesOptions {
  readonly keepMs: number
  readonly bytesLimit: number
}

export const SAMPLES_DEFAULTS: SamplesOptions = { keepMs: 600_000, bytesLimit: 134_217_728 }

export class Samples {
  readonly options: SamplesOptions
  readonly #logs: SampleLog[] = []
  /** Rows that each log had when the last second was closed. */
  readonly #closed = new WeakMap<SampleLog, number>()
  #evicted = 0
  readonly spreads = new Spreads()
  /** Values that were set within the second at hand, by all threads. */
  readonly written = new WrittenValues()

  constructor(options: SamplesOptions = SAMPLES_DEFAULTS) {
    this.options = options
  }

  /** Logs of all sources; one that was opened stays. */
  get logs(): readonly SampleLog[] {
    return this.#logs
  }

  get bytes(): number {
    return this.#logs.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** Rows dropped before their time because of the bound. */
  get evictedRows(): number {
    return this.#evicted
  }

  /** Opens the log of one more source. */
  open(): SampleLog {
    const log = new SampleLog(() => this.#enforceLimit())
    this.#logs.push(log)
    return log
  }

  /** Tells whether samples of a series come from its source. */
  isSampled(id: number, except?: SampleLog): boolean {
    return this.#logs.some((log) => log !== except && log.layout.columnOf(id) >= 0)
  }

  /** Sums up what came since the last second was closed, and lets go of what is too old. */
  *closing(endMs: number): Task {
    this.spreads.clear()
    for (const log of this.#logs) {
      const slices = log.since(this.#closed.get(log) ?? 0)
      this.#closed.set(log, log.rows)
      for (const slice of slices) yield* this.spreads.adding(slice)
      log.age(endMs - this.options.keepMs)
    }
  }

  #enforceLimit(): void {
    while (this.bytes > this.options.bytesLimit) {
      const largest = this.#logs.reduce((a, b) => (b.bytes > a.bytes ? b : a))
      const rows = largest.evict()
      if (rows === 0) return
      this.#evicted += rows
    }
  }
}
