/**
 * Seconds that one peer has closed, on their way into the hub's: their cells are part of totals at
 * once, and of the second that they belong to. No cell of the hub's own tells of them again.
 */

import type { PeerSecond, PeerSeries, SecondSink } from '../../dialects/ingest.ts'
import { REFUSED } from '../../dialects/ingest.ts'
import { describeSeries, type Exact, identityKey, type Metadata } from '../../model/index.ts'
import type { Writer } from '../../shm/index.ts'
import type { Clock } from '../../time/clock.ts'
import { counterOfDecrements, type NewSeries, WINDOWED } from '../ingest/definition.ts'
import type { IngestEvents } from '../ingest/ingest.ts'
import { CounterWindows } from '../ingest/windows/counter-windows.ts'
import { HistogramWindows } from '../ingest/windows/histogram-windows.ts'
import { SummaryWindows } from '../ingest/windows/summary-windows.ts'
import { FrameBuilder } from '../live/frame.ts'
import type { CellCloser } from '../live/tick.ts'
import type { Measured } from '../resident.ts'
import type { CounterRecord, SeriesRecord } from '../series/record.ts'
import type { SeriesStore } from '../series/series.ts'
import type { Task } from '../tasks/task.ts'
import type { AwaitedPeer, SecondMerger } from './second-merger.ts'

/** Parts of the hub that seconds of peers go to. */
export interface PeerSecondsParts {
  readonly clock: Clock
  readonly store: SeriesStore
  readonly writer: Writer
  readonly closer: CellCloser
  readonly merger: SecondMerger
}

/** Seconds that wait to be taken, of one peer. */
const WAITING_LIMIT = 2
/** Cells between two looks at the clock: some tenths of a millisecond. */
const CELLS_PER_STEP = 256

export class PeerSeconds implements SecondSink, Measured, AwaitedPeer {
  readonly #parts: PeerSecondsParts
  readonly #events: IngestEvents
  /** Place among the peers of the hub. */
  readonly #place: number
  #source = ''
  #isActive = false
  #isExpected = false
  #isClosed = false
  #waiting = 0
  #measurements = 0
  #toldMs = Number.NEGATIVE_INFINITY
  #counts = { late: 0, shifted: 0 }

  constructor(parts: PeerSecondsParts, events: IngestEvents) {
    this.#parts = parts
    this.#events = events
    this.#place = parts.merger.add(this)
  }

  get measurements(): number {
    return this.#measurements
  }

