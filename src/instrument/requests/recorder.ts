/**
 * Time of requests to a service, in all and in the calls that they made, after the recorder of
 * Chef's services and its middleware: told to clients and instruments as each request ends.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { ServerResponse } from 'node:http'
import { hostname } from 'node:os'
import type { Clock } from '../../time/clock.ts'
import { systemClock } from '../../time/system-clock.ts'
import { type ExpressRequest, routeOfExpress } from './express-route.ts'
import { RecordedRequest, type RequestOwner } from './recorded-request.ts'
import { type LineSender, RequestLines, type RequestSink } from './request-sink.ts'

export interface RequestRecorderOptions {
  /** Name of the service, the first component of keys. */
  readonly app: string
  /** Receivers: {@link requestInstruments}, a client with `send`, or a sink of one's own. */
  readonly to: readonly (RequestSink | LineSender)[]
  /** Name of this machine in keys; the first label of its host name when not given. */
  readonly host?: string
  /** Prefixes of call labels that are sent and added up; the first that fits counts. */
  readonly upstreams?: readonly string[]
  /** Makes the text of a label that is none. */
  readonly labelOf?: (label: unknown) => string
  /** Sends how often a label was called, too, as `….calls`. */
  readonly callCounts?: boolean
  /** Kinds of requests that are told apart, 200 unless stated; of more, `other` takes all. */
  readonly kindsLimit?: number
  readonly clock?: Pick<Clock, 'monotonicNs'>
}

export interface RequestMiddlewareOptions {
  /**
   * Names the kind of a request. Asked as it comes, and once more when it ends if it gave
   * undefined; then it is `other`. Express's route when not given: `/cart/:id` is `cart_id`.
   */
  readonly label?: (request: ExpressRequest) => string | undefined
}

export interface RequestRecorderCounts {
  /** Calls of sinks that threw. */
  failed: number
  /** Requests of kinds beyond `kindsLimit`, recorded as `other`. */
  otherKinds: number
  /** Times that are none, and those of labels beyond a request's 1000. */
  refused: number
}

/** Bytes of a component of a key. */
const COMPONENT_LIMIT = 100
const KINDS_LIMIT = 200
const OTHER = 'other'

/**
 * Recorder of requests, for clients that send lines and for instruments. Keys are those of Chef's
 * services: `APP.application.allRequests`, `….byRequestType.KIND.ACTION`, `….byStatusCode.CODE` and
 * `APP.upstreamRequests.LABEL`.
 *
 * @example
 * import { RequestRecorder } from 'pentameter/instrument'
 *
 * const sent: string[] = []
 * const requests = new RequestRecorder({
 *   app: 'shop',
 *   host: 'web1',
 *   upstreams: ['rdbms'],
 *   to: [{ send: ({ key, type }) => sent.push(`${key} ${type}`) }], // a client, as a rule
 * })
 * const request = requests.start('cart', 'GET')
 * const cart = request.time('rdbms.fetch_cart', () => ({ books: 2 }))
 * request.report(200)
 * console.log(cart.books, sent.length, sent[2]) // 2 11 shop.application.byRequestType.cart.GET m
 */
export class RequestRecorder {
  readonly counts: RequestRecorderCounts = { failed: 0, otherKinds: 0, refused: 0 }
  readonly #sinks: readonly RequestSink[]
  readonly #place: { readonly app: string; readonly host: string }
  readonly #options: RequestRecorderOptions
  readonly #clock: Pick<Clock, 'monotonicNs'>
  readonly #kinds = new Set<string>()
  readonly #storage = new AsyncLocalStorage<RecordedRequest>()

