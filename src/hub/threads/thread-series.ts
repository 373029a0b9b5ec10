/**
 * The series as one ingest thread sees them. A series is found or made in the zone, under limits
 * that hold over all threads, and announced to the main thread, whose list is the only whole one.
 * Every thread announces every series it writes into: who defined it may have died before saying
 * so, and the second announcement of a series says nothing new.
 */
import { identityOf, type Metadata } from '../../model/index.ts'
import type { Writer, Zone } from '../../shm/index.ts'
import {
  decrementsOf,
  defineMetric,
  type KeyedSeries,
  type KnownSeries,
  type NewSeries,
  type SeriesDefiner,
  type SeriesRefusal,
} from '../ingest/definition.ts'
import type { LimitChanges, SeriesQuota } from '../ingest/quota.ts'
import { isSameMetadata, MetadataPool } from '../series/metadata-pool.ts'
import { NumberedList } from '../series/numbered-list.ts'
import type { Outbox } from './outbox.ts'

export class ThreadSeries implements SeriesDefiner {
  readonly #zone: Zone
  readonly #quota: SeriesQuota
  readonly #writer: Writer
  readonly #outbox: Outbox
  /** Metadata that were told, by metric: all that is kept of a series here. */
  readonly #told = new NumberedList<Metadata>()
  readonly #metadata = new MetadataPool()
  readonly #onForget = new Set<(metric: number) => void>()

  constructor(zone: Zone, quota: SeriesQuota, writer: Writer, outbox: Outbox) {
    this.#zone = zone
    this.#quota = quota
    this.#writer = writer
    this.#outbox = outbox
  }

  get changes(): LimitChanges {
    return this.#quota
  }

  get keyHash(): number {
    return this.#zone.keyHash
  }

  define(series: NewSeries | KeyedSeries): KnownSeries | SeriesRefusal {
    return this.#define(series)
  }

  defineDecrements({ metric }: KnownSeries, source: string): KnownSeries | SeriesRefusal {
    const identity = identityOf(this.#zone.key(metric))!
    return this.#define(decrementsOf(identity, this.#told.get(metric)!, source), metric)
  }

  #define(series: NewSeries | KeyedSeries, downOfMetric?: number): KnownSeries | SeriesRefusal {
    const metric = defineMetric(this.#zone, this.#quota, series)
    if (typeof metric === 'string') return metric
    if (this.#told.get(metric) === undefined) {
      const metadata = this.#metadata.share(series.metadata)
      this.#told.set(metric, metadata)
      const told = metadata === series.metadata ? series : { ...series, metadata }
      this.#outbox.announce(told, metric, downOfMetric)
    }
    return { metric }
  }

  annotate({ metric }: KnownSeries, metadata: Metadata): void {
    const told = this.#told.get(metric)
    if (told === undefined || isSameMetadata(told, metadata)) return
    this.#told.set(metric, this.#metadata.share(metadata))
    this.#outbox.annotate(metric, metadata)
  }

  onForget(callback: (metric: number) => void): void {
    this.#onForget.add(callback)
  }

  /** Drops all that this thread keeps for these metrics: it writes into them no more. */
  forget(metrics: readonly number[]): void {
    for (const metric of metrics) {
      if (this.#told.get(metric) === undefined) continue
      this.#told.delete(metric)
      for (const callback of this.#onForget) callback(metric)
      this.#writer.release(metric)
    }
  }
}
