/** Plain instruments as the sessions see them: readings of the zone, over all threads. */
import { singleMean } from '../../dialects/eventcounters/summary.ts'
import type { CounterDescription } from '../../dialects/eventcounters/window.ts'
import { type Exact, type Exemplar, type Labels, subtractExact } from '../../model/index.ts'
import type { GaugeReading, ZoneReader } from '../../shm/index.ts'
import type { Collection, OpenWindow, ServedCounter } from '../sessions/served-counter.ts'

/** Part of a reading that is the same of all. */
interface ZoneReading {
  /** Lists its exemplars. */
  readonly readExemplars: () => readonly Exemplar[]
  readonly reader: ZoneReader
  readonly metric: number
  readonly describe: () => CounterDescription
  readonly labels: Labels
}

/**
 * Reads the total of a counter of fractions. Its parts are added up in another order once a thread
 * has ended, so that it may be less than before by a rounding.
 */
export function readFractions(reader: ZoneReader, metric: number): number {
  return Math.min(Number(reader.bins(metric).sum), Number.MAX_VALUE)
}

/**
 * A counter of the zone; each window is the difference of two of its totals, exactly where these
 * are integers.
 */
export class TotalCounter implements ServedCounter {
  readonly modelKind = 'counter'
  readonly labels: Labels
  /** Whether the total is a double. */
  readonly isFractional: boolean
  readonly #reading: ZoneReading
  #collectionNumber = -1
  #total: Exact = 0n
  /** Greatest total of fractions that was read. */
  #greatest = 0
  #baseline: Exact | undefined

  /**
   * @param baseline where the windows of the sessions begin that are open already: the thread may
   *   have counted since it made the counter, which is later than they are; until {@link settle}
   */
  constructor(reading: ZoneReading, baseline: Exact, isFractional: boolean) {
    this.isFractional = isFractional
    this.#reading = reading
    this.labels = reading.labels
    this.#baseline = baseline
  }

  readTotal = (): Exact => {
    const { reader, metric } = this.#reading
    if (!this.isFractional) return reader.counter(metric)
    this.#greatest = Math.max(this.#greatest, readFractions(reader, metric))
    return this.#greatest
  }

  readExemplars = (): readonly Exemplar[] => this.#reading.readExemplars()

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
        const increment = Number(subtractExact(total, last))
        last = total
        return { statistics: { kind: 'sum', increment } }
      },
      end: () => {},
    }
  }

  /** Reads the total; all sessions of a collection see one reading. */
  #totalAt({ number }: Collection): Exact {
    if (number !== this.#collectionNumber) {
      this.#collectionNumber = number
      this.#total = this.readTotal()
    }
    return this.#total
  }
}

/** A gauge of the zone; no payload before it was set. */
export class ValueCounter implements ServedCounter {
  readonly modelKind = 'gauge'
  readonly labels: Labels
  readonly #reading: ZoneReading
  readonly #gauge: GaugeReading = { value: Number.NaN, sequence: 0 }

  constructor(reading: ZoneReading) {
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
