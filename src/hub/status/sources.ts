/** Builds the answer to "is everything arriving?" from the parts of a running hub. */

import type { Source } from '../../dialects/client.ts'
import type { Dialect } from '../../dialects/dialect.ts'
import type { HubCounters } from '../../dialects/eventcounters/hub/hub-counters.ts'
import type { PeerConnection as DialectConnection } from '../../dialects/peer.ts'
import type { Filters } from '../../dialects/proxywasm/hub/filters.ts'
import type { HubPipelines } from '../../dialects/wallaroo/hub/index.ts'
import type { Listener } from '../listen/listener.ts'
import type { LiveRing } from '../live/ring.ts'
import type { Sessions } from '../live/sessions.ts'
import type { SinkQueue } from '../live/sinks.ts'
import type { SeriesStore } from '../series.ts'
import type { Activity } from './activity.ts'
import type { ErrorReports } from './reports.ts'
import type {
  ConnectionStatus,
  DialectStatus,
  LimitStatus,
  SourceStatus,
  SourcesAnswer,
} from './status.ts'
import type { WorkerRates, WorkerReading } from './worker-rates.ts'
import type { ZoneUse } from './zone-use.ts'

/** Most sources in one answer; those heard last. */
const SOURCES_SHOWN = 200
/** Most connections in one answer; those opened last. */
const CONNECTIONS_SHOWN = 200

/** The server side of a dialect, in the main thread or in all ingest threads. */
export interface ServerAtWork {
  readonly valuesSent?: number
  connections(): readonly DialectConnection[]
  /** How many there are, where not all are told of. */
  readonly connectionCount?: number
  stop(): Promise<void>
}

/** What counts measurements, and remembers who sent them. */
export interface Measured {
  readonly measurements: number
  /** Sources heard since the last call. */
  takeActive(): Set<string>
}

/** One dialect at work in the hub. */
export interface DialectAtWork {
  readonly dialect: Dialect
  readonly server: ServerAtWork
  /** Of its server, and of every peer it reads from. */
  readonly ingests: Measured[]
  /** Peers that the hub has attached to. */
  readonly attached: Source[]
  readonly activity: Activity
  /** Where its server listens now. */
  readonly address: () => { readonly host: string; readonly port: number }
}

export interface StatusParts {
  readonly dialects: readonly DialectAtWork[]
  readonly ports: readonly Listener[]
  readonly store: SeriesStore
  readonly reports: ErrorReports
  readonly live: LiveRing
  readonly sessions: Sessions
  readonly counters: HubCounters
  readonly filters: Filters
  readonly workers: () => readonly WorkerReading[]
  readonly workerRates: WorkerRates
  readonly zone: ZoneUse
  readonly sinks: readonly SinkQueue[]
  readonly pipelines: HubPipelines
}

export function describeSources(parts: StatusParts): SourcesAnswer {
  const { filters } = parts
  const hasFilters = filters.size > 0
  const exports = parts.sinks.flatMap(({ sink }) => sink.status?.() ?? [])
  return {
    dialects: [
      ...parts.dialects.map((each) => dialectStatus(each, parts.store, parts.reports)),
      ...(hasFilters ? [filters.dialectStatus()] : []),
    ],
    listeners: parts.ports.map((port) => port.status()),
    workers: parts.workerRates.describe(parts.workers()),
    zone: parts.zone.status(),
    sources: sourceStatuses(parts),
    connections: connectionStatuses(parts.dialects),
    limits: limitStatuses(parts),
    errors: parts.reports.errors(),
    refusals: parts.reports.refusals(),
    ...(hasFilters ? { filters: filters.statuses() } : {}),
    ...(exports.length > 0 ? { exports } : {}),
  }
}

