/**
 * `GET /api/v1/federation`: the seconds that this hub closes, as a stream without end for a hub
 * that is attached to it. It tells at once which version it speaks; what can't be served is refused
 * with a reason.
 */

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { z } from 'zod'
import type { GuestRoutes, HubApp, HubContext, RouteContext } from '../../../http/guest-routes.ts'
import { HttpError } from '../../../http/http-error.ts'
import { integer, readQuery } from '../../../http/query/parameters.ts'
import { SECURITY_HEADERS } from '../../../http/security.ts'
import { StallLooks } from '../../../peers/taking.ts'
import type { Clock } from '../../../time/clock.ts'
import type { Reports } from '../../endpoints.ts'
import type { ReaderOutput } from '../hub/reader.ts'
import { type FederationResident, federationOf } from '../hub/resident.ts'
import { CONTENT_TYPE, PATH, QUERY, VERSION } from '../spec.ts'

/** Pause between looks whether a hub takes what waits for it, ms. */
const LOOK_MS = 5000
/** A hub that has taken nothing for so long, ms, is cut off: it may come back. */
const STALLED_MS = 20_000
const RETRY_AFTER = { 'Retry-After': '5' }

export function addRoutes(app: HubApp, { view, reports }: RouteContext): GuestRoutes {
  const resident = federationOf(view)
  if (resident === undefined) return {}
  const streams = new SecondStreams(resident, view.clock, reports)
  app.get(PATH, (context) => {
    if (view.refusesAnswers) throw unavailable('the hub is overloaded')
    streams.answer(context)
    return RESPONSE_ALREADY_SENT
  })
  return { stop: () => streams.stop() }
}

class SecondStreams {
  readonly #resident: FederationResident
  readonly #clock: Clock
  readonly #reports: Reports
  readonly #stalls: StallLooks
  readonly #open = new Set<ServerResponse>()
  #cancelLook: (() => void) | undefined

  constructor(resident: FederationResident, clock: Clock, reports: Reports) {
    this.#resident = resident
    this.#clock = clock
    this.#reports = reports
    this.#stalls = new StallLooks(clock)
  }

  answer(context: HubContext): void {
    const { start, after } = request(context)
    const { incoming, outgoing } = context.env as HubContext['env'] & { outgoing: ServerResponse }
    const { socket } = incoming
    const output = new SocketOutput(outgoing, socket, this.#clock.wallMs())
    const reader = this.#resident.open(output, start, after)
    if (reader === undefined) {
      this.#reports.count('readers_refused', 'readers_limit')
      throw unavailable('as many hubs are attached as federation.readersLimit lets')
    }
    this.#open.add(outgoing)
    this.#look()
    outgoing.on('drain', () => this.#resident.wake())
    outgoing.once('close', () => {
      this.#open.delete(outgoing)
      this.#resident.close(reader)
    })
  }

  #look(): void {
    this.#cancelLook ??= this.#clock.after(LOOK_MS, () => {
      this.#cancelLook = undefined
      for (const outgoing of this.#open) {
        const { socket } = outgoing
        if (socket === null || this.#stalls.stalledMs(socket) < STALLED_MS) continue
        this.#reports.count('readers_closed', 'stalled')
        outgoing.destroy()
      }
      if (this.#open.size > 0) this.#look()
    })
  }

  /** Ends every stream in order: hubs see an end, and come back. */
  stop(): void {
    this.#cancelLook?.()
    for (const outgoing of this.#open) outgoing.end()
  }
}

/** Output into a response; its head is sent with the first bytes. */
class SocketOutput implements ReaderOutput {
  readonly peer: ReaderOutput['peer']
  readonly sinceMs: number
  readonly #outgoing: ServerResponse

  constructor(outgoing: ServerResponse, socket: Socket, sinceMs: number) {
    this.#outgoing = outgoing
    this.sinceMs = sinceMs
    const { remoteAddress: address = '', remotePort: port = 0 } = socket
    this.peer = { transport: 'tcp', address, port }
  }

  get waitingBytes(): number {
    return this.#outgoing.writableLength
  }

  write(bytes: Uint8Array): void {
    const outgoing = this.#outgoing
    if (outgoing.writableEnded || outgoing.destroyed) return
    if (!outgoing.headersSent) {
      outgoing.writeHead(200, {
        ...SECURITY_HEADERS,
        'Content-Type': CONTENT_TYPE,
        'Cache-Control': 'no-store',
      })
      // it is silent between seconds, and has its own rule for one who takes nothing
      outgoing.socket?.setTimeout(0)
      outgoing.socket?.setNoDelay(true)
      outgoing.on('error', () => outgoing.destroy())
    }
    outgoing.write(bytes)
  }

  end(): void {
    this.#outgoing.end()
  }
}

function request(context: HubContext): { readonly start?: string; readonly after?: number } {
  const version = context.req.query(QUERY.version)
  if (version !== String(VERSION)) {
    const message = `version ${JSON.stringify(version ?? 'none')} of the protocol, want ${VERSION}`
    throw new HttpError(400, 'bad_version', message, 'update the older hub')
  }
  const { start, after } = readQuery(secondsQuery, context)
  return start === undefined ? {} : { start, after }
}

const secondsQuery = z.strictObject({
  version: z.string(),
  start: z.string().max(128).optional(),
  after: integer(0, Number.MAX_SAFE_INTEGER).default(0),
})

function unavailable(message: string): HttpError {
  return new HttpError(503, 'unavailable', message, 'try again later', RETRY_AFTER)
}
