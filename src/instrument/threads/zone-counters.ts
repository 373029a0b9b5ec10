/** Plain instruments as the sessions see them: readings of the zone, over all threads. */
import { singleMean } from '../../dialects/eventcounters/summary.ts'
import type { CounterDescription } from '../../dialects/eventcounters/window.ts'
import type { Labels } from '../../model/index.ts'
import type { GaugeReading, ZoneReader } from '../../shm/index.ts'
import type { Collection, OpenWindow, ServedCounter } from '../sessions/served-counter.ts'

/** Part of a reading that is the same of both. */
interface Reading {
  readonly reader: ZoneReader
  readonly metric: number
  readonly describe: () => CounterDescription
  readonly labels: Labels
}

/** A counter of the zone; each window is the difference of two of its totals, exactly. */
export class TotalCounter implements ServedCounter {
  readonly modelKind = 'counter'
  readonly labels: Labels
  readonly #reading: Reading
  #collectionNumber = -1
  #total = 0n
  #baseline: bigint | undefined

  /**
   * @param baseline where the windows of the sessions begin that are open already: the thread may
   *   have counted since it made the counter, which is later than they are; until {@link settle}
   */
  constructor(reading: Reading, baseline: bigint) {
    this.#reading = reading
    this.labels = reading.labels
    this.#baseline = baseline
  }

  readTotal = (): bigint => this.#reading.reader.counter(this.#reading.metric)

  settle(): void {
    this.#baseline = undefined
  }

  get description(): CounterDescription {
    return this.#reading.describe()
  }

  open(collection: Collection): OpenWindow {
    let last = this.#baseline ?? this.#totalAt(collection)
    return {
      close: (now) => {
        const total = this.#totalAt(now)
        const increment = Number(total - last)
        last = total
        return { statistics: { kind: 'sum', increment } }
      },
      end: () => {},
    }
  }

  /** Reads the total; all sessions of a collection see one reading. */
  #totalAt({ number }: Collection): bigint {
    if (number !== this.#collectionNumber) {
      this.#collectionNumber = number
      this.#total = this.#reading.reader.counter(this.#reading.metric)
    }
    return this.#total
  }
}

/** A gauge of the zone; no payload before it was set. */
export class ValueCounter implements ServedCounter {
  readonly modelKind = 'gauge'
  readonly labels: Labels
  readonly #reading: Reading
  readonly #gauge: GaugeReading = { value: Number.NaN, sequence: 0 }

  constructor(reading: Reading) {
    this.#reading = reading
    this.labels = reading.labels
  }

  readNow = (): number => {
    const { reader, metric } = this.#reading
    return reader.gauge(metric, this.#gauge) ? Number(this.#gauge.value) : Number.NaN
  }

  get description(): CounterDescription {
    return this.#reading.describe()
  }

  open(): OpenWindow {
    return {
      close: () => {
        const value = this.readNow()
        return Number.isNaN(value) ? undefined : { statistics: singleMean(value) }
      },
      end: () => {},
    }
  }
}
