/**
 * Every series the hub knows, by id; the one place where a series gets its number, its zone metric
 * and its place under the limits. Ids are small integers, stable while the hub runs, never reused.
 */
import type { Kind, Metadata } from '../../model/index.ts'
import type { Zone } from '../../shm/index.ts'
import {
  bytesOf,
  decrementsOf,
  defineMetric,
  type KnownSeries,
  type NewSeries,
  OWN_SOURCE,
  type SeriesDefiner,
  type SeriesRefusal,
} from '../ingest/definition.ts'
import { type SeriesLimits, SeriesQuota } from '../ingest/quota.ts'
import { networkOf } from '../network.ts'
import { forEachItem, runNow, type Task } from '../tasks/task.ts'
import type { SeriesWatcher } from '../view.ts'
import { isSameMetadata, MetadataPool } from './metadata-pool.ts'
import { NumberedList } from './numbered-list.ts'
import { isDecrements, type SeriesRecord } from './record.ts'
import { StoredFacts } from './series-facts.ts'
import {
  createStored,
  type SeriesForm,
  type StoredCounter,
  type StoredSeries,
} from './stored-series.ts'

/** Use of the limits by the series of one source. */
interface SourceUse {
  /** Source of its newest series: the text that records share. */
  source: string
  series: number
  /** Bytes of the zone. */
  bytes: number
}

export class SeriesStore implements SeriesDefiner {
  readonly limits: SeriesLimits
  readonly quota: SeriesQuota
  readonly #zone: Zone
  readonly #nowMs: () => number
  readonly #byId = new NumberedList<StoredSeries>()
  readonly #byMetric = new NumberedList<StoredSeries>()
  readonly #facts: StoredFacts
  readonly #metadata = new MetadataPool()
  readonly #perSource = new Map<string, SourceUse>()
  readonly #counts = new SeriesCounts()
  readonly #leaving = new Set<SeriesRecord>()
  #retired: SeriesRecord[] = []
  readonly #onForget = new Set<(metric: number) => void>()
  readonly #onRemove = new Set<(record: SeriesRecord) => void>()
  readonly #watchers: SeriesWatcher[] = []
  #nextId = 1
  #revision = 0
  #removals = 0
  #unlinks = 0

  constructor(zone: Zone, limits: SeriesLimits, nowMs: () => number) {
    this.#zone = zone
    this.#facts = new StoredFacts(zone)
    this.limits = limits
    this.quota = SeriesQuota.create(limits)
    this.#nowMs = nowMs
  }

  get revision(): number {
    return this.#revision
  }

  /** Id of the newest series; none has a higher one. */
  get lastId(): number {
    return this.#nextId - 1
  }

  /**
   * Number of times that series were removed: while it stays, the list of {@link everything} only
   * grew.
   */
  get removals(): number {
    return this.#removals
  }

  /** Number of times that series left the list: while it stays, the list only grew. */
  get unlinks(): number {
    return this.#unlinks
  }

  /** Finds a series by its id, unless it is listed no more. */
  listed(id: number): SeriesRecord | undefined {
    const record = this.#byId.get(id)
    return record === undefined || this.#leaving.has(record) ? undefined : record
  }

  get size(): number {
    return this.#byId.size - this.#leaving.size
  }

  /** Series that count under the limit. */
  get countedSize(): number {
    return this.quota.count
  }

  get(id: number): SeriesRecord | undefined {
    return this.#byId.get(id)
  }

  /** Finds the series of a metric of the zone. */
  ofMetric(metric: number): SeriesRecord | undefined {
    return this.#byMetric.get(metric)
  }

  [Symbol.iterator](): IterableIterator<SeriesRecord> {
    return this.#leaving.size === 0 ? this.#byId[Symbol.iterator]() : this.#staying()
  }

  *#staying(): IterableIterator<SeriesRecord> {
    for (const record of this.#byId) if (!this.#leaving.has(record)) yield record
  }

  /** Lists all series, those too whose last cell is still to be closed (see {@link unlink}). */
  everything(): IterableIterator<SeriesRecord> {
    return this.#byId[Symbol.iterator]()
  }

  /** Series that are listed, by dialect and by source; decrements are not counted. */
  get counts(): Pick<SeriesCounts, 'of'> {
    return this.#counts
  }

  /** Counts series that a source has brought and that are still there. */
  countOf(source: string): number {
    return this.#perSource.get(networkOf(source))?.series ?? 0
  }

  /** Largest number of series that any one source has brought. */
  get largestSourceSize(): number {
    return this.#largest('series')
  }

