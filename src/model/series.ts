/**
 * Identity of a series: name, kind and labels. Everything else about it is metadata and may change
 * without making a new series.
 */
import { compareUtf8 } from './bytes.ts'
import { KINDS, type Kind } from './cell.ts'

/** Pairs sorted by key in UTF-8 byte order, keys unique: see {@link sortLabels}. */
export type Labels = readonly (readonly [key: string, value: string])[]

export interface Identity {
  /** Name for people; bytes that are no UTF-8 are shown as U+FFFD. */
  readonly name: string
  readonly kind: Kind
  readonly labels: Labels
  /**
   * A label that the dialect's own type word makes part of the identity (`m` and `mr` under one
   * key of a text protocol: `['shp.type', 'mr']`). Exports with labels carry it as one; simple
   * viewers that fold labels into names leave it out.
   */
  readonly qualifier?: readonly [key: string, value: string]
  /**
   * The name's bytes as sent, where they are not the UTF-8 of `name`: these identify the series.
   */
  readonly nameBytes?: Uint8Array
}

export interface Metadata {
  /** Registry name of the dialect it came from; `hub` for the hub's own. */
  readonly dialect: string
  /** Type word of the dialect (`m`, `mr`, `g`, `h`), for people. */
  readonly type?: string
  /** Appended to the base name in exports that need families apart (`hist`). */
  readonly exportSuffix?: string
  readonly displayName?: string
  readonly unit?: string
  readonly description?: string
  /** Seconds a counter's canonical rate is stated per; the document's minute when absent. */
  readonly rateTimeScaleS?: number
  /** Distribution whose sender knows no sum: its mean is an estimate from the buckets. */
  readonly lacksSum?: boolean
  /** Bounds of a distribution's buckets, where they are not powers: inclusive upper ones. */
  readonly bounds?: readonly number[]
  /** Key of the label that says which source it was read from: the same names come from others. */
  readonly sourceLabel?: string
  /** Hints for viewers. */
  readonly plot?: string
  readonly color?: string
}

/**
 * Makes a sorted copy; of repeated keys the last value stays.
 *
 * @example
 * import { sortLabels } from 'pentameter/model'
 *
 * const labels = sortLabels(Object.entries({ zone: 'b', host: 'web-1' }))
 * console.log(labels) // [ [ 'host', 'web-1' ], [ 'zone', 'b' ] ]
 */
export function sortLabels(pairs: Iterable<readonly [string, string]>): Labels {
  const unique = new Map<string, string>()
  for (const [key, value] of pairs) unique.set(key, value)
  return [...unique].sort((a, b) => compareUtf8(a[0], b[0]))
}

const encoder = new TextEncoder()

/** Largest key of an identity in bytes: a name of any dialect with its labels. */
export const IDENTITY_BYTES_LIMIT = 65_535

/**
 * Makes bytes that are equal exactly when two series are the same; the key of the zone's index.
 * `[kind:u8][length:u32le][name][flag:u8][qualifier key][qualifier value][label key][label
 * value]…`, where every text is `[length:u32le][UTF-8]` and flag says whether a qualifier follows.
 *
 * @example
 * import { identityKey } from 'pentameter/model'
 *
 * const key = identityKey({ name: 'hits', kind: 'counter', labels: [['host', 'web-1']] })
 * const seen = new Set([Buffer.from(key).toString('base64')])
 */
export function identityKey(identity: Identity): Uint8Array {
  const { name, nameBytes, qualifier, labels } = identity
  let at = writeByte(0, identity.kind.charCodeAt(0))
  at = nameBytes === undefined ? writeText(at, name) : writeBytes(at, nameBytes)
  at = writeByte(at, qualifier === undefined ? 0 : 1)
  if (qualifier !== undefined) at = writeText(writeText(at, qualifier[0]), qualifier[1])
  for (const [key, value] of labels) at = writeText(writeText(at, key), value)
  return scratch.slice(0, at)
}

/** Buffer where a key is put together; nearly all are shorter. */
let scratch = new Uint8Array(1024)

/** Makes room for so many bytes more. */
function reserve(at: number, size: number): void {
  if (at + size <= scratch.length) return
  const larger = new Uint8Array(2 * (at + size))
  larger.set(scratch)
  scratch = larger
}

