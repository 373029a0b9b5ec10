/** The hub that a command watches: its address as people write it, and what to do without one. */
import { isIPv6 } from 'node:net'
import { InvalidArgumentError } from 'commander'

export const STANDARD_HUB = '127.0.0.1:4000'
const STANDARD_PORT = '4000'

export interface HubAddress {
  /** `http://HOST:PORT`. */
  readonly origin: string
  /** `HOST:PORT`, for a title. */
  readonly name: string
}

/** Parses `HOST`, `HOST:PORT` or `http://HOST:PORT`; a bare IPv6 address is a host. */
export function parseHub(text: string): HubAddress {
  const host = isIPv6(text) ? `[${text}]` : text
  const given = host.includes('://') ? host : `http://${host}`
  const url = URL.canParse(given) ? new URL(given) : undefined
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:'
  if (url === undefined || !isWeb || url.username !== '' || url.pathname !== '/') {
    throw new InvalidArgumentError('want HOST:PORT or http://HOST:PORT')
  }
  // a URL leaves out the usual port of its scheme; who wrote none means the hub's
  const hasPort = /:\d+\/?$/.test(given) || host.includes('://')
  if (!hasPort) url.port = STANDARD_PORT
  return { origin: url.origin, name: url.host }
}
