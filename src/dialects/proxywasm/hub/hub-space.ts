/**
 * Where the metrics of a hub's filters live, as their thread sees it: the hub's own zone, under the
 * identities of the model and the limits that hold for all series. The host imports this module in
 * the filter's thread and calls `openMetricSpace`.
 */
import { BroadcastChannel } from 'node:worker_threads'
import { defineMetric, type SeriesRefusal } from '../../../hub/ingest/definition.ts'
import { SeriesQuota } from '../../../hub/ingest/quota.ts'
import { describeSeries, type Identity, identityKey } from '../../../model/index.ts'
import { METRIC_MODES, refusalNumber, Zone, type ZoneRefusal } from '../../../shm/index.ts'
import type { MetricSpace, MetricSpaceSource } from '../host/metric-space.ts'
import type { NamedMetric } from '../keys.ts'
import { LabelPatterns } from '../label-patterns.ts'
import { describeMetric } from '../map.ts'
import { FILTER_TYPES, type FilterMetricType } from '../spec.ts'
import type { ZoneDefinition } from '../store/definition.ts'
import { FilterSettings, type MetricNames } from '../store/filter-settings.ts'
import { histogramRuleOf } from '../store/histogram-rule.ts'
import type { MetricIndex } from '../store/metric-index.ts'
import { FilterSpace } from '../store/space.ts'
import { type Announcement, type HubSpaceStart, sourceOf } from './announcement.ts'

/** Refused names that a thread tells of; the host counts them all. */
const REFUSED_TOLD = 20

const REFUSALS: Readonly<Record<SeriesRefusal, ZoneRefusal>> = {
  series_limit: 'metrics_limit',
  series_limit_per_source: 'metrics_limit',
  zone_percent_per_source: 'zone_full',
  zone_full: 'zone_full',
  overloaded: 'zone_full',
  key_too_long: 'key_too_long',
  name_too_long: 'key_too_long',
  label_too_long: 'key_too_long',
  reserved_name: 'type_mismatch',
  type_mismatch: 'type_mismatch',
}

/** The filter's metrics as series of the hub. */
class SeriesIndex implements MetricIndex {
  readonly #zone: Zone
  readonly #start: HubSpaceStart
  readonly #quota: SeriesQuota
  readonly #patterns: LabelPatterns
  readonly #settings: FilterSettings
  readonly #tell: (announcement: Announcement) => void
  /** Prefixed names by metric, of those that this filter has. */
  readonly #names = new Map<number, Uint8Array>()
  #refusedTold = 0

  /** @param tell takes what the main thread has to know */
  constructor(zone: Zone, start: HubSpaceStart, tell: (announcement: Announcement) => void) {
    this.#zone = zone
    this.#start = start
    this.#quota = SeriesQuota.open(start.quota, start.limits, start.thread)
    this.#patterns = new LabelPatterns(start.labelPatterns)
    this.#settings = new FilterSettings(start.settings)
    this.#tell = tell
  }

  define(named: NamedMetric, definition: ZoneDefinition): number {
    for (;;) {
      const metric = this.#define(named, definition, this.#settings.metricNames)
      if (metric !== undefined) return metric
    }
  }

  /** @returns undefined where metrics have other names meanwhile: then it is to be named anew */
  #define(
    named: NamedMetric,
    { type, options }: ZoneDefinition,
    names: MetricNames,
  ): number | undefined {
    const { mode = METRIC_MODES[type][0], bounds } = options
    const { identity, metadata } = this.#describe(named, names, named.type, bounds)
    if (this.#start.filter.host !== 'envoy' && this.#isOfOtherType(identity)) {
      return this.refuse('type_mismatch', named)
    }
    const storage = { type, mode, ...(bounds === undefined ? {} : { bounds }) }
    const series = { identity, metadata, source: sourceOf(named.filter), storage, isKept: true }
    const charged = { type, mode, nameBytes: named.prefixed.length }
    const settings = this.#settings
    const quota = this.#quota
    const limit = this.#start.filter.metricsPerFilterLimit
    let isRenamed = false
    const metric = defineMetric(this.#zone, this.#quota, series, {
      get hasRoom() {
        // the main thread renames under the lock that this is asked under
        isRenamed = settings.metricNames !== names
        return !isRenamed && quota.broughtBy(series.source) < limit && settings.hasRoomFor(charged)
      },
      take: () => settings.take(charged),
    })
    if (isRenamed) return undefined
    if (typeof metric === 'string') return this.refuse(metric, named)
    if (!this.#names.has(metric)) {
      const prefixed = named.prefixed.slice()
      this.#names.set(metric, prefixed)
      this.#tell({ kind: 'series', series, metric, type: named.type, prefixed })
    }
    return metric
  }

  find(named: NamedMetric): number {
    const { metricNames } = this.#settings
    return this.#zone.find(identityKey(this.#describe(named, metricNames).identity))
  }

  prefixedName(metric: number): Uint8Array | undefined {
    return this.#names.get(metric)
  }

  refuse(code: SeriesRefusal, named: NamedMetric): number {
    if (this.#refusedTold < REFUSED_TOLD) {
      this.#refusedTold++
      const { identity } = this.#describe(named, this.#settings.metricNames, 'counter')
      const name = describeSeries(identity)
      this.#tell({ kind: 'refused', source: sourceOf(named.filter), name, code })
    }
    return refusalNumber(REFUSALS[code])
  }

  #describe(
    { origin, filter, name, type: own }: NamedMetric,
    names: MetricNames,
    type: FilterMetricType = own,
    bounds?: readonly number[],
  ) {
    const { unit } = this.#start.filter
    return describeMetric({ origin, filter, name, isAssumed: false }, type, {
      labelPatterns: this.#patterns,
      ...(bounds === undefined ? {} : { bounds }),
      ...(names === 'prefix' ? { prefixOf: this.#start.filter.profile } : {}),
      ...(unit === undefined || type !== 'histogram' ? {} : { unit }),
    })
  }

  /** Tells whether a name has another type: it has one, except under `envoy`. */
  #isOfOtherType(identity: Identity): boolean {
    return FILTER_TYPES.some(
      (kind) => kind !== identity.kind && this.#zone.find(identityKey({ ...identity, kind })) >= 0,
    )
  }
}

/** Names the space for the thread of a filter. */
export function hubSpaceSource(start: HubSpaceStart): MetricSpaceSource {
  return { module: import.meta.url, data: start }
}

/** Opens the space that the host calls in the filter's thread. */
export function openMetricSpace(start: HubSpaceStart): MetricSpace {
  const { host, profile, histogram } = start.filter
  const channel = new BroadcastChannel(start.channel)
  channel.unref()
  const zone = Zone.open(start.zone)
  const index = new SeriesIndex(zone, start, (announcement) => channel.postMessage(announcement))
  const settings = new FilterSettings(start.settings)
  const quota = SeriesQuota.open(start.quota, start.limits, start.thread)
  const own = histogram === undefined ? undefined : histogramRuleOf(histogram)
  const rules = {
    ...{ host, profile, hasCustomNames: host === 'envoy' },
    get histogram() {
      if (own !== undefined) return own
      // several numbers, which the main thread may be changing
      return quota.exclusively(() => settings.histogram)
    },
    get nameBytesLimit() {
      return settings.maxMetricNameLength
    },
  }
  return new FilterSpace(zone, zone.attach(), rules, index)
}
