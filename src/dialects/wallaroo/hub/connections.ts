/** What connections of workers have shown of themselves (wallaroo.md §5), for the page. */
import type { PeerConnection } from '../../endpoints.ts'
import type { ConnectionsAnswer, WorkerConnectionJson } from '../http/api.ts'
import { ERROR_CODES, NOTES } from '../spec.ts'
import type { WorkerReceiver } from './receiver.ts'
import type { WallarooState } from './state.ts'
import { compareTexts } from './views/groups.ts'
import { workerJson } from './views/rows.ts'

/** Limit of each in one answer. */
const CONNECTIONS_SHOWN = 1000
const WORKERS_SHOWN = 100

export function connectionsAnswer(
  state: WallarooState,
  receivers: Iterable<WorkerReceiver>,
  statuses: readonly PeerConnection[],
  application: string | undefined,
): ConnectionsAnswer {
  const byPeer = new Map([...receivers].map((each) => [peerKey(each.peer), each]))
  const isWanted = (of: string): boolean => application === undefined || of === application
  const connections = statuses
    .map((status) => connectionJson(status, byPeer.get(peerKey(status.peer))))
    .filter(
      ({ workers }) => application === undefined || workers.some((w) => isWanted(w.application)),
    )
  const nowMs = state.clock.wallMs()
  return {
    nowMs,
    connections: connections.sort((a, b) => b.sinceMs - a.sinceMs).slice(0, CONNECTIONS_SHOWN),
    workers: [...state.workers]
      .filter((each) => each.worker !== undefined && isWanted(each.application))
      .map((each) => workerJson(each, nowMs))
      .sort(
        (a, b) => compareTexts(a.application, b.application) || compareTexts(a.worker, b.worker),
      ),
  }
}

function peerKey({ address, port }: PeerConnection['peer']): string {
  return `${address} ${port}`
}

function connectionJson(
  { peer, sinceMs, facts }: PeerConnection,
  receiver: WorkerReceiver | undefined,
): WorkerConnectionJson {
  const count = (name: string): number => Number(facts[name] ?? 0)
  const counted = (names: readonly string[]): (readonly [string, number])[] => {
    return names.filter((name) => facts[name] !== undefined).map((name) => [name, count(name)])
  }
  return {
    address: peer.address,
    port: peer.port,
    sinceMs,
    workers: [...(receiver?.workers ?? [])].slice(0, WORKERS_SHOWN).map((each) => {
      return { application: each.application, worker: each.worker ?? null }
    }),
    order: facts.order as WorkerConnectionJson['order'],
    binning: facts.binning as WorkerConnectionJson['binning'],
    lengths: facts.lengths as WorkerConnectionJson['lengths'],
    frames: {
      connect: count('connects'),
      join: count('joins'),
      metrics: count('windows'),
      rejected: count('rejected'),
    },
    notes: counted(NOTES),
    rejects: counted(ERROR_CODES),
    bytesHeld: count('bytesHeld'),
  }
}
