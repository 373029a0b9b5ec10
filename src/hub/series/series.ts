/**
 * Every series the hub knows, by id; the one place where a series gets its number, its zone metric
 * and its place under the limits. Ids are small integers, stable while the hub runs, never reused.
 */
import {
  Exemplars,
  type Identity,
  identityKey,
  type Kind,
  type Metadata,
} from '../../model/index.ts'
import { networkOf } from '../../peers/network.ts'
import type { Zone } from '../../shm/index.ts'
import {
  bytesOf,
  decrementsOf,
  defineMetric,
  type KeyedSeries,
  type KnownSeries,
  kindOf,
  lengthRefusal,
  type NewSeries,
  OWN_SOURCE,
  type SeriesDefiner,
  type SeriesRefusal,
} from '../ingest/definition.ts'
import { type LimitChanges, type SeriesLimits, SeriesQuota } from '../ingest/quota.ts'
import { forEachItem, runNow, type Task } from '../tasks/task.ts'
import type { SeriesWatcher } from '../view.ts'
import { isSameMetadata } from './metadata-pool.ts'
import { NumberedInts, NumberedList } from './numbered-list.ts'
import type { SeriesRecord } from './record.ts'
import { SeriesColumns } from './series-columns.ts'
import { SeriesCounts } from './series-counts.ts'
import {
  FLAG,
  firstParts,
  flagsOf,
  recordOf,
  type SeriesForm,
  type SeriesParts,
  StoredCounter,
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

/** Series that have exemplars at a time: those that had one last. Each takes 4 KiB at most. */
const EXEMPLAR_SERIES_LIMIT = 4096

export class SeriesStore implements SeriesDefiner {
  readonly limits: SeriesLimits
  readonly quota: SeriesQuota
  /** Exemplars, by the ids of their series. */
  readonly exemplars = new Exemplars(EXEMPLAR_SERIES_LIMIT)
  readonly #zone: Zone
  readonly #nowMs: () => number
  readonly #columns: SeriesColumns<SeriesParts>
  /** Ids by metric; -1 for none. */
  readonly #ids = new NumberedInts()
  /** Records that are kept, by id; all others are made when they are asked for. */
  readonly #kept = new NumberedList<StoredSeries>()
  readonly #perSource = new Map<string, SourceUse>()
  readonly #counts = new SeriesCounts()
  #leaving = 0
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
    this.#columns = new SeriesColumns(zone)
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
    const record = this.#find(id)
    return record === undefined || record.isLeaving ? undefined : record
  }

  get size(): number {
    return this.#columns.size - this.#leaving
  }

  /** Series that count under the limit. */
  get countedSize(): number {
    return this.quota.count
  }

  /**
   * Finds a series by its id. The record is to be read while the series is there: who wants it
   * afterwards, too, has to {@link keep} it.
   */
  get(id: number): SeriesRecord | undefined {
    return this.#find(id)
  }

  /** Tells whether there is a series of an id, listed or leaving. */
  has(id: number): boolean {
    return this.#columns.has(id)
  }

  /** Tells whether windows have come for a series that are in no cell yet. */
  isWaiting(id: number): boolean {
    return (this.#columns.flags(id) & FLAG.waiting) !== 0
  }

  #find(id: number): StoredSeries | undefined {
    const kept = this.#kept.get(id)
    if (kept !== undefined) return kept
    return this.#columns.has(id) ? recordOf(id, this.#columns) : undefined
  }

  keep<R extends SeriesRecord>(record: R): R {
    return this.#keep(record as StoredSeries) as SeriesRecord as R
  }

  #keep(record: StoredSeries): StoredSeries {
    const kept = this.#kept.get(record.id)
    if (kept !== undefined) return kept
    if (this.#columns.has(record.id)) this.#kept.set(record.id, record)
    return record
  }

  /** Finds the id of the series of a metric of the zone; -1 where there is none. */
  idOf(metric: number): number {
    return this.#ids.get(metric)
  }

  /** Finds the series of a metric of the zone; the record as of {@link get}. */
  /** Finds a series by its key in the zone. */
  find(key: Uint8Array): SeriesRecord | undefined {
    return this.ofMetric(this.#zone.find(key))
  }

  ofMetric(metric: number): SeriesRecord | undefined {
    return this.#ofMetric(metric)
  }

  #ofMetric(metric: number): StoredSeries | undefined {
    const id = this.#ids.get(metric)
    return id < 0 ? undefined : this.#find(id)
  }

  *[Symbol.iterator](): IterableIterator<SeriesRecord> {
    for (const id of this.#columns.ids()) {
      const record = this.#find(id)
      if (record !== undefined && !record.isLeaving) yield record
    }
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

  get changes(): LimitChanges {
    return this.quota
  }

  get keyHash(): number {
    return this.#zone.keyHash
  }

  /** Defines the series of an identity, made on first sight; a refusal above a limit. */
  define(series: NewSeries | KeyedSeries): SeriesRecord | SeriesRefusal {
    const metric = defineMetric(this.#zone, this.quota, series)
    if (typeof metric === 'string') return metric
    return this.adopt(series, metric)
  }

  /** Adopts the series of a metric that a thread has defined, or found defined. */
  adopt(series: NewSeries | KeyedSeries, metric: number): SeriesRecord {
    return this.adoptAs(kindOf(series), series, metric)
  }

  /**
   * Adopts as {@link adopt} does a series whose identity is not told: its key stands in the zone.
   */
  adoptAs(
    kind: Kind,
    series: SeriesForm & Pick<NewSeries, 'metadata' | 'source'>,
    metric: number,
  ): SeriesRecord {
    return this.#ofMetric(metric) ?? this.#register(kind, series, metric)
  }

  #register(
    kind: Kind,
    series: SeriesForm & Pick<NewSeries, 'metadata' | 'source'>,
    metric: number,
  ): SeriesRecord {
    const id = this.#nextId++
    const isOwn = series.source === OWN_SOURCE
    this.#columns.begin(id, {
      metric,
      flags: flagsOf(kind, series),
      source: isOwn ? OWN_SOURCE : this.#charge(series.source, metric),
      metadata: series.metadata,
      nowMs: this.#nowMs(),
    })
    const parts = firstParts(kind, series)
    if (parts !== undefined) this.#columns.setParts(id, parts)
    this.#ids.set(metric, id)
    const record = recordOf(id, this.#columns)
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
    const record = this.#ofMetric(metric)
    if (record?.kind !== 'counter') return 'type_mismatch'
    if (record.decrements !== undefined) return record.decrements
    const decrements = this.define(decrementsOf(record.identity, record.metadata, source))
    if (typeof decrements !== 'string') this.attachDecrements(record, decrements)
    return decrements
  }

  /** Gives a counter its second part, where it has none yet. */
  attachDecrements(record: SeriesRecord, part: SeriesRecord): void {
    if (!(record instanceof StoredCounter) || !(part instanceof StoredCounter)) return
    if (part.isDecrements) record.decrements ??= this.#keep(part) as StoredCounter
  }

  /** Replaces the metadata of a series; the revision rises when that changes anything. */
  annotate({ metric }: KnownSeries, metadata: Metadata): void {
    const record = this.#ofMetric(metric)
    if (record === undefined || isSameMetadata(record.metadata, metadata)) return
    const isListed = !record.isLeaving
    if (isListed) {
      for (const watcher of this.#watchers) watcher.changes(record)
      this.#counts.change(record, -1)
    }
    this.#columns.setMetadata(record.id, metadata)
    if (isListed) this.#counts.change(record, 1)
    this.#revision++
  }

  /**
   * Gives a series another identity of its kind: under its id, with all that it holds. What names
   * series finds a former one gone, and this one come. To be called under the quota's lock.
   * @returns the reason of a refusal, with nothing changed: `type_mismatch` where another series
   *   has the identity
   */
  rename({ id, metric }: SeriesRecord, identity: Identity): SeriesRefusal | undefined {
    const record = this.#find(id)
    if (record === undefined || record.isLeaving) return 'type_mismatch'
    const tooLong = lengthRefusal({ identity }, this.limits)
    if (tooLong !== undefined) return tooLong
    const key = identityKey(identity)
    const zone = this.#zone
    const taken = zone.find(key)
    if (taken === metric) return undefined
    if (taken >= 0) return 'type_mismatch'
    const before = bytesOf(zone, metric)
    const more = zone.cost(key.length, zone.type(metric), zone.mode(metric)) - before
    if (!this.quota.charge(record.source, more)) return 'zone_percent_per_source'
    for (const watcher of this.#watchers) watcher.changes(record)
    const refusal = zone.rename(metric, key)
    if (refusal !== undefined) {
      this.quota.charge(record.source, -more)
      return refusal === 'key_too_long' || refusal === 'type_mismatch' ? refusal : 'zone_full'
    }
    const use = this.#perSource.get(networkOf(record.source))
    if (use !== undefined) use.bytes += more
    this.#columns.forgetIdentity()
    this.#revision++
    return undefined
  }

  /**
   * Moves the times of all series when the wall clock was set: what was silent for a minute still
   * is, and nothing began in the future.
   */
  *shifting(stepMs: number): Task {
    yield* this.#columns.shifting(stepMs, this.#nowMs())
  }

  keyOf({ metric }: SeriesRecord): Uint8Array {
    return this.#zone.key(metric)
  }

  isListed(record: SeriesRecord): boolean {
    return this.listed(record.id) !== undefined
  }

  watch(watcher: SeriesWatcher): void {
    this.#watchers.push(watcher)
  }

  /** Notes the end of an interval in which something arrived for a series. */
  heard(id: number, atMs: number): void {
    this.#columns.setLastDataMs(id, atMs)
  }

  onForget(callback: (metric: number) => void): void {
    this.#onForget.add(callback)
  }

  /** Calls back when a series is no more and no frame tells of it any more. */
  onRemove(callback: (record: SeriesRecord) => void): void {
    this.#onRemove.add(callback)
  }

  /** Lists series, with their second parts, silent since before an instant; never the hub's own. */
  *silentSince(instantMs: number): Task<SeriesRecord[]> {
    const silent: StoredSeries[] = []
    const look = (id: number): void => {
      const record = this.#find(id)
      // what has come or left since the look through all of them counts, too
      if (record === undefined || !(record.lastDataMs < instantMs) || record.isLeaving) return
      if (record.source === OWN_SOURCE || record.isKept || isPart(record)) return
      silent.push(record)
    }
    yield* forEachItem(yield* this.#columns.silentSince(instantMs), look)
    return silent.flatMap(withPart)
  }

  /**
   * Begins a removal: the series is listed no more and its identity makes a new series from now on.
   * Threads that know it may go on writing into it until they have forgotten it.
   */
  unlink(records: readonly SeriesRecord[]): void {
    for (const each of records) {
      const record = this.#keep(each as StoredSeries)
      for (const callback of this.#onForget) callback(record.metric)
      for (const watcher of this.#watchers) watcher.leaves(record)
      this.#zone.unlink(record.metric)
      record.unlist()
      this.#leaving++
      this.#counts.change(record, -1)
      const bytes = bytesOf(this.#zone, record.metric)
      this.quota.remove(record.source, bytes)
      this.#discharge(record.source, bytes)
    }
    this.#unlinks++
    this.#revision++
  }

  /** Unlinks a series, with its second part, before it is silent; see {@link takeRetired}. */
  retire({ id }: Pick<SeriesRecord, 'id'>): boolean {
    const record = this.#find(id)
    if (record === undefined || record.isLeaving) return false
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
    yield* forEachItem(records, (each) => {
      const { id } = each
      const record = this.#kept.get(id)
      if (record === undefined) return
      record.leave(this.#columns.end(id))
      this.#kept.delete(id)
      this.#ids.set(record.metric, -1)
      this.#leaving--
      for (const callback of this.#onRemove) callback(record)
      this.#zone.retire(record.metric)
    })
    this.#removals++
    this.#revision++
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
