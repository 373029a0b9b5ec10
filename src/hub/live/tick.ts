/**
 * The tick: once a second (second/ticker.ts) reads the zone, subtracts the last reading and closes
 * one cell for every series that changed.
 */

import type { Exact } from '../../model/index.ts'
import type { GaugeReading, Writer, Zone, ZoneReader } from '../../shm/index.ts'
import type { Windows } from '../ingest/windows/windows.ts'
import type {
  CounterRecord,
  GaugeRecord,
  HistogramRecord,
  SeriesRecord,
  SummaryRecord,
} from '../series/record.ts'
import type { SeriesStore } from '../series/series.ts'
import { runNow, type Task } from '../tasks/task.ts'
import { type Frame, FrameBuilder } from './frame.ts'
import type { Heard, IsKept } from './readings/column.ts'
import { CounterReadings } from './readings/counters.ts'
import { GaugeReadings, SharedGaugeReadings } from './readings/gauges.ts'
import { BoundedReadings, DenseReadings, HistogramReadings } from './readings/histograms.ts'
import type { Samples } from './samples/samples.ts'
import type { Totals } from './totals.ts'

/** The readings of all series that are read in one way. */
interface Column {
  retain(isKept: IsKept): Task
}

/** Series between two looks at the clock. */
const IDS_PER_STEP = 1024
/** Series with windows between two looks at the clock: half a millisecond. */
const WINDOWED_PER_STEP = 256

interface CellSources {
  readonly store: SeriesStore
  readonly zone: Zone
  readonly reader: ZoneReader
  readonly totals: Totals
  readonly windows: Windows
  readonly samples: Samples
}

/**
 * Closer that reads the zone and the closed windows, and makes frames of what changed since last
 * time.
 */
export class CellCloser {
  readonly #store: SeriesStore
  readonly #zone: Zone
  readonly #reader: ZoneReader
  readonly #totals: Totals
  readonly #windows: Windows
  readonly #samples: Samples
  readonly #counters: CounterReadings
  readonly #gauges: GaugeReadings
  readonly #sharedGauges = new SharedGaugeReadings()
  readonly #exponentials: HistogramReadings
  readonly #denses: DenseReadings
  readonly #bounded: BoundedReadings
  readonly #columns: readonly Column[]
  readonly #reading: GaugeReading = { value: Number.NaN, sequence: 0 }
  readonly #idOf = (metric: number): number => this.#store.idOf(metric)
  /** Last id of the store's list that the columns have followed. */
  #lastId = 0
  #removals = 0

