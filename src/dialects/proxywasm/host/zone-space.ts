/**
 * The space of a plain zone: a metric's key is its prefixed name, as in the document's store. Under
 * `envoy`, where a name may exist once per type, one byte follows: the type's number in the ABI.
 */
import { type MetricMode, type MetricType, type Writer, Zone } from '../../../shm/index.ts'
import { refusalNumber } from '../../../shm/layout.ts'
import type { Profile } from '../../decoder.ts'
import { prefixedName } from '../names.ts'
import { FILTER_TYPES, type FilterMetricType } from '../spec.ts'
import type { HostMode } from './abi.ts'
import type { MetricSpace, MetricSpaceSource } from './metric-space.ts'
import { bytesOf } from './stream/stream.ts'

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
const FILTER_PREFIXES = ['pw.', 'pw:', 'wasmcustom.'].map((prefix) => bytesOf(prefix))

/** Opens a space in the calling thread and leases a segment to it. */
export function openZoneSpace(options: ZoneSpaceOptions): MetricSpace {
  return new ZoneSpace(Zone.open(options.shared), options)
}

/** The same for a filter in a thread of its own. */
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
    if (isTooLong) return refusalNumber('keyTooLong')
    const [zoneType, mode] = this.#kind(type)
    return this.zone.define(key, zoneType, { mode })
  }

  find(filter: string, name: Uint8Array, type: FilterMetricType = 'counter'): number {
    return this.zone.find(this.#key(filter, name, type))
  }

  prefixedName(metric: number): Uint8Array | undefined {
    if (!this.zone.has(metric)) return undefined
    const key = this.zone.key(metric)
    if (!FILTER_PREFIXES.some((prefix) => startsWith(key, prefix))) return undefined
    return this.host === 'envoy' ? key.subarray(0, -1) : key
  }

  #key(filter: string, name: Uint8Array, type: FilterMetricType): Uint8Array {
    if (this.host !== 'envoy') return prefixedName('pw', filter, name, this.#profile)
    const prefixed = prefixedName('wasmcustom', filter, name, this.#profile)
    const key = new Uint8Array(prefixed.length + 1)
    key.set(prefixed)
    key[prefixed.length] = FILTER_TYPES.indexOf(type)
    return key
  }

  #kind(type: FilterMetricType): readonly [MetricType, MetricMode] {
    if (type === 'counter') return ['counter', 'wrapping']
    if (type === 'histogram') return ['dense', 'integers']
    return ['gauge', this.host === 'nginx' ? 'last' : 'shared']
  }
}

function startsWith(bytes: Uint8Array, prefix: Uint8Array): boolean {
  return bytes.length >= prefix.length && prefix.every((byte, i) => bytes[i] === byte)
}