  /** Largest number of bytes of the zone that the series of one source take. */
  get largestSourceBytes(): number {
    return this.#largest('bytes')
  }

  /** Use of the limits by each source, under the network of its address. */
  get uses(): ReadonlyMap<string, Readonly<SourceUse>> {
    return this.#perSource
  }

  #largest(field: 'series' | 'bytes'): number {
    let largest = 0
    for (const use of this.#perSource.values()) largest = Math.max(largest, use[field])
    return largest
  }

  /** Defines the series of an identity, made on first sight; a refusal above a limit. */
  get limitsGeneration(): number {
    return this.quota.generation
  }

  define(series: NewSeries): SeriesRecord | SeriesRefusal {
    const metric = defineMetric(this.#zone, this.quota, series)
    if (typeof metric === 'string') return metric
    return this.adopt(series, metric)
  }

  /** Adopts the series of a metric that a thread has defined, or found defined. */
  adopt(series: NewSeries, metric: number): SeriesRecord {
    return this.adoptAs(series.identity.kind, series, metric)
  }

  /**
   * Adopts as {@link adopt} does a series whose identity is not told: its key stands in the zone.
   */
  adoptAs(
    kind: Kind,
    series: SeriesForm & Pick<NewSeries, 'metadata' | 'source'>,
    metric: number,
  ): SeriesRecord {
    return this.#byMetric.get(metric) ?? this.#register(kind, series, metric)
  }

  #register(
    kind: Kind,
    series: SeriesForm & Pick<NewSeries, 'metadata' | 'source'>,
    metric: number,
  ): SeriesRecord {
    const id = this.#nextId++
    const isOwn = series.source === OWN_SOURCE
    const record = createStored(kind, series, {
      ...{ id, metric, facts: this.#facts },
      source: isOwn ? OWN_SOURCE : this.#charge(series.source, metric),
      metadata: this.#metadata.share(series.metadata),
    })
    this.#facts.begin(metric, this.#nowMs())
    this.#byId.set(id, record)
    this.#byMetric.set(metric, record)
    this.#revision++
    this.#counts.change(record, 1)
    return record
  }

  /**
   * Counts a series of a source.
   * @returns the source, as the text that others of its series have
   */
  #charge(source: string, metric: number): string {
    const key = networkOf(source)
    let use = this.#perSource.get(key)
    if (use === undefined) {
      use = { source, series: 0, bytes: 0 }
      this.#perSource.set(key, use)
    } else if (use.source !== source) use.source = source
    use.series++
    use.bytes += bytesOf(this.#zone, metric)
    return use.source
  }

  #discharge(source: string, bytes: number): void {
    const key = networkOf(source)
    const use = this.#perSource.get(key)
    if (use === undefined) return
    use.series--
    use.bytes -= bytes
    if (use.series === 0) this.#perSource.delete(key)
  }

  defineDecrements({ metric }: KnownSeries, source: string): SeriesRecord | SeriesRefusal {
    const record = this.#byMetric.get(metric)
    if (record?.kind !== 'counter') return 'type_mismatch'
    if (record.decrements !== undefined) return record.decrements
    const decrements = this.define(decrementsOf(record.identity, record.metadata, source))
    if (typeof decrements !== 'string') attachDecrements(record, decrements)
    return decrements
  }

