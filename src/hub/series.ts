/**
 * Every series the hub knows, by id; the one place where a series gets its number, its zone metric
 * and its place under the limits. Ids are small integers, stable while the hub runs, never reused.
 */
import {
  type Exact,
  type Histogram,
  type Identity,
  identityKey,
  type Kind,
  type Metadata,
  type Summary,
} from '../model/index.ts'
import { type MetricType, refusalOf, type Zone } from '../shm/index.ts'
import { CumulativeReading } from './ingest/cumulative-reading.ts'

export interface SeriesRecord {
  readonly id: number
  readonly identity: Identity
  metadata: Metadata
  /** Address without port of the peer that sent it first; `hub` for the hub's own. */
  readonly source: string
  /** Index of its metric in the zone. */
  readonly metric: number
  readonly firstSeenMs: number
  /** End of the last interval in which something arrived. */
  lastDataMs: number
  /** Counter: the second monotonic part with the sizes of negative increments, if there is one. */
  down: SeriesRecord | undefined
  /** True for such a second part: exported, but not shown as a series of its own. */
  readonly isDown: boolean
  /** Cumulative counters (`mr`): the last reading and the resets. */
  readonly reading: CumulativeReading | undefined
}

/** What a series holds since it began; integers exact. */
export type Total =
  | { readonly kind: 'counter'; readonly total: Exact; readonly down: Exact }
  | { readonly kind: 'gauge'; readonly value: Exact | undefined }
  | { readonly kind: 'histogram'; readonly histogram: Histogram }
  | { readonly kind: 'summary'; readonly summary: Summary }

export interface SeriesLimits {
  /** Most series in the hub; its own not counted. */
  readonly seriesLimit: number
  /** Most series that one source (address without port) may bring. */
  readonly seriesLimitPerSource: number
}

export const SERIES_LIMITS: SeriesLimits = { seriesLimit: 100_000, seriesLimitPerSource: 10_000 }

/** What a new series says of itself. */
export interface NewSeries {
  readonly identity: Identity
  readonly metadata: Metadata
  readonly source: string
  readonly counterBits?: 32 | 64
  readonly isCumulative?: boolean
  readonly isDown?: boolean
}

export type SeriesRefusal =
  | 'series_limit'
  | 'series_limit_per_source'
  | 'zone_full'
  | 'key_too_long'
  | 'reserved_name'

/** Names that begin so are the hub's own: no peer may write into what the hub says of itself. */
export const OWN_PREFIX = 'pentameter.'

const ZONE_TYPES: Record<Exclude<Kind, 'summary'>, MetricType> = {
  counter: 'counter',
  gauge: 'gauge',
  histogram: 'exponential',
}

/** Source name of the hub's own series, which no limit counts. */
export const OWN_SOURCE = 'hub'

export class SeriesStore {
  readonly limits: SeriesLimits
  readonly #zone: Zone
  readonly #nowMs: () => number
  readonly #byId = new Map<number, SeriesRecord>()
  readonly #byMetric = new Map<number, SeriesRecord>()
  readonly #perSource = new Map<string, number>()
  readonly #onExpire = new Set<(record: SeriesRecord) => void>()
  #nextId = 1
  #revision = 0
  #counted = 0

  constructor(zone: Zone, limits: SeriesLimits, nowMs: () => number) {
    this.#zone = zone
    this.limits = limits
    this.#nowMs = nowMs
  }

  get revision(): number {
    return this.#revision
  }

  get size(): number {
    return this.#byId.size
  }

  /** Series that count under the limit. */
  get countedSize(): number {
    return this.#counted
  }

  get(id: number): SeriesRecord | undefined {
    return this.#byId.get(id)
  }

  [Symbol.iterator](): Iterator<SeriesRecord> {
    return this.#byId.values()
  }

  /** Series that a source has brought and that are still there. */
  countOf(source: string): number {
    return this.#perSource.get(source) ?? 0
  }

