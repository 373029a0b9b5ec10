/**
 * `GET /api/v1/eventcounters` of the hub (eventcounters.md §2): every series it holds as an
 * EventCounter, in sessions of the client's own interval, as NDJSON without end. The endpoint of
 * the dialect answers; this file keeps the list of who is there.
 */
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { GuestRoutes, HubApp, HubContext, RouteContext } from '../../../http/guest-routes.ts'
import { SECURITY_HEADERS } from '../../../http/security.ts'
import type { PeerConnection } from '../../endpoints.ts'
import { eventCountersOf } from '../hub/resident.ts'
import { type EndpointParts, type ServedSession, serveSession } from '../server/endpoint.ts'
import { PATH } from '../spec.ts'

export function addRoutes(app: HubApp, context: RouteContext): GuestRoutes {
  const { view, options, reports } = context
  const resident = eventCountersOf(view)
  if (resident === undefined) return {}
  const sessions = new CounterSessions({
    source: resident,
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

interface Client {
  readonly session: ServedSession
  readonly address: string
  readonly port: number
}

class CounterSessions {
  readonly #parts: EndpointParts
  readonly #clients = new Map<ServedSession, Client>()

  constructor(parts: EndpointParts) {
    this.#parts = { ...parts, onEnd: (ended) => this.#clients.delete(ended) }
  }

  /** Takes over the response, refusals included. */
  answer(context: HubContext): void {
    const { incoming, outgoing } = context.env
    const { turns } = context.get('answers')
    const { remoteAddress: address = '', remotePort: port = 0 } = incoming.socket
    const inTurn = (work: () => void): void => void turns.turn(work)
    const session = serveSession(incoming, outgoing, { ...this.#parts, inTurn })
    if (session !== undefined) this.#clients.set(session, { session, address, port })
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
