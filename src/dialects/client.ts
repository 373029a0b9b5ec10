/** The contract of a dialect's clients: an emitter sends what the hub closes, a source receives. */
import type { Cell, Exact, Identity } from '../model/index.ts'
import type { Clock } from '../time/clock.ts'
import type { Ingest } from './ingest.ts'
import type { PeerConnection } from './peer.ts'
import type { Reports } from './reports.ts'

/** What the hub gives a dialect's clients. */
export interface ClientContext {
  readonly reports: Reports
  readonly clock: Clock
  /** The dialect's own options, already validated. */
  readonly options: Readonly<Record<string, unknown>>
}

/** What the hub gives a dialect's source. */
export interface SourceContext extends ClientContext {
  readonly ingest: Ingest
}

/** A client that sends; calls never throw. */
export interface Emitter {
  /**
   * Sends one cell.
   * @param total of a counter since it began, for protocols that carry totals
   */
  send(identity: Identity, cell: Cell, total: Exact | undefined): void
  /** Sends what is held back for batching. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** A client that receives, until it is closed; it reconnects by itself. */
export interface Source {
  status(): PeerConnection
  close(): Promise<void>
}