  takeActive(): Set<string> {
    const active = new Set(this.#isActive ? [this.#source] : [])
    this.#isActive = false
    return active
  }

  get isExpected(): boolean {
    return this.#isExpected && !this.#isClosed
  }

  get toldMs(): number {
    return this.#toldMs
  }

  get isBusy(): boolean {
    return this.#waiting >= WAITING_LIMIT || this.#parts.merger.isFull
  }

  get counts(): { readonly late: number; readonly shifted: number } {
    return this.#counts
  }

  begin(source: string): void {
    this.#source = source
  }

  expect(isExpected: boolean): void {
    this.#isExpected = isExpected
    if (!isExpected) this.#parts.merger.lookAfter()
  }

  close(): void {
    this.#isClosed = true
  }

  has(id: number): boolean {
    return this.#parts.store.listed(id) !== undefined
  }

  annotate(id: number, metadata: Metadata): void {
    const { store } = this.#parts
    const record = store.listed(id)
    if (record?.source === this.#source) store.annotate(record, metadata)
  }

  open(series: PeerSeries): number {
    const { store } = this.#parts
    const found = store.find(identityKey(series.identity))
    if (found !== undefined && store.listed(found.id) !== undefined) return found.id
    const record = this.#define(series)
    if (typeof record !== 'string') return record.id
    this.#events.refused(record, this.#source, () => describeSeries(series.identity))
    return REFUSED
  }

  #define(series: PeerSeries): ReturnType<SeriesStore['define']> {
    const { identity, metadata, isCumulative, isWindowed, isDecrements, counterBits } = series
    const { store } = this.#parts
    const form: NewSeries = {
      ...{ metadata, source: this.#source },
      identity: isDecrements === true ? counterOfDecrements(identity) : identity,
      ...(isCumulative === true && { isCumulative }),
      ...(isWindowed === true && { storage: WINDOWED }),
      ...(counterBits !== undefined && { counterBits }),
    }
    const whole = store.define(form)
    if (isDecrements !== true || typeof whole === 'string') return whole
    return store.defineDecrements(whole, this.#source)
  }

  take(second: PeerSecond): void {
    this.#waiting++
    this.#parts.merger.run(this.#taking(second))
  }

  *#taking(second: PeerSecond): Task {
    try {
      if (this.#isClosed) return
      this.#isActive = true
      const endMs = this.#timeOf(second.endMs)
      const frame = yield* this.#frameOf(second, endMs)
      this.#measurements += frame.cellCount
      this.#toldMs = endMs
      const isInTime = yield* this.#parts.merger.place(frame, this.#place)
      if (!isInTime) this.#counts.late++
    } finally {
      this.#waiting--
    }
  }

  /** Gives the time of a second: the one at hand, where it is stated to be far from now. */
  #timeOf(endMs: number): number {
    const { clock, merger } = this.#parts
    const nowMs = clock.wallMs()
    const isNear = endMs > nowMs - merger.spanMs && endMs < nowMs + AHEAD_MS_LIMIT
    if (isNear) return Math.ceil(endMs / 1000) * 1000
    this.#counts.shifted++
    return Math.ceil(nowMs / 1000) * 1000
  }

  *#frameOf({ counters, gauges, spreads, histograms, summaries }: PeerSecond, endMs: number) {
    const builder = new FrameBuilder()
    yield* this.#forEach(counters.ids, endMs, (record, i) => {
      const delta = counters.cells[i]!
      if (record.kind === 'counter' && this.#addCounter(record, delta)) {
        builder.counter(record.id, delta)
      }
    })
    yield* this.#forEach(gauges.ids, endMs, (record, i) => {
      if (record.kind !== 'gauge') return
      const value = gauges.cells[i]!
      if (record.lastDataMs <= endMs) {
        this.#parts.closer.setGauge(record, value, this.#parts.writer)
      }
      builder.gauge(record.id, value, spreads.get(i))
    })
    yield* this.#forEach(histograms.ids, endMs, (record, i) => {
      if (record.kind !== 'histogram') return
      record.windows ??= new HistogramWindows()
      record.windows.begin(histograms.cells[i]!)
      builder.histogram(record.id, histograms.cells[i]!)
    })
    yield* this.#forEach(summaries.ids, endMs, (record, i) => {
      if (record.kind !== 'summary') return
      record.windows ??= new SummaryWindows()
      record.windows.addApart(summaries.cells[i]!)
      builder.summary(record.id, summaries.cells[i]!)
    })
    return yield* builder.building(endMs, 0)
  }

  /** Calls back for each series that is there, ids rising; one that comes twice is refused. */
  *#forEach(
    ids: readonly number[],
    endMs: number,
    visit: (record: SeriesRecord, place: number) => void,
  ): Task {
    const { store } = this.#parts
    let last = -1
    let steps = 0
    for (const place of risingPlaces(ids)) {
      if (++steps % CELLS_PER_STEP === 0) yield
      const id = ids[place]!
      const record = id < 0 ? undefined : store.listed(id)
      if (record === undefined) continue
      if (id === last) {
        this.#events.refused('duplicate', this.#source)
        continue
      }
      last = id
      visit(record, place)
      if (record.lastDataMs < endMs) store.heard(id, endMs)
    }
  }

  #addCounter(record: CounterRecord, delta: Exact): boolean {
    const { writer, closer } = this.#parts
    const counter = writer.counter(record.metric)
    if (counter === undefined) return false
    if (typeof delta === 'number' && !Number.isInteger(delta)) {
      record.windows ??= new CounterWindows()
      const whole = record.windows.addApart(delta, counter)
      if (whole !== undefined) {
        closer.tellCounter(record, whole)
        return true
      }
    } else {
      const whole = BigInt(delta)
      const isSmall = typeof delta === 'number' && Number.isSafeInteger(delta)
      if (isSmall ? counter.add(delta) : counter.addExact(whole)) {
        closer.tellCounter(record, whole)
        return true
      }
    }
    this.#events.refused('value_range', this.#source)
    return false
  }
}

/** Time that a second may be ahead of the clock, ms: beyond it is taken for one of now. */
const AHEAD_MS_LIMIT = 10_000

/** Lists places so that what stands there rises; as they are where it does already. */
function risingPlaces(ids: readonly number[]): Iterable<number> {
  for (let i = 1; i < ids.length; i++) {
    if (ids[i - 1]! > ids[i]!) return [...ids.keys()].sort((a, b) => ids[a]! - ids[b]!)
  }
  return ids.keys()
}
