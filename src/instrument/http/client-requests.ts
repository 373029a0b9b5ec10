/**
 * Requests that this process makes, by `fetch` and undici and by node:http, under the names of
 * OpenTelemetry's conventions for HTTP clients: from their start to the head of the answer.
 */
import { isOwnTraffic } from '../../peers/own-traffic.ts'
import type { BoundHistogram, Histogram } from '../plain/histogram.ts'
import type { InstrumentMaker } from './maker.ts'
import { knownMethod, Names } from './names.ts'

type Label =
  | 'http.request.method'
  | 'server.address'
  | 'server.port'
  | 'http.response.status_code'
  | 'error.type'

/** A request that is under way. */
interface Pending {
  readonly startMs: number
  readonly method: string
  readonly peer: string
}

/** Request as undici tells of it. */
interface UndiciRequest {
  readonly method: string
  readonly origin?: unknown
}

/** Request of node:http as its channels tell of it. */
interface NodeRequest {
  readonly method?: string
  readonly host?: string
  readonly protocol?: string
  getHeader(name: string): unknown
}

const PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

export class ClientRequests {
  readonly #duration: Histogram<Label>
  readonly #peers: Names
  readonly #pending = new WeakMap<object, Pending>()
  readonly #handles = new Map<string, BoundHistogram>()

  constructor(maker: InstrumentMaker, peersLimit: number) {
    this.#duration = maker.histogram('http.client.request.duration', {
      unit: 's',
      labels: [
        ...(['http.request.method', 'server.address', 'server.port'] as const),
        ...(['http.response.status_code', 'error.type'] as const),
      ],
      description: 'Time from a request’s start to the head of its answer',
    })
    this.#peers = new Names(peersLimit)
  }

  /** Handlers by the channel that each is for. */
  readonly handlers: Readonly<Record<string, (message: unknown) => void>> = {
    'undici:request:create': (message) => {
      const { request } = message as { request: UndiciRequest }
      this.#start(request, request.method, String(request.origin ?? ''))
    },
    'undici:request:headers': (message) => {
      const { request, response } = message as Answered
      this.#end(request, response.statusCode)
    },
    'undici:request:error': (message) => this.#fail(message),
    'http.client.request.start': (message) => {
      const { request } = message as { request: NodeRequest }
      const host = String(request.getHeader('host') ?? request.host ?? '')
      this.#start(request, request.method ?? 'GET', `${request.protocol ?? 'http:'}//${host}`)
    },
    'http.client.response.finish': (message) => {
      const { request, response } = message as Answered
      this.#end(request, response.statusCode)
    },
    'http.client.request.error': (message) => this.#fail(message),
  }

  #start(request: object, method: string, origin: string): void {
    if (isOwnTraffic()) return
    const peer = this.#peers.take(origin) ?? Names.OTHER
    this.#pending.set(request, { startMs: performance.now(), method: knownMethod(method), peer })
  }

  #fail(message: unknown): void {
    const { request, error } = message as { request: object; error?: { code?: unknown } | null }
    const code = error?.code
    this.#end(request, 0, typeof code === 'string' ? code.slice(0, 40) : Names.OTHER)
  }

  #end(request: object, status: number, error = status >= 400 ? String(status) : ''): void {
    const pending = this.#pending.get(request)
    if (pending === undefined) return
    this.#pending.delete(request)
    const { method, peer } = pending
    const key = `${method} ${status} ${error} ${peer}`
    let handle = this.#handles.get(key)
    if (handle === undefined) {
      handle = this.#duration.with({
        'http.request.method': method,
        ...addressOf(peer),
        'http.response.status_code': status === 0 ? '' : String(status),
        'error.type': error,
      })
      this.#handles.set(key, handle)
    }
    handle.record((performance.now() - pending.startMs) / 1000)
  }
}

/** Labels of an origin, such as `http://example.org`; one that is no address stands as it is. */
function addressOf(peer: string): { 'server.address': string; 'server.port': string } {
  const url = URL.parse(peer)
  if (url === null) return { 'server.address': peer, 'server.port': '' }
  const { hostname, port, protocol } = url
  return { 'server.address': hostname, 'server.port': port || (PORTS[protocol] ?? '') }
}

interface Answered {
  readonly request: object
  readonly response: { readonly statusCode: number }
}
