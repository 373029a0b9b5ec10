/** Whom a client asks and for what: an address and options made into one URL, checked early. */
import { meantWords } from '../../../model/text/nearest.ts'
import type { Profile } from '../../decoder.ts'
import { checkOptions, type GivenOptions } from '../../options.ts'
import { decimalText } from '../codec/decimal.ts'
import { type CounterFilter, FilterError, parseFilter, sharesCounters } from '../codec/filter.ts'
import { parseInterval } from '../codec/interval.ts'
import { OWN_CLIENT_OPTIONS } from '../options.ts'
import { isDeliver, isProfile, QUERY } from '../server/query.ts'
import { LIMITS, NAME, PATH } from '../spec.ts'

/** Endpoint to ask, and what for. */
export interface EndpointOptions extends GivenOptions<typeof OWN_CLIENT_OPTIONS> {
  /**
   * `http://HOST:PORT`, `https://…` or `eventcounters://HOST:PORT`, with or without a path; what
   * its query says goes before the other options.
   */
  readonly url: string
  /** Filter in the grammar of eventcounters.md §4.8; every counter when absent. */
  readonly counters?: string | undefined
  /** Whether windows of distributions are to have their buckets; false when absent. */
  readonly hasBuckets?: boolean | undefined
}

export interface EndpointAddress {
  /** Everything that is asked, query included. */
  readonly url: URL
  /** `host:port`, the port said even where the scheme implies it. */
  readonly endpoint: string
  /**
   * Label that tells its counters from those of other processes: `host:port`, and the path where
   * that is not the usual one.
   */
  readonly label: string
  /** Host without the brackets of IPv6. */
  readonly hostname: string
  readonly port: number
  readonly profile: Profile
  readonly hasBuckets: boolean
  /** Milliseconds of the series asked for; 0 for a session without payloads. */
  readonly seriesMs: number
  /** A server that is silent for longer is given up, milliseconds. */
  readonly silenceMs: number
}

/** Port of the product's HTTP side, for an address with the dialect's own scheme and no port. */
const DEFAULT_PORT = 4000
const SCHEME_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

/**
 * Makes one address of options.
 * @throws {TypeError} for an address that cannot be used
 * @throws {RangeError} for an option that cannot be used
 */
export function endpointAddress(options: EndpointOptions): EndpointAddress {
  const { intervalMs } = checkOptions(OWN_CLIENT_OPTIONS, options)
  const url = parseUrl(options.url)
  const query = url.searchParams
  addDefault(query, QUERY.interval, decimalText(intervalMs / 1000))
  addDefault(query, QUERY.counters, options.counters)
  addDefault(query, QUERY.profile, options.profile)
  addDefault(query, QUERY.deliver, options.deliver)
  const profile = query.get(QUERY.profile) ?? 'document'
  if (!isProfile(profile)) throw refusal('profile', profile, 'document or peer')
  const deliver = query.get(QUERY.deliver) ?? 'own'
  if (!isDeliver(deliver)) throw refusal('deliver', deliver, 'own or all')
  const interval = parseInterval(query.get(QUERY.interval) ?? undefined, profile)
  const seriesMs = interval.kind === 'run' ? interval.intervalMs : 0
  const port = url.port === '' ? SCHEME_PORTS[url.protocol]! : url.port
  const endpoint = `${url.hostname}:${port}`
  return {
    url,
    endpoint,
    label: url.pathname === PATH ? endpoint : endpoint + url.pathname,
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(port),
    profile,
    hasBuckets: options.hasBuckets === true,
    seriesMs,
    silenceMs: LIMITS.silencesUntilLost * Math.max(seriesMs, LIMITS.keepAliveMs),
  }
}

/**
 * Tells whether two sessions would bring windows of one counter: at one endpoint, and no filter
 * keeps them apart. Whatever their intervals, what happened would be counted twice
 * (eventcounters.md §7.1).
 * @throws {TypeError} for a filter that cannot be used
 */
export function sharesSeries(one: EndpointAddress, other: EndpointAddress): boolean {
  return one.label === other.label && sharesCounters(filterOf(one), filterOf(other))
}

/**
 * Reads the filter that the address asks for; undefined for everything.
 * @throws {TypeError} for a text that is no filter
 */
export function filterOf({ url }: EndpointAddress): CounterFilter | undefined {
  const text = url.searchParams.get(QUERY.counters)
  if (text === null) return undefined
  try {
    return parseFilter(text)
  } catch (error) {
    if (error instanceof FilterError) throw new TypeError(`counters: ${error.message}`)
    throw error
  }
}

/** Adds a parameter, unless the address itself states it. */
function addDefault(query: URLSearchParams, name: string, value: string | undefined): void {
  if (value !== undefined && !query.has(name)) query.set(name, value)
}

function parseUrl(text: string): URL {
  const isOwn = text.toLowerCase().startsWith(`${NAME}://`)
  // The own scheme is no special one for the URL grammar, which would leave its parts unread.
  const http = isOwn ? `http${text.slice(NAME.length)}` : text
  if (!URL.canParse(http)) throw new TypeError(`${JSON.stringify(text)} is no address: ${FORMS}`)
  const url = new URL(http)
  if (SCHEME_PORTS[url.protocol] === undefined) {
    const known = Object.keys(SCHEME_PORTS).map((each) => each.slice(0, -1))
    const meant = meantWords(url.protocol.slice(0, -1), known)
    const given = `scheme ${url.protocol} of ${JSON.stringify(text)}`
    throw new TypeError(`${given} is unknown${meant || ':'} ${FORMS}`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new TypeError('an address with a user name or password: this protocol knows none')
  }
  if (isOwn && !hasPort(http)) url.port = String(DEFAULT_PORT)
  if (url.pathname === '/') url.pathname = PATH
  url.hash = ''
  return url
}

const FORMS = `want http://HOST:PORT, https://… or ${NAME}://HOST:PORT`

/**
 * Tells whether a URL states a port; the URL grammar drops port 80 of http, which here is one that
 * was stated.
 */
function hasPort(url: string): boolean {
  return /^[a-z]+:\/\/[^/?#]*:\d+(?=[/?#]|$)/i.test(url)
}

function refusal(name: string, text: string, known: string): TypeError {
  return new TypeError(`unknown ${name} ${JSON.stringify(text)}, want ${known}`)
}
