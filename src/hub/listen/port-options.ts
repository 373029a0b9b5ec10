/** What a shared port is told: where to bind, who speaks on it, and whom to tell. */
import type { Transport } from '../../dialects/decoder.ts'
import type { Dialect } from '../../dialects/dialect.ts'
import type { DialectServer } from '../../dialects/endpoints.ts'
import type { Clock } from '../../time/clock.ts'
import { type HubConfig, portNumber } from '../config/config.ts'
import type { Log } from '../log.ts'
import type { SelfMetrics } from '../status/self-metrics.ts'
import type { ConnectionPlaces } from './connection-places.ts'
import type { BindUdp, UdpReceive } from './udp-socket.ts'

export interface PortOptions {
  readonly name: string
  readonly host: string
  /** 0 = any free port. */
  readonly port: number
  readonly transports: readonly Transport[]
  /** Most connections at once; further ones are closed at once and counted. */
  readonly connectionsLimit: number
  /** Bytes of receive buffer asked for the UDP socket. */
  readonly receiveBufferBytes: number
  /** One datagram a system call, or many; `auto` finds out what works. Default: one. */
  readonly udpReceive?: UdpReceive | 'auto'
  /** Bound by several threads at once, among which the kernel spreads what comes. */
  readonly isShared?: boolean
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
  /** Binds the UDP socket, where a thread has another way to receive than dgram. */
  readonly bindUdp?: BindUdp
  /** Places for connections, where the limit holds over several threads. */
  readonly places?: ConnectionPlaces
}

/** How the config wants a port to be bound for the dialects that share it. */
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
    receiveBufferBytes,
    udpReceive,
  }
}
