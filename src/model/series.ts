/**
 * Identity of a series: name, kind and labels. Everything else about it is metadata and may change
 * without making a new series.
 */
import { compareUtf8 } from './bytes.ts'
import type { Kind } from './cell.ts'

/** Pairs sorted by key in UTF-8 byte order, keys unique: see {@link sortLabels}. */
export type Labels = readonly (readonly [key: string, value: string])[]

export interface Identity {
  /** For people; bytes that are no UTF-8 are shown as U+FFFD. */
  readonly name: string
  readonly kind: Kind
  readonly labels: Labels
  /**
   * A label that the dialect's own type word makes part of the identity (Stats Hero's `m` and `mr`
   * under one key: `['shp.type', 'mr']`). Exports with labels carry it as one; simple viewers that
   * fold labels into names leave it out.
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
  /** Appended to the base name in exports that need families apart (Stats Hero's `hist`). */
  readonly exportSuffix?: string
  readonly displayName?: string
  readonly unit?: string
  readonly description?: string
  /** Seconds a counter's canonical rate is stated per; the document's minute when absent. */
  readonly rateTimeScaleS?: number
  /** Distribution whose sender knows no sum: its mean is an estimate from the buckets. */
  readonly lacksSum?: boolean
  /** Hints for viewers (scope document). */
  readonly plot?: string
  readonly color?: string
}

/** Sorted copy; of repeated keys the last value stays. */
export function sortLabels(pairs: Iterable<readonly [string, string]>): Labels {
  const unique = new Map<string, string>()
  for (const [key, value] of pairs) unique.set(key, value)
  return [...unique].sort((a, b) => compareUtf8(a[0], b[0]))
}

const encoder = new TextEncoder()

/**
 * Bytes that are equal exactly when two series are the same; the key of the zone's index.
 * `[kind:u8][length:u32le][name][flag:u8][qualifier key][qualifier value][label key][label
 * value]…`, where every text is `[length:u32le][UTF-8]` and flag says whether a qualifier follows.
 */
export function identityKey(identity: Identity): Uint8Array {
  const texts: Uint8Array[] = [identity.nameBytes ?? encoder.encode(identity.name)]
  if (identity.qualifier !== undefined) {
    for (const text of identity.qualifier) texts.push(encoder.encode(text))
  }
  for (const pair of identity.labels) {
    for (const text of pair) texts.push(encoder.encode(text))
  }
  const size = texts.reduce((sum, text) => sum + 4 + text.length, 2)
  const key = new Uint8Array(size)
  key[0] = identity.kind.charCodeAt(0)
  let at = 1
  texts.forEach((text, i) => {
    for (let shift = 0; shift < 32; shift += 8) key[at++] = text.length >>> shift
    key.set(text, at)
    at += text.length
    if (i === 0) key[at++] = identity.qualifier === undefined ? 0 : 1
  })
  return key
}

/** `name{key=value,…}` for messages and terminals; not an identity. */
export function describeSeries(identity: Identity): string {
  const labels = identity.labels.map(([key, value]) => `${key}=${value}`)
  return labels.length === 0 ? identity.name : `${identity.name}{${labels.join(',')}}`
}
