/** HTTP requests of the whole process, both ways, measured while this is open. */
import type { IncomingMessage } from 'node:http'
import { ClientRequests } from './client-requests.ts'
import type { InstrumentMaker } from './maker.ts'
import { nameRoute, ServerRequests } from './server-requests.ts'

export interface HttpOptions {
  /** Whether requests that this process answers are measured; true by default. */
  readonly server?: boolean
  /** Whether requests that it makes are measured; true by default. */
  readonly client?: boolean
  /** Routes that are told apart, 200 unless stated; of more, `_OTHER` takes all. */
  readonly routesLimit?: number
  /** Servers that its requests go to and that are told apart, 100 unless stated. */
  readonly peersLimit?: number
}

const ROUTES_LIMIT = 200
const PEERS_LIMIT = 100

/** Measuring of HTTP requests, which goes on until it is closed. */
export interface HttpMeasuring {
  /** Ends it; what was measured stays. Idempotent. */
  close(): void
}

/** Begins to measure; what is under way at that moment is not. */
export function measureHttp(maker: InstrumentMaker, options: HttpOptions = {}): HttpMeasuring {
  const { server = true, client = true } = options
  const handlers = new Map<string, (message: unknown) => void>()
  if (server) {
    const requests = new ServerRequests(maker, limit('routesLimit', options, ROUTES_LIMIT))
    handlers.set('http.server.request.start', requests.onStart)
    handlers.set('tracing:fastify.request.handler:start', nameRouteOfFastify)
  }
  if (client) {
    const requests = new ClientRequests(maker, limit('peersLimit', options, PEERS_LIMIT))
    for (const [name, handle] of Object.entries(requests.handlers)) handlers.set(name, handle)
  }
  // Not by an import: most programs that record do no HTTP.
  const { subscribe, unsubscribe } = process.getBuiltinModule('node:diagnostics_channel')
  for (const [name, handle] of handlers) subscribe(name, handle)
  return {
    close() {
      for (const [name, handle] of handlers) unsubscribe(name, handle)
    },
  }
}

/** Fastify tells, by a channel of its own, which route it hands a request to. */
function nameRouteOfFastify(message: unknown): void {
  const { request, route } = message as {
    readonly request: { readonly raw: IncomingMessage }
    readonly route: { readonly url?: unknown }
  }
  if (typeof route.url === 'string') nameRoute(request.raw, route.url)
}

function limit(name: 'routesLimit' | 'peersLimit', options: HttpOptions, usual: number): number {
  const value = options[name] ?? usual
  if (Number.isSafeInteger(value) && value >= 1) return value
  throw new RangeError(`${name}: want a whole number of 1 or more, got ${value}`)
}
