/** One dialect at work in the hub: its server, its resident, and the peers that are read from. */

import type { Dialect } from '../../dialects/dialect.ts'
import type { ChosenPeer, PeerConnection, Source } from '../../dialects/endpoints.ts'
import type { Measured, Resident } from '../resident.ts'
import type { Activity } from '../status/activity.ts'

/** The server side of a dialect, in the main thread or in all ingest threads. */
export interface ServerAtWork {
  readonly valuesSent?: number
  connections(): readonly PeerConnection[]
  /** Number of connections, where not all are told of. */
  readonly connectionCount?: number
  stop(): Promise<void>
}

export interface DialectBinding {
  readonly dialect: Dialect
  readonly server: ServerAtWork
  readonly resident: Resident | undefined
  /** Ingests of its server, and of every peer it reads from. */
  readonly ingests: Measured[]
  /** Peers that the hub has attached to. */
  readonly attached: AttachedPeer[]
  readonly activity: Activity
  /** Address where its server listens now; undefined for a dialect of memory. */
  readonly address: () => ListenAddress | undefined
}

/** A peer that is read from, under the address that was given. */
interface AttachedPeer {
  readonly name: string
  readonly source: Source
}

export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/** The server of a dialect that only reads from peers. */
export const NO_SERVER: ServerAtWork = { connections: () => [], async stop() {} }

/** Describes the peers behind an address that was given, each under a name of its own. */
export function statusesOf({ name, source }: AttachedPeer): readonly NamedStatus[] {
  const statuses = source.statuses?.() ?? [source.status()]
  return statuses.map((status) => ({ ...status, name: status.name ?? name }))
}

interface NamedStatus extends ChosenPeer {
  readonly name: string
}

/** The server of a dialect that has no listener of its own: what its resident says. */
export class ResidentServer implements ServerAtWork {
  readonly #resident: Resident

  constructor(resident: Resident) {
    this.#resident = resident
  }

  get valuesSent(): number {
    return this.#resident.valuesSent ?? 0
  }

  get connectionCount(): number {
    return this.#resident.connectionCount ?? this.connections().length
  }

  connections(): readonly PeerConnection[] {
    return this.#resident.connections?.() ?? []
  }

  /** Stops nothing: the resident is stopped by the hub. */
  async stop(): Promise<void> {}
}

export function connectionCount({ server }: DialectBinding): number {
  return server.connectionCount ?? server.connections().length
}

/**
 * Counts the measurements of a dialect so far, refused ones included. A dialect that only emits
 * here, because the hub reads no peer of it, is measured by the values it has sent.
 */
export function measurementsOf({ server, ingests, attached }: DialectBinding): number {
  const sent = attached.length === 0 ? (server.valuesSent ?? 0) : 0
  return ingests.reduce((sum, ingest) => sum + ingest.measurements, sent)
}
