/** The last readings of gauges, and the cells of those that were written or differ since. */
import type { Exact } from '../../../model/index.ts'
import type { GaugeReading, ZoneReader } from '../../../shm/index.ts'
import type { GaugeRecord } from '../../series/record.ts'
import type { Task } from '../../tasks/task.ts'
import type { FrameBuilder } from '../frame.ts'
import type { Totals } from '../totals.ts'
import { compact, grown, type IsKept, LastReadings } from './column.ts'

/** Gauges between two looks at the clock; most of them have not changed. */
const GAUGES_PER_STEP = 4096

export class GaugeReadings {
  readonly #records: GaugeRecord[] = []
  #metrics = new Uint32Array(0)
  /** Places of the writes in the order of all: now, and at the last reading. */
  #sequences = new Float64Array(0)
  #last = new Float64Array(0)
  readonly #reading: GaugeReading = { value: Number.NaN, sequence: 0 }

  add(record: GaugeRecord): void {
    const row = this.#records.length
    if (row === this.#metrics.length) {
      this.#metrics = grown(this.#metrics)
      this.#last = grown(this.#last)
      this.#sequences = new Float64Array(this.#metrics.length)
    }
    this.#records.push(record)
    this.#metrics[row] = record.metric
    this.#last[row] = 0
  }

  retain(isKept: IsKept): void {
    compact(this.#records, isKept, (from, to) => {
      this.#metrics[to] = this.#metrics[from]!
      this.#last[to] = this.#last[from]!
    })
  }

  /**
   * Closes gauges, each with the value of the moment at which its turn comes, which need not be
   * that of others.
   */
  *close(reader: ZoneReader, builder: FrameBuilder, endMs: number): Task {
    const count = this.#records.length
    for (let row = 0; row < count; row += GAUGES_PER_STEP) {
      this.#closeRows(row, Math.min(row + GAUGES_PER_STEP, count), reader, builder, endMs)
      yield
    }
  }

  #closeRows(
    first: number,
    end: number,
    reader: ZoneReader,
    builder: FrameBuilder,
    endMs: number,
  ): void {
    const reading = this.#reading
    const last = this.#last
    const sequences = this.#sequences.subarray(first, end)
    reader.gaugeSequences(this.#metrics.subarray(first, end), sequences)
    for (let row = first; row < end; row++) {
      if (sequences[row - first] === last[row]) continue
      const record = this.#records[row]!
      reader.gauge(record.metric, reading)
      last[row] = reading.sequence
      record.lastDataMs = endMs
      builder.gauge(record.id, reading.value)
    }
  }
}

/**
 * Shared gauges show no writes, only values: a cell is made where the value differs. One that keeps
 * its value is as fresh as its source.
 */
export class SharedGaugeReadings extends LastReadings<GaugeRecord, Exact> {
  close(totals: Totals, builder: FrameBuilder, endMs: number): void {
    for (let row = 0; row < this.last.length; row++) {
      const record = this.records[row]!
      if (totals.isActive(record.source)) record.lastDataMs = endMs
      const value = totals.gauge(record)
      if (value === undefined || value === this.last[row]) continue
      this.last[row] = value
      record.lastDataMs = endMs
      builder.gauge(record.id, value)
    }
  }
}
