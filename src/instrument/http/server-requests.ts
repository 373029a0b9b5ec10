/**
 * Requests that this process answers, under the names of OpenTelemetry's conventions for HTTP
 * servers. Node tells of them by channels, so that every server of node:http is seen, whatever
 * framework stands on it, and none has to be changed.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isOwnServer } from '../../peers/own-traffic.ts'
import type { BoundCounter } from '../plain/counter.ts'
import type { BoundGauge } from '../plain/gauge.ts'
import type { BoundHistogram, Histogram } from '../plain/histogram.ts'
import { type ExpressRequest, routeOfExpress } from '../requests/express-route.ts'
import type { InstrumentMaker } from './maker.ts'
import { knownMethod, METHODS, Names } from './names.ts'

/** Time of the start, on a response that is recorded. */
const STARTED = Symbol('started')
/** Route of a request whose framework, or program, has said it. */
const ROUTE = Symbol('route')

interface RecordedResponse extends ServerResponse {
  [STARTED]?: number
}

interface RoutedRequest extends ExpressRequest {
  [ROUTE]?: string
}

/**
 * Says which route answers a request: its template, such as `/cart/:id`, not its address. Express
 * and Fastify need no such call. Without a route, requests are told apart by method and status.
 * @param request one of node:http; what frameworks wrap it in has it as `req` or `raw`
 * @example
 * ```ts
 * import { createServer } from 'node:http'
 * import { nameRoute } from 'pentameter'
 *
 * // measured, and under this route, once the program has said metrics.http()
 * const server = createServer((request, response) => {
 *   if (request.url?.startsWith('/cart/')) nameRoute(request, '/cart/:id')
 *   response.end('hello')
 * })
 * ```
 */
export function nameRoute(request: IncomingMessage, template: string): void {
  ;(request as RoutedRequest)[ROUTE] = template
}

interface Handles {
  readonly duration: BoundHistogram
  readonly requestSize: BoundHistogram
  readonly responseSize: BoundHistogram
}

type EndLabel = 'http.request.method' | 'http.route' | 'http.response.status_code' | 'error.type'

const LABELS: readonly EndLabel[] = [
  'http.request.method',
  'http.route',
  'http.response.status_code',
  'error.type',
]

export class ServerRequests {
  readonly #duration: Histogram<EndLabel>
  readonly #requestSize: Histogram<EndLabel>
  readonly #responseSize: Histogram<EndLabel>
  readonly #active: ReadonlyMap<string, BoundGauge>
  readonly #other: BoundCounter
  readonly #routes: Names
  /** One listener for all responses, each of which is its `this`. */
  readonly #onClose: (this: ServerResponse) => void
  /** Handles by what tells requests apart, found without an array or an object for each. */
  readonly #handles = new Map<string, Handles>()

  constructor(maker: InstrumentMaker, routesLimit: number) {
    const group = 'http.server'
    this.#duration = maker.histogram(`${group}.request.duration`, {
      unit: 's',
      labels: LABELS,
      description: 'Time from a request’s head to the end of its answer',
    })
    this.#requestSize = maker.histogram(`${group}.request.body.size`, {
      unit: 'B',
      labels: LABELS,
      description: 'Bodies of requests that state their length',
    })
    this.#responseSize = maker.histogram(`${group}.response.body.size`, {
      unit: 'B',
      labels: LABELS,
      description: 'Bodies of answers that state their length',
    })
    const active = maker.gauge(`${group}.active_requests`, {
      labels: ['http.request.method'] as const,
      across: 'sum',
      description: 'Requests that are not answered yet',
    })
    this.#active = new Map(
      METHODS.map((name) => [name, active.with({ 'http.request.method': name })]),
    )
    this.#other = maker
      .counter(`${group}.request.other_routes`, {
        description: 'Requests of routes beyond the limit, recorded under _OTHER',
      })
      .with({})
    this.#routes = new Names(routesLimit)
    const record = (response: RecordedResponse): void => this.#record(response)
    this.#onClose = function onClose() {
      record(this)
    }
  }

  /** Takes what node:http tells as a request's head has come. */
  readonly onStart = (message: unknown): void => {
    const { request, response, server } = message as {
      request: IncomingMessage
      response: RecordedResponse
      server: object
    }
    if (response[STARTED] !== undefined || isOwnServer(server)) return
    response[STARTED] = performance.now()
    this.#active.get(knownMethod(request.method))?.add(1)
    response.once('close', this.#onClose)
  }

  #record(response: RecordedResponse): void {
    const request = response.req as RoutedRequest
    const method = knownMethod(request.method)
    this.#active.get(method)?.add(-1)
    const { statusCode } = response
    const isWhole = response.writableFinished
    const error = isWhole ? (statusCode >= 500 ? String(statusCode) : '') : 'aborted'
    const status = response.headersSent ? statusCode : 0
    const found = this.#find(method, this.#routeOf(request), status, error)
    found.duration.record((performance.now() - response[STARTED]!) / 1000)
    recordLength(found.requestSize, request.headers['content-length'])
    recordLength(found.responseSize, response.getHeader('content-length'))
  }

  #routeOf(request: RoutedRequest): string {
    const route = request[ROUTE] ?? routeOfExpress(request)
    if (route === undefined) return ''
    const name = this.#routes.take(route)
    if (name === undefined) this.#other.add()
    return name ?? Names.OTHER
  }

  #find(method: string, route: string, status: number, error: string): Handles {
    const key = `${method} ${status} ${error} ${route}`
    const known = this.#handles.get(key)
    if (known !== undefined) return known
    const labels = {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status === 0 ? '' : String(status),
      'error.type': error,
    }
    const made = {
      duration: this.#duration.with(labels),
      requestSize: this.#requestSize.with(labels),
      responseSize: this.#responseSize.with(labels),
    }
    this.#handles.set(key, made)
    return made
  }
}

function recordLength(sizes: BoundHistogram, header: unknown): void {
  if (header === undefined) return
  const length = Number(header)
  if (Number.isSafeInteger(length) && length >= 0) sizes.record(length)
}
