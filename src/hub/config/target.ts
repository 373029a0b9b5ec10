/**
 * `DIALECT+TRANSPORT://HOST:PORT`, as --relay and --attach take it; the transport is optional, and
 * so is the port, which then is the dialect's own. A dialect whose peers have URLs takes those too,
 * with path and query.
 */
import type { Dialect } from '../../dialects/dialect.ts'
import type { Target } from '../../dialects/endpoints.ts'
import { ConfigError } from './values.ts'

export interface DialectTarget {
  readonly dialect: Dialect
  readonly target: Target
  /** The text as given, as a name for people. */
  readonly name: string
}

/** Ports that an address of the web need not say. */
const SCHEME_PORTS: Readonly<Record<string, number>> = { http: 80, https: 443 }

/** @throws {ConfigError} that says what is missing */
export function parseTarget(text: string, dialects: readonly Dialect[]): DialectTarget {
  const match =
    /^([a-z]+)(?:\+(udp|tcp))?:\/\/(\[[0-9a-fA-F:]+\]|[^:/?#[\]]+)(?::(\d{1,5}))?(.*)$/s.exec(text)
  const [, scheme, transport, host, portText, rest] = match ?? []
  if (scheme === undefined) throw problem(text, 'want DIALECT+TRANSPORT://HOST:PORT')
  const dialect = dialectOf(scheme, text, dialects)
  const usualPort = SCHEME_PORTS[scheme] ?? dialect.port?.number
  const port = portText === undefined ? usualPort : Number(portText)
  const hasUrl = dialect.schemes !== undefined
  if (port === undefined || (!hasUrl && !/^\/?$/.test(rest!))) {
    throw problem(text, 'want DIALECT+TRANSPORT://HOST:PORT')
  }
  const chosen = dialect.transports.find((each) => transport === undefined || each === transport)
  if (chosen === undefined) throw problem(text, `${dialect.name} has no ${transport}`)
  if (port < 1 || port > 65_535) throw problem(text, `port ${port}, want 1 to 65535`)
  if (hasUrl && (transport !== undefined || !/^(?:[/?][^\s#]*)?$/.test(rest!))) {
    throw problem(text, `want ${scheme}://HOST:PORT, with PATH and ?QUERY where they are needed`)
  }
  const address = { transport: chosen, host: host!.replace(/^\[|\]$/g, ''), port }
  return { dialect, target: hasUrl ? { ...address, url: text } : address, name: text }
}

function dialectOf(scheme: string, text: string, dialects: readonly Dialect[]): Dialect {
  const dialect = dialects.find(
    ({ name, schemes }) => name === scheme || schemes?.includes(scheme) === true,
  )
  if (dialect === undefined) {
    const names = dialects.map((each) => each.name).join(', ')
    throw problem(text, `no dialect ${scheme}; there are ${names}`)
  }
  if (dialect.transports.length === 0) throw problem(text, `${scheme} is no protocol of a network`)
  return dialect
}

function problem(text: string, what: string): ConfigError {
  return new ConfigError([`target ${text}: ${what}`])
}
