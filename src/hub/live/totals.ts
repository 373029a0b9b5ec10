/** What a series holds since it began, read from the zone now: counters, gauges, distributions. */
import { binsHistogram } from '../../dialects/proxywasm/map.ts'
import { type Exact, exact } from '../../model/index.ts'
import type { GaugeReading, Zone, ZoneReader } from '../../shm/index.ts'
import type { SeriesRecord, Total } from '../series.ts'

/** What is known of the sources of shared gauges, which tell no writes. */
export interface SharedSources {
  /** Whether the source ran in the interval that ends now: its gauges still hold. */
  isActive(source: string): boolean
  /** Whether a gauge of the source was ever decremented below zero. */
  hasWrapped(source: string): boolean
}

const NO_SHARED_SOURCES: SharedSources = {
  isActive: () => false,
  hasWrapped: () => false,
}

export class Totals {
  readonly #zone: Zone
  readonly #reader: ZoneReader
  readonly sources: SharedSources
  readonly #gauge: GaugeReading = { value: Number.NaN, sequence: 0 }

  constructor(zone: Zone, reader: ZoneReader, sources = NO_SHARED_SOURCES) {
    this.#zone = zone
    this.#reader = reader
    this.sources = sources
  }

  of(record: SeriesRecord): Total {
    const { kind } = record.identity
    switch (kind) {
      case 'counter': {
        const down = record.down === undefined ? 0n : this.#reader.counter(record.down.metric)
        return { kind, total: exact(this.#reader.counter(record.metric)), down: exact(down) }
      }
      case 'gauge':
        return { kind, value: this.gauge(record) }
      case 'histogram':
        return this.#zone.type(record.metric) === 'dense'
          ? { kind, histogram: binsHistogram(this.#reader.bins(record.metric)) }
          : { kind, histogram: this.#reader.exponential(record.metric) }
      case 'summary':
        throw new TypeError('no dialect of this version brings summaries')
    }
  }

  /** The value of a gauge; undefined when none was written yet. */
  gauge({ metric, source }: SeriesRecord): Exact | undefined {
    if (this.#zone.mode(metric) === 'shared') {
      const value = this.#reader.sharedGauge(metric)
      const isSigned = value >> 63n === 1n && this.sources.hasWrapped(source)
      return exact(isSigned ? BigInt.asIntN(64, value) : value)
    }
    return this.#reader.gauge(metric, this.#gauge) ? this.#gauge.value : undefined
  }
}
