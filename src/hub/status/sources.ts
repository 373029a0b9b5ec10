/** Builds the answer to "is everything arriving?" from the parts of a running hub. */
import type {
  Dialect,
  ConnectionStatus as DialectConnection,
  DialectServer,
  Source,
} from '../../dialects/dialect.ts'
import type { ZoneIngest } from '../ingest/ingest.ts'
import type { Port } from '../listen/port.ts'
import type { LiveRing } from '../live/ring.ts'
import type { Sessions } from '../live/sessions.ts'
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

/** Most sources in one answer; those heard last. */
const SOURCES_SHOWN = 200
/** Most connections in one answer; those opened last. */
const CONNECTIONS_SHOWN = 200

/** One dialect at work in the hub. */
export interface DialectAtWork {
  readonly dialect: Dialect
  readonly server: DialectServer
  /** Of its server, and of every peer it reads from. */
  readonly ingests: ZoneIngest[]
  /** Peers that the hub has attached to. */
  readonly attached: Source[]
  readonly activity: Activity
  readonly port: Port
}

export interface StatusParts {
  readonly dialects: readonly DialectAtWork[]
  readonly ports: readonly Port[]
  readonly store: SeriesStore
  readonly reports: ErrorReports
  readonly live: LiveRing
  readonly sessions: Sessions
  readonly zoneUsage: () => { readonly bytes: number; readonly limit: number }
}

export function describeSources(parts: StatusParts): SourcesAnswer {
  const seriesOf = countSeries(parts.store)
  return {
    dialects: parts.dialects.map((each) => dialectStatus(each, seriesOf, parts.reports)),
    listeners: parts.ports.map((port) => port.status()),
    sources: sourceStatuses(parts, seriesOf),
    connections: connectionStatuses(parts.dialects),
    limits: limitStatuses(parts),
    errors: parts.reports.errors(),
    refusals: parts.reports.refusals(),
  }
}

/** Series by dialect, and by dialect and source. */
function countSeries(store: SeriesStore): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { metadata, source, isDown } of store) {
    if (isDown) continue
    for (const key of [metadata.dialect, `${metadata.dialect} ${source}`]) {
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
  }
  return counts
}

function dialectStatus(
  { dialect, server, activity, port }: DialectAtWork,
  seriesOf: ReadonlyMap<string, number>,
  reports: ErrorReports,
): DialectStatus {
  const { host } = port.options
  return {
    name: dialect.name,
    title: dialect.title,
    ratePerSecond: activity.ratePerSecond,
    recent: activity.recent,
    address: `${dialect.transports.join('+')} ${host}:${port.port}`,
    lastDataMs: activity.lastDataMs ?? null,
    errors: reports.errorsOf(dialect.name),
    connections: server.connections().length,
    series: seriesOf.get(dialect.name) ?? 0,
    role: dialect.roles.server ?? 'receive',
    tryIt: dialect.tryIt(host, port.port),
  }
}

function sourceStatuses(
  { dialects, reports }: StatusParts,
  seriesOf: ReadonlyMap<string, number>,
): SourceStatus[] {
  const statuses: SourceStatus[] = []
  for (const { dialect, activity } of dialects) {
    for (const { address, lastDataMs } of activity.sources()) {
      statuses.push({
        address,
        dialect: dialect.name,
        series: seriesOf.get(`${dialect.name} ${address}`) ?? 0,
        errors: reports.errorsOfSource(dialect.name, address),
        lastDataMs,
      })
    }
  }
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
  const { store, reports, live, sessions, ports } = parts
  const zone = parts.zoneUsage()
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
      limit: zone.limit,
      used: zone.bytes,
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
    ...ports.map((port) => ({
      name: `connectionsLimit of ${port.options.name}`,
      limit: port.options.connectionsLimit,
      used: port.status().connections,
      refused: port.refusedConnections,
      behaviour: 'A further connection is closed at once; open ones go on.',
    })),
  ]
}
