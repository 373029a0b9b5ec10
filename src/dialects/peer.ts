/** Who is at the other end of a connection, and whom a client is to connect to. */
import type { Transport } from './decoder.ts'

/** Where bytes came from. */
export interface Peer {
  readonly transport: Transport
  readonly address: string
  readonly port: number
}

/** Whom a client connects to. */
export interface Target {
  readonly transport: Transport
  readonly host: string
  readonly port: number
  /** The whole address as given, where the dialect's peers have URLs (`schemes`). */
  readonly url?: string
}

/** One connection of a server or client, as people are told of it. */
export interface PeerConnection {
  readonly peer: Peer
  readonly sinceMs: number
  /** Named facts in display order, for example framing, interval, skipped. */
  readonly facts: Readonly<Record<string, string | number | boolean>>
}
