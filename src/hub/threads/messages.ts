/**
 * What goes between the main thread and an ingest thread. A thread's messages arrive in the order
 * in which they were sent: a series is announced before anything else says its metric, and an
 * answer comes after all that its thread did before.
 */
import type { PeerConnection } from '../../dialects/endpoints.ts'
import type { Exact, Metadata } from '../../model/index.ts'
import type { SharedZone } from '../../shm/index.ts'
import type { HubConfig } from '../config/values.ts'
import type { TapBatch } from '../listen/tap/tap.ts'
import type { LogLevel } from '../log.ts'
import type { AnnouncementColumns } from '../series/announcements.ts'
import type { ErrorStatus, ListenerStatus, RefusalStatus } from '../status/status.ts'

/** Data that a thread is started with. */
export interface ThreadStart {
  /** Index of the thread in its pool. */
  readonly thread: number
  readonly threads: number
  /** The zone, the quota and the counts that all threads share. */
  readonly zone: SharedZone
  readonly quota: SharedArrayBuffer
  readonly counts: SharedArrayBuffer
  readonly peers: SharedArrayBuffer
  /** Dialects of all ports that the threads bind, in the order of their counts. */
  readonly dialects: readonly ThreadDialect[]
  readonly config: HubConfig
}

/** A dialect that a thread is to serve. */
export interface ThreadDialect {
  /** Name as in the registry. */
  readonly name: string
  /** Name of the port that it is served on. */
  readonly port: string
  /** Address of the module that the thread loads it from. */
  readonly module: string
  /** Options of its own section of the config. */
  readonly options: Readonly<Record<string, unknown>>
}

/** Every question is answered by an {@link Answer} of the same number. */
export type Question =
  /** Bind the listener of this name; port 0 is any free one. */
  | { readonly kind: 'bind'; readonly name: string; readonly port: number }
  /**
   * Copy what comes to this listener, and send so many batches of it before this is said again;
   * 0 ends it.
   */
  | { readonly kind: 'tap'; readonly name: string; readonly batches: number }
  /** The metrics may mean other series soon: nothing may be written into them any more. */
  | { readonly kind: 'forget'; readonly metrics: readonly number[] }
  /**
   * Request for nothing but the answer, which comes when all that was taken so far has been sent.
   */
  | { readonly kind: 'settle' }
  /** Message to take what has reached the machine, close, and give the segment back. */
  | { readonly kind: 'stop' }

export type ToThread = Question & { readonly number: number }

interface Answer {
  readonly kind: 'answer'
  readonly number: number
}

export type FromThread = Answer | Batch | ThreadStatus | Tapped | ValuesPage

/** Page in which the thread notes what gauges go through in a second, from now on. */
interface ValuesPage {
  readonly kind: 'values'
  readonly page: SharedArrayBuffer
}

/** Copy of what came to a listener. */
interface Tapped {
  readonly kind: 'tapped'
  readonly name: string
  readonly batch: TapBatch
}

/** Batch of what a thread has gathered in a turn of its event loop. */
export interface Batch {
  readonly kind: 'batch'
  readonly series: AnnouncementColumns
  readonly annotations: readonly (readonly [metric: number, metadata: Metadata])[]
  readonly commands: CommandColumns
  readonly reports: ReportColumns
}

export type Operation = 'read' | 'count' | 'observe'

/** Ordered commands, a row each. */
export interface CommandColumns {
  readonly operations: readonly Operation[]
  /** Index of the dialect. */
  readonly dialects: readonly number[]
  readonly metrics: readonly number[]
  readonly values: readonly Exact[]
  /** 1 for a reading. */
  readonly weights: readonly number[]
  /** Index in `sources`. */
  readonly sourceRows: readonly number[]
  readonly sources: readonly string[]
}

/** Errors and refusals of a turn, summed up: bounded, whatever peers send. */
export interface ReportColumns {
  /** Counts since the last batch, with the last offenders. */
  readonly errors: readonly ErrorStatus[]
  readonly errorsOfSources: readonly SourceErrors[]
  readonly refusals: readonly RefusalStatus[]
  /** Names of refused series. */
  readonly names: readonly RefusedName[]
  readonly notes: readonly RefusalStatus[]
  /** Oddities in messages that were taken. */
  readonly decodeNotes: readonly RefusalStatus[]
  /** Counts that dialects make: `name`, `reason`. */
  readonly counts: readonly NamedCount[]
  readonly log: readonly LogLine[]
  /** Lines beyond those. */
  readonly logLinesLeftOut: number
}

/** Decode errors of one dialect from one address. */
interface SourceErrors {
  readonly dialect: string
  readonly address: string
  readonly count: number
}

export interface RefusedName {
  readonly code: string
  readonly key: string
  readonly source: string
}

export interface NamedCount {
  readonly dialect: string
  readonly name: string
  readonly reason: string
  readonly count: number
}

export interface LogLine {
  readonly level: LogLevel
  readonly message: string
  readonly facts?: Record<string, unknown>
}

/** Status of a thread: about once a second, and before every answer. */
export interface ThreadStatus {
  readonly kind: 'status'
  /** Number of the thread's segment in the zone. */
  readonly segment: number
  /** Status of the ports that it has been told to bind so far. */
  readonly listeners: readonly ListenerStatus[]
  /** Status of dialects in the order of {@link ThreadStart.dialects}. */
  readonly dialects: readonly ThreadDialectStatus[]
}

export interface ThreadDialectStatus {
  /** Connections opened last. */
  readonly connections: readonly PeerConnection[]
  readonly connectionCount: number
  /** Sources heard since the last status. */
  readonly active: readonly string[]
}
