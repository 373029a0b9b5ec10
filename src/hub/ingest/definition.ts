/**
 * How a series gets its metric: the same in every thread that ingests. The zone knows series by
 * the bytes of their identity, so two threads that hear of one series find the same metric.
 */
import {
  type Bounds,
  type Identity,
  identityKey,
  type Kind,
  type Metadata,
} from '../../model/index.ts'
import { NAME_AT } from '../../model/named-keys.ts'
import { type MetricMode, type MetricType, refusalOf, type Zone } from '../../shm/index.ts'
import type { LimitChanges, QuotaRefusal, SeriesLimits, SeriesQuota } from './quota.ts'

/** Description that a new series has of itself. */
export interface NewSeries {
  readonly identity: Identity
  readonly metadata: Metadata
  readonly source: string
  readonly counterBits?: 32 | 64
  readonly isCumulative?: boolean
  readonly isDecrements?: boolean
  /** Storage in the zone, where that is not how a kind is usually kept. */
  readonly storage?: Storage
  /** True for one that never expires, because its writer can't forget it (filters). */
  readonly isKept?: boolean
}

/** Series that is named by its key; all but its identity as in the former. */
export interface KeyedSeries extends Omit<NewSeries, 'identity' | 'isDecrements' | 'isKept'> {
  readonly kind: Kind
  /** Key of its identity; valid during the call. */
  readonly key: Uint8Array
  /** Bytes of its name, which stands in the key behind its first 5. */
  readonly nameLength: number
  /** Bytes of the longest key or value of its labels; absent without any. */
  readonly labelLength?: number
}

/** Gives the kind of a series, however it is named. */
export function kindOf(series: NewSeries | { readonly kind: Kind }): Kind {
  return 'identity' in series ? series.identity.kind : series.kind
}

interface Storage {
  readonly type: MetricType
  readonly mode: MetricMode
  /** Bounds of a binned histogram. */
  readonly bounds?: Bounds
}

export type SeriesRefusal =
  | QuotaRefusal
  | 'zone_full'
  | 'key_too_long'
  | 'name_too_long'
  | 'label_too_long'
  | 'reserved_name'
  | 'type_mismatch'

/** A series as an ingest knows it. */
export interface KnownSeries {
  /** Index of its metric in the zone. */
  readonly metric: number
}

/** Source of an ingest's series: the hub's list, or a thread's part in it. */
export interface SeriesDefiner {
  /** Changes by which a refusal by a limit may hold no more. */
  readonly changes: LimitChanges
  /** Hash that the zone knows the key of the last definition by. */
  readonly keyHash: number
  /** Defines the series of an identity, made on first sight; a refusal above a limit. */
  define(series: NewSeries | KeyedSeries): KnownSeries | SeriesRefusal
  /** Defines the second monotonic part of a counter, made on first need; charged to `source`. */
  defineDecrements(series: KnownSeries, source: string): KnownSeries | SeriesRefusal
  /** Replaces what is known of a series besides its identity. */
  annotate(series: KnownSeries, metadata: Metadata): void
  /** Calls back before a metric's number may mean another series. */
  onForget(callback: (metric: number) => void): void
}

/** Names that begin so are the hub's own: no peer may write into what the hub says of itself. */
const OWN_PREFIX = 'pentameter.'
const OWN_PREFIX_BYTES = new TextEncoder().encode(OWN_PREFIX)

/** Source name of the hub's own series, which no limit counts. */
export const OWN_SOURCE = 'hub'

/**
 * Storage by kind. Of a summary the zone keeps its key, its number and its place under the limits:
 * a shared gauge, because that takes no slot. Its windows are merged in the main thread
 * (`windows/`).
 */
const STORAGES: Record<Kind, Storage> = {
  counter: { type: 'counter', mode: 'saturating' },
  gauge: { type: 'gauge', mode: 'last' },
  histogram: { type: 'exponential', mode: 'plain' },
  summary: { type: 'gauge', mode: 'shared' },
}

/** A histogram of windows is kept as a summary is. */
export const WINDOWED: Storage = STORAGES.summary

/** A budget that a definition is charged to besides the limits; called under the quota's lock. */
interface DefinitionBudget {
  readonly hasRoom: boolean
  take(): void
}

/** Defines the metric of a series, made and counted under the limits if it is new. */
export function defineMetric(
  zone: Zone,
  quota: SeriesQuota,
  series: NewSeries | KeyedSeries,
  budget?: DefinitionBudget,
): number | SeriesRefusal {
  const { source } = series
  const isKeyed = 'key' in series
  const isOwn = source === OWN_SOURCE
  if (!isOwn && (isKeyed ? isOwnKey(series.key) : isOwnName(series.identity))) {
    return 'reserved_name'
  }
  const { type, mode, bounds }: Storage = series.storage ?? STORAGES[kindOf(series)]
  const key = isKeyed ? series.key : identityKey(series.identity)
  const found = zone.find(key)
  if (found >= 0) {
    const isSame = zone.type(found) === type && zone.mode(found) === mode
    return isSame && hasBounds(zone, found, bounds) ? found : 'type_mismatch'
  }
  const options = bounds === undefined ? { mode } : { mode, bounds }
  if (isOwn) return metricOrRefusal(zone.define(key, type, options))
  const tooLong = isKeyed ? keyRefusal(series, quota.limits) : lengthRefusal(series, quota.limits)
  if (tooLong !== undefined) return tooLong
  return quota.exclusively(() => {
    const bytes = zone.cost(key.length, type, mode)
    const isOver = budget?.hasRoom === false
    const refusal = isOver ? 'zone_full' : quota.refusal(source, bytes)
    // another thread may have been faster, and has then counted it
    if (refusal !== undefined && zone.find(key) < 0) return refusal
    const metric = zone.define(key, type, options)
    if (metric >= 0 && zone.isNew) {
      quota.add(source, bytes, zone.keyHash)
      budget?.take()
    }
    return metricOrRefusal(metric)
  })
}

