/**
 * Names of metrics (§3.1): who defined a metric is the beginning of its name.
 *
 *   document  pw.{filter}.{name}
 *   peer      pw:{filter}:{name}   lua:{name}   wa:{name} (its own, read only)
 *   both      wasmcustom.{name} under Envoy's host mode, {name} of an application's own metrics
 *
 * Names are bytes: a filter's are passed through unchecked.
 */
import type { Identity } from '../../model/index.ts'
import type { Profile } from '../decoder.ts'

const ORIGINS = ['pw', 'lua', 'wa', 'wasmcustom', 'library'] as const
export type Origin = (typeof ORIGINS)[number]

/**
 * Tells whether a metric is a filter's: those have its name, whatever the prefix, the others none.
 */
export function isOfFilter(origin: Origin): boolean {
  return origin === 'pw' || origin === 'wasmcustom'
}

export interface MetricName {
  readonly origin: Origin
  /** Empty unless the origin is `pw`. */
  readonly filter: string
  readonly name: Uint8Array
  /** The filter's name was not known, so that it might be longer. */
  readonly isAssumed: boolean
}

/** Envoy's names know no length limit but the ABI's room for them. */
const CUSTOM_NAME_BYTES_LIMIT = 65_535

const RESERVED = ['pw.', 'pw:', 'lua:', 'wa:', 'wasmcustom.'] as const

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * @throws {RangeError} when a filter's name is none, a name is reserved or empty where it must not
 *   be, or the edition has no such origin
 */
export function prefixedName(
  origin: Origin,
  filter: string,
  name: Uint8Array | string,
  profile: Profile,
): Uint8Array {
  const bytes = typeof name === 'string' ? encoder.encode(name) : name
  switch (origin) {
    case 'pw': {
      checkFilterName(filter, profile)
      return joined(filterPrefix(filter, profile), bytes)
    }
    case 'lua':
      if (profile !== 'peer') throw new RangeError('origin lua is known in profile peer only')
      if (bytes.length === 0) throw new RangeError('name of a Lua metric is empty')
      return joined('lua:', bytes)
    case 'wasmcustom':
      return joined('wasmcustom.', bytes)
    case 'wa':
      throw new RangeError('names that begin with "wa:" are the original program’s own')
    case 'library':
      checkLibraryName(bytes)
      return bytes
  }
}

/** Writes what stands in front of the names of a filter's metrics. */
export function filterPrefix(filter: string, profile: Profile): string {
  const mark = profile === 'peer' ? ':' : '.'
  return `pw${mark}${filter}${mark}`
}

/** @throws {RangeError} when it is empty or, in profile `peer`, would be ambiguous there */
export function checkFilterName(filter: string, profile: Profile): void {
  if (filter === '') throw new RangeError('filter name is empty')
  const isPlain = profile !== 'peer' || !/[ \t:]/.test(filter)
  if (!isPlain) throw new RangeError(`filter name "${filter}" has a space, a tab or a colon`)
}

function checkLibraryName(name: Uint8Array): void {
  if (name.length === 0) throw new RangeError('name is empty')
  const prefix = RESERVED.find((each) => startsWith(name, each))
  if (prefix === undefined) return
  throw new RangeError(`name "${decoder.decode(name)}" begins with the reserved "${prefix}"`)
}

/** Checks the rule of `max_metric_name_length`: bytes with the prefix, equality allowed. */
export function fitsNameLimit(prefixed: Uint8Array, origin: Origin, limit: number): boolean {
  return prefixed.length <= (origin === 'wasmcustom' ? CUSTOM_NAME_BYTES_LIMIT : limit)
}

/**
 * Takes a prefixed name apart, of either edition.
 * @param filters known names, which settle where a dot could be the filter's or the metric's
 */
