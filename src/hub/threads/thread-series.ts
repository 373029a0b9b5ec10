/**
 * The series as one ingest thread sees them. A series is found or made in the zone, under limits
 * that hold over all threads, and announced to the main thread, whose list is the only whole one.
 * Every thread announces every series it writes into: who defined it may have died before saying
 * so, and the second announcement of a series says nothing new.
 */
import type { Identity, Metadata } from '../../model/index.ts'
import type { Writer, Zone } from '../../shm/index.ts'
import {
  decrementsOf,
  defineMetric,
  type KnownSeries,
  type NewSeries,
  type SeriesDefiner,
  type SeriesRefusal,
} from '../ingest/definition.ts'
import type { SeriesQuota } from '../ingest/quota.ts'
import type { Outbox } from './outbox.ts'

interface AnnouncedSeries extends KnownSeries {
  readonly identity: Identity
  metadata: Metadata
}

export class ThreadSeries implements SeriesDefiner {
  readonly #zone: Zone
  readonly #quota: SeriesQuota
  readonly #writer: Writer
  readonly #outbox: Outbox
  readonly #byMetric = new Map<number, AnnouncedSeries>()
  readonly #onForget = new Set<(metric: number) => void>()

  constructor(zone: Zone, quota: SeriesQuota, writer: Writer, outbox: Outbox) {
    this.#zone = zone
    this.#quota = quota
    this.#writer = writer
    this.#outbox = outbox
  }

  define(series: NewSeries): KnownSeries | SeriesRefusal {
    return this.#define(series)
  }

  defineDecrements(series: KnownSeries, source: string): KnownSeries | SeriesRefusal {
    const { metadata } = this.#byMetric.get(series.metric)!
    return this.#define(decrementsOf(series, metadata, source), series.metric)
  }

  #define(series: NewSeries, downOfMetric?: number): KnownSeries | SeriesRefusal {
    const metric = defineMetric(this.#zone, this.#quota, series)
    if (typeof metric === 'string') return metric
    const known = this.#byMetric.get(metric)
    if (known !== undefined) return known
    const { identity, metadata } = series
    const record = { identity, metadata, metric }
    this.#byMetric.set(metric, record)
    const decrements = downOfMetric === undefined ? {} : { decrementsOf: downOfMetric }
    this.#outbox.announce({ series, metric, ...decrements })
    return record
  }

  annotate({ metric }: KnownSeries, metadata: Metadata): void {
    const known = this.#byMetric.get(metric)
    if (known === undefined || known.metadata === metadata) return
    known.metadata = metadata
    this.#outbox.annotate(metric, metadata)
  }

  onForget(callback: (metric: number) => void): void {
    this.#onForget.add(callback)
  }

  /** Drops all that this thread keeps for these metrics: it writes into them no more. */
  forget(metrics: readonly number[]): void {
    for (const metric of metrics) {
      if (!this.#byMetric.delete(metric)) continue
      for (const callback of this.#onForget) callback(metric)
      this.#writer.release(metric)
    }
  }
}
