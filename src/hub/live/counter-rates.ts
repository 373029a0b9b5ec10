/**
 * Dropwizard's moving averages of every counter, fed with closed seconds on the scale of the time
 * that they took: a wall clock that is set changes no rate. Kept from a counter's first look or
 * first increase on; ticks are made up for lazily.
 */
import { MovingAverages } from '../../model/index.ts'
import type { SeriesRecord } from '../series/record.ts'
import type { SeriesStore } from '../series/series.ts'
import type { Task } from '../tasks/task.ts'
import type { Rates } from '../view.ts'
import type { Frame } from './frame.ts'

const MS_NS = 1e6
/** Counters between two looks at the clock: half a millisecond. */
const ROWS_PER_STEP = 1024

interface Meter {
  readonly startMs: number
  readonly averages: MovingAverages
  count: number
}

export class CounterRates {
  readonly #meters = new Map<number, Meter>()
  /** Closed so far. */
  #nowMs = 0

  constructor(store: SeriesStore) {
    store.onForget((metric) => {
      const record = store.ofMetric(metric)
      if (record !== undefined) this.#meters.delete(record.id)
    })
  }

  /** Takes a frame in steps; rates of a second may be read after its last step only. */
  *take(frame: Frame): Task {
    this.#nowMs += frame.seconds * 1000
    const { counterIds } = frame
    for (let i = 0; i < counterIds.length; i++) {
      if (i % ROWS_PER_STEP === 0) yield
      const meter = this.#meterOf(counterIds[i]!, this.#nowMs - frame.seconds * 1000)
      const delta = Number(frame.deltaAt(i))
      meter.averages.advance((this.#nowMs - meter.startMs) * MS_NS)
      meter.averages.add(delta)
      meter.count += delta
    }
  }

  /**
   * Reads rates per second at the last closed second; undefined for a series that is no counter.
   */
  read(record: SeriesRecord): Rates | undefined {
    if (record.kind !== 'counter') return undefined
    const meter = this.#meters.get(record.id)
    if (meter === undefined) return { mean: 0, m1: 0, m5: 0, m15: 0 }
    const ageMs = this.#nowMs - meter.startMs
    const { averages } = meter
    averages.advance(ageMs * MS_NS)
    const mean = ageMs > 0 ? (meter.count * 1000) / ageMs : 0
    return { mean, m1: averages.m1, m5: averages.m5, m15: averages.m15 }
  }

  #meterOf(id: number, startMs: number): Meter {
    let meter = this.#meters.get(id)
    if (meter === undefined) {
      meter = { startMs, averages: new MovingAverages(0), count: 0 }
      this.#meters.set(id, meter)
    }
    return meter
  }
}
