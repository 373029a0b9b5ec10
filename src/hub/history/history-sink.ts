/**
 * The sink that hands every closed second to the history. What a store has not confirmed is
 * bounded: above the limit a second is lost to the history, and counted; live data go on.
 */
import type {
  ClosedSecond,
  FoundSeries,
  HistoryError,
  HistoryHealth,
  PastQuery,
} from '../../history/store.ts'
import type { Clock } from '../../time/clock.ts'
import type { Frame } from '../live/frame.ts'
import type { Log } from '../log.ts'
import type { SeriesRecord } from '../series/record.ts'
import type { SeriesStore } from '../series/series.ts'
import type { Sink } from '../sinks/sinks.ts'
import type { SelfMetrics } from '../status/self-metrics.ts'
import type { HistoryStatus } from '../status/status.ts'
import type { Task } from '../tasks/task.ts'
import type { SeriesList } from '../view.ts'
import { tellLiving } from './living-series.ts'
import type { PastList } from './past-list.ts'
import { type News, SeriesNews } from './series-news.ts'
import type { ThreadHistory } from './thread/thread-history.ts'

/** Seconds that are not confirmed at most: half a minute of a disk that stands still. */
const WAITING_LIMIT = 30
/** Seconds between two looks at the store's health. */
const HEALTH_EVERY_S = 10
const ROWS_PER_STEP = 2048

interface HistorySinkParts {
  readonly store: ThreadHistory
  readonly place: string
  /** Seconds for which cells of a second, a minute and an hour are kept. */
  readonly keptS: readonly number[]
  readonly health: HistoryHealth
  readonly series: SeriesList & Pick<SeriesStore, 'find' | 'onRemove'>
  readonly clock: Pick<Clock, 'wallMs'>
  readonly metrics: SelfMetrics
  readonly log: Log
  /** Describes what a hub needs besides to go on with a series. */
  readonly originOf: (record: SeriesRecord) => string
  /** Ids of the series of a former start that the hub goes on with, which the store was told. */
  readonly known: ReadonlySet<number>
}

export class HistorySink implements Sink {
  readonly name = 'history'
  readonly #parts: HistorySinkParts
  readonly #news: SeriesNews
  #health: HistoryHealth
  #problem: string | undefined
  #seconds = 0
  #waiting = 0
  /** Whether the store knows nothing of the series of this hub, until it was told. */
  #isAway = false
  /** First second of this start: only then does the hub tell of itself. */
  readonly #began = Promise.withResolvers<void>()

  constructor(parts: HistorySinkParts) {
    this.#parts = parts
    this.#health = parts.health
    this.#news = new SeriesNews(parts)
    this.#tell(parts.health)
    parts.metrics.counter('pentameter.history.seconds').add(0)
    parts.store.watch({
      ended: (message) => {
        this.#isAway = true
        this.#fails(message)
      },
      restarted: () => void this.#goOn(),
    })
  }

