/** What a shared port is told: where to bind, who speaks on it, and whom to tell. */
import type { Transport } from '../../dialects/decoder.ts'
import type { Dialect } from '../../dialects/dialect.ts'
import type { DialectServer, Reports } from '../../dialects/endpoints.ts'
import type { Clock } from '../../time/clock.ts'
import { type HubConfig, portNumber } from '../config/values.ts'
import type { Log } from '../log.ts'
import type { SelfMetrics } from '../status/self-metrics.ts'
import type { ConnectionPlaces } from './connection-places.ts'
import type { PeerCounts } from './peer-counts.ts'
import type { TapPoint } from './tap/tap-point.ts'
import type { BindUdp, UdpReceive } from './udp-socket.ts'

/**
 * Connections that the system holds until the hub comes to accept them, as far as it allows (Linux:
 * net.core.somaxconn). Beyond them it drops beginnings of connections, whose peers try again ever
 * later: with Node's 511, health checks took 15 s while 10,000 connections came in a second.
 */
export const ACCEPT_BACKLOG = 4096

export interface PortOptions {
  readonly name: string
  readonly host: string
  /** 0 = any free port. */
  readonly port: number
  readonly transports: readonly Transport[]
  /** Limit of connections at once, shared out by address. */
  readonly connectionsLimit: number
  readonly limits: ConnectionLimits
  /** Bytes of receive buffer asked for the UDP socket. */
  readonly receiveBufferBytes: number
  /** One datagram a system call, or many; `auto` finds out what works. Default: one. */
  readonly udpReceive?: UdpReceive | 'auto'
  /** Bound by several threads at once, among which the kernel spreads what comes. */
  readonly isShared?: boolean
}

/** Limits of time, memory and places that connections may take; those of the configuration. */
export interface ConnectionLimits {
  /** Time until a connection has sent one whole message, milliseconds. */
  readonly firstMessageTimeoutMs: number
  /** Silence after which a dialect that speaks first may speak, on a shared port, milliseconds. */
  readonly greetAfterMs: number
  /** Time from the first byte of a message to its last, milliseconds. */
  readonly messageTimeoutMs: number
  /** Silence after which a connection makes room when all places are taken, milliseconds. */
  readonly idleAfterMs: number
  /** Connections of one address, over all ports. */
  readonly connectionsLimitPerAddress: number
  /** Memory of unfinished messages, over all ports. */
  readonly unfinishedBytesLimit: number
  /** The same of one address. */
  readonly unfinishedBytesLimitPerAddress: number
}

/** A dialect with its running server. */
export interface ServedDialect {
  readonly dialect: Dialect
  readonly server: DialectServer
}

export interface PortContext {
  readonly clock: Clock
  readonly log: Log
  readonly metrics: SelfMetrics
  /** Taker of errors: bytes that no dialect of a port claims. */
  readonly errors: Pick<Reports, 'decodeError'>
  /** Binder of the UDP socket, where a thread has another way to receive than dgram. */
  readonly bindUdp?: BindUdp
  /** Places for connections, where the limit holds over several threads. */
  readonly places?: ConnectionPlaces
  /** Place for a tap; none unless given. */
  readonly tapPoint?: TapPoint
  /** Counts of what peers hold over all ports and threads. */
  readonly peers?: PeerCounts
}

/** Makes the options by which a port is to be bound for the dialects that share it. */
export function portOptions(
  name: string,
  config: HubConfig,
  dialects: readonly Dialect[],
): PortOptions {
  const { host, connectionsLimit, receiveBufferBytes, udpReceive } = config
  return {
    name,
    host,
    port: portNumber(config, name),
    transports: [...new Set(dialects.flatMap(({ transports }) => transports))],
    connectionsLimit,
    limits: config,
    receiveBufferBytes,
    udpReceive,
  }
}