  constructor({ store, zone, reader, totals, windows, samples }: CellSources) {
    this.#store = store
    this.#zone = zone
    this.#reader = reader
    this.#totals = totals
    this.#windows = windows
    this.#samples = samples
    this.#counters = new CounterReadings(store)
    const heard: Heard = (id, atMs) => store.heard(id, atMs)
    this.#gauges = new GaugeReadings(heard)
    this.#exponentials = new HistogramReadings(heard)
    this.#denses = new DenseReadings(heard)
    this.#bounded = new BoundedReadings(heard)
    this.#columns = [
      this.#counters,
      this.#gauges,
      this.#sharedGauges,
      this.#exponentials,
      this.#denses,
      this.#bounded,
    ]
  }

  /** Closes the cells of the interval that ends now, at once. */
  close(endMs: number, seconds: number): Frame {
    return runNow(this.closing(endMs, seconds))
  }

  /**
   * Does the same in steps, each series with what it holds when its turn comes. Where all of it is
   * one slice of the event loop, what comes by the main thread is all before it or after it.
   */
  *closing(endMs: number, seconds: number): Task<Frame> {
    yield* this.#follow()
    const builder = new FrameBuilder()
    const reader = this.#reader
    const window = reader.closeWindow()
    const windowed = this.#windows.take()
    const hasWindows = (): boolean => windowed.hasCounters || this.#windows.hasCounters
    yield* this.#counters.close(reader, builder, endMs, hasWindows)
    yield* this.#samples.closing(endMs)
    const { spreads, written } = this.#samples
    yield* spreads.addingWritten(written, window, this.#idOf)
    yield* this.#sharedGauges.close(this.#store, this.#totals, builder, endMs, spreads)
    yield* this.#denses.close(reader, builder, endMs)
    yield* this.#bounded.close(reader, builder, endMs)
    yield* this.#exponentials.close(reader, builder, endMs, window)
    yield
    yield* this.#gauges.close(reader, builder, endMs, spreads)
    yield* closeDistributions(windowed.distributions, builder, endMs)
    yield
    return yield* builder.building(endMs, seconds)
  }

  /** Takes note that a counter has grown by what a cell of another second tells of. */
  tellCounter(record: CounterRecord, whole: bigint): void {
    if (whole === 0n || this.#counters.tellApart(record.id, whole)) return
    record.begun = (record.begun ?? 0n) + whole
  }

  /**
   * Sets a gauge to the value that a cell of another second tells of, unless what was written into
   * it since its last cell is newer. A shared one keeps what its writers have made of it.
   */
  setGauge({ id, metric }: GaugeRecord, value: Exact, writer: Writer): void {
    if (this.#zone.mode(metric) === 'shared') return
    const reading = this.#reading
    const isWritten = this.#reader.gauge(metric, reading)
    if (isWritten && reading.sequence !== this.#gauges.lastOf(id)) return
    writer.gauge(metric)?.set(value)
    if (this.#reader.gauge(metric, reading)) this.#gauges.tellApart(id, reading.sequence)
  }

  /** Takes over the store's list of series; readings of those that stay are kept. */
  *#follow(): Task {
    const store = this.#store
    if (this.#removals !== store.removals) {
      this.#removals = store.removals
      const isKept: IsKept = (id) => store.has(id)
      for (const readings of this.#columns) {
        yield* readings.retain(isKept)
        yield
      }
    }
    while (this.#lastId < store.lastId) {
      const record = store.get(++this.#lastId)
      if (record !== undefined) this.#add(record)
      if (this.#lastId % IDS_PER_STEP === 0) yield
    }
  }

  /** Gives a series its row, unless it only comes in windows; ids of those added rise. */
  #add(record: SeriesRecord): void {
    switch (record.kind) {
      case 'counter':
        this.#counters.add(record)
        break
      case 'gauge':
        if (this.#zone.mode(record.metric) === 'shared') this.#sharedGauges.add(record)
        else this.#gauges.add(record)
        break
      case 'histogram':
        if (record.isWindowed) break
        this.#histogramsOf(record).add(record)
    }
  }

  #histogramsOf({ metric }: HistogramRecord): Pick<DenseReadings, 'add'> {
    const type = this.#zone.type(metric)
    if (type === 'exponential') return this.#exponentials
    return type === 'binned' ? this.#bounded : this.#denses
  }
}

/**
 * Closes cells of the summaries and histograms that had windows; an empty window makes none.
 * Nothing of them is in the zone, so each is closed when its turn comes.
 * @param windowed sorted here, by id
 */
function* closeDistributions(
  windowed: (HistogramRecord | SummaryRecord)[],
  builder: FrameBuilder,
  endMs: number,
): Task {
  windowed.sort((a, b) => a.id - b.id)
  for (let i = 0; i < windowed.length; i++) {
    if (i % WINDOWED_PER_STEP === 0) yield
    const record = windowed[i]!
    record.isWaiting = false
    record.lastDataMs = endMs
    if (record.kind === 'histogram') {
      record.windows?.close((histogram) => builder.histogram(record.id, histogram))
      continue
    }
    const summary = record.windows?.close()
    if (summary !== undefined && summary.count > 0) builder.summary(record.id, summary)
  }
}
