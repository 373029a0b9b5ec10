/**
 * `DIALECT+TRANSPORT://HOST:PORT`, as --relay and --attach take it; the transport is optional, and
 * so is the port, which then is the dialect's own. A dialect whose peers have URLs takes those too,
 * with path and query.
 */
import type { Dialect, Output } from '../../dialects/dialect.ts'
import type { Target } from '../../dialects/endpoints.ts'
import { meantWords } from '../../model/text/nearest.ts'
import { ConfigError } from './values.ts'

export interface DialectTarget {
  readonly dialect: Dialect
  readonly target: Target
  /** The text as given, as a name for people. */
  readonly name: string
}

/** A relay's address: that of a dialect's peer, or of what reads one of its outputs. */
export interface RelayTarget extends DialectTarget {
  readonly output?: Output
}

/** Part of a dialect or output that addresses are read by. */
interface Addressed extends Pick<Dialect, 'name' | 'schemes' | 'transports' | 'ownAddress'> {
  readonly takesQuery?: boolean
  readonly port?: Output['port']
}

/** Ports that an address of the web need not say. */
const SCHEME_PORTS: Readonly<Record<string, number>> = { http: 80, https: 443 }

/** @throws {ConfigError} that says what is missing */
export function parseTarget(text: string, dialects: readonly Dialect[]): DialectTarget {
  const { speaker, target } = parseAddress(text, dialects)
  return { dialect: speaker, target, name: text }
}

/** @throws {ConfigError} that says what is missing */
export function parseRelay(text: string, dialects: readonly Dialect[]): RelayTarget {
  const outputs = dialects.flatMap((each) => each.outputs ?? [])
  const { speaker, target } = parseAddress<Dialect | Output>(text, [...dialects, ...outputs])
  const output = outputs.find((each) => each === speaker)
  const dialect = dialects.find((each) => each === speaker || each.outputs?.includes(output!))!
  return { dialect, target, name: text, ...(output && { output }) }
}

function parseAddress<S extends Addressed>(
  text: string,
  speakers: readonly S[],
): { readonly speaker: S; readonly target: Target } {
  const own = ownTarget(text, speakers)
  if (own !== undefined) return own
  const match =
    /^([a-z]+)(?:\+([a-z]+))?:\/\/(\[[0-9a-fA-F:]+\]|[^:/?#[\]]+)(?::(\d{1,5}))?(.*)$/s.exec(text)
  const [, word, suffix, host, portText, rest] = match ?? []
  if (word === undefined) throw problem(text, 'want DIALECT+TRANSPORT://HOST:PORT')
  const whole = `${word}+${suffix}`
  const isWhole = speakers.some(({ schemes }) => schemes?.includes(whole))
  const scheme = isWhole ? whole : word
  const transport = isWhole ? undefined : suffix
  const speaker = speakerOf(scheme, text, speakers)
  const usualPort = SCHEME_PORTS[(isWhole && suffix) || word] ?? speaker.port?.number
  const port = portText === undefined ? usualPort : Number(portText)
  const hasUrl = speaker.schemes !== undefined
  const query = speaker.takesQuery ? /^\/?\?([^\s#]*)$/.exec(rest!)?.[1] : undefined
  if (port === undefined || (!hasUrl && query === undefined && !/^\/?$/.test(rest!))) {
    throw problem(text, 'want DIALECT+TRANSPORT://HOST:PORT')
  }
  const chosen = speaker.transports.find((each) => transport === undefined || each === transport)
  if (chosen === undefined) throw problem(text, `${speaker.name} has no ${transport}`)
  if (port < 1 || port > 65_535) throw problem(text, `port ${port}, want 1 to 65535`)
  if (hasUrl && (transport !== undefined || !/^(?:[/?][^\s#]*)?$/.test(rest!))) {
    throw problem(text, `want ${scheme}://HOST:PORT, with PATH and ?QUERY where they are needed`)
  }
  const address = { transport: chosen, host: host!.replace(/^\[|\]$/g, ''), port }
  if (hasUrl) return { speaker, target: { ...address, url: text } }
  return { speaker, target: query === undefined ? address : { ...address, query } }
}

/** Reads the address of a peer that is no host of a network, where a dialect has such peers. */
function ownTarget<S extends Addressed>(
  text: string,
  speakers: readonly S[],
): { readonly speaker: S; readonly target: Target } | undefined {
  const scheme = /^[a-z]+/.exec(text)?.[0] ?? ''
  const speaker = speakers.find(({ schemes, ownAddress }) => {
    return ownAddress !== undefined && schemes?.includes(scheme) === true
  })
  if (speaker === undefined) return undefined
  try {
    return { speaker, target: speaker.ownAddress!.parse(text) }
  } catch (error) {
    if (error instanceof TypeError) throw problem(text, error.message)
    throw error
  }
}

function speakerOf<S extends Addressed>(scheme: string, text: string, speakers: readonly S[]): S {
  const speaker = speakers.find(
    ({ name, schemes }) => name === scheme || schemes?.includes(scheme) === true,
  )
  if (speaker === undefined) {
    const names = speakers.map((each) => each.name)
    const meant = meantWords(scheme, [...names, ...speakers.flatMap(({ schemes = [] }) => schemes)])
    throw problem(text, `no dialect ${scheme}${meant || ';'} there are ${names.join(', ')}`)
  }
  if (speaker.transports.length === 0) throw problem(text, `${scheme} is no protocol of a network`)
  return speaker
}

function problem(text: string, what: string): ConfigError {
  return new ConfigError([`target ${text}: ${what}`])
}
