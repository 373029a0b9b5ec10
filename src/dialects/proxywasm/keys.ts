/**
 * Keys of the zone's index: the prefixed name. Under Envoy's host mode, where one name of a filter
 * may stand for a counter, a gauge and a histogram, one byte follows: the type's number in the ABI.
 */
import type { HostMode } from './host/abi.ts'
import { isOfFilter, type Origin, prefixedName } from './names.ts'
import { FILTER_TYPES, type FilterMetricType } from './spec.ts'
import type { MetricDefinition } from './store/definition.ts'
import type { NameRules } from './store/options.ts'

/** A metric as its definition names it. */
export interface NamedMetric {
  readonly origin: Origin
  /** Empty where no filter has defined it. */
  readonly filter: string
  /** Name without its prefix. */
  readonly name: Uint8Array
  readonly prefixed: Uint8Array
  readonly type: FilterMetricType
}

/** @throws {RangeError} as {@link prefixedName} */
export function namedMetric(
  { origin, filter, name, type }: Pick<MetricDefinition, 'origin' | 'filter' | 'name' | 'type'>,
  { hasCustomNames, profile }: NameRules,
): NamedMetric {
  const said = origin ?? (filter === undefined ? 'library' : 'pw')
  const named = {
    origin: said === 'pw' && hasCustomNames ? 'wasmcustom' : said,
    filter: filter ?? '',
    name: typeof name === 'string' ? encoder.encode(name) : name,
    type,
  } as const
  return { ...named, prefixed: prefixedName(named.origin, named.filter, named.name, profile) }
}

const encoder = new TextEncoder()

export function keyOf({ origin, prefixed, type }: NamedMetric, host: HostMode): Uint8Array {
  if (host !== 'envoy' || !isOfFilter(origin)) return prefixed
  return Uint8Array.of(...prefixed, FILTER_TYPES.indexOf(type))
}

const FILTER_PREFIXES = ['pw.', 'pw:', 'wasmcustom.'].map((prefix) => Buffer.from(prefix))

/** Tells whether a key is one that {@link keyOf} made for a filter. */
export function isFilterKey(key: Uint8Array): boolean {
  return FILTER_PREFIXES.some((prefix) => prefix.every((byte, i) => key[i] === byte))
}

/** Reads the prefixed name in a key. */
export function nameOfKey(key: Uint8Array, host: HostMode): Uint8Array {
  return host === 'envoy' && isFilterKey(key) ? key.subarray(0, key.length - 1) : key
}
