/** What a shared port is told: where to bind, who speaks on it, and whom to tell. */
import type { Transport } from '../../dialects/decoder.ts'
import type { Dialect, DialectServer, SharedPort } from '../../dialects/dialect.ts'
import type { Clock } from '../../model/index.ts'
import type { Log } from '../log.ts'
import type { SelfMetrics } from '../status/self-metrics.ts'

export interface PortOptions {
  readonly name: SharedPort
  readonly host: string
  /** 0 = any free port. */
  readonly port: number
  readonly transports: readonly Transport[]
  /** Most connections at once; further ones are closed at once and counted. */
  readonly connectionsLimit: number
  /** Bytes of receive buffer asked for the UDP socket. */
  readonly receiveBufferBytes: number
}

/** A dialect with its running server. */
export interface Speaker {
  readonly dialect: Dialect
  readonly server: DialectServer
}

export interface PortContext {
  readonly clock: Clock
  readonly log: Log
  readonly metrics: SelfMetrics
}
