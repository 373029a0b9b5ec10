/**
 * A history in an engine, which this hub only reads: what it writes there leaves by a relay. It is
 * a sink that takes nothing, for it has the hub's seconds as its clock: whether the engine answers
 * is asked every ten of them.
 */
import { setImmediate } from 'node:timers/promises'
import type {
  CellAnswer,
  CellQuery,
  FoundSeries,
  HistoryError,
  HistoryReader,
  PastQuery,
} from '../../history/store.ts'
import type { Log } from '../log.ts'
import type { Sink } from '../sinks/sinks.ts'
import type { SelfMetrics } from '../status/self-metrics.ts'
import type { HistoryStatus } from '../status/status.ts'
import type { SeriesList } from '../view.ts'
import { keyText } from './past-series.ts'
import type { ThreadHistory } from './thread/thread-history.ts'
import { type NamedSeries, readKey } from './written-names.ts'

/** Seconds between two looks at the engine. */
const PROBE_EVERY_S = 10

/** Series whose names are made between two turns of others. */
const SERIES_PER_STEP = 256

interface EngineParts {
  readonly hub: NamedSeries & { readonly series: SeriesList }
  readonly thread: ThreadHistory
  /** Address for people. */
  readonly place: string
  readonly metrics: SelfMetrics
  readonly log: Log
  /** Tells whether this hub has a relay that may write what is read here. */
  readonly isWritten: boolean
}

export class EngineHistory implements HistoryReader, Sink {
  readonly name = 'history'
  readonly #parts: EngineParts
  #problem: string | undefined
  #seconds = 0
  #isAsking = false

  constructor(parts: EngineParts) {
    this.#parts = parts
    parts.thread.watch({
      ended: (message) => this.#fails(message),
      restarted: () => {
        parts.metrics.counter('pentameter.history.restarts').add()
        void this.probe()
      },
    })
  }

  async read(query: CellQuery): Promise<CellAnswer> {
    const answer = await this.#noted(this.#parts.thread.read(query))
    this.#parts.metrics.counter('pentameter.history.reads').add()
    return answer
  }

  /** Finds what others wrote, and what this hub has no more: an engine does not tell who has it. */
  async find(query: PastQuery): Promise<FoundSeries> {
    const { series } = await this.#noted(this.#parts.thread.find(query))
    const found = new Map(series.map((each) => [keyText(each.key), each]))
    let looked = 0
    for (const record of found.size === 0 ? [] : this.#parts.hub.series) {
      if (++looked % SERIES_PER_STEP === 0) await setImmediate()
      const key = readKey(this.#parts.hub.series.keyOf(record), this.#parts.hub)
      if (key !== undefined) found.delete(keyText(key))
    }
    return { series: [...found.values()].slice(0, query.limit), total: found.size }
  }

  async #noted<T>(answered: Promise<T>): Promise<T> {
    try {
      const answer = await answered
      this.#wentWell()
      return answer
    } catch (error) {
      this.#failed(error)
      throw error
    }
  }

  /** Asks whether the engine answers; never rejects. */
  async probe(): Promise<void> {
    if (this.#isAsking) return
    this.#isAsking = true
    try {
      await this.#parts.thread.probe()
      this.#wentWell()
    } catch (error) {
      this.#failed(error)
    } finally {
      this.#isAsking = false
    }
  }

  // biome-ignore lint/correctness/useYield: it has nothing to pause for
  *deliver(): ReturnType<Sink['deliver']> {
    this.#seconds++
    if (this.#seconds % PROBE_EVERY_S === 0) void this.probe()
  }

  #wentWell(): void {
    if (this.#problem === undefined) return
    this.#problem = undefined
    this.#parts.log('info', 'the engine of the history answers again', { place: this.#parts.place })
  }

  #failed(error: unknown): void {
    const { code = 'failed', message } = error as Partial<HistoryError> & Error
    this.#parts.metrics.counter('pentameter.history.failed', { reason: code }).add()
    // a question for too much is the asker's matter
    if (code !== 'too_large' && code !== 'closed') this.#fails(message)
  }

  #fails(message: string): void {
    const { log, place } = this.#parts
    if (this.#problem === undefined) log('warn', 'the history can not be read', { place, message })
    this.#problem = message
  }

  history(): HistoryStatus {
    const { place, isWritten } = this.#parts
    return {
      place,
      state: this.#problem === undefined ? 'running' : 'failing',
      ...(this.#problem === undefined ? {} : { message: this.#problem }),
      isRead: true,
      isWritten,
    }
  }

  async close(): Promise<void> {
    await this.#parts.thread.close()
  }
}