  /** @throws {TypeError} for no name of the service, and for what can take no requests */
  constructor(options: RequestRecorderOptions) {
    const { app, to, callCounts = false, host = hostname().split('.')[0]!, clock } = options
    if (typeof app !== 'string' || app === '') throw new TypeError('app: want a name')
    this.#options = options
    this.#place = { app: component(app), host: component(host) }
    this.#clock = clock ?? systemClock
    this.#sinks = to.map((each) => {
      if ('report' in each) return each
      if (typeof each.send === 'function') return new RequestLines(each, callCounts)
      throw new TypeError('to: want clients with send, or sinks with start, report and mark')
    })
  }

  /** Gives the request that the calling code works for, within its middleware; also after await. */
  get current(): RecordedRequest | undefined {
    return this.#storage.getStore()
  }

  /**
   * Starts a request.
   * @param label kind of request, as a route is one: there should be few
   * @param action way in which it is asked for, as a method is one
   */
  start(label: string, action: string): RecordedRequest {
    return this.#start(label, action, () => undefined)
  }

  /**
   * Makes a handler for Express, Connect and alike, or to call in one of `node:http` with the rest
   * as `next`: records every request until its response has been sent, with its status. A response
   * that its client did not wait for counts as `abortedRequests` instead, and an error that `next`
   * throws as `uncaughtExceptions`, too.
   *
   * @example
   * import { createServer } from 'node:http'
   * import { RequestRecorder, requestInstruments } from 'pentameter/instrument'
   *
   * const requests = new RequestRecorder({ app: 'shop', to: [requestInstruments()] })
   * const record = requests.middleware({ label: ({ url }) => (url === '/' ? 'home' : undefined) })
   * const server = createServer((request, response) => {
   *   record(request, response, () => {
   *     requests.current?.add('rdbms.fetch_cart', 1.5)
   *     response.end('hello')
   *   })
   * })
   */
  middleware({
    label = routeOfExpress,
  }: RequestMiddlewareOptions = {}): (
    request: ExpressRequest,
    response: ServerResponse,
    next: () => void,
  ) => void {
    return (request, response, next) => {
      const name = () => this.#safely(() => label(request))
      const recorded = this.#start(name(), request.method ?? OTHER, name)
      response.once('finish', () => recorded.report(response.statusCode))
      response.once('close', () => {
        if (!recorded.isReported) recorded.mark('abortedRequests')
      })
      try {
        this.#storage.run(recorded, next)
      } catch (error) {
        recorded.mark('uncaughtExceptions')
        throw error
      }
    }
  }

  /** @param lateLabel asked when the request ends, for one without label */
  #start(
    label: string | undefined,
    action: string,
    lateLabel: () => string | undefined,
  ): RecordedRequest {
    const kind = label === undefined ? undefined : this.#kindOf(label, action)
    this.#tell((sink) => sink.start({ ...this.#place, ...kind }))
    const owner: RequestOwner = {
      nowMs: () => Number(this.#clock.monotonicNs()) / 1e6,
      callLabel: (each) => this.#callLabel(each),
      upstreamOf: (each) => this.#options.upstreams?.find((prefix) => each.startsWith(prefix)),
      refused: () => {
        this.counts.refused++
      },
      mark: (key) => this.#tell((sink) => sink.mark(this.#place, path(key))),
      report: (answer) => {
        const late = kind ?? this.#kindOf(lateLabel() ?? OTHER, action)
        const report = { ...this.#place, ...late, ...answer }
        this.#tell((sink) => sink.report(report, kind === undefined))
      },
    }
    return new RecordedRequest(owner)
  }

  /** Makes the kind, within the limit: what clients ask for must not make series without end. */
  #kindOf(label: string, action: string): { label: string; action: string } {
    const kind = { label: component(label), action: component(action) }
    const key = `${kind.label} ${kind.action}`
    if (this.#kinds.has(key)) return kind
    if (this.#kinds.size >= (this.#options.kindsLimit ?? KINDS_LIMIT)) {
      this.counts.otherKinds++
      return { label: OTHER, action: OTHER }
    }
    this.#kinds.add(key)
    return kind
  }

  #callLabel(label: unknown): string {
    const { labelOf } = this.#options
    if (typeof label === 'string') return path(label)
    return path(this.#safely(() => labelOf?.(label)) ?? OTHER)
  }

  #tell(call: (sink: RequestSink) => void): void {
    for (const sink of this.#sinks) this.#safely(() => call(sink))
  }

  /** Calls what is not ours; a request never fails for being recorded. */
  #safely<T>(call: () => T): T | undefined {
    try {
      return call()
    } catch {
      this.counts.failed++
      return undefined
    }
  }
}

/** Makes one component of a key: `/cart/:id` is `cart_id`, `/` is `root`. */
function component(text: string): string {
  const clean = text.replace(/[^A-Za-z0-9-]+/g, '_').replace(/^_+|_+$/g, '')
  return clean.slice(0, COMPONENT_LIMIT) || 'root'
}

/** Makes components with dots between them. */
function path(text: string): string {
  const clean = text.replace(/[^A-Za-z0-9_.-]+/g, '_').replace(/^\.+|\.+$/g, '')
  return clean.slice(0, COMPONENT_LIMIT) || OTHER
}
