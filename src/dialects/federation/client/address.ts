/** Address of a hub to attach to: `pentameter://HOST[:PORT][?hub=NAME]`, checked early. */
import type { Target } from '../../endpoints.ts'
import { HUB_LABEL } from '../map.ts'
import { PATH, QUERY, VERSION } from '../spec.ts'

export interface HubAddress {
  /** Address that is asked, without what depends on what came before. */
  readonly url: URL
  /** `HOST:PORT`: source of the series that come from there. */
  readonly label: string
  /** Value of the label `hub` of its series; undefined for none. */
  readonly hub: string | undefined
}

const WANT = 'want pentameter://HOST:PORT, with ?hub=NAME where its series are to be told apart'
const NAME_LENGTH_LIMIT = 200

/** @throws {TypeError} for an address that cannot be used */
export function hubAddress({ host, port, url = '' }: Target): HubAddress {
  const isSecure = url.startsWith('pentameters:')
  const given = new URL(url.replace(/^[a-z]+:/, isSecure ? 'https:' : 'http:'))
  const { username, password, pathname } = given
  if (username !== '' || password !== '') {
    throw new TypeError('an address with a user name or password: this protocol knows none')
  }
  if (pathname !== '/') throw new TypeError(`path ${pathname}: ${WANT}`)
  for (const key of given.searchParams.keys()) {
    if (key !== HUB_LABEL) throw new TypeError(`unknown parameter ${key}: ${WANT}`)
  }
  const hub = given.searchParams.get(HUB_LABEL) ?? undefined
  if (hub !== undefined && (hub === '' || hub.length > NAME_LENGTH_LIMIT)) {
    throw new TypeError(`parameter hub of ${hub.length} characters: want 1 to ${NAME_LENGTH_LIMIT}`)
  }
  const name = host.includes(':') ? `[${host}]` : host
  const asked = new URL(`${given.protocol}//${name}:${port}${PATH}`)
  asked.searchParams.set(QUERY.version, String(VERSION))
  return { url: asked, label: `${name}:${port}`, hub }
}

/**
 * Tells whether two addresses are of one hub: what it counts would be counted twice.
 * @throws {TypeError} for an address that cannot be used
 */
export function sharesSeries(one: Target, other: Target): boolean {
  const [a, b] = [hubAddress(one), hubAddress(other)]
  return a.label.toLowerCase() === b.label.toLowerCase()
}
