/**
 * Where the metrics of a hub's filters live, as their thread sees it: the hub's own zone, under the
 * identities of the model and the limits that hold for all series. The host imports this module in
 * the filter's thread and calls `openMetricSpace`.
 */
import { BroadcastChannel } from 'node:worker_threads'
import { defineMetric, type SeriesRefusal, type Storage } from '../../../hub/ingest/definition.ts'
import { SeriesQuota } from '../../../hub/ingest/quota.ts'
import { describeSeries, type Identity, identityKey } from '../../../model/index.ts'
import { refusalNumber, type Writer, Zone, type ZoneRefusal } from '../../../shm/index.ts'
import type { FilterMetricType, HostMode, MetricSpace } from '../host/index.ts'
import { LabelPatterns } from '../label-patterns.ts'
import { describeMetric } from '../map.ts'
import { fitsNameLimit, type Origin, prefixedName } from '../names.ts'
import { type Announcement, type HubSpaceStart, sourceOf } from './announcement.ts'

const TYPES: readonly FilterMetricType[] = ['counter', 'gauge', 'histogram']
/** Bytes of a name with its prefix: the original's `max_metric_name_length`. */
const NAME_BYTES_LIMIT = 256
/** Refused names that a thread tells of; the host counts them all. */
const REFUSED_TOLD = 20

const REFUSALS: Readonly<Record<SeriesRefusal, ZoneRefusal>> = {
  series_limit: 'metrics_limit',
  series_limit_per_source: 'metrics_limit',
  zone_full: 'zone_full',
  key_too_long: 'key_too_long',
  reserved_name: 'type_mismatch',
  type_mismatch: 'type_mismatch',
}

function storageOf(type: FilterMetricType, host: HostMode): Storage {
  switch (type) {
    case 'counter':
      return { type, mode: 'wrapping' }
    case 'gauge':
      return { type, mode: host === 'nginx' ? 'last' : 'shared' }
    case 'histogram':
      return { type: 'dense', mode: 'integers' }
  }
}

export class HubSpace implements MetricSpace {
  readonly zone: Zone
  readonly writer: Writer
  readonly host: HostMode
  readonly #start: HubSpaceStart
  readonly #quota: SeriesQuota
  readonly #patterns: LabelPatterns
  readonly #tell: (announcement: Announcement) => void
  /** Prefixed names by metric, of those that this filter has. */
  readonly #names = new Map<number, Uint8Array>()
  #refusedTold = 0

  /** @param tell takes what the main thread has to know */
  constructor(start: HubSpaceStart, tell: (announcement: Announcement) => void) {
    this.zone = Zone.open(start.zone)
    this.writer = this.zone.attach()
    this.host = start.filter.host
    this.#start = start
    this.#quota = SeriesQuota.open(start.quota, start.limits, start.thread)
    this.#patterns = new LabelPatterns(start.labelPatterns)
    this.#tell = tell
  }

  define(filter: string, name: Uint8Array, type: FilterMetricType): number {
    const prefixed = this.#prefixed(filter, name)
    if (!fitsNameLimit(prefixed, this.#origin, NAME_BYTES_LIMIT)) {
      return this.#refuse('key_too_long', filter, name)
    }
    const { identity, metadata } = this.#describe(filter, name, type)
    if (this.host !== 'envoy' && this.#isOfOtherType(identity)) {
      return this.#refuse('type_mismatch', filter, name)
    }
    const storage = storageOf(type, this.host)
    const series = { identity, metadata, source: sourceOf(filter), storage, isKept: true }
    const metric = defineMetric(this.zone, this.#quota, series)
    if (typeof metric === 'string') return this.#refuse(metric, filter, name)
    if (!this.#names.has(metric)) {
      this.#names.set(metric, prefixed)
      this.#tell({ kind: 'series', series, metric })
    }
    return metric
  }

  find(filter: string, name: Uint8Array, type?: FilterMetricType): number {
    for (const each of type === undefined ? TYPES : [type]) {
      const { identity } = this.#describe(filter, name, each)
      const metric = this.zone.find(identityKey(identity))
      if (metric >= 0) return metric
    }
    return -1
  }

  prefixedName(metric: number): Uint8Array | undefined {
    return this.#names.get(metric)
  }

  get #origin(): Origin {
    return this.host === 'envoy' ? 'wasmcustom' : 'pw'
  }

  #prefixed(filter: string, name: Uint8Array): Uint8Array {
    return prefixedName(this.#origin, filter, name, this.#start.filter.profile).slice()
  }

  #describe(filter: string, name: Uint8Array, type: FilterMetricType) {
    const { unit } = this.#start.filter
    return describeMetric({ origin: this.#origin, filter, name, isAssumed: false }, type, {
      labelPatterns: this.#patterns,
      ...(unit === undefined || type !== 'histogram' ? {} : { unit }),
    })
  }

  /** A name has one type, except under `envoy`. */
  #isOfOtherType(identity: Identity): boolean {
    return TYPES.some(
      (kind) => kind !== identity.kind && this.zone.find(identityKey({ ...identity, kind })) >= 0,
    )
  }

  #refuse(code: SeriesRefusal, filter: string, name: Uint8Array): number {
    if (this.#refusedTold < REFUSED_TOLD) {
      this.#refusedTold++
      const { identity } = this.#describe(filter, name, 'counter')
      const text = describeSeries(identity)
      this.#tell({ kind: 'refused', source: sourceOf(filter), name: text, code })
    }
    return refusalNumber(REFUSALS[code])
  }
}

/** What the host calls in the filter's thread. */
export function openMetricSpace(start: HubSpaceStart): HubSpace {
  const channel = new BroadcastChannel(start.channel)
  channel.unref()
  return new HubSpace(start, (announcement) => channel.postMessage(announcement))
}
