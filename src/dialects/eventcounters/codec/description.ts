/**
 * What a series of the hub is called where it is served as an EventCounter: provider, name and
 * metadata pairs (eventcounters.md §7.1); pure. Labels of other dialects may hold what the spelling
 * has no escape for (eventcounters.md §4.7); it becomes `_`.
 */
import type { Identity, Metadata } from '../../../model/index.ts'
import { PROVIDER_LABEL } from '../map.ts'
import { LIMITS, NAME, UNITS_KEY } from '../spec.ts'
import type { CounterDescription, MetaData } from '../window.ts'
import { FilterError, parseFilter } from './filter.ts'
import { PLACEHOLDER, sayableValue } from './metadata.ts'

interface NamedSeries {
  readonly identity: Identity
  readonly metadata: Metadata
}

export function describeCounter({ identity, metadata }: NamedSeries): CounterDescription {
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

const encoder = new TextEncoder()

/** Counts the bytes of a pair with its separator and the comma behind it. */
function pairBytes(key: string, value: string): number {
  return encoder.encode(key).length + encoder.encode(value).length + 2
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

/**
 * Names a counter as a filter asks for it, `PROVIDER[NAME]`; where no filter can, both with a slash
 * between them.
 */
export function filterText({ provider, name }: Pick<CounterDescription, 'provider' | 'name'>) {
  const text = `${provider}[${name}]`
  return isSaid(text, provider, name) ? text : `${provider} / ${name}`
}

function isSaid(text: string, provider: string, name: string): boolean {
  try {
    const [group, ...more] = parseFilter(text)
    const isOne = more.length === 0 && group?.counters.length === 1
    return isOne && group.provider === provider && group.counters[0] === name
  } catch (error) {
    if (error instanceof FilterError) return false
    throw error
  }
}
