/** Builds the answer to "is everything arriving?" from the parts of a running hub. */

import type { ChosenPeer, PeerConnection } from '../../dialects/endpoints.ts'
import { isLoopback } from '../../host-check.ts'
import { addressText } from '../../model/text/address.ts'
import { connectionCount, type DialectBinding, statusesOf } from '../bindings/binding.ts'
import type { Bindings } from '../bindings/bindings.ts'
import type { Listener } from '../listen/listener.ts'
import type { PeerCounts } from '../listen/peer-counts.ts'
import type { ConnectionLimits } from '../listen/port-options.ts'
import type { LiveRing } from '../live/ring.ts'
import type { Samples } from '../live/samples/samples.ts'
import type { Sessions } from '../live/sessions.ts'
import type { ClockSteps } from '../second/clock-steps.ts'
import type { SeriesStore } from '../series/series.ts'
import type { SinkQueue } from '../sinks/sinks.ts'
import type { WorkerRates } from './activity.ts'
import type { Overload } from './overload.ts'
import type { ErrorReports } from './reports.ts'
import type {
  ConnectionStatus,
  DialectStatus,
  LimitStatus,
  ListenerStatus,
  PeerStatus,
  SourceStatus,
  SourcesAnswer,
} from './status.ts'
import type { ZoneUse } from './zone-use.ts'

/** Limit of sources in one answer; those heard last. */
const SOURCES_SHOWN = 200
/** Limit of connections in one answer; those opened last. */
const CONNECTIONS_SHOWN = 200

export interface StatusParts {
  /** Address on which all listeners are bound. */
  readonly host: string
  /** Time of the start by the wall clock of then, Unix ms. */
  readonly startedMs: number
  readonly bindings: Bindings
  readonly store: SeriesStore
  readonly reports: ErrorReports
  readonly live: LiveRing
  readonly samples: Samples
  readonly sessions: Sessions
  readonly workerRates: WorkerRates
  readonly zone: ZoneUse
  readonly sinks: readonly SinkQueue[]
  readonly peers: { readonly counts: PeerCounts; readonly limits: ConnectionLimits }
  /** Tells those of the HTTP side, once there is one. */
  limitsOfHttp?: () => readonly LimitStatus[]
  readonly clockSteps: ClockSteps
  readonly overload: Overload
}

/** Gives when the hub was started by the wall clock of now, Unix ms: as old as its uptime says. */
export function startTimeMs({ startedMs, clockSteps }: StatusParts): number {
  return startedMs + clockSteps.movedMs
}

export function describeSources(parts: StatusParts): SourcesAnswer {
  const { bindings, reports } = parts
  const overload = parts.overload.status()
  const exports = parts.sinks.flatMap(({ sink }) => sink.status?.() ?? [])
  const [history] = parts.sinks.flatMap(({ sink }) => sink.history?.() ?? [])
  const peers = chosenPeers(parts)
  const listeners = listenersOf(bindings).map((port) => listenerStatus(port, reports))
  const residents = [...bindings].map(({ resident }) => resident?.status?.() ?? {})
  return {
    startedMs: startTimeMs(parts),
    ...(isLoopback(parts.host) ? {} : { openTo: parts.host }),
    dialects: [...bindings].map((each) => dialectStatus(each, listeners, parts)),
    listeners,
    workers: parts.workerRates.describe(bindings.threads?.workers() ?? []),
    ...(bindings.threadFailure === undefined ? {} : { workerFailure: bindings.threadFailure }),
    zone: parts.zone.status(),
    sources: sourceStatuses(parts),
    connections: connectionStatuses(parts, peers),
    ...(peers.length > 0 ? { peers: peers.map(peerStatus) } : {}),
    limits: limitStatuses(parts),
    errors: reports.errors(),
    refusals: reports.refusals(),
    ...(overload === undefined ? {} : { overload }),
    ...(parts.clockSteps.count > 0 ? { clockSteps: parts.clockSteps.latest } : {}),
    ...Object.assign({}, ...residents),
    ...(exports.length > 0 ? { exports } : {}),
    ...(history === undefined ? {} : { history }),
  }
}

