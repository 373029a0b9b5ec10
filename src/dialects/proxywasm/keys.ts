/**
 * Keys of the zone's index: the prefixed name. Under Envoy's host mode, where one name of a filter
 * may stand for a counter, a gauge and a histogram, one byte follows: the type's number in the ABI.
 */
import type { Profile } from '../decoder.ts'
import type { HostMode } from './host/abi.ts'
import { type Origin, prefixedName } from './names.ts'
import { FILTER_TYPES, type FilterMetricType } from './spec.ts'

/** What decides the form of a key. */
interface KeyRules {
  readonly profile: Profile
  readonly host: HostMode
}

/** A filter's metrics have its name, whatever the prefix; the others none. */
export function isOfFilter(origin: Origin): boolean {
  return origin === 'pw' || origin === 'wasmcustom'
}

/** Where a definition comes from: of a filter's under Envoy's naming, `wasmcustom`. */
export function originOf(
  origin: Origin | undefined,
  filter: string | undefined,
  { hasCustomNames }: { readonly hasCustomNames: boolean },
): Origin {
  const named = origin ?? (filter === undefined ? 'library' : 'pw')
  return named === 'pw' && hasCustomNames ? 'wasmcustom' : named
}

/** @throws {RangeError} as {@link prefixedName} */
export function keyOf(
  origin: Origin,
  filter: string,
  name: Uint8Array | string,
  type: FilterMetricType,
  { profile, host }: KeyRules,
): Uint8Array {
  const prefixed = prefixedName(origin, filter, name, profile)
  if (host !== 'envoy' || !isOfFilter(origin)) return prefixed
  const key = new Uint8Array(prefixed.length + 1)
  key.set(prefixed)
  key[prefixed.length] = FILTER_TYPES.indexOf(type)
  return key
}

const FILTER_PREFIXES = ['pw.', 'pw:', 'wasmcustom.'].map((prefix) => Buffer.from(prefix))

/** True of keys that {@link keyOf} made for a filter. */
export function isFilterKey(key: Uint8Array): boolean {
  return FILTER_PREFIXES.some((prefix) => prefix.every((byte, i) => key[i] === byte))
}

/** The prefixed name in a key. */
export function nameOfKey(key: Uint8Array, { host }: Pick<KeyRules, 'host'>): Uint8Array {
  return host === 'envoy' && isFilterKey(key) ? key.subarray(0, key.length - 1) : key
}
