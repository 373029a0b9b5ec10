/**
 * Addresses of engines: `promql+http://[USER:PASSWORD@]HOST[:PORT][/PATH][?hub=NAME]`. `/api/v1` is
 * put behind the path, as engines have their API below one of their own; `hub` behind `?` says
 * whose series are read, those of all hubs unless it is there.
 */
const PREFIX = 'promql+'
const API_PATH = '/api/v1'

export interface EngineAddress {
  /** Address of the API, without credentials. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Address for people: as it was given, without credentials. */
  readonly place: string
  /** Name of the only hub whose series are read. */
  readonly hub?: string
}

/** Tells whether the place of a history is an address, and not a folder. */
export function isEngineAddress(place: string): boolean {
  return place.startsWith(PREFIX)
}

/** @throws {TypeError} that says what is wanted */
export function engineAddress(place: string): EngineAddress {
  const wanted = 'want promql+http://HOST:PORT or promql+https://HOST'
  const url = URL.parse(place.slice(PREFIX.length))
  if (url === null || !/^https?:$/.test(url.protocol)) throw new TypeError(wanted)
  const { username, password, searchParams } = url
  url.username = ''
  url.password = ''
  url.hash = ''
  const said = PREFIX + url.href
  const hub = searchParams.get('hub')
  if (hub === '') throw new TypeError('hub is empty, want the name of a hub')
  const other = [...searchParams.keys()].find((key) => key !== 'hub')
  if (other !== undefined) throw new TypeError(`${other} is not known, want hub alone behind ?`)
  url.search = ''
  url.pathname = url.pathname.replace(/\/+$/, '') + API_PATH
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return {
    url: url.href,
    headers: pair === ':' ? {} : { authorization: `Basic ${Buffer.from(pair).toString('base64')}` },
    place: said.replace(/\/$/, ''),
    ...(hub === null ? {} : { hub }),
  }
}