  /** Tells a store that runs again which of its series go on; what it had is there. */
  async #goOn(): Promise<void> {
    const { store, series, clock, metrics, log, place } = this.#parts
    metrics.counter('pentameter.history.restarts').add()
    this.#news.beginAnew()
    try {
      const nowS = Math.floor(clock.wallMs() / 1000)
      const going = await tellLiving(store, nowS, (page, row) => {
        const id = series.find(page.key(row))?.id
        // one that ended and came again is another series
        return id !== undefined && this.#news.isTaken(id) ? id : undefined
      })
      this.#news.goOn(going)
      this.#isAway = false
      log('info', 'the thread of the history runs again', { place, series: going.size })
    } catch (error) {
      this.#fails((error as Error).message) // it ended again, or takes nothing
    }
  }

  /**
   * Finds series that are no more, or are others than those of now: the hub knows what has come and
   * left since its last second was taken.
   */
  async find(query: PastQuery): Promise<FoundSeries> {
    await this.#began.promise
    return this.#parts.store.find({ ...query, ...this.#news.pending })
  }

  /** Notes what is to be told with a second: its series may have left when it is delivered. */
  *take(frame: Frame): Task {
    yield* this.#news.take(frame)
    this.#began.resolve()
  }

  // biome-ignore lint/correctness/useYield: it has nothing to pause for
  *skip(frame: Frame): Task {
    this.#news.lost(this.#news.of(frame))
  }

  *deliver(frame: Frame): Task {
    const news = this.#news.of(frame)
    if (this.#isAway || this.#waiting >= WAITING_LIMIT) {
      this.#news.lost(news)
      if (this.#isAway) this.#lost('failed', this.#problem)
      else this.#lost('queue_full')
      return
    }
    const second = yield* secondOf(frame, news)
    this.#waiting++
    void this.#parts.store
      .append(second)
      .then(
        () => {
          this.#news.taken(news)
          this.#kept(frame.seconds)
        },
        (error: Error & { readonly code?: string }) => {
          this.#news.lost(news)
          this.#lost(error.code ?? 'failed', error.message)
        },
      )
      .finally(() => {
        this.#waiting--
      })
    if (this.#seconds++ % HEALTH_EVERY_S === 0) this.#look()
  }

  late(frame: Frame): Task {
    return this.deliver(frame)
  }

  #kept(seconds: number): void {
    const { metrics, log, place } = this.#parts
    metrics.counter('pentameter.history.seconds').add(seconds)
    if (this.#problem === undefined) return
    this.#problem = undefined
    log('info', 'the history goes on', { place })
  }

  #lost(reason: string, message = 'the disk does not keep up'): void {
    this.#parts.metrics.counter('pentameter.history.lost', { reason }).add()
    this.#fails(message)
  }

  #fails(message: string): void {
    const { log, place } = this.#parts
    if (this.#problem === undefined) log('warn', 'the history loses seconds', { place, message })
    this.#problem = message
  }

  #look(): void {
    this.#parts.store.health().then(
      (health) => this.#tell(health),
      () => {}, // a store that is gone says so at the next second
    )
  }

  #tell(health: HistoryHealth): void {
    this.#health = health
    const { metrics } = this.#parts
    metrics.gauge('pentameter.history.size', health.bytes, {}, 'bytes')
    metrics.gauge('pentameter.history.series', health.series)
    for (const [reason, count] of Object.entries(health.damaged)) {
      metrics.counter('pentameter.history.damaged', { reason }).raiseTo(count)
    }
  }

  /** Describes it for people. */
  history(): HistoryStatus {
    const { message = this.#problem, bytes, bytesLimit, series, resolutions } = this.#health
    const { place, keptS, known } = this.#parts
    return {
      place,
      state: this.#problem === undefined ? 'running' : 'failing',
      ...(message === undefined ? {} : { message }),
      ...{ bytes, bytesLimit, keptS, series, resolutions },
      restored: known.size,
    }
  }

  async close(): Promise<void> {
    this.#began.resolve()
    await this.#parts.store.close()
  }
}

function* secondOf(frame: Frame, { defined, ended }: News): Task<ClosedSecond> {
  const { counterIds, gaugeIds, histogramIds, summaryIds } = frame
  const deltas = new Float64Array(counterIds.length)
  const wide = new Map<number, bigint>()
  for (let row = 0; row < deltas.length; row++) {
    if (row % ROWS_PER_STEP === 0) yield
    deltas[row] = frame.deltaNumberAt(row)
    if (deltas[row]! <= Number.MAX_SAFE_INTEGER) continue
    const delta = frame.deltaAt(row)
    if (typeof delta === 'bigint') wide.set(row, delta)
  }
  const spreads = new Map<number, readonly [number, number, number, number]>()
  for (const [row, { first, min, max, count }] of frame.spreads()) {
    spreads.set(row, [first, min, max, count])
  }
  yield
  const gauges = new Map<number, bigint>()
  for (const [id, value] of frame.wideGauges) gauges.set(frame.row(id, 'gauge'), value)
  return {
    endS: Math.floor(frame.endMs / 1000),
    seconds: frame.seconds,
    defined,
    ended,
    counters: { refs: counterIds, deltas, wide },
    gauges: { refs: gaugeIds, values: frame.gaugeValues, wide: gauges, spreads },
    histograms: { refs: histogramIds, ...frame.packedHistograms() },
    summaries: {
      refs: summaryIds,
      cells: Array.from(summaryIds, (_, row) => frame.summaryAt(row)),
    },
  }
}

/** Sink of a history that could not be opened: it takes nothing and has nothing, and says why. */
export class NoHistory implements Sink, PastList {
  readonly name = 'history'
  readonly #place: string
  readonly #reason: HistoryError

  constructor(place: string, reason: HistoryError) {
    this.#place = place
    this.#reason = reason
  }

  get(): undefined {}

  async find(): Promise<never> {
    throw this.#reason
  }

  *deliver(): Task {}

  history(): HistoryStatus {
    return { place: this.#place, state: 'off', message: this.#reason.message }
  }

  async close(): Promise<void> {}
}
