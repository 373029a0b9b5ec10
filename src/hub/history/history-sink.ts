/**
 * The sink that hands every closed second to the history. What a store has not confirmed is
 * bounded: above the limit a second is lost to the history, and counted; live data go on. While the
 * store is away the last ten minutes are held, and handed on when it is there.
 */
import type {
  ClosedSecond,
  FoundSeries,
  HistoryError,
  HistoryHealth,
  PastQuery,
} from '../../history/store.ts'
import type { Exact } from '../../model/index.ts'
import type { Clock } from '../../time/clock.ts'
import type { Frame } from '../live/frame.ts'
import type { Log } from '../log.ts'
import type { SeriesRecord } from '../series/record.ts'
import type { SeriesStore } from '../series/series.ts'
import type { Sink } from '../sinks/sinks.ts'
import type { SelfMetrics } from '../status/self-metrics.ts'
import type { HistoryStatus } from '../status/status.ts'
import { ANSWER_BUDGET_NS, LoopBudget, runSliced } from '../tasks/loop-budget.ts'
import type { Task } from '../tasks/task.ts'
import type { SeriesList } from '../view.ts'
import type { FractionalTotals } from './fractional-totals.ts'
import { type HeldSecond, HeldSeconds } from './held-seconds.ts'
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
  /** Undefined where it could not be opened yet. */
  readonly health: HistoryHealth | undefined
  readonly bytesLimit: number
  /** Bytes of seconds that are held while it is away. */
  readonly heldBytesLimit: number
  /** Called when it was opened after all. */
  readonly opened: (health: HistoryHealth) => void
  readonly series: SeriesList & Pick<SeriesStore, 'find' | 'onRemove'>
  readonly fractional: Pick<FractionalTotals, 'noted'>
  readonly clock: Pick<Clock, 'wallMs' | 'monotonicNs'>
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
  readonly #sums = new WeakMap<Frame, ReadonlyMap<number, Exact>>()
  readonly #held: HeldSeconds
  #health: HistoryHealth | undefined
  #problem: string | undefined
  #seconds = 0
  #waiting = 0
  /** Whether the store knows nothing of the series of this hub, until it was told. */
  #isAway = false
  /** Whether it was never open, and is tried no more. */
  #isOff = false
  /** Number of times that the thread has started or ended. */
  #turns = 0
  #goesOn: Promise<void> = Promise.resolve()
  /** First second of this start: only then does the hub tell of itself. */
  readonly #began = Promise.withResolvers<void>()
  /** Seconds that were handed on, until each is durable, held or lost. */
  readonly #open = new Map<Frame, PromiseWithResolvers<void>>()

  constructor(parts: HistorySinkParts) {
    this.#parts = parts
    this.#health = parts.health
    this.#news = new SeriesNews(parts)
    this.#held = new HeldSeconds(parts.heldBytesLimit)
    if (parts.health === undefined) {
      this.#isAway = true
      this.#problem = parts.store.failure?.message
    } else this.#tell(parts.health)
    parts.metrics.counter('pentameter.history.seconds').add(0)
    parts.store.watch({
      ended: (message) => {
        this.#turns++
        this.#isAway = true
        this.#fails(message)
      },
      restarted: () => {
        this.#goesOn = this.#goOn(++this.#turns)
      },
      gaveUp: () => {
        this.#isOff = true
        while (this.#held.take() !== undefined);
        parts.log('warn', 'the hub runs without a history', { reason: this.#problem })
      },
    })
  }

  /** Tells a store that runs again which of its series go on; what it had is there. */
  async #goOn(turn: number): Promise<void> {
    const { store, series, clock, metrics, log, place } = this.#parts
    const isFirst = this.#health === undefined
    if (!isFirst) metrics.counter('pentameter.history.restarts').add()
    this.#news.beginAnew()
    try {
      const health = await store.health()
      // series that ended did so before what was held, which may have others of their name
      const endedS = Math.floor(Math.min(clock.wallMs(), this.#held.beganMs) / 1000)
      const going = await tellLiving(store, endedS, (page, row) => {
        const id = series.find(page.key(row))?.id
        // one that ended and came again is another series
        return id !== undefined && this.#news.isTaken(id) ? id : undefined
      })
      this.#news.goOn(going)
      if (isFirst) this.#parts.opened(health)
      this.#tell(health)
      const facts = { place, series: going.size, held: this.#held.length }
      const what = isFirst ? 'the history is open now' : 'the thread of the history runs again'
      log('info', what, facts)
      await this.#deliverHeld(turn, isFirst ? (health.durableS ?? 0) : 0)
    } catch (error) {
      this.#fails((error as Error).message) // it ended again, or takes nothing
    }
  }

  /**
   * Hands on what was held, until nothing is left or the thread has ended again.
   * @param durableS end of what another process wrote meanwhile: such seconds are not added to
   */
  async #deliverHeld(turn: number, durableS: number): Promise<void> {
    let ahead = this.#news.ahead()
    for (let held = this.#held.take(); held !== undefined; held = this.#held.take()) {
      const { frame, news } = held
      if (frame.endMs <= durableS * 1000) {
        this.#drop(held, 'in_use')
        continue
      }
      const whole = { ...news, defined: [...ahead.defined, ...news.defined] }
      ahead = { defined: [], ended: [] }
      const budget = new LoopBudget(this.#parts.clock, { budgetNs: ANSWER_BUDGET_NS })
      const second = await runSliced(this.#secondOf(frame, whole), budget)
      await this.#append(frame, whole, second)
      if (turn !== this.#turns) return
    }
    this.#isAway = false
    this.#news.lost(ahead) // nothing was there to tell it with
  }

  #drop({ news }: HeldSecond, reason: string): void {
    this.#news.lost(news)
    this.#lost(reason, this.#problem)
  }

  /**
   * Finds series that are no more, or are others than those of now: the hub knows what has come and
   * left since its last second was taken.
   */
  async find(query: PastQuery): Promise<FoundSeries> {
    if (!this.#isAway) await this.#began.promise
    return this.#parts.store.find({ ...query, ...this.#news.pending })
  }

  /** Notes what is to be told with a second: its series may have left when it is delivered. */
  *take(frame: Frame): Task {
    yield* this.#news.take(frame)
    const sums = yield* this.#parts.fractional.noted(frame)
    if (sums.size > 0) this.#sums.set(frame, sums)
    this.#began.resolve()
    this.#open.set(frame, Promise.withResolvers())
  }

  /** Resolves when each second that was handed on so far is durable, or held, or lost. */
  async settled(): Promise<void> {
    await Promise.all(Array.from(this.#open.values(), ({ promise }) => promise))
  }

  #settle(frame: Frame): void {
    this.#open.get(frame)?.resolve()
    this.#open.delete(frame)
  }

  // biome-ignore lint/correctness/useYield: it has nothing to pause for
  *skip(frame: Frame): Task {
    this.#news.lost(this.#news.of(frame))
    this.#settle(frame)
  }

  *deliver(frame: Frame): Task {
    let isAppending = false
    try {
      isAppending = yield* this.#appending(frame)
    } finally {
      if (!isAppending) this.#settle(frame)
    }
  }

  /** @returns false for a second that is not appended now */
  *#appending(frame: Frame): Task<boolean> {
    const news = this.#news.of(frame)
    if (this.#isOff) return false
    if (this.#isAway) {
      const reason = this.#parts.store.failure?.code ?? 'failed'
      for (const each of this.#held.add({ frame, news })) this.#drop(each, reason)
      return false
    }
    if (this.#waiting >= WAITING_LIMIT) {
      this.#news.lost(news)
      this.#lost('queue_full')
      return false
    }
    const second = yield* this.#secondOf(frame, news)
    void this.#append(frame, news, second)
    if (this.#seconds++ % HEALTH_EVERY_S === 0) this.#look()
    return true
  }

  *#secondOf(frame: Frame, news: News): Task<ClosedSecond> {
    const sums = this.#sums.get(frame)
    return { ...(yield* secondOf(frame, news)), ...(sums === undefined ? {} : { sums }) }
  }

  async #append(frame: Frame, news: News, second: ClosedSecond): Promise<void> {
    this.#waiting++
    try {
      await this.#parts.store.append(second)
      this.#news.taken(news)
      this.#kept(frame.seconds)
    } catch (error) {
      const { code, message } = error as HistoryError
      this.#news.lost(news)
      this.#lost(code ?? 'failed', message)
    } finally {
      this.#waiting--
      this.#settle(frame)
    }
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
    const { place, keptS, known, bytesLimit, store } = this.#parts
    const message = this.#health?.message ?? this.#problem
    const failing = this.#isOff || store.failure?.code === 'in_use' ? 'off' : 'failing'
    const kept = this.#health && {
      bytes: this.#health.bytes,
      series: this.#health.series,
      resolutions: this.#health.resolutions,
    }
    return {
      place,
      state: this.#problem === undefined ? 'running' : failing,
      ...(message === undefined ? {} : { message }),
      ...{ bytesLimit, keptS, ...kept },
      restored: known.size,
    }
  }

  async close(): Promise<void> {
    this.#began.resolve()
    await this.#goesOn
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
