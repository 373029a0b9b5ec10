/**
 * What a series of the hub is called where it is served as an EventCounter: provider, name and
 * metadata pairs (eventcounters.md §7.1). Labels of other dialects may hold what the spelling has
 * no escape for (eventcounters.md §4.7); it becomes `_`.
 */

import type { SeriesRecord } from '../../../hub/series/record.ts'
import { PLACEHOLDER, sayableValue } from '../codec/metadata.ts'
import { PROVIDER_LABEL } from '../map.ts'
import { LIMITS, NAME, UNITS_KEY } from '../spec.ts'
import type { CounterDescription, MetaData } from '../window.ts'

/** Descriptions by record that is kept, made anew when its metadata has changed. */
export class Descriptions {
  readonly #known = new WeakMap<SeriesRecord, Known>()

  of(record: SeriesRecord): CounterDescription {
    const known = this.#known.get(record)
    if (known !== undefined && known.metadata === record.metadata) return known.description
    const description = describeCounter(record)
    this.#known.set(record, { metadata: record.metadata, description })
    return description
  }
}

interface Known {
  readonly metadata: SeriesRecord['metadata']
  readonly description: CounterDescription
}

function describeCounter({ identity, metadata }: SeriesRecord): CounterDescription {
  const { labels, qualifier } = identity
  const provider = labels.find(([key]) => key === PROVIDER_LABEL)?.[1] || metadata.dialect
  const pairs = labels.filter(([key, value]) => key !== PROVIDER_LABEL || value === '')
  const units = sayableValue(limited(metadata.unit ?? ''))
  return {
    provider: sayableText(provider),
    name: sayableText(identity.name),
    displayName: limited(metadata.displayName ?? ''),
    units,
    rateScaleSec: metadata.rateTimeScaleS ?? 0,
    metaData: sayablePairs(qualifier === undefined ? pairs : [...pairs, qualifier], units),
    // what other dialects call labels or have in names; of an EventCounter they are metadata
    ...(metadata.dialect === NAME ? {} : { hasTags: true }),
  }
}

/**
 * Makes keys unique again after what was replaced in them; pairs that find no room are left out.
 */
function sayablePairs(
  pairs: readonly (readonly [key: string, value: string])[],
  units: string,
): MetaData {
  const keys = new Set([UNITS_KEY])
  const said: [string, string][] = []
  let bytes = pairBytes(UNITS_KEY, units)
  for (const [key, value] of pairs) {
    const pair: [string, string] = [uniqueKey(sayableKey(key), keys), sayableValue(limited(value))]
    bytes += pairBytes(...pair)
    if (bytes > LIMITS.metaDataBytes) break
    keys.add(pair[0])
    said.push(pair)
  }
  return said
}

/** Counts the bytes of a pair with its separator and the comma behind it. */
function pairBytes(key: string, value: string): number {
  return Buffer.byteLength(key) + Buffer.byteLength(value) + 2
}

function uniqueKey(key: string, taken: ReadonlySet<string>): string {
  let unique = key
  for (let i = 2; taken.has(unique); i++) {
    const ending = `${PLACEHOLDER}${i}`
    unique = `${key.slice(0, LIMITS.textUnits - ending.length)}${ending}`
  }
  return unique
}

function sayableKey(key: string): string {
  return sayableText(key.replaceAll(/[,=:]/g, PLACEHOLDER))
}

function sayableText(text: string): string {
  return limited(text) || PLACEHOLDER
}

/** Cuts a text to the limit, with no surrogate pair cut, and without U+0000. */
function limited(text: string): string {
  const whole = text.includes('\0') ? text.replaceAll('\0', PLACEHOLDER) : text
  if (whole.length <= LIMITS.textUnits) return whole
  const cut = whole.slice(0, LIMITS.textUnits)
  return cut.isWellFormed() ? cut : cut.slice(0, -1)
}
