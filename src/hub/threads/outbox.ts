/**
 * What an ingest thread has for the main thread, gathered during a turn of its event loop and sent
 * as one message at its end. A new series is announced at once, before anything is counted into it:
 * a thread may be ended at any moment, but what it has sent arrives. Of many in a turn only the
 * first ones are; the others go together. When the main thread is behind, the thread gathers on:
 * announcements are bounded by the series limit, reports are summed up. For commands there is a
 * limit at which the thread stands still until the main thread has taken some, so that a sender is
 * held back by TCP; only what still finds no room then is refused.
 */
import type { Exact, Metadata } from '../../model/index.ts'
import type { Clock } from '../../time/clock.ts'
import type { CommandEvents, LineQueue } from '../ingest/command-queue.ts'
import type { NewSeries } from '../ingest/definition.ts'
import { type AnnouncedSeries, AnnouncementQueue, countAnnounced } from '../series/announcements.ts'
import type { Batch, CommandColumns, Operation } from './messages.ts'
import { ReportBatch } from './report-batch.ts'
import type { SharedCounts } from './shared-counts.ts'

/** Commands of one thread that wait for the main thread; at so many the thread waits, too. */
const ORDERED_WAITING_LIMIT = 65_536
/** A main thread that takes nothing for so long is stuck: commands are refused until it goes on. */
const STAND_STILL_MS = 2000
/** Batches that the main thread has not taken yet; at so many a thread waits with the next. */
const BATCHES_WAITING_LIMIT = 64
/**
 * New series of a turn that are a message each: a few are known before anything is counted into
 * them, and very many cost a message a turn.
 */
const SERIES_AT_ONCE = 4
/** Rows after which a turn's batch is sent without waiting for the end of the turn. */
const BATCH_ROWS = 4096
/** Batches full of series that wait: 4096 series at once, some 10 ms of the main thread. */
const SERIES_BATCHES_LIMIT = 8
const RETRY_MS = 5

export class Outbox {
  readonly reports: ReportBatch
  readonly #thread: number
  readonly #counts: SharedCounts
  readonly #clock: Clock
  readonly #post: (batch: Batch) => void
  readonly #series = new AnnouncementQueue()
  #annotations = new Map<number, Metadata>()
  #commands = emptyColumns()
  #sourceRows = new Map<string, number>()
  #isDirty = false
  #isTurnEndAwaited = false
  /** New series of this turn that are still sent at once. */
  #atOnce = SERIES_AT_ONCE
  /** Whether the main thread is behind. */
  #isRetrying = false
  /** The main thread has been waited for in vain, and has taken nothing since. */
  #isMainStuck = false
  readonly #standStillMs: number

  /**
   * @param post hands a batch to the main thread
   * @param standStillMs longest wait for room for a command
   */
  constructor(
    thread: number,
    counts: SharedCounts,
    clock: Clock,
    post: (batch: Batch) => void,
    standStillMs = STAND_STILL_MS,
  ) {
    this.#thread = thread
    this.#counts = counts
    this.#clock = clock
    this.#post = post
    this.#standStillMs = standStillMs
    this.reports = new ReportBatch(clock, (count = 1) => {
      counts.addReports(thread, count)
      this.#soon()
    })
  }