/** Writes a byte. This and the next two return the offset behind what they write. */
function writeByte(at: number, byte: number): number {
  reserve(at, 1)
  scratch[at] = byte
  return at + 1
}

function writeBytes(at: number, bytes: Uint8Array): number {
  reserve(at, 4 + bytes.length)
  scratch.set(bytes, at + 4)
  return writeSize(at, bytes.length)
}

/** Writes a text. ASCII is copied here: to call the encoder costs more than that. */
function writeText(at: number, text: string): number {
  reserve(at, 4 + text.length)
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit >= 0x80) return writeBytes(at, encoder.encode(text))
    scratch[at + 4 + i] = unit
  }
  return writeSize(at, text.length)
}

function writeSize(at: number, size: number): number {
  for (let i = 0; i < 4; i++) scratch[at + i] = size >>> (8 * i)
  return at + 4 + size
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const lenient = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * Reads the series that a key of {@link identityKey} names; undefined for bytes that are no such
 * key. Where the name is no UTF-8 it comes with its bytes. The key of the answer is the key given.
 *
 * @example
 * import { identityKey, identityOf } from 'pentameter/model'
 *
 * const key = identityKey({ name: 'hits', kind: 'counter', labels: [] })
 * console.log(identityOf(key)) // { name: 'hits', kind: 'counter', labels: [] }
 */
export function identityOf(key: Uint8Array): Identity | undefined {
  const kind = KINDS.find((each) => each.charCodeAt(0) === key[0])
  const name = textAt(key, 1)
  const flagAt = 5 + (name?.length ?? 0)
  const flag = key[flagAt]
  if (kind === undefined || name === undefined || flag === undefined || flag > 1) return undefined
  const texts = textsFrom(key, flagAt + 1)
  if (texts === undefined || texts.length % 2 !== 0 || texts.length < 2 * flag) return undefined
  const pairs: (readonly [string, string])[] = []
  for (let i = 0; i < texts.length; i += 2) pairs.push([texts[i]!, texts[i + 1]!])
  const qualifier = flag === 1 ? pairs.shift() : undefined
  const text = decoded(name)
  return {
    name: text ?? lenient.decode(name),
    kind,
    labels: pairs,
    ...(qualifier === undefined ? {} : { qualifier }),
    ...(text === undefined ? { nameBytes: name } : {}),
  }
}

/** Gives the bytes of the text at an offset; undefined where the key is too short for it. */
function textAt(key: Uint8Array, at: number): Uint8Array | undefined {
  if (at + 4 > key.length) return undefined
  const length = key[at]! + key[at + 1]! * 0x100 + key[at + 2]! * 0x1_0000 + key[at + 3]! * 2 ** 24
  return at + 4 + length > key.length ? undefined : key.slice(at + 4, at + 4 + length)
}

/** Reads all texts from an offset to the end, which are UTF-8. */
function textsFrom(key: Uint8Array, from: number): string[] | undefined {
  const texts: string[] = []
  for (let at = from; at < key.length; ) {
    const bytes = textAt(key, at)
    const text = bytes && decoded(bytes)
    if (bytes === undefined || text === undefined) return undefined
    texts.push(text)
    at += 4 + bytes.length
  }
  return texts
}

/** Length up to which a decoder takes longer to call than its work. */
const SHORT_TEXT = 64

function decoded(bytes: Uint8Array): string | undefined {
  if (bytes.length <= SHORT_TEXT && isAscii(bytes)) {
    return String.fromCharCode.apply(null, bytes as unknown as number[])
  }
  try {
    return strict.decode(bytes)
  } catch {
    return undefined // no UTF-8
  }
}

function isAscii(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if (bytes[i]! > 0x7f) return false
  return true
}

/**
 * Writes `name{key=value,…}` for messages and terminals; not an identity.
 *
 * @example
 * import { describeSeries } from 'pentameter/model'
 *
 * const labels = [['host', 'web-1']] as const
 * console.log(describeSeries({ name: 'hits', kind: 'counter', labels })) // hits{host=web-1}
 */
export function describeSeries(identity: Identity): string {
  const labels = identity.labels.map(([key, value]) => `${key}=${value}`)
  return labels.length === 0 ? identity.name : `${identity.name}{${labels.join(',')}}`
}
