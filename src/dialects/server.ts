/** The contract of a dialect's server: sockets are bound and accepted by the hub. */
import type { Socket } from 'node:net'
import type { ClientContext } from './client.ts'
import type { LineIngest } from './ingest.ts'
import type { Peer, PeerConnection } from './peer.ts'
import type { SnapshotSource, Statistic } from './snapshot-source.ts'

/** One running server side of a dialect; sockets are bound and accepted by the hub. */
export interface DialectServer {
  /** One datagram; `bytes` is valid only during the call. */
  datagram?(bytes: Uint8Array, peer: Peer): void
  /**
   * Takes over an accepted connection; `first` holds what was read of it to find the dialect (empty
   * for a dialect that speaks first). Where `socket.readableEnded` is true, it is all that came.
   * @param pass for a server that has spoken to a silent peer, whose answer is not of its dialect:
   *   takes back the connection with every byte that came, if they may be another's. The
   *   server that calls it holds no listener and no timer any more, unless it returns false.
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
  readonly ingest: LineIngest
  /**
   * Opens one number per series, for servers that emit.
   * @param select further statistics of distributions, each as a series of its own
   */
  openSnapshot(select: readonly Statistic[]): SnapshotSource
  /** The hub's side of the dialect, where it has one; its own folder knows of what kind it is. */
  readonly resident?: object | undefined
}
