/**
 * Which text format a scraper gets. What Prometheus 2.42 sends:
 *   application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,
 *   text/plain;version=0.0.4;q=0.5,*\/*;q=0.1
 * From 3.0 on an entry may carry `escaping=allow-utf-8`. Whoever accepts nothing that we have gets
 * text 0.0.4 all the same: a scrape that fails over a header helps nobody.
 */
import { type Preference, parsePreferences } from '../accept.ts'
import type { ExpositionFormat } from './exposition.ts'
import type { NameStyle } from './names.ts'

export interface Negotiated {
  readonly format: ExpositionFormat
  readonly style: NameStyle
  readonly contentType: string
}

const OPENMETRICS = 'application/openmetrics-text'
const TEXT = 'text/plain'
/** Version 1.0.0 of the text format is 0.0.4 with quoted names. */
const VERSIONS: Readonly<Record<string, readonly string[]>> = {
  [OPENMETRICS]: ['1.0.0'],
  [TEXT]: ['0.0.4', '1.0.0'],
}

/** @param names what the hub offers; UTF-8 names need the scraper's consent too */
export function negotiate(accept: string | undefined, names: NameStyle): Negotiated {
  const preferences = parsePreferences(accept ?? '')
  const openMetrics = best(preferences, OPENMETRICS)
  const text = best(preferences, TEXT)
  // Equal weights: whatever is named more exactly, then text.
  const isOpenMetrics = openMetrics.q > text.q || isCloser(openMetrics, text)
  const chosen = isOpenMetrics ? openMetrics : text
  const escaping = chosen.entry?.parameters.get('escaping')?.toLowerCase()
  const style = names === 'utf8' && escaping === 'allow-utf-8' ? 'utf8' : 'legacy'
  const type = isOpenMetrics ? OPENMETRICS : TEXT
  const version = isOpenMetrics || style === 'utf8' ? '1.0.0' : '0.0.4'
  const utf8 = style === 'utf8' ? '; escaping=allow-utf-8' : ''
  return {
    format: isOpenMetrics ? 'openmetrics' : 'text',
    style,
    contentType: `${type}; version=${version}; charset=utf-8${utf8}`,
  }
}

interface Choice {
  readonly q: number
  /** 2: named, 1: its main type named, 0: any or none. */
  readonly closeness: number
  readonly entry: Preference | undefined
}

function isCloser(a: Choice, b: Choice): boolean {
  return a.q > 0 && a.q === b.q && a.closeness > b.closeness
}

/** The most exact entry that takes the type; among those the one of the largest weight. */
function best(preferences: readonly Preference[], type: string): Choice {
  let choice: Choice = { q: 0, closeness: -1, entry: undefined }
  for (const entry of preferences) {
    const closeness = closenessOf(entry, type)
    if (closeness < choice.closeness || closeness < 0) continue
    if (closeness === choice.closeness && entry.q <= choice.q) continue
    choice = { q: entry.q, closeness, entry }
  }
  return choice
}

function closenessOf({ value, parameters }: Preference, type: string): number {
  if (value === '*/*') return 0
  if (value === `${type.split('/')[0]}/*`) return 1
  const version = parameters.get('version')
  return value === type && (version === undefined || VERSIONS[type]!.includes(version)) ? 2 : -1
}