export function readName(prefixed: Uint8Array, filters: Iterable<string> = []): MetricName {
  if (startsWith(prefixed, 'pw:')) return readMarked(prefixed)
  if (startsWith(prefixed, 'pw.')) return readDotted(prefixed, filters)
  for (const [origin, prefix] of PREFIXES) {
    if (startsWith(prefixed, prefix)) return named(origin, '', prefixed, prefix.length)
  }
  return named('library', '', prefixed, 0)
}

const PREFIXES = [
  ['lua', 'lua:'],
  ['wa', 'wa:'],
  ['wasmcustom', 'wasmcustom.'],
] as const

const AFTER_PW = 3
const COLON = 0x3a
const DOT = 0x2e

/** Reads `pw:filter:name`: split at the first two colons. */
function readMarked(prefixed: Uint8Array): MetricName {
  const mark = prefixed.indexOf(COLON, AFTER_PW)
  if (mark === -1) return named('library', '', prefixed, 0)
  return named('pw', textOf(prefixed, mark), prefixed, mark + 1)
}

/**
 * Reads `pw.filter.name`: the longest filter known, else all up to the first dot, which is assumed.
 */
function readDotted(prefixed: Uint8Array, filters: Iterable<string>): MetricName {
  let longest: string | undefined
  let after = 0
  for (const filter of filters) {
    const prefix = encoder.encode(`pw.${filter}.`)
    if (prefix.length <= after || !beginsWith(prefixed, prefix)) continue
    longest = filter
    after = prefix.length
  }
  if (longest !== undefined) return named('pw', longest, prefixed, after)
  const dot = prefixed.indexOf(DOT, AFTER_PW)
  if (dot === -1) return named('library', '', prefixed, 0)
  const isAssumed = prefixed.indexOf(DOT, dot + 1) !== -1
  return { ...named('pw', textOf(prefixed, dot), prefixed, dot + 1), isAssumed }
}

function named(origin: Origin, filter: string, prefixed: Uint8Array, after: number): MetricName {
  return { origin, filter, name: prefixed.subarray(after), isAssumed: false }
}

function textOf(prefixed: Uint8Array, end: number): string {
  return decoder.decode(prefixed.subarray(AFTER_PW, end))
}

/** Puts a prefix in front of a name. */
export function joined(prefix: string, name: Uint8Array): Uint8Array {
  const start = encoder.encode(prefix)
  const bytes = new Uint8Array(start.length + name.length)
  bytes.set(start)
  bytes.set(name, start.length)
  return bytes
}

function startsWith(bytes: Uint8Array, prefix: string): boolean {
  return beginsWith(bytes, encoder.encode(prefix))
}

function beginsWith(bytes: Uint8Array, prefix: Uint8Array): boolean {
  return bytes.length >= prefix.length && prefix.every((byte, i) => bytes[i] === byte)
}

/**
 * Computes CRC-32 of IEEE 802.3, reflected, as in zlib: of the prefixed name it is the peer's
 * metric id.
 */
export function crc32(bytes: Uint8Array): number {
  let crc = -1
  for (const byte of bytes) crc = (crc >>> 8) ^ CRC_TABLE[(crc ^ byte) & 0xff]!
  return ~crc >>> 0
}

/** 0x04c11db7 with its bits reversed. */
const CRC_POLYNOMIAL = 0xedb88320
const CRC_TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte
  for (let bit = 0; bit < 8; bit++) {
    remainder = (remainder >>> 1) ^ (remainder & 1 ? CRC_POLYNOMIAL : 0)
  }
  return remainder
})

/**
 * Names a filter's series with its prefix, as the store does; undefined where more than the
 * filter's name has become a label, or for what no filter has defined.
 */
export function nameInDocument({ name, nameBytes, labels }: Identity): string | undefined {
  const [[key, filter] = [], ...others] = labels
  if (key !== 'filter' || filter === undefined || others.length > 0) return undefined
  return decoder.decode(prefixedName('pw', filter, nameBytes ?? name, 'document'))
}
