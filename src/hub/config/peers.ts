/** Whom the hub connects to: the addresses of the config, all checked before any is used. */
import type { Dialect } from '../../dialects/dialect.ts'
import { type DialectTarget, parseRelay, parseTarget, type RelayTarget } from './target.ts'
import { ConfigError, dialectOptions, type HubConfig, portNumber } from './values.ts'

interface Peers {
  /** Targets that are sent to every second. */
  readonly relay: readonly RelayTarget[]
  /** Targets that are read from. */
  readonly attach: readonly DialectTarget[]
}

/** @throws {ConfigError} for an address that makes no sense, is this hub, or brings things twice */
export function peersOf(config: HubConfig, dialects: readonly Dialect[]): Peers {
  const relay = config.relay.map((text) => parseRelay(text, dialects))
  for (const each of relay) refuseSelf(each, config)
  const attach: DialectTarget[] = []
  const own = dialects.flatMap((each) => each.ownPeers?.(dialectOptions(config, each.name)) ?? [])
  for (const text of [...config.attach, ...own]) {
    const parsed = parseTarget(text, dialects)
    refuseSelf(parsed, config)
    refuseTwice(parsed, attach)
    attach.push(parsed)
  }
  return { relay, attach }
}

/** Refuses the hub itself: what it sends itself would come round every second, and grow. */
function refuseSelf({ dialect, target, name }: DialectTarget, config: HubConfig): void {
  const { host: own } = config
  const ownPort = dialect.port === undefined ? undefined : portNumber(config, dialect.port.name)
  const ownHosts = [own.toLowerCase(), '127.0.0.1', 'localhost', '::1']
  if (target.port === ownPort && ownHosts.includes(target.host.toLowerCase())) {
    throw new ConfigError([`target ${name}: that is this hub itself`])
  }
}

/** Refuses a source twice: what two bring of one counter would be counted twice. */
function refuseTwice({ dialect, target, name }: DialectTarget, others: readonly DialectTarget[]) {
  const isSame = (other: DialectTarget): boolean =>
    other.dialect === dialect && dialect.sharesSeries?.(other.target, target) === true
  try {
    const twice = others.find(isSame)
    if (twice === undefined) return
    throw new TypeError(`its counters are read already, by ${twice.name}`)
  } catch (error) {
    throw new ConfigError([`attach ${name}: ${(error as Error).message}`])
  }
}