  /** Announces a series; parameters as of {@link AnnouncementQueue.add}. */
  announce(series: NewSeries | AnnouncedSeries, metric: number, decrementsOf?: number): void {
    this.#counts.addSeries(this.#thread, 1)
    this.#series.add(series, metric, decrementsOf)
    this.#soon()
    if (this.#atOnce === 0) return
    this.#atOnce--
    this.#flushUnlessBehind()
  }

  annotate(metric: number, metadata: Metadata): void {
    this.#soon()
    this.#annotations.set(metric, metadata)
  }

  /** Makes the queue of one dialect: commands wait here for the main thread, in their order. */
  queue(dialect: number, events: Pick<CommandEvents, 'refused'>): LineQueue {
    const add = (
      operation: Operation,
      metric: number,
      value: Exact,
      weight: number,
      source: string,
    ): void => {
      if (this.#hasRoom()) {
        this.#counts.addCommands(this.#thread, 1)
        this.#addCommand(operation, dialect, metric, value, weight, source)
      } else {
        events.refused('ordered_waiting_limit', source)
      }
    }
    return {
      read: (metric, reading, source) => add('read', metric, reading, 1, source),
      count: (metric, value, weight, source) => add('count', metric, value, weight, source),
      observe: (metric, value, weight, source) => add('observe', metric, value, weight, source),
    }
  }

  /** Tells whether there is room for one more command, and waits where there is none. */
  #hasRoom(): boolean {
    if (this.#counts.commands(this.#thread) < ORDERED_WAITING_LIMIT) {
      this.#isMainStuck = false
      return true
    }
    if (this.#isMainStuck) return false
    this.flush()
    this.#isMainStuck = !this.#counts.waitForCommands(this.#thread, this.#standStillMs)
    return !this.#isMainStuck
  }

  #addCommand(
    operation: Operation,
    dialect: number,
    metric: number,
    value: Exact,
    weight: number,
    source: string,
  ): void {
    this.#soon()
    const { operations, dialects, metrics, values, weights, sourceRows, sources } = this.#commands
    let row = this.#sourceRows.get(source)
    if (row === undefined) {
      row = sources.push(source) - 1
      this.#sourceRows.set(source, row)
    }
    operations.push(operation)
    dialects.push(dialect)
    metrics.push(metric)
    values.push(value)
    weights.push(weight)
    sourceRows.push(row)
    if (operations.length >= BATCH_ROWS) this.#flushUnlessBehind()
  }

  #soon(): void {
    this.#isDirty = true
    if (this.#isTurnEndAwaited) return
    this.#isTurnEndAwaited = true
    setImmediate(() => {
      this.#isTurnEndAwaited = false
      this.#atOnce = SERIES_AT_ONCE
      this.#flushUnlessBehind()
    })
  }

  #flushUnlessBehind(): void {
    while (this.#isDirty && this.#counts.batches(this.#thread) < this.#batchesLimit) {
      // commands name series, which go ahead of them
      if (this.#series.isFull) this.#sendSeries()
      else this.flush()
    }
    if (!this.#isDirty || this.#isRetrying) return
    this.#isRetrying = true
    this.#clock.after(RETRY_MS, () => {
      this.#isRetrying = false
      this.#flushUnlessBehind()
    })
  }

  get #batchesLimit(): number {
    return this.#series.isFull ? SERIES_BATCHES_LIMIT : BATCHES_WAITING_LIMIT
  }

  /** Sends some of the series that wait, and nothing else. */
  #sendSeries(): void {
    const series = this.#series.take()
    const reports = this.reports.take()
    this.#counts.addBatches(this.#thread, 1)
    this.#post({ kind: 'batch', series, annotations: [], commands: emptyColumns(), reports })
    this.#counts.addSeries(this.#thread, -countAnnounced(series))
  }

  /** Sends what there is, now. */
  flush(): void {
    if (!this.#isDirty) return
    while (this.#series.isFull) this.#sendSeries()
    this.#isDirty = false
    const batch: Batch = {
      kind: 'batch',
      series: this.#series.take(),
      annotations: [...this.#annotations],
      commands: this.#commands,
      reports: this.reports.take(),
    }
    this.#annotations = new Map()
    this.#commands = emptyColumns()
    this.#sourceRows = new Map()
    this.#counts.addBatches(this.#thread, 1)
    this.#post(batch)
    this.#counts.clearUnsent(this.#thread)
  }
}

type Writable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer E)[] ? E[] : T[K] }

function emptyColumns(): Writable<CommandColumns> {
  return {
    operations: [],
    dialects: [],
    metrics: [],
    values: [],
    weights: [],
    sourceRows: [],
    sources: [],
  }
}
