/**
 * Counters of this process for others to watch: an HTTP server of its own, or a handler for one
 * that the application has (eventcounters.md §2). There is no login; all who reach the server
 * see every counter, so it is bound to loopback unless told otherwise.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  refuseRequest,
  type ServedSession,
  serveSession,
} from '../dialects/eventcounters/server/endpoint.ts'
import { PATH } from '../dialects/eventcounters/spec.ts'
import { hostCheck } from '../host-check.ts'
import { addressText } from '../model/text/address.ts'
import { type CounterRegistry, defaultRegistry } from './registry.ts'

export interface EventCountersServerOptions {
  /** The default one when absent. */
  readonly registry?: CounterRegistry
  /** Loopback when absent. */
  readonly host?: string
  /** 4000 when absent; 0 = any free one. */
  readonly port?: number
  /** Names under which it is reached besides loopback and `host`. */
  readonly allowedHosts?: readonly string[]
}

/** Counts by name and reason, for example `http_rejected sessions`; absent = 0. */
export type EndpointCounts = Readonly<Record<string, number>>

/**
 * Answers requests for the endpoint's path.
 * @returns false for another path: the request is untouched
 */
export interface CounterHandler {
  (incoming: IncomingMessage, outgoing: ServerResponse): boolean
  readonly counts: EndpointCounts
  /** Ends all sessions, so that the application's server can close. */
  close(): void
}

/** Port of the product's HTTP side (eventcounters.md §2). */
const DEFAULT_PORT = 4000
/** Time that a client has for its request's headers; none needs longer. */
const HEADERS_TIMEOUT_MS = 10_000
const CONNECTIONS_LIMIT = 256
/** Time that what was written may take to leave when the server closes, ms. */
const CLOSE_GRACE_MS = 500

/** Headers by which no page of another origin may read or embed an answer, nor guess its type. */
const HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

/**
 * A registry's counters on a port of its own.
 *
 * @example
 * ```ts
 * import { EventCountersServer } from 'pentameter/instrument'
 *
 * const server = new EventCountersServer({ port: 0 })
 * await server.start()
 * console.log(`watch with: pentameter counters monitor ${server.url}`)
 * await server.close()
 * ```
 */
export class EventCountersServer {
  readonly #handle: CounterHandler
  readonly #server: Server
  readonly #host: string
  readonly #port: number

  /** @throws {TypeError} for a registry that another thread serves */
  constructor(options: EventCountersServerOptions = {}) {
    const { host = '127.0.0.1', port = DEFAULT_PORT, allowedHosts = [] } = options
    const handle = eventCountersHandler(options.registry)
    const isAllowed = hostCheck(host, allowedHosts)
    this.#handle = handle
    this.#host = host
    this.#port = port
    // not by an import, for which Node loads its whole fetch as well
    const { createServer } = process.getBuiltinModule('node:http')
    this.#server = createServer((incoming, outgoing) => {
      const refusal = refusalOf(incoming, isAllowed)
      if (refusal !== undefined) refuseRequest(outgoing, ...refusal, HEADERS)
      else if (!handle(incoming, outgoing)) answerOther(incoming, outgoing)
    })
    this.#server.headersTimeout = HEADERS_TIMEOUT_MS
    this.#server.maxConnections = CONNECTIONS_LIMIT
  }

  /** Port that is bound, where the options left its choice to the system; 0 before `start`. */
  get port(): number {
    return (this.#server.address() as AddressInfo | null)?.port ?? 0
  }

  /** Address of the endpoint, without a query; empty before `start`. */
  get url(): string {
    const address = this.#server.address() as AddressInfo | null
    return address === null ? '' : `http://${addressText(address.address, address.port)}${PATH}`
  }

  get counts(): EndpointCounts {
    return this.#handle.counts
  }

  /** Binds the port; rejects with the system's error where that is not possible. */
  start(): Promise<void> {
    return listen(this.#server, this.#host, this.#port)
  }

  /** Ends all sessions and connections; resolves when the port is free. */
  close(): Promise<void> {
    return close(this.#server, this.#handle)
  }
}

/**
 * Makes a handler for a server of the application, which decides itself who may ask.
 * @throws {TypeError} for a registry that another thread serves
 * @example
 * ```ts
 * import { createServer } from 'node:http'
 * import { eventCountersHandler } from 'pentameter/instrument'
 *
 * const counters = eventCountersHandler()
 * const server = createServer((request, response) => {
 *   if (!counters(request, response)) response.end('hello')
 * })
 * server.listen(8080)
 * server.once('close', () => counters.close())
 * ```
 */
export function eventCountersHandler(
  registry: CounterRegistry = defaultRegistry(),
): CounterHandler {
  if (registry.isJoined) {
    throw new TypeError('counters are served by the thread that shared their registry')
  }
  const counts: Record<string, number> = {}
  const sessions = new Set<ServedSession>()
  const count = (name: string, reason: string, amount = 1): void => {
    const key = `${name} ${reason}`
    counts[key] = (counts[key] ?? 0) + amount
    if (name === 'invalid_intervals') registry.report('invalid_intervals')
  }
  const parts = {
    source: registry,
    reports: { count },
    headers: HEADERS,
    onEnd: (session: ServedSession) => sessions.delete(session),
  }
  const handle = (incoming: IncomingMessage, outgoing: ServerResponse): boolean => {
    if (pathOf(incoming) !== PATH) return false
    const session = serveSession(incoming, outgoing, parts)
    if (session !== undefined) sessions.add(session)
    return true
  }
  const close = (): void => {
    for (const session of sessions) session.end()
  }
  return Object.assign(handle, { counts, close })
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0]!
}

/** Tells what speaks against answering at all, as status and text. */
function refusalOf(
  { headers }: IncomingMessage,
  isAllowed: (header: string) => boolean,
): [status: number, text: string] | undefined {
  const { host = '' } = headers
  if (!isAllowed(host)) {
    const text = `host ${JSON.stringify(host)} is not a name of this server: see allowedHosts`
    return [421, text]
  }
  const site = headers['sec-fetch-site']
  if (site === 'cross-site' || site === 'same-site') {
    return [403, 'pages of other origins may not read counters']
  }
  return undefined
}

function answerOther(incoming: IncomingMessage, outgoing: ServerResponse): void {
  incoming.resume()
  if (pathOf(incoming) !== '/') {
    refuseRequest(outgoing, 404, `nothing here; counters are at ${PATH}`, HEADERS)
    return
  }
  outgoing.writeHead(200, { ...HEADERS, 'Content-Type': 'text/plain; charset=utf-8' })
  outgoing.end(
    `Counters of this process are streamed from ${PATH}, for example\n` +
      `  ${PATH}?EventCounterIntervalSec=1\n`,
  )
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.off('error', reject)
      // A failed accept (no file descriptors left) costs that connection, not the application.
      server.on('error', () => {})
      resolve()
    })
  })
}

function close(server: Server, handle: CounterHandler): Promise<void> {
  handle.close()
  return new Promise((resolve) => {
    const grace = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS)
    server.close(() => {
      clearTimeout(grace)
      resolve()
    })
    server.closeIdleConnections()
  })
}
