/**
 * Everything the hub knows of Wallaroo pipelines: series by the bytes of their names, under the
 * limits of the hub, and the workers that they run on. Windows are added here as they come; once a
 * second what they brought goes to the model (wallaroo.md §4).
 */

import type { QuotaRefusal, SeriesQuota } from '../../../hub/ingest/quota.ts'
import type { Task } from '../../../hub/tasks/task.ts'
import type { Clock } from '../../../time/clock.ts'
import type { Ingest } from '../../ingest.ts'
import type { MetricsFrame } from '../codec/metrics-frame.ts'
import { mappingOf, namesOf, overflowMappingOf, type SeriesNames } from '../map.ts'
import { SeriesIndex } from '../rollup/series-index.ts'
import { CATEGORIES } from '../spec.ts'
import { HeadIndex } from './memory/head-index.ts'
import { BLOCK_BYTES } from './memory/layout.ts'
import { OpenTotals } from './memory/open-totals.ts'
import { ConnectionFrames, UsualFramesModule } from './memory/usual-frames.ts'
import { type Backing, PlainBacking, WindowMemory } from './memory/window-memory.ts'
import { MessageRates } from './message-rates.ts'
import { SeriesSlots } from './series-slots.ts'
import { WallarooSeries } from './wire-series.ts'
import { type WallarooWorker, WallarooWorkers } from './workers.ts'

export interface WallarooStateOptions {
  /** Silence after which series and workers that are gone leave, and how long windows are kept. */
  readonly retentionMs: number
  /** Memory of all windows that are kept for the views. */
  readonly windowBytesLimit: number
  /** Whether bin 64 counts in histograms and views too, and is not told to be clock skew; true. */
  readonly includeSkew?: boolean
  /** Prefix of names in the model. */
  readonly namePrefix?: string
  /** Workers known at once that have joined and sent no window. */
  readonly workersLimit: number
}

/** Told of every window whose series has no place under a limit of the hub. */
type SeriesRefused = (code: QuotaRefusal, source: string, name: () => string) => void

/** Series flushed between two looks at the clock: half a millisecond. */
const SERIES_PER_STEP = 128
/** Pause between two looks for what is past its retention: a minute. */
const SWEEP_PAUSE_NS = 60_000_000_000n
/** Difference that makes a step of the wall clock to the monotonic one, ms. */
const CLOCK_STEP_MS = 1000
/** However many series there are, a little of each is kept. */
const SERIES_BYTES_MIN = 2 * BLOCK_BYTES

export class WallarooState {
  readonly workers: WallarooWorkers
  readonly options: WallarooStateOptions
  readonly clock: Clock
  readonly memory: WindowMemory
  readonly #ingest: Ingest
  readonly #quota: SeriesQuota
  readonly #refused: SeriesRefused
  readonly #open: OpenTotals
  readonly #hasModule: boolean
  #module: UsualFramesModule | undefined
  #heads: HeadIndex | undefined
  #index = new SeriesIndex<WallarooSeries>()
  /** Series by the numbers that the memory knows them by, and numbers that are free. */
  readonly #byId: (WallarooSeries | undefined)[] = []
  readonly #freeIds: number[] = []
  #overflow = new Map<string, WallarooSeries>()
  #overflowWorker: WallarooWorker | undefined
  #active = new Set<string>()
  #lastSource = ''
  #nextOrder = 0
  #sweptNs: bigint
  /** Wall time less monotonic time, ms, as of the last step of the wall clock. */
  #aheadMs: number
  /** Number of times that a connection turned to a worker beyond those that it may stand for. */
  workersNotHeld = 0
  /** Windows taken so far. */
  measurements = 0
  readonly rates: MessageRates