/** Tells whether a metric has these bounds of its own; of most there are none. */
function hasBounds(zone: Zone, metric: number, bounds: Bounds | undefined): boolean {
  if (bounds === undefined) return true
  const own = zone.bounds(metric) // the last one is the zone's
  return own.length === bounds.length + 1 && bounds.every((bound, i) => own[i] === bound)
}

function isOwnName({ name }: Identity): boolean {
  return name.startsWith(OWN_PREFIX)
}

/** Tells the same of a name that stands in a key. */
function isOwnKey(key: Uint8Array): boolean {
  for (let i = 0; i < OWN_PREFIX_BYTES.length; i++) {
    if (key[NAME_AT + i] !== OWN_PREFIX_BYTES[i]) return false
  }
  return true
}

function nameRefusal(
  length: number,
  { nameBytesLimit }: SeriesLimits,
): 'name_too_long' | undefined {
  return length > nameBytesLimit ? 'name_too_long' : undefined
}

function keyRefusal(
  { nameLength, labelLength = 0 }: KeyedSeries,
  limits: SeriesLimits,
): 'name_too_long' | 'label_too_long' | undefined {
  const tooLong = nameRefusal(nameLength, limits)
  return tooLong ?? (labelLength > limits.labelBytesLimit ? 'label_too_long' : undefined)
}

/** Tells which part of an identity is longer than the names of one series may be. */
export function lengthRefusal(
  {
    identity: { name, nameBytes, labels },
    isDecrements = false,
  }: Pick<NewSeries, 'identity' | 'isDecrements'>,
  limits: SeriesLimits,
): 'name_too_long' | 'label_too_long' | undefined {
  if (isDecrements) return undefined
  const { labelBytesLimit } = limits
  const isLong = (text: string, limit: number) => Buffer.byteLength(text) > limit
  const tooLong = nameRefusal(nameBytes?.length ?? Buffer.byteLength(name), limits)
  if (tooLong !== undefined) return tooLong
  const isLongLabel = labels.some((pair) => pair.some((part) => isLong(part, labelBytesLimit)))
  return isLongLabel ? 'label_too_long' : undefined
}

/** Counts bytes of the zone that a series is charged to its source for. */
export function bytesOf(zone: Zone, metric: number): number {
  return zone.cost(zone.key(metric).length, zone.type(metric), zone.mode(metric))
}

function metricOrRefusal(metric: number): number | SeriesRefusal {
  if (metric >= 0) return metric
  switch (refusalOf(metric)) {
    case 'key_too_long':
      return 'key_too_long'
    case 'type_mismatch':
      return 'type_mismatch'
    default:
      return 'zone_full'
  }
}

/** Endings of a part's name: in the key that identifies it, and for people. */
export const DECREMENTS_ENDING = '\ndecrement'
const DECREMENTS_SHOWN = '.decrement'

/**
 * Names the part of a counter that takes the sizes of its negative increments. A line feed can't be
 * in a name that came by line, so the part never meets a real series.
 */
export function decrementsOf(identity: Identity, metadata: Metadata, source: string): NewSeries {
  const name = identity.nameBytes ?? new TextEncoder().encode(identity.name)
  const ending = new TextEncoder().encode(DECREMENTS_ENDING)
  const nameBytes = new Uint8Array(name.length + ending.length)
  nameBytes.set(name)
  nameBytes.set(ending, name.length)
  return {
    identity: { ...identity, name: `${identity.name}${DECREMENTS_SHOWN}`, nameBytes },
    metadata,
    source,
    isDecrements: true,
  }
}

/** Gives the identity of the counter whose part has this one, as it stands in the part's key. */
export function counterOfDecrements({ name, nameBytes, ...rest }: Identity): Identity {
  const length = DECREMENTS_ENDING.length
  return {
    ...rest,
    name: name.slice(0, -length),
    ...(nameBytes === undefined ? {} : { nameBytes: nameBytes.subarray(0, -length) }),
  }
}

/** Gives a part the name of {@link decrementsOf}, where its identity was read from its key. */
export function decrementsIdentity(identity: Identity): Identity {
  const { name, nameBytes = new TextEncoder().encode(name) } = identity
  const shown = `${name.slice(0, -DECREMENTS_ENDING.length)}${DECREMENTS_SHOWN}`
  return { ...identity, name: shown, nameBytes }
}
