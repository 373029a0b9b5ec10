/** `DIALECT+TRANSPORT://HOST:PORT`, as --relay and --attach take it; the transport is optional. */
import type { Dialect, Target } from '../dialects/dialect.ts'
import { ConfigError } from './config.ts'

export interface DialectTarget {
  readonly dialect: Dialect
  readonly target: Target
  /** The text as given, as a name for people. */
  readonly name: string
}

/** @throws {ConfigError} that says what is missing */
export function parseTarget(text: string, dialects: readonly Dialect[]): DialectTarget {
  const match = /^([a-z]+)(?:\+(udp|tcp))?:\/\/(\[[0-9a-fA-F:]+\]|[^:/[\]]+):(\d{1,5})\/?$/.exec(
    text,
  )
  if (match === null) {
    throw new ConfigError([`target ${text}: want DIALECT+TRANSPORT://HOST:PORT`])
  }
  const [, name, transport, host, port] = match
  const dialect = dialects.find((each) => each.name === name)
  if (dialect === undefined) {
    const names = dialects.map((each) => each.name).join(', ')
    throw new ConfigError([`target ${text}: no dialect ${name}; there are ${names}`])
  }
  if (dialect.transports.length === 0) {
    throw new ConfigError([`target ${text}: ${name} is no protocol of a network`])
  }
  const chosen = dialect.transports.find((each) => transport === undefined || each === transport)
  if (chosen === undefined) throw new ConfigError([`target ${text}: ${name} has no ${transport}`])
  if (Number(port) < 1 || Number(port) > 65_535) {
    throw new ConfigError([`target ${text}: port ${port}, want 1 to 65535`])
  }
  return {
    dialect,
    target: { transport: chosen, host: host!.replace(/^\[|\]$/g, ''), port: Number(port) },
    name: text,
  }
}