  constructor(parts: {
    readonly options: WallarooStateOptions
    readonly clock: Clock
    readonly ingest: Ingest
    readonly quota: SeriesQuota
    readonly refused: SeriesRefused
    /** False for JavaScript alone. */
    readonly hasModule?: boolean
  }) {
    this.options = parts.options
    this.clock = parts.clock
    this.#hasModule = parts.hasModule ?? true
    this.memory = new WindowMemory(parts.options.windowBytesLimit, () => this.#openBacking())
    this.#open = new OpenTotals(this.memory)
    this.#ingest = parts.ingest
    this.#quota = parts.quota
    this.#refused = parts.refused
    this.workers = new WallarooWorkers(parts.options.workersLimit, this.memory)
    this.#sweptNs = parts.clock.monotonicNs()
    this.rates = new MessageRates(this.#sweptNs)
    this.#aheadMs = aheadOf(parts.clock)
  }

  /** Whether messages of bin 64 count wherever others do. */
  get hasSkew(): boolean {
    return this.options.includeSkew ?? true
  }

  #openBacking(): Backing {
    this.#module = this.#hasModule ? UsualFramesModule.open() : undefined
    return this.#module ?? new PlainBacking()
  }

  /**
   * Makes the way of a new connection's usual frames; undefined where all go through JavaScript.
   * @param source address of the connection
   */
  usualFrames(source: string): ConnectionFrames | undefined {
    const { memory } = this
    if (this.#heads === undefined) {
      memory.usualMs = this.options.retentionMs / 2
      if (this.#module === undefined) return undefined
      this.#heads = new HeadIndex(memory, this.#module.exports.hash)
    }
    const record = memory.addSmall()
    if (record === 0) return undefined
    return new ConnectionFrames(memory, this.#module!, record, (count) => this.#took(source, count))
  }

  /** Has frames like this one taken as usual ones. */
  learn(series: WallarooSeries, frame: MetricsFrame): void {
    const heads = this.#heads
    if (heads?.isNew(series.record, frame)) heads.learn(series.record, frame)
  }

  /** Lists all series but those of the overflow, which are no application's. */
  series(): readonly WallarooSeries[] {
    return this.#index.values()
  }

  /** Finds the series of a frame, made on first sight; undefined above a limit. */
  find(frame: MetricsFrame, source: string, nowMs: number): WallarooSeries | undefined {
    return this.#index.find(frame) ?? this.#add(frame, source, nowMs)
  }

  #add(frame: MetricsFrame, source: string, nowMs: number): WallarooSeries | undefined {
    const room = this.#quota.roomOf(source)
    // where there is none at all a frame costs no names
    if (room < 1) return this.#refuse(frame, source, 1)
    const names = namesOf(frame)
    const mapping = mappingOf(names, this.options.namePrefix)
    const size = SeriesSlots.sizeOf(mapping)
    if (room < size) return this.#refuse(frame, source, size)
    const worker = this.workers.of(names.application, names.worker, source, nowMs)
    if (worker === undefined) return undefined
    const slots = new SeriesSlots(mapping, source)
    if (!slots.define(this.#ingest)) return undefined
    const series = this.#make(names, worker, slots, this.#nextOrder++)
    if (series === undefined) {
      slots.retire(this.#ingest)
      return undefined
    }
    this.#index.add(frame, series)
    this.workers.prove(worker)
    this.#share()
    return series
  }

  /** @returns undefined where the machine gives no more memory */
  #make(
    names: SeriesNames,
    worker: WallarooWorker,
    slots: SeriesSlots,
    order: number,
  ): WallarooSeries | undefined {
    const id = this.#freeIds.pop() ?? this.#byId.length
    const record = this.memory.addSeries(id)
    if (record === 0) {
      this.#freeIds.push(id)
      return undefined
    }
    const series = new WallarooSeries(names, worker, slots, order, this.memory, record)
    this.#byId[id] = series
    return series
  }

  /** Shares the memory of windows among the series that there are. */
  #share(): void {
    const share = this.options.windowBytesLimit / Math.max(this.#index.size, 1)
    this.memory.seriesBytesLimit = Math.max(Math.floor(share), SERIES_BYTES_MIN)
  }

  /** @param size places that are wanted */
  #refuse(frame: MetricsFrame, source: string, size: number): undefined {
    const { count, limits, isOverloaded } = this.#quota
    const isHubFull = limits.seriesLimit - count < size
    const limit = isHubFull ? 'series_limit' : 'series_limit_per_source'
    const code = isOverloaded ? 'overloaded' : limit
    this.#refused(code, source, () => this.overflow(frame.category).slots.name)
  }

  /**
   * Finds the series that takes what has no place of its own: one for each category of the peer's.
   */
  overflow(category: string): WallarooSeries {
    const isKnown = (CATEGORIES as readonly string[]).includes(category)
    const name = isKnown ? category : 'other'
    const known = this.#overflow.get(name)
    if (known !== undefined) return known
    const names = { application: '', category: name, pipeline: '', worker: '', name: '' }
    const mapping = overflowMappingOf(name, this.options.namePrefix)
    const slots = new SeriesSlots(mapping, OVERFLOW_SOURCE)
    slots.define(this.#ingest)
    // of no application that is shown: its clock is no worker's
    this.#overflowWorker ??= new WallarooWorkers(1, this.memory).of(
      '',
      '',
      OVERFLOW_SOURCE,
      this.clock.wallMs(),
    )!
    const made = this.#make(names, this.#overflowWorker, slots, -1)
    if (made === undefined) throw new RangeError('no memory for a series of windows')
    this.#overflow.set(name, made)
    return made
  }

  /** Adds a window to a series. */
  take(series: WallarooSeries, frame: MetricsFrame, source: string, nowMs: number): void {
    this.#took(source, 1)
    series.take(frame, nowMs)
  }

  #took(source: string, count: number): void {
    this.measurements += count
    if (source !== this.#lastSource) this.#active.add(source)
    this.#lastSource = source
  }

  /** Addresses heard since the last call: at most one for each open connection. */
  takeActive(): Set<string> {
    const active = this.#active
    this.#active = new Set()
    this.#lastSource = ''
    return active
  }

  /**
   * Hands what has come to the model, series by series, before a second is closed. What comes
   * between two steps is of this second where its series still waits, else of the next one.
   */
  *flush(): Task {
    const touched = this.memory.takeTouched()
    for (let i = 0; i < touched.length; i++) {
      if (i % SERIES_PER_STEP === 0) yield
      const series = this.#byId[touched[i]!]!
      const messages = series.flush(this.#ingest, this.#open, this.hasSkew)
      this.rates.count(series.names.category, messages)
    }
    this.rates.close(this.clock.monotonicNs())
  }

  /** Forgets what is past its retention; looks once a minute. */
  sweep(): void {
    const nowMs = this.clock.wallMs()
    this.#followClock(nowMs)
    const nowNs = this.clock.monotonicNs()
    if (nowNs - this.#sweptNs < SWEEP_PAUSE_NS) return
    this.#sweptNs = nowNs
    const fromMs = nowMs - this.options.retentionMs
    const held = new Set<WallarooWorker>()
    this.#index.retain((series) => {
      series.windows.dropBefore(fromMs - series.worker.offset.shiftMs)
      series.windows.trim()
      const isKept = series.worker.isConnected || series.lastSeenMs >= fromMs || series.isOpen
      if (isKept) held.add(series.worker)
      else this.#retire(series)
      return isKept
    })
    this.#share()
    this.workers.retain((worker) => {
      return worker.isConnected || worker.lastSeenMs >= fromMs || held.has(worker)
    })
  }

  #retire(series: WallarooSeries): void {
    const { record } = series
    series.slots.retire(this.#ingest)
    const id = this.memory.idOf(record)
    this.#byId[id] = undefined
    this.#freeIds.push(id)
    this.#heads?.forget(record)
    series.release()
  }

  /** Moves times when the wall clock was set: what was silent for a minute still is. */
  #followClock(nowMs: number): void {
    const stepMs = aheadOf(this.clock) - this.#aheadMs
    if (Math.abs(stepMs) < CLOCK_STEP_MS) return
    this.#aheadMs += stepMs
    for (const seen of [...this.workers, ...this.#index.values()]) {
      seen.lastSeenMs = Math.min(seen.lastSeenMs + stepMs, nowMs)
    }
  }
}

function aheadOf(clock: Clock): number {
  return clock.wallMs() - Number(clock.monotonicNs()) / 1e6
}

/** Source that is no peer's address: what is the hub's own has a place under any limit. */
const OVERFLOW_SOURCE = 'hub'
