/** The last readings of gauges, and the cells of those that were written or differ since. */
import type { Exact } from '../../../model/index.ts'
import type { GaugeReading, ZoneReader } from '../../../shm/index.ts'
import type { GaugeRecord } from '../../series/record.ts'
import type { SeriesStore } from '../../series/series.ts'
import type { Task } from '../../tasks/task.ts'
import type { FrameBuilder } from '../frame.ts'
import type { Spreads } from '../samples/spreads.ts'
import type { Totals } from '../totals.ts'
import { grown, type Heard, type IsKept, LastReadings, lastBelow, SeriesRows } from './column.ts'

/** Gauges between two looks at the clock; most of them have not changed. */
const GAUGES_PER_STEP = 4096
const SHARED_PER_STEP = 256

export class GaugeReadings {
  readonly #heard: Heard
  readonly #rows = new SeriesRows()
  /** Places of the writes in the order of all: of some rows now, and at the last reading. */
  readonly #sequences = new Float64Array(GAUGES_PER_STEP)
  #last = new Float64Array(0)
  /** The same of gauges that have no row yet, by id. */
  readonly #early = new Map<number, number>()
  readonly #reading: GaugeReading = { value: Number.NaN, sequence: 0 }

  constructor(heard: Heard) {
    this.#heard = heard
  }

  add(record: GaugeRecord): void {
    const row = this.#rows.add(record)
    if (row === this.#last.length) this.#last = grown(this.#last)
    this.#last[row] = this.#early.get(record.id) ?? 0
    this.#early.delete(record.id)
  }

  /** Gives the place of the last write that a cell tells of, in the order of all; 0 for none. */
  lastOf(id: number): number {
    const row = this.#rowOf(id)
    return row < 0 ? (this.#early.get(id) ?? 0) : this.#last[row]!
  }

  /** Takes note that a cell of another second tells of a write. */
  tellApart(id: number, sequence: number): void {
    const row = this.#rowOf(id)
    if (row < 0) this.#early.set(id, sequence)
    else this.#last[row] = sequence
  }

  #rowOf(id: number): number {
    const { ids, count } = this.#rows
    const row = lastBelow(count, (i) => ids[i]! <= id)
    return ids[row] === id ? row : -1
  }

  *retain(isKept: IsKept): Task {
    yield* this.#rows.retain(isKept, (from, to) => {
      this.#last[to] = this.#last[from]!
    })
  }

  /**
   * Closes gauges, each with the value of the moment at which its turn comes, which need not be
   * that of others.
   */
  *close(reader: ZoneReader, builder: FrameBuilder, endMs: number, spreads: Spreads): Task {
    const { count } = this.#rows
    for (let row = 0; row < count; row += GAUGES_PER_STEP) {
      const end = Math.min(row + GAUGES_PER_STEP, count)
      this.#closeRows(row, end, reader, builder, endMs, spreads)
      yield
    }
  }

  #closeRows(
    first: number,
    end: number,
    reader: ZoneReader,
    builder: FrameBuilder,
    endMs: number,
    spreads: Spreads,
  ): void {
    const reading = this.#reading
    const last = this.#last
    const sequences = this.#sequences.subarray(0, end - first)
    const { ids, metrics } = this.#rows
    reader.gaugeSequences(metrics.subarray(first, end), sequences)
    for (let row = first; row < end; row++) {
      const id = ids[row]!
      const isTold = sequences[row - first] === last[row]
      if (isTold && !spreads.isWritten(id)) continue
      reader.gauge(metrics[row]!, reading)
      // written between the end of the window before and the cell that tells of it
      if (isTold && !spreads.goesBeyond(id, Number(reading.value))) continue
      last[row] = reading.sequence
      this.#heard(id, endMs)
      builder.gauge(id, reading.value, spreads.of(id, Number(reading.value)))
    }
  }
}

/**
 * Shared gauges show no writes, only values: a cell is made where the value differs. One that keeps
 * its value is as fresh as its source.
 */
export class SharedGaugeReadings extends LastReadings<Exact> {
  *close(
    store: Pick<SeriesStore, 'get'>,
    totals: Totals,
    builder: FrameBuilder,
    endMs: number,
    spreads: Spreads,
  ): Task {
    for (let row = 0; row < this.last.length; row++) {
      if (row % SHARED_PER_STEP === SHARED_PER_STEP - 1) yield
      const record = store.get(this.rows.ids[row]!)
      if (record?.kind !== 'gauge') continue
      if (totals.isActive(record.source)) record.lastDataMs = endMs
      const value = totals.gauge(record)
      if (value === undefined || value === this.last[row]) continue
      this.last[row] = value
      record.lastDataMs = endMs
      builder.gauge(record.id, value, spreads.of(record.id, Number(value)))
    }
  }
}