function listenersOf({ listeners }: Bindings): readonly Listener[] {
  return [...listeners.values()]
}

function listenerStatus(port: Listener, reports: ErrorReports): ListenerStatus {
  return { ...port.status(), unclaimed: reports.unclaimedOf(port.options.name) }
}

function dialectStatus(
  binding: DialectBinding,
  listeners: readonly ListenerStatus[],
  { store: { counts }, reports }: StatusParts,
): DialectStatus {
  const { dialect, activity } = binding
  const address = binding.address()
  const { host = '', port = 0 } = address ?? {}
  // what came to a listener of its own was meant for it; of a shared one it is not known
  const listener = listeners.find(({ name }) => name === dialect.port?.name)
  const isOwn = listener?.dialects.length === 1 && listener.name !== dialect.name
  const unclaimed = isOwn ? reports.unclaimedOf(listener.name) : 0
  return {
    name: dialect.name,
    title: dialect.title,
    ratePerSecond: activity.ratePerSecond,
    recent: activity.recent,
    address:
      address === undefined ? '' : `${dialect.transports.join('+')} ${addressText(host, port)}`,
    lastDataMs: activity.lastDataMs ?? null,
    errors: reports.errorsOf(dialect.name) + unclaimed,
    connections: connectionCount(binding),
    series: counts.of(dialect.name),
    role: dialect.roles.server ?? 'receive',
    // a command without an address is none
    tryIt: address === undefined ? '' : (dialect.tryIt?.(host, port) ?? ''),
    ...binding.resident?.describe?.(),
  }
}

function sourceStatuses({ bindings, reports, store }: StatusParts): SourceStatus[] {
  const statuses: SourceStatus[] = []
  for (const { dialect, activity, resident, attached } of bindings) {
    // an attached peer may bring series of any dialect
    const labels = new Set(attached.flatMap(statusesOf).map(({ source }) => source))
    for (const { address, lastDataMs } of activity.sources()) {
      statuses.push({
        address,
        dialect: dialect.name,
        series: labels.has(address)
          ? store.countOf(address)
          : store.counts.of(dialect.name, address),
        errors:
          resident?.errorsOfSource?.(address) ?? reports.errorsOfSource(dialect.name, address),
        lastDataMs,
      })
    }
  }
  for (const [listener] of bindings.listeners) {
    for (const { address, count: errors, lastMs: lastDataMs } of reports.sourcesOf(listener)) {
      const isListed = statuses.some((it) => it.address === address && it.dialect === listener)
      if (isListed) continue
      statuses.push({ address, dialect: listener, series: 0, errors, lastDataMs })
    }
  }
  return statuses.sort((a, b) => b.lastDataMs - a.lastDataMs).slice(0, SOURCES_SHOWN)
}

/** Lists the peers that the hub was told to connect to, in an order that stays. */
export function peerStatuses(parts: StatusParts): readonly PeerStatus[] {
  return chosenPeers(parts).map(peerStatus)
}

interface NamedPeer
  extends Omit<ChosenPeer, 'name'>,
    Pick<PeerStatus, 'name' | 'dialect' | 'direction'> {}

/** Lists the peers that the hub was told to connect to. */
function chosenPeers({ bindings, sinks }: StatusParts): NamedPeer[] {
  const attached = [...bindings].flatMap(({ dialect, attached }) =>
    attached.flatMap(statusesOf).map((status): NamedPeer => {
      return { ...status, dialect: dialect.name, direction: 'attach' }
    }),
  )
  const relays = sinks.flatMap(({ sink }): NamedPeer[] | NamedPeer => {
    const peer = sink.peer?.()
    return peer === undefined ? [] : { ...peer, name: sink.name, direction: 'relay' }
  })
  return [...attached, ...relays]
}

