/**
 * Spaces of filters: the document's rules of names, types and kinds (§3.1, §4.1), over whatever
 * index keeps the definitions. The hub's filters, the store's, and those of a plain zone have this
 * one space.
 */
import { refusalNumber, type Writer, Zone } from '../../../shm/index.ts'
import type { Profile } from '../../decoder.ts'
import type { HostMode } from '../host/abi.ts'
import type { MetricSpace, MetricSpaceSource } from '../host/metric-space.ts'
import { isFilterKey, namedMetric } from '../keys.ts'
import { fitsNameLimit } from '../names.ts'
import { FILTER_TYPES, type FilterMetricType } from '../spec.ts'
import { zoneDefinition } from './definition.ts'
import { noCounts } from './handles.ts'
import { DocumentIndex, type DocumentIndexRules, type MetricIndex } from './metric-index.ts'
import type { DefinitionRules } from './options.ts'

/** Bytes of a name with its prefix: the original's `max_metric_name_length`. */
const NAME_BYTES_LIMIT = 256

interface SpaceRules extends DefinitionRules {
  /** Bytes of a name with its prefix, where not the zone's own limit holds; Envoy's have none. */
  readonly nameBytesLimit?: number
}

export class FilterSpace implements MetricSpace {
  readonly zone: Zone
  readonly writer: Writer
  readonly host: HostMode
  readonly #rules: SpaceRules
  readonly #index: MetricIndex

  constructor(zone: Zone, writer: Writer, rules: SpaceRules, index: MetricIndex) {
    this.zone = zone
    this.writer = writer
    this.host = rules.host
    this.#rules = rules
    this.#index = index
  }

  define(filter: string, name: Uint8Array, type: FilterMetricType): number {
    const named = this.#named(filter, name, type)
    if (named === undefined) return refusalNumber('type_mismatch')
    const { nameBytesLimit } = this.#rules
    if (
      nameBytesLimit !== undefined &&
      !fitsNameLimit(named.prefixed, named.origin, nameBytesLimit)
    ) {
      return this.#index.refuse('key_too_long', named)
    }
    return this.#index.define(named, zoneDefinition(named, named.origin, this.#rules))
  }

  find(filter: string, name: Uint8Array, type?: FilterMetricType): number {
    for (const each of type === undefined ? FILTER_TYPES : [type]) {
      const named = this.#named(filter, name, each)
      const metric = named === undefined ? -1 : this.#index.find(named)
      if (metric >= 0) return metric
    }
    return -1
  }

  prefixedName(metric: number): Uint8Array | undefined {
    const name = this.#index.prefixedName(metric)
    return name !== undefined && isFilterKey(name) ? name : undefined
  }

  /** Names a metric; undefined for a filter whose name the edition has no place for. */
  #named(filter: string, name: Uint8Array, type: FilterMetricType) {
    try {
      return namedMetric({ filter, name, type }, this.#rules)
    } catch {
      return undefined
    }
  }
}

export interface ZoneSpaceOptions {
  /** `zone.shared`. */
  readonly shared: Zone['shared']
  /** `spec` */
  readonly host?: HostMode
  /** Edition whose prefixes names get; `document`. */
  readonly profile?: Profile
  /** Longest prefixed name, in bytes; 256. */
  readonly maxMetricNameLength?: number
}

/** Data that a thread opens a space with; a store's `shared` is one. */
interface SpaceStart {
  readonly zone: Zone['shared']
  readonly rules: SpaceRules & DocumentIndexRules
}

function startOf({ shared, host = 'spec', ...options }: ZoneSpaceOptions): SpaceStart {
  const { profile = 'document', maxMetricNameLength = NAME_BYTES_LIMIT } = options
  const hasCustomNames = host === 'envoy'
  const rules = { host, profile, hasCustomNames, nameBytesLimit: maxMetricNameLength }
  return { zone: shared, rules: { ...rules, histogram: 'dense' } }
}

/**
 * Opens a space in the calling thread and leases a segment to it.
 *
 * @example
 * import { openZoneSpace } from 'pentameter/proxywasm'
 * import { Zone } from 'pentameter/shm'
 *
 * const space = openZoneSpace({ shared: Zone.create().shared })
 * space.writer.detach()
 */
export function openZoneSpace(options: ZoneSpaceOptions): MetricSpace {
  return openMetricSpace(startOf(options))
}

/**
 * Names the same space for a filter in a thread of its own.
 *
 * @example
 * import { zoneSpaceSource } from 'pentameter/proxywasm'
 * import { Zone } from 'pentameter/shm'
 *
 * const space = zoneSpaceSource({ shared: Zone.create({ backing: 'wasm' }).shared })
 * console.log(space.module)
 */
export function zoneSpaceSource(options: ZoneSpaceOptions): MetricSpaceSource {
  return spaceSource(startOf(options))
}

/** Names the space of such a start. */
export function spaceSource(start: SpaceStart): MetricSpaceSource {
  return { module: import.meta.url, data: start }
}

/** Opens the space that {@link spaceSource} names. */
export function openMetricSpace(data: unknown): MetricSpace {
  const { zone: shared, rules } = data as SpaceStart
  const zone = Zone.open(shared)
  const index = new DocumentIndex(zone, rules, noCounts())
  return new FilterSpace(zone, zone.attach(), rules, index)
}
