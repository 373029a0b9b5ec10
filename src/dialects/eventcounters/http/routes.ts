/**
 * `GET /api/v1/eventcounters` of the hub (eventcounters.md §2): every series it holds as an
 * EventCounter, in sessions of the client's own interval, as NDJSON without end. The endpoint of
 * the dialect answers; this file keeps the list of its clients, and shares out the places.
 */
import type { Socket } from 'node:net'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { GuestRoutes, HubApp, HubContext, RouteContext } from '../../../http/guest-routes.ts'
import { SECURITY_HEADERS } from '../../../http/security.ts'
import { MinuteLog } from '../../../peers/minute-log.ts'
import { networkOf } from '../../../peers/network.ts'
import { Idleness, Shares } from '../../../peers/shares.ts'
import { StallLooks } from '../../../peers/taking.ts'
import type { Clock } from '../../../time/clock.ts'
import type { PeerConnection } from '../../endpoints.ts'
import { type EventCountersResident, eventCountersOf } from '../hub/resident.ts'
import type { CounterSource } from '../server/counter-source.ts'
import { type EndpointParts, type ServedSession, serveSession } from '../server/endpoint.ts'
import { PATH } from '../spec.ts'

export function addRoutes(app: HubApp, context: RouteContext): GuestRoutes {
  const { view, options, reports } = context
  const resident = eventCountersOf(view)
  if (resident === undefined) return {}
  const sessions = new CounterSessions(resident, {
    clock: view.clock,
    headers: SECURITY_HEADERS,
    limits: options,
    reports,
  })
  resident.clients = () => sessions.connections()
  app.get(PATH, (request) => {
    sessions.answer(request)
    return RESPONSE_ALREADY_SENT
  })
  return {
    // as the endpoint states its errors, wherever it is served (§6)
    errorAnswers: {
      [PATH]: (request, { status, message }) => request.json({ error: message }, status),
    },
    stop: () => sessions.stop(),
  }
}

/** A session whose client has taken nothing for so long, ms, is idle. */
const STALLED_MS = 1000

interface Client {
  readonly session: ServedSession
  readonly socket: Socket
  readonly address: string
  readonly port: number
}

type SharedParts = Omit<EndpointParts, 'source'> &
  Pick<RouteContext, 'reports'> & {
    readonly clock: Clock
  }

class CounterSessions {
  readonly #resident: EventCountersResident
  readonly #parts: Omit<EndpointParts, 'source'>
  readonly #clients = new Map<ServedSession, Client>()
  readonly #shares: Shares<Client>
  readonly #log: MinuteLog

  constructor(resident: EventCountersResident, parts: SharedParts) {
    const { clock, reports } = parts
    const stalls = new StallLooks(clock)
    const stalledMs = ({ socket }: Client): number => stalls.stalledMs(socket)
    this.#resident = resident
    this.#parts = { ...parts, onEnd: (ended) => this.#onEnd(ended) }
    this.#shares = new Shares({
      idleness: (client) => (stalledMs(client) >= STALLED_MS ? Idleness.idle : Idleness.working),
      silence: stalledMs,
    })
    this.#log = new MinuteLog(clock, (message, facts) => reports.log('warn', message, facts))
  }

  /** Takes over the response, refusals included. */
  answer(context: HubContext): void {
    const { incoming, outgoing } = context.env
    const { turns } = context.get('answers')
    const { socket } = incoming
    const { remoteAddress: address = '', remotePort: port = 0 } = socket
    const inTurn = (work: () => void): void => void turns.turn(work)
    const source = this.#sourceFor(networkOf(address))
    const session = serveSession(incoming, outgoing, { ...this.#parts, source, inTurn })
    if (session === undefined) return
    const client = { session, socket, address, port }
    this.#clients.set(session, client)
    this.#shares.add(client, networkOf(address))
  }

  /** Makes the source for one request, which makes room where it has to. */
  #sourceFor(address: string): CounterSource {
    const resident = this.#resident
    return {
      open: (request, onBoundary) => {
        if (resident.size >= resident.limit) this.#makeRoom(address)
        const session = resident.open(request, onBoundary)
        if (session === undefined) {
          this.#log.note('counter sessions refused: all places are taken', { address })
        }
        return session
      },
    }
  }

  #makeRoom(address: string): void {
    const client = this.#shares.yielding(address)
    if (client === undefined) return
    this.#log.note('counter sessions closed to make room for others', { address: client.address })
    client.session.makeRoom()
  }

  #onEnd(ended: ServedSession): void {
    const client = this.#clients.get(ended)
    this.#clients.delete(ended)
    if (client !== undefined) this.#shares.delete(client)
  }

  connections(): PeerConnection[] {
    return [...this.#clients.values()].map(({ session, address, port }) => ({
      peer: { transport: 'tcp', address, port },
      sinceMs: session.sinceMs,
      facts: factsOf(session),
    }))
  }

  /** Ends every session in order; clients see an end and come back. */
  stop(): void {
    for (const session of [...this.#clients.keys()]) session.end()
  }
}

function factsOf({ query, counts }: ServedSession): PeerConnection['facts'] {
  const { interval, profile, deliver, filter } = query
  return {
    intervalMs: interval.kind === 'run' ? interval.intervalMs : 0,
    profile,
    deliver,
    ...(filter === undefined ? {} : { providers: filter.length }),
    boundaries: counts.boundaries,
    skipped: counts.skipped,
  }
}