function peerStatus(peer: NamedPeer): PeerStatus {
  const { name, dialect, direction, link, source, isListening } = peer
  const { isConnected, sinceMs, wasReached, reason, nextTryMs } = link
  return {
    name: withoutSecrets(name),
    dialect,
    direction,
    ...(source === undefined ? {} : { source }),
    state: isConnected ? 'connected' : wasReached ? 'lost' : 'never',
    ...(isListening === true ? { isListening } : {}),
    sinceMs,
    ...(reason === undefined ? {} : { message: reason }),
    ...(nextTryMs === undefined ? {} : { nextTryMs }),
  }
}

/** Leaves out of an address who asks, and with what word. */
function withoutSecrets(address: string): string {
  return address.replace(/\/\/[^@/]*@/, '//').replace(/[?#].*$/s, '')
}

/** Lists connections that stand: a peer that is gone has none. */
function connectionStatuses(
  { bindings }: StatusParts,
  peers: readonly NamedPeer[],
): ConnectionStatus[] {
  const accepted = [...bindings].flatMap(({ dialect, server }) =>
    server.connections().map((connection) => describe(dialect.name, connection, 'peer')),
  )
  const opened = peers.filter(({ link }) => link.isConnected)
  const all = [...accepted, ...opened.map((peer) => describe(peer.dialect, peer, 'hub'))]
  return all.sort((a, b) => b.sinceMs - a.sinceMs).slice(0, CONNECTIONS_SHOWN)
}

function describe(
  dialect: string,
  { peer, sinceMs, facts }: PeerConnection,
  openedBy: ConnectionStatus['openedBy'],
): ConnectionStatus {
  const { transport, address, port, name } = peer
  const text = name ?? `${transport} ${addressText(address, port)}`
  return { dialect, peer: text, openedBy, sinceMs, facts }
}

function limitStatuses(parts: StatusParts): LimitStatus[] {
  const { store, reports, live, samples, sessions, bindings } = parts
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
      name: 'zonePercentPerSource',
      limit: store.quota.bytesLimitPerSource,
      used: store.largestSourceBytes,
      refused: reports.refusalsOf('zone_percent_per_source'),
      behaviour: 'New names of that source are refused, other sources are not affected.',
      examples: reports.refusedKeys('zone_percent_per_source'),
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
      name: 'samplesBytesLimit',
      limit: samples.options.bytesLimit,
      used: samples.bytes,
      refused: samples.evictedRows,
      behaviour: 'The oldest samples of the source that has most go first; seconds stay.',
    },
    {
      name: 'sessionsLimit',
      limit: sessions.limit,
      used: sessions.size,
      refused: sessions.refused,
      behaviour: 'A further subscriber is refused; open ones go on.',
    },
    ...(parts.limitsOfHttp?.() ?? []),
    ...[...bindings].flatMap(({ resident }) => resident?.limits?.() ?? []),
    ...listenersOf(bindings).map((port) => ({
      name: `connectionsLimit of ${port.options.name}`,
      limit: port.options.connectionsLimit,
      used: port.status().connections,
      refused: port.refusedConnections,
      behaviour:
        'Idle connections make room, then those of the address with most; else one is refused.',
    })),
    ...peerLimits(parts.peers),
  ]
}

function peerLimits({ counts, limits }: StatusParts['peers']): LimitStatus[] {
  const largest = counts.largest()
  return [
    {
      name: 'connectionsLimitPerAddress',
      limit: limits.connectionsLimitPerAddress,
      used: largest.connections,
      refused: counts.closed('connections_per_address'),
      behaviour: 'Idle connections of that address make room; others are not affected.',
    },
    {
      name: 'unfinishedBytesLimit',
      limit: limits.unfinishedBytesLimit,
      used: counts.bytes,
      refused: counts.closed('unfinished_bytes'),
      behaviour: 'Of the address that holds most in all, the largest connection is closed.',
    },
    {
      name: 'unfinishedBytesLimitPerAddress',
      limit: limits.unfinishedBytesLimitPerAddress,
      used: largest.bytes,
      refused: counts.closed('unfinished_bytes_per_address'),
      behaviour: 'The connection of that address that holds most is closed.',
    },
  ]
}