  /** Replaces the metadata of a series; the revision rises when that changes anything. */
  annotate({ metric }: KnownSeries, metadata: Metadata): void {
    const record = this.#byMetric.get(metric)
    if (record === undefined || isSameMetadata(record.metadata, metadata)) return
    const isListed = !this.#leaving.has(record)
    if (isListed) {
      for (const watcher of this.#watchers) watcher.changes(record)
      this.#counts.change(record, -1)
    }
    record.metadata = this.#metadata.share(metadata)
    if (isListed) this.#counts.change(record, 1)
    this.#revision++
  }

  /**
   * Moves the times of all series when the wall clock was set: what was silent for a minute still
   * is, and nothing began in the future.
   */
  *shifting(stepMs: number): Task {
    yield* this.#facts.shifting(stepMs, this.#nowMs())
  }

  keyOf({ metric }: SeriesRecord): Uint8Array {
    return this.#zone.key(metric)
  }

  isListed(record: SeriesRecord): boolean {
    return this.#byId.get(record.id) === record && !this.#leaving.has(record)
  }

  watch(watcher: SeriesWatcher): void {
    this.#watchers.push(watcher)
  }

  /** Notes the end of an interval in which something arrived for the series of a metric. */
  heard(metric: number, atMs: number): void {
    this.#facts.setLastDataMs(metric, atMs)
  }

  onForget(callback: (metric: number) => void): void {
    this.#onForget.add(callback)
  }

  /** Calls back when a series is no more and no frame tells of it any more. */
  onRemove(callback: (record: SeriesRecord) => void): void {
    this.#onRemove.add(callback)
  }

  /** Lists series, with their second parts, silent since before an instant; never the hub's own. */
  silentSince(instantMs: number): SeriesRecord[] {
    const silent: StoredSeries[] = []
    for (const metric of this.#facts.silentSince(instantMs)) {
      const record = this.#byMetric.get(metric)!
      if (record.source === OWN_SOURCE || record.isKept || isPart(record)) continue
      if (this.#leaving.has(record)) continue
      const part = partOf(record)
      if (part === undefined || part.lastDataMs < instantMs) silent.push(record)
    }
    silent.sort((a, b) => a.id - b.id)
    return silent.flatMap(withPart)
  }

  /**
   * Begins a removal: the series is listed no more and its identity makes a new series from now on.
   * Threads that know it may go on writing into it until they have forgotten it.
   */
  unlink(records: readonly SeriesRecord[]): void {
    for (const record of records) {
      for (const callback of this.#onForget) callback(record.metric)
      for (const watcher of this.#watchers) watcher.leaves(record)
      this.#zone.unlink(record.metric)
      this.#leaving.add(record)
      this.#counts.change(record, -1)
      const bytes = bytesOf(this.#zone, record.metric)
      this.quota.remove(record.source, bytes)
      this.#discharge(record.source, bytes)
    }
    this.#unlinks++
    this.#revision++
  }

  /** Unlinks a series, with its second part, before it is silent; see {@link takeRetired}. */
  retire({ metric }: KnownSeries): boolean {
    const record = this.#byMetric.get(metric)
    if (record === undefined || this.#leaving.has(record)) return false
    const part = partOf(record)
    const records = part === undefined ? [record] : [part, record]
    this.unlink(records)
    this.#retired.push(...records)
    return true
  }

  /** Takes those retired since the last call, to be removed as the silent ones are. */
  takeRetired(): readonly SeriesRecord[] {
    const retired = this.#retired
    this.#retired = []
    return retired
  }

  /** Ends a removal, when no thread writes into them and their last cells are closed. */
  remove(records: readonly SeriesRecord[]): void {
    runNow(this.removing(records))
  }

  /**
   * Does the same in steps: no thread knows these series any more, so their order means nothing.
   */
  *removing(records: readonly SeriesRecord[]): Task {
    yield* forEachItem(records, (record) => {
      this.#byId.get(record.id)?.leave(this.#facts.end(record.metric))
      this.#byId.delete(record.id)
      this.#byMetric.delete(record.metric)
      this.#leaving.delete(record)
      for (const callback of this.#onRemove) callback(record)
      this.#zone.retire(record.metric)
    })
    this.#removals++
    this.#revision++
  }
}

/**
 * Counts of series, kept as these come and leave: to count them anew takes long when there are
 * many.
 */
class SeriesCounts {
  /** Counts by dialect, and in it by source; the empty one stands for all. */
  readonly #byDialect = new Map<string, Map<string, number>>()

  /** @param source of all where it is left out */
  of(dialect: string, source = ''): number {
    return this.#byDialect.get(dialect)?.get(source) ?? 0
  }

  change(record: SeriesRecord, by: 1 | -1): void {
    if (isDecrements(record)) return
    const { dialect } = record.metadata
    let counts = this.#byDialect.get(dialect)
    if (counts === undefined) {
      counts = new Map()
      this.#byDialect.set(dialect, counts)
    }
    for (const key of ['', record.source]) {
      const count = (counts.get(key) ?? 0) + by
      if (count > 0) counts.set(key, count)
      else counts.delete(key)
    }
  }
}

function partOf(record: StoredSeries): StoredCounter | undefined {
  return record.kind === 'counter' ? record.decrements : undefined
}

function withPart(record: StoredSeries): StoredSeries[] {
  const part = partOf(record)
  return part === undefined ? [record] : [part, record]
}

function isPart(record: StoredSeries): boolean {
  return record.kind === 'counter' && record.isAttached
}

/** Gives a counter its second part, where it has none yet. */
export function attachDecrements(record: SeriesRecord, part: SeriesRecord): void {
  if (record.kind !== 'counter' || part.kind !== 'counter') return
  if (part.isDecrements) record.decrements ??= part
}
