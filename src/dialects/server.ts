/** The contract of a dialect's server: sockets are bound and accepted by the hub. */
import type { Socket } from 'node:net'
import type { ClientContext } from './client.ts'
import type { Ingest } from './ingest.ts'
import type { Peer, PeerConnection } from './peer.ts'
import type { SnapshotSource } from './snapshot-source.ts'
import type { WindowReceiver } from './wallaroo/server/connection.ts'

/** One running server side of a dialect; sockets are bound and accepted by the hub. */
export interface DialectServer {
  /** One datagram; `bytes` is valid only during the call. */
  datagram?(bytes: Uint8Array, peer: Peer): void
  /**
   * Takes over an accepted connection; `first` holds what was read of it to find the dialect (empty
   * for a dialect that speaks first). Where `socket.readableEnded` is true, it is all that came.
   * @param pass for a server that has spoken to a silent peer, whose answer is not of its dialect:
   *   takes back the connection with every byte that came, if they may be another's. Whoever calls
   *   it holds no listener and no timer any more, unless it returns false.
   */
  accept?(socket: Socket, first: Uint8Array, pass?: (bytes: Uint8Array) => boolean): void
  /** Values sent so far, by a server that emits; receiving ones are counted at the ingest. */
  readonly valuesSent?: number
  /** What this server knows of its connections, for the page and the API. */
  connections(): readonly PeerConnection[]
  /** Closes connections and timers; resolves when all are gone, within 1 s. */
  stop(): Promise<void>
}

/** What the hub gives a dialect's server. */
export interface ServerContext extends ClientContext {
  readonly ingest: Ingest
  readonly snapshot: SnapshotSource
  /** Who takes the windows of a new connection; a hub always has one (Wallaroo). */
  readonly openWindows?: (peer: Peer) => WindowReceiver
}