function dialectStatus(
  { dialect, server, activity, address }: DialectAtWork,
  { counts }: SeriesStore,
  reports: ErrorReports,
): DialectStatus {
  const { host, port } = address()
  return {
    name: dialect.name,
    title: dialect.title,
    ratePerSecond: activity.ratePerSecond,
    recent: activity.recent,
    address: `${dialect.transports.join('+')} ${host}:${port}`,
    lastDataMs: activity.lastDataMs ?? null,
    errors: reports.errorsOf(dialect.name),
    connections: connectionCount(server),
    series: counts.of(dialect.name),
    role: dialect.roles.server ?? 'receive',
    tryIt: dialect.tryIt?.(host, port) ?? '',
  }
}

export function connectionCount(server: ServerAtWork): number {
  return server.connectionCount ?? server.connections().length
}

function sourceStatuses({ dialects, reports, filters, store }: StatusParts): SourceStatus[] {
  const statuses: SourceStatus[] = []
  for (const { dialect, activity } of dialects) {
    for (const { address, lastDataMs } of activity.sources()) {
      statuses.push({
        address,
        dialect: dialect.name,
        series: store.counts.of(dialect.name, address),
        errors: reports.errorsOfSource(dialect.name, address),
        lastDataMs,
      })
    }
  }
  statuses.push(...filters.sources())
  return statuses.sort((a, b) => b.lastDataMs - a.lastDataMs).slice(0, SOURCES_SHOWN)
}

function connectionStatuses(dialects: readonly DialectAtWork[]): ConnectionStatus[] {
  const all = dialects.flatMap(({ dialect, server, attached }) => [
    ...server.connections().map((connection) => describe(dialect.name, connection, 'peer')),
    ...attached.map((source) => describe(dialect.name, source.status(), 'hub')),
  ])
  return all.sort((a, b) => b.sinceMs - a.sinceMs).slice(0, CONNECTIONS_SHOWN)
}

function describe(
  dialect: string,
  { peer, sinceMs, facts }: DialectConnection,
  openedBy: ConnectionStatus['openedBy'],
): ConnectionStatus {
  const { transport, address, port } = peer
  return { dialect, peer: `${transport} ${address}:${port}`, openedBy, sinceMs, facts }
}

function limitStatuses(parts: StatusParts): LimitStatus[] {
  const { store, reports, live, sessions, counters, ports, pipelines } = parts
  const zone = parts.zone.usage
  return [
    {
      name: 'seriesLimit',
      limit: store.limits.seriesLimit,
      used: store.countedSize,
      refused: reports.refusalsOf('series_limit'),
      behaviour: 'New names are refused, known ones go on; sums go to pentameter.overflow.',
      examples: reports.refusedKeys('series_limit'),
    },
    {
      name: 'seriesLimitPerSource',
      limit: store.limits.seriesLimitPerSource,
      used: store.largestSourceSize,
      refused: reports.refusalsOf('series_limit_per_source'),
      behaviour: 'New names of that source are refused, other sources are not affected.',
      examples: reports.refusedKeys('series_limit_per_source'),
    },
    {
      name: 'zoneBytesLimit',
      limit: zone.bytesLimit,
      used: zone.bytesTotal,
      refused: reports.refusalsOf('zone_full'),
      behaviour: 'New names are refused, known ones go on.',
      examples: reports.refusedKeys('zone_full'),
    },
    {
      name: 'liveBytesLimit',
      limit: live.options.bytesLimit,
      used: live.bytes,
      refused: live.evictedFrames,
      behaviour: 'The oldest seconds leave the live window first.',
    },
    {
      name: 'sessionsLimit',
      limit: sessions.limit,
      used: sessions.size,
      refused: sessions.refused,
      behaviour: 'A further subscriber is refused; open ones go on.',
    },
    {
      name: 'eventcounters.sessionsLimit',
      limit: counters.limit,
      used: counters.size,
      refused: counters.refused,
      behaviour: 'A further client of /api/v1/eventcounters is refused; open ones go on.',
    },
    ...pipelines.limits(),
    ...ports.map((port) => ({
      name: `connectionsLimit of ${port.options.name}`,
      limit: port.options.connectionsLimit,
      used: port.status().connections,
      refused: port.refusedConnections,
      behaviour: 'A further connection is closed at once; open ones go on.',
    })),
  ]
}
