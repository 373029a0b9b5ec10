/**
 * Which format a scraper gets. What Prometheus 2.42 sends:
 *   application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,
 *   text/plain;version=0.0.4;q=0.5,*\/*;q=0.1
 * With native histograms switched on, protobuf comes before these. From 3.0 on an entry may carry
 * `escaping=allow-utf-8`. A scraper that accepts nothing that we
 * have gets text 0.0.4 all the same: a scrape that fails over a header is of no use.
 */
import type { NameStyle } from './names.ts'

export type TextFormat = 'text' | 'openmetrics'
export type ExpositionFormat = TextFormat | 'protobuf'

export interface Negotiated<Format = ExpositionFormat> {
  readonly format: Format
  readonly style: NameStyle
  readonly contentType: string
}

interface Offer {
  readonly format: ExpositionFormat
  readonly type: string
  /** Values that parameters must have where they are given; `required` ones must be given. */
  readonly parameters: Readonly<Record<string, readonly string[]>>
  readonly required: readonly string[]
}

const PROTOBUF = 'proto=io.prometheus.client.MetricFamily; encoding=delimited'
/** Offers in the order in which they are chosen where nothing else decides. */
const OFFERS: readonly Offer[] = [
  {
    format: 'text',
    type: 'text/plain',
    // version 1.0.0 of the text format is 0.0.4 with quoted names
    parameters: { version: ['0.0.4', '1.0.0'] },
    required: [],
  },
  {
    format: 'openmetrics',
    type: 'application/openmetrics-text',
    parameters: { version: ['1.0.0'] },
    required: [],
  },
  {
    format: 'protobuf',
    type: 'application/vnd.google.protobuf',
    parameters: { proto: ['io.prometheus.client.MetricFamily'], encoding: ['delimited'] },
    required: ['proto', 'encoding'],
  },
]

const FORMATS: readonly ExpositionFormat[] = ['text', 'openmetrics', 'protobuf']

/**
 * Chooses what a scraper gets.
 * @param names what is offered; UTF-8 names need the scraper's consent too
 * @param formats those that are offered, text among them
 */
export function negotiate<Format extends ExpositionFormat = ExpositionFormat>(
  accept: string | undefined,
  names: NameStyle,
  formats: readonly Format[] = FORMATS as readonly Format[],
): Negotiated<Format> {
  const preferences = parsePreferences(accept ?? '')
  let chosen = best(preferences, OFFERS[0]!)
  for (const offer of OFFERS.slice(1)) {
    if (!formats.some((format) => format === offer.format)) continue
    const other = best(preferences, offer)
    // Equal weights: whatever is named more exactly, then the first.
    if (other.q > chosen.q || isCloser(other, chosen)) chosen = other
  }
  const { format, type } = chosen.offer
  const escaping = chosen.entry?.parameters.get('escaping')?.toLowerCase()
  const style = names === 'utf8' && escaping === 'allow-utf-8' ? 'utf8' : 'legacy'
  const version = format === 'openmetrics' || style === 'utf8' ? '1.0.0' : '0.0.4'
  const parameters = format === 'protobuf' ? PROTOBUF : `version=${version}; charset=utf-8`
  const utf8 = style === 'utf8' ? '; escaping=allow-utf-8' : ''
  return { format: format as Format, style, contentType: `${type}; ${parameters}${utf8}` }
}

interface Choice {
  readonly offer: Offer
  readonly q: number
  /** 2: named, 1: its main type named, 0: any or none. */
  readonly closeness: number
  readonly entry: Preference | undefined
}

function isCloser(a: Choice, b: Choice): boolean {
  return a.q > 0 && a.q === b.q && a.closeness > b.closeness
}

/** Finds the most exact entry that takes the offer; among those the one of the largest weight. */
function best(preferences: readonly Preference[], offer: Offer): Choice {
  let choice: Choice = { offer, q: 0, closeness: -1, entry: undefined }
  for (const entry of preferences) {
    const closeness = closenessOf(entry, offer)
    if (closeness < choice.closeness || closeness < 0) continue
    if (closeness === choice.closeness && entry.q <= choice.q) continue
    choice = { offer, q: entry.q, closeness, entry }
  }
  return choice
}

function closenessOf({ value, parameters }: Preference, offer: Offer): number {
  if (value === '*/*') return 0
  if (value === `${offer.type.split('/')[0]}/*`) return 1
  if (value !== offer.type) return -1
  const isMet = Object.entries(offer.parameters).every(([key, allowed]) => {
    const given = parameters.get(key)
    return given === undefined ? !offer.required.includes(key) : allowed.includes(given)
  })
  return isMet ? 2 : -1
}

/** One entry of a weighted list of an HTTP header (RFC 9110 §12.5). */
interface Preference {
  /** Lower-case: a media range or a coding. */
  readonly value: string
  /** Lower-case keys, without `q`. */
  readonly parameters: ReadonlyMap<string, string>
  readonly q: number
}

/** Reads entries in the order in which they stand; an unreadable weight counts as 1. */
function parsePreferences(header: string): Preference[] {
  return header
    .split(',')
    .map((entry) => entry.split(';').map((text) => text.trim()))
    .filter(([value]) => value !== '')
    .map(([value, ...texts]) => {
      const parameters = new Map<string, string>()
      for (const text of texts) {
        const [key = '', ...rest] = text.split('=')
        parameters.set(
          key.trim().toLowerCase(),
          rest
            .join('=')
            .trim()
            .replace(/^"(.*)"$/, '$1'),
        )
      }
      const weight = Number(parameters.get('q') ?? 1)
      parameters.delete('q')
      const q = weight >= 0 && weight <= 1 ? weight : 1
      return { value: value!.toLowerCase(), parameters, q }
    })
}

export function acceptsGzip(header: string | undefined): boolean {
  const codings = parsePreferences(header ?? '')
  const named = codings.find(({ value }) => value === 'gzip' || value === 'x-gzip')
  const coding = named ?? codings.find(({ value }) => value === '*')
  return coding !== undefined && coding.q > 0
}