  /** Most series that any one source has brought. */
  get largestSourceSize(): number {
    let largest = 0
    for (const size of this.#perSource.values()) largest = Math.max(largest, size)
    return largest
  }

  /** The series of an identity, made on first sight; a refusal above a limit. */
  define(series: NewSeries): SeriesRecord | SeriesRefusal {
    const isOwn = series.source === OWN_SOURCE
    if (!isOwn && series.identity.name.startsWith(OWN_PREFIX)) return 'reserved_name'
    const key = identityKey(series.identity)
    const found = this.#zone.find(key)
    const known = found < 0 ? undefined : this.#byMetric.get(found)
    if (known !== undefined) return known
    if (!isOwn) {
      if (this.#counted >= this.limits.seriesLimit) return 'series_limit'
      if (this.countOf(series.source) >= this.limits.seriesLimitPerSource) {
        return 'series_limit_per_source'
      }
    }
    const { kind } = series.identity
    const metric = kind === 'summary' ? -1 : this.#zone.define(key, ZONE_TYPES[kind])
    if (metric < 0) return refusalOf(metric) === 'keyTooLong' ? 'key_too_long' : 'zone_full'
    return this.#register(series, metric, isOwn)
  }

  #register(series: NewSeries, metric: number, isOwn: boolean): SeriesRecord {
    const record: SeriesRecord = {
      id: this.#nextId++,
      identity: series.identity,
      metadata: series.metadata,
      source: series.source,
      metric,
      firstSeenMs: this.#nowMs(),
      lastDataMs: this.#nowMs(),
      down: undefined,
      isDown: series.isDown ?? false,
      reading: series.isCumulative ? new CumulativeReading(series.counterBits) : undefined,
    }
    this.#byId.set(record.id, record)
    this.#byMetric.set(metric, record)
    this.#revision++
    if (!isOwn) {
      this.#counted++
      this.#perSource.set(series.source, this.countOf(series.source) + 1)
    }
    return record
  }

  /** The second monotonic part of a counter, made on first need; charged to `source`. */
  defineDown(record: SeriesRecord, source: string): SeriesRecord | SeriesRefusal {
    if (record.down !== undefined) return record.down
    const { identity } = record
    const down = this.define({
      identity: {
        ...identity,
        name: `${identity.name}.decrement`,
        nameBytes: downNameBytes(identity),
      },
      metadata: record.metadata,
      source,
      isDown: true,
    })
    if (typeof down !== 'string') record.down = down
    return down
  }

  /** Replaces the metadata of a series; the revision rises when that changes anything. */
  annotate(record: SeriesRecord, metadata: Metadata): void {
    if (isSameMetadata(record.metadata, metadata)) return
    record.metadata = metadata
    this.#revision++
  }

  /**
   * Calls back before a series leaves, so that tables drop what they keep for it: its metric's
   * number may mean another series from then on.
   */
  onExpire(callback: (record: SeriesRecord) => void): void {
    this.#onExpire.add(callback)
  }

  /** Removes series that have been silent since before an instant; the hub's own stay. */
  expire(silentSinceMs: number): number {
    let count = 0
    for (const record of this.#byId.values()) {
      if (record.lastDataMs >= silentSinceMs || record.source === OWN_SOURCE || record.isDown) {
        continue
      }
      if (record.down !== undefined && record.down.lastDataMs >= silentSinceMs) continue
      if (record.down !== undefined) this.#remove(record.down)
      this.#remove(record)
      count++
    }
    return count
  }

  /** The metric goes too, so that a series that comes back begins at nothing. */
  #remove(record: SeriesRecord): void {
    for (const callback of this.#onExpire) callback(record)
    this.#zone.retire(record.metric)
    this.#byId.delete(record.id)
    this.#byMetric.delete(record.metric)
    this.#revision++
    this.#counted--
    const left = this.countOf(record.source) - 1
    if (left > 0) this.#perSource.set(record.source, left)
    else this.#perSource.delete(record.source)
  }
}

function isSameMetadata(a: Metadata, b: Metadata): boolean {
  const keys = Object.keys(a) as (keyof Metadata)[]
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key])
}

/** A line feed can't be in a name that came by line, so the part never meets a real series. */
function downNameBytes(identity: Identity): Uint8Array {
  const name = identity.nameBytes ?? new TextEncoder().encode(identity.name)
  const ending = new TextEncoder().encode('\ndecrement')
  const bytes = new Uint8Array(name.length + ending.length)
  bytes.set(name)
  bytes.set(ending, name.length)
  return bytes
}
