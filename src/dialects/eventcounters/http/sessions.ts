/**
 * `GET /api/v1/eventcounters` of the hub (eventcounters.md §2): every series it holds as an
 * EventCounter, in sessions of the client's own interval. The dialect answers; this file keeps the
 * list of who is there.
 */

import type { HubContext } from '../../../http/hub-app.ts'
import { SECURITY_HEADERS } from '../../../http/security.ts'
import type { HubView } from '../../../hub/view.ts'
import type { PeerConnection } from '../../peer.ts'
import { type EventCountersResident, eventCountersOf } from '../hub/resident.ts'
import { type EndpointReports, type ServedSession, serveSession } from '../server/endpoint.ts'
import type { OutputLimits } from '../server/output.ts'

export { PATH as COUNTERS_PATH } from '../spec.ts'

export interface CounterSessionsOptions {
  readonly limits?: Partial<OutputLimits>
  readonly reports?: EndpointReports
}

interface Client {
  readonly session: ServedSession
  readonly address: string
  readonly port: number
}

export class CounterSessions {
  readonly #view: HubView
  readonly #resident: EventCountersResident
  readonly #options: CounterSessionsOptions
  readonly #clients = new Map<ServedSession, Client>()

  constructor(view: HubView, options: CounterSessionsOptions = {}) {
    this.#view = view
    this.#resident = eventCountersOf(view)!
    this.#resident.clients = () => this.connections()
    this.#options = options
  }

  /** Takes over the response, refusals included. */
  answer({ env: { incoming, outgoing } }: HubContext): void {
    const { remoteAddress: address = '', remotePort: port = 0 } = incoming.socket
    const session = serveSession(incoming, outgoing, {
      source: this.#resident,
      clock: this.#view.clock,
      headers: SECURITY_HEADERS,
      onEnd: (ended) => this.#clients.delete(ended),
      ...this.#options,
    })
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
