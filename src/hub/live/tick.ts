/**
 * The tick: once a second, on a grid of the monotonic clock, reads the zone, subtracts the last
 * reading and closes one cell for every series that changed. A late wake-up closes one longer frame
 * and stays on the grid; nothing is made up for in a burst.
 */
import type { Clock, Kind } from '../../model/index.ts'
import type { ZoneReader } from '../../shm/index.ts'
import type { SeriesRecord, SeriesStore } from '../series.ts'
import { type Frame, FrameBuilder } from './frame.ts'
import { CounterReadings, GaugeReadings, HistogramReadings } from './readings.ts'

const SECOND_NS = 1_000_000_000n
const SECOND_MS = 1000

/**
 * Calls back at every whole second, told how many have passed. The seconds are those of the wall
 * clock at the start, from then on counted on the monotonic one.
 */
export class Grid {
  readonly #clock: Clock
  readonly #startNs: bigint
  readonly #startWallMs: number
  #done = 0
  #cancel: (() => void) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
    const wallMs = clock.wallMs()
    this.#startWallMs = Math.floor(wallMs / SECOND_MS) * SECOND_MS
    this.#startNs = clock.monotonicNs() - BigInt(Math.round((wallMs - this.#startWallMs) * 1e6))
  }

  /** Wall time of the last boundary, a whole second. */
  get boundaryMs(): number {
    return this.#startWallMs + this.#done * SECOND_MS
  }

  start(onBoundary: (endMs: number, seconds: number) => void): void {
    this.#schedule(onBoundary)
  }

  #schedule(onBoundary: (endMs: number, seconds: number) => void): void {
    const nextNs = this.#startNs + BigInt(this.#done + 1) * SECOND_NS
    const waitMs = Number(nextNs - this.#clock.monotonicNs()) / 1e6
    this.#cancel = this.#clock.after(Math.max(0, Math.ceil(waitMs)), () => {
      const passed = Number((this.#clock.monotonicNs() - this.#startNs) / SECOND_NS)
      const seconds = passed - this.#done
      this.#done = passed
      if (seconds > 0) onBoundary(this.boundaryMs, seconds)
      if (this.#cancel !== undefined) this.#schedule(onBoundary)
    })
  }

  stop(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }
}

/** Reads the zone and makes the frames of what changed since the last reading. */
export class CellCloser {
  readonly #store: SeriesStore
  readonly #reader: ZoneReader
  readonly #counters = new CounterReadings()
  readonly #gauges = new GaugeReadings()
  readonly #histograms = new HistogramReadings()
  #revision = -1

  constructor(store: SeriesStore, reader: ZoneReader) {
    this.#store = store
    this.#reader = reader
  }

  /** Closes the cells of the interval that ends now. */
  close(endMs: number, seconds: number): Frame {
    if (this.#revision !== this.#store.revision) this.#follow()
    const builder = new FrameBuilder()
    const window = this.#reader.closeWindow()
    this.#counters.close(this.#reader, builder, endMs)
    this.#gauges.close(this.#reader, builder, endMs)
    this.#histograms.close(this.#reader, builder, endMs, window)
    return builder.build(endMs, seconds)
  }

  /** Takes over the store's list of series; readings of those that stay are kept. */
  #follow(): void {
    const records: Record<Kind, SeriesRecord[]> = {
      counter: [],
      gauge: [],
      histogram: [],
      summary: [],
    }
    for (const record of this.#store) records[record.identity.kind].push(record)
    this.#counters.follow(records.counter)
    this.#gauges.follow(records.gauge)
    this.#histograms.follow(records.histogram)
    this.#revision = this.#store.revision
  }
}
