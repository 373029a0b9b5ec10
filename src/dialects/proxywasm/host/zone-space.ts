/** The space of a plain zone: keys are those of the document's store (keys.ts). */
import { type MetricMode, type MetricType, type Writer, Zone } from '../../../shm/index.ts'
import { refusalNumber } from '../../../shm/layout.ts'
import type { Profile } from '../../decoder.ts'
import { isFilterKey, keyOf, nameOfKey } from '../keys.ts'
import type { FilterMetricType } from '../spec.ts'
import type { HostMode } from './abi.ts'
import type { MetricSpace, MetricSpaceSource } from './metric-space.ts'

export interface ZoneSpaceOptions {
  /** `zone.shared`. */
  readonly shared: Zone['shared']
  /** `spec` */
  readonly host?: HostMode
  /** Edition whose prefixes names get; `document`. */
  readonly profile?: Profile
  /** Of the prefixed name, in bytes; 256. */
  readonly maxMetricNameLength?: number
}

const NAME_LENGTH = 256

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
  return new ZoneSpace(Zone.open(options.shared), options)
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
  return { module: import.meta.url, data: options }
}

/** What {@link zoneSpaceSource} names. */
export function openMetricSpace(data: unknown): MetricSpace {
  return openZoneSpace(data as ZoneSpaceOptions)
}

class ZoneSpace implements MetricSpace {
  readonly zone: Zone
  readonly writer: Writer
  readonly host: HostMode
  readonly #profile: Profile
  readonly #nameLength: number

  constructor(zone: Zone, options: ZoneSpaceOptions) {
    this.zone = zone
    this.writer = zone.attach()
    this.host = options.host ?? 'spec'
    this.#profile = options.profile ?? 'document'
    this.#nameLength = options.maxMetricNameLength ?? NAME_LENGTH
  }

  define(filter: string, name: Uint8Array, type: FilterMetricType): number {
    const key = this.#key(filter, name, type)
    // Envoy's names have no limit but the zone's own.
    const isTooLong = this.host !== 'envoy' && key.length > this.#nameLength
    if (isTooLong) return refusalNumber('key_too_long')
    const [zoneType, mode] = this.#kind(type)
    return this.zone.define(key, zoneType, { mode })
  }

  find(filter: string, name: Uint8Array, type: FilterMetricType = 'counter'): number {
    return this.zone.find(this.#key(filter, name, type))
  }

  prefixedName(metric: number): Uint8Array | undefined {
    if (!this.zone.has(metric)) return undefined
    const key = this.zone.key(metric)
    return isFilterKey(key) ? nameOfKey(key, this) : undefined
  }

  #key(filter: string, name: Uint8Array, type: FilterMetricType): Uint8Array {
    const origin = this.host === 'envoy' ? 'wasmcustom' : 'pw'
    return keyOf(origin, filter, name, type, { profile: this.#profile, host: this.host })
  }

  #kind(type: FilterMetricType): readonly [MetricType, MetricMode] {
    if (type === 'counter') return ['counter', 'wrapping']
    if (type === 'histogram') return ['dense', 'integers']
    return ['gauge', this.host === 'nginx' ? 'last' : 'shared']
  }
}
