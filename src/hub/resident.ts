/**
 * The contract of a resident: the hub's side of a dialect that is more than a server. The hub calls
 * what a resident has, and knows none by name.
 */

import type { Dialect } from '../dialects/dialect.ts'
import type { PeerConnection } from '../dialects/endpoints.ts'
import type { CounterEventSource } from '../dialects/snapshot-source.ts'
import type { Zone } from '../shm/index.ts'
import type { Clock } from '../time/clock.ts'
import type { ZoneIngest } from './ingest/zone-ingest.ts'
import type { Frame } from './live/frame.ts'
import type { SharedSources } from './live/totals.ts'
import type { Log } from './log.ts'
import type { SeriesStore } from './series/series.ts'
import type { ErrorReports } from './status/reports.ts'
import type { SelfMetrics } from './status/self-metrics.ts'
import type { DialectStatus, LimitStatus } from './status/status.ts'
import type { Task } from './tasks/task.ts'
import type { HubView } from './view.ts'

/** A dialect as a hub takes it in. */
export interface HubGuest {
  readonly dialect: Dialect
  /** Makes its resident; undefined where the options leave it nothing to do. */
  createResident?(context: ResidentContext): Resident | undefined
  /** Tells whether its options want the zone in a memory that WebAssembly can write. */
  needsWasmZone?(options: DialectOptions): boolean
}

/** The dialect's own section of the configuration, checked. */
export type DialectOptions = Readonly<Record<string, unknown>>

/** A part of the hub that has something to do when a second is closed, in the order of calls. */
export interface Participant {
  /** Does what is due once a second, before its end is read. */
  beforeClose?(endMs: number, seconds: number): Task
  /** Hands on what waits and belongs into the second; also before the last one. */
  flush?(): Task
  /** Takes the closed second. */
  take?(frame: Frame): Task
  /** Does what is due when all have taken it. */
  afterClose?(endMs: number, seconds: number): Task
}

export interface Resident extends Participant {
  start?(): Promise<void>
  stop?(): Promise<void>
  /**
   * Measurements that have come by its own ways, where that is not what the ingest of its server
   * counts.
   */
  readonly measured?: Measured
  /** Values sent, of a dialect without a listener of its own; with it the connections there are. */
  readonly valuesSent?: number
  readonly connectionCount?: number
  connections?(): readonly PeerConnection[]
  /** Every series of the hub as counters, for a dialect that tells them to the tools of .NET. */
  readonly counterEvents?: CounterEventSource
  /** Knowledge of gauges that tell no writes. */
  readonly sharedSources?: SharedSources
  observe?(metrics: SelfMetrics): void
  limits?(): readonly LimitStatus[]
  /** Describes what its meter shows otherwise than that of a server. */
  describe?(): Partial<DialectStatus>
  errorsOfSource?(address: string): number
  /** Gives further members of the answer of `GET /api/v1/sources`. */
  status?(): Readonly<Record<string, unknown>>
}

/** A count of measurements that remembers who sent them. */
export interface Measured {
  readonly measurements: number
  /** Takes the sources heard since the last call. */
  takeActive(): Set<string>
}

/**
 * Context that a resident is made with; parts that are read may be empty until the hub has started.
 */
export interface ResidentContext {
  readonly options: DialectOptions
  readonly hub: HubView
  readonly clock: Clock
  readonly log: Log
  readonly zone: Zone
  readonly store: SeriesStore
  readonly reports: ErrorReports
  createIngest(): ZoneIngest
  /** Lists connections of the dialect's server. */
  connections(): readonly PeerConnection[]
  /** Finds the resident that gives the hub's series as counters; none before the hub is whole. */
  counterEvents(): CounterEventSource | undefined
}
