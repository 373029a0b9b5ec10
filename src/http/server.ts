/** The HTTP side of a hub: one server for the page, the API, the live stream and the scrapers. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Server as NetServer, Socket } from 'node:net'
import { NO_REPORTS, type Reports } from '../dialects/endpoints.ts'
import { defaultsOf } from '../dialects/options.ts'
import { ACCEPT_BACKLOG } from '../hub/listen/port-options.ts'
import type { LimitStatus } from '../hub/status/status.ts'
import { ANSWER_BUDGET_NS, LOOP_BUDGET_NS } from '../hub/tasks/loop-budget.ts'
import { RoundRobin } from '../hub/tasks/round-robin.ts'
import type { HubView } from '../hub/view.ts'
import { MinuteLog } from '../peers/minute-log.ts'
import { noteOwnServer } from '../peers/own-traffic.ts'
import type { Clock } from '../time/clock.ts'
import type { ApiError } from './api.ts'
import type { AppWithGuests } from './app.ts'
import type { OtlpPreview } from './export/otlp/source.ts'
import { Exposition, type PrometheusOptions } from './export/prometheus/exposition.ts'
import { Scrapes } from './export/prometheus/scrapes.ts'
import type { RouteContext, RoutedGuest } from './guest-routes.ts'
import {
  ADDRESS_SERIES_LIMIT,
  HTTP_LIMITS,
  type HttpLimits,
  type HttpReports,
  SILENT_REPORTS,
} from './limits.ts'
import { LiveStreams } from './live/streams.ts'
import { TapStreams } from './live/taps.ts'
import { BodyLimits } from './load/body.ts'
import { Connections } from './load/connections.ts'
import { HeavyAnswers } from './load/heavy-answers.ts'
import { ProbeAnswers } from './load/probes.ts'
import { RequestReads } from './load/reads.ts'
import { type Answer, Requests } from './load/requests.ts'
import { SECURITY_HEADERS } from './security.ts'

/** Time for a request's headers, ms: what needs longer is no browser and no scraper. */
const HEADERS_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 30_000
/** Request line and headers; Node's default, said here because parameters.ts counts on it. */
const HEADERS_BYTES_LIMIT = 16_384
const KEEP_ALIVE_TIMEOUT_MS = 30_000
/** Connections without any progress, answers that are not read included. */
const IDLE_TIMEOUT_MS = 60_000
/** Pause between looks of the server for connections past the first two, ms. */
const TIMEOUT_CHECK_MS = 5_000
/** Pause between looks for new series, ms; a scrape takes in what has come since. */
const PREPARE_MS = 1_000
/** Requests under way get so long to finish when the hub stops. */
const STOP_GRACE_MS = 1_000

interface HttpServerOptions {
  readonly view: HubView
  /** Folder of the built page (dist/web); it may be missing. */
  readonly webRoot: string
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** Names under which the hub is reached besides loopback and `host`. */
  readonly allowedHosts?: readonly string[]
  readonly reports?: HttpReports
  readonly prometheus?: PrometheusOptions
  readonly limits?: Partial<HttpLimits>
  /**
   * Loads the preview that `GET /api/v1/otlp` shows; all totals, as each dialect's document has
   * them, unless stated.
   */
  readonly otlp?: () => Promise<OtlpPreview>
  /** Dialects that may bring routes of their own. */
  readonly guests?: readonly RoutedGuest[]
  /** A dialect's section of the configuration, by its name; what it lacks has its default. */
  readonly optionsOf?: (dialect: string) => Readonly<Record<string, unknown>>
  readonly reportsOf?: (dialect: string) => Reports
}

/** One address that it listens at. */
export type HttpPort = Pick<HttpServer, 'start' | 'stop'>

export interface HttpServer {
  /** Makes a further port, at which it serves the same; it is to be stopped before the server. */
  further(port: number): HttpPort
  /** Limits of which a person should know how full they are. */
  limits(): readonly LimitStatus[]
  /** @throws {Error} with the system's code when the address cannot be bound */
  start(): Promise<{ readonly host: string; readonly port: number }>
  /** Ends streams, lets answers finish for a second, then closes every connection. */
  stop(): Promise<void>
}

export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { view, host, port, reports = SILENT_REPORTS } = options
  const limits = { ...HTTP_LIMITS, ...options.limits }
  const turns = new RoundRobin(view.clock, { budgetNs: LOOP_BUDGET_NS, turnNs: ANSWER_BUDGET_NS })
  const log = new MinuteLog(view.clock, (message, facts) => reports.log?.('warn', message, facts))
  const streams = new LiveStreams(view, { turns, limits, reports, log })
  const dialects = (options.guests ?? []).map(({ dialect }) => dialect)
  const taps = new TapStreams(view, { dialects, limits, reports, log })
  const answers = new HeavyAnswers({
    ...{ clock: view.clock, turns, limits, reports, log },
    isOverloaded: () => view.refusesAnswers,
  })
  const exposition = new Exposition(view, options.prometheus ?? {}, reports)
  const preparation = new Preparation(view.clock, turns, exposition)
  const allowedHosts = options.allowedHosts ?? []
  const scrapes = new Scrapes({ view, exposition, answers, host, allowedHosts, reports })
  const app = new LazyApp(async () => {
    const { createApp } = await import('./app.ts')
    return createApp({
      ...{ view, streams, taps, host, allowedHosts, limits, answers, scrapes, exposition, reports },
      guests: options.guests ?? [],
      contextOf: (guest) => contextOf(guest, options),
      webRoot: options.webRoot,
      otlp: await (options.otlp?.() ?? previewOf(view)),
      refuseAddress: () => {
        reports.count('refused', NO_HOST.code)
        const { headers, body } = rawAnswer(NO_HOST)
        return new Response(body, { status: 400, headers })
      },
    })
  })
  const probes = new ProbeAnswers({ view, host, allowedHosts, reports })
  const answer: Answer = (incoming, outgoing) =>
    probes.answer(incoming, outgoing) ||
    scrapes.answer(incoming, outgoing) ||
    app.answer(incoming, outgoing)
  const { clock } = view
  const { pipelinedLimit } = limits
  const bodies = bodyLimitsOf(options, limits)
  const requests = new Requests({
    ...{ clock, answer, turns, pipelinedLimit, bodies, reports },
    onAnswered: (socket) => reads.goOn(socket),
  })
  const reads = new RequestReads({ clock, requests, bodies, reports })
  const connections = new Connections({ clock: view.clock, limits, reports, log, requests })
  // not by an import: that asks for every name of the module, and some load Node's whole fetch
  const { createServer } = process.getBuiltinModule('node:http')
  const server = createServer(
    {
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      maxHeaderSize: HEADERS_BYTES_LIMIT,
      // Node's own 400 for requests without Host has no headers of ours; the app has one that does.
      requireHostHeader: false,
      optimizeEmptyRequests: true,
    },
    (incoming, outgoing) => requests.take(incoming, outgoing),
  )
  noteOwnServer(server)
  configure(server, connections, reads, reports, requests)
  return {
    limits: () => [connections.status(), streams.status(), taps.status(), answers.status()],
    start: async () => {
      const address = await listen(server, host, port, reports)
      preparation.start()
      return address
    },
    further: (another) => furtherPort(server, host, another, reports),
    stop: () => {
      preparation.stop()
      streams.stop()
      taps.stop()
      app.stop()
      return stop(server)
    },
  }
}

/** The app, which is loaded with the first request: a hub without viewers does without. */
class LazyApp {
  readonly #load: () => Promise<AppWithGuests>
  #loading: Promise<void> | undefined
  #app: AppWithGuests | undefined

  constructor(load: () => Promise<AppWithGuests>) {
    this.#load = load
  }

  /** Answers at once where the app is there. */
  answer(incoming: IncomingMessage, outgoing: ServerResponse): unknown {
    if (this.#app !== undefined) return this.#app.answer(incoming, outgoing)
    return this.#answerLater(incoming, outgoing)
  }

  async #answerLater(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    this.#loading ??= this.#load().then((app) => {
      this.#app = app
    })
    await this.#loading
    if (incoming.socket.writable) await this.#app!.answer(incoming, outgoing)
  }

  stop(): void {
    for (const guest of this.#app?.routes ?? []) guest.stop?.()
  }
}

/** Keeps the exposition prepared, so that a scrape of very many series begins at once. */
class Preparation {
  readonly #clock: Clock
  readonly #turns: RoundRobin
  readonly #exposition: Exposition
  #cancel: (() => void) | undefined

  constructor(clock: Clock, turns: RoundRobin, exposition: Exposition) {
    this.#clock = clock
    this.#turns = turns
    this.#exposition = exposition
  }

  start(): void {
    this.#cancel = this.#clock.after(PREPARE_MS, () => void this.#prepare())
  }

  async #prepare(): Promise<void> {
    await this.#turns.run(this.#exposition.prepare(), () => this.#cancel !== undefined)
    if (this.#cancel !== undefined) this.start()
  }

  stop(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }
}

async function previewOf(view: HubView): Promise<OtlpPreview> {
  const { DIALECT_FORMS, OtlpSource } = await import('./export/otlp/source.ts')
  return new OtlpSource(view, DIALECT_FORMS)
}

/** Collects the limits of bodies: the usual one, and those of routes of dialects. */
function bodyLimitsOf(options: HttpServerOptions, limits: HttpLimits): BodyLimits {
  const { guests = [] } = options
  const own = guests.map((guest) => guest.bodyLimits?.(contextOf(guest, options).options) ?? {})
  const byPath: Readonly<Record<string, number>> = Object.assign({}, ...own)
  return new BodyLimits({ usual: limits.bodyBytes, byPath, together: limits.longBodiesBytes })
}

function contextOf({ dialect }: RoutedGuest, options: HttpServerOptions): RouteContext {
  const { view, optionsOf, reportsOf } = options
  return {
    view,
    options: { ...defaultsOf(dialect.options), ...optionsOf?.(dialect.name) },
    reports: reportsOf?.(dialect.name) ?? NO_REPORTS,
  }
}

function configure(
  server: Server,
  connections: Connections,
  reads: RequestReads,
  reports: HttpReports,
  requests: Requests,
): void {
  server.headersTimeout = HEADERS_TIMEOUT_MS
  server.requestTimeout = REQUEST_TIMEOUT_MS
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS
  server.timeout = IDLE_TIMEOUT_MS
  server.on('connection', (socket: Socket) => {
    if (connections.admit(socket)) reads.accept(socket)
  })
  server.on('checkExpectation', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    requests.take(incoming, outgoing, () => {
      reports.count('refused', 'expectation_failed')
      const { status, headers, body } = rawAnswer(UNKNOWN_EXPECTATION)
      outgoing.writeHead(Number.parseInt(status, 10), headers).end(body)
    })
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    reports.count('refused', error.code ?? 'client_error')
    if (!socket.writable || requests.isAnswering(socket)) {
      socket.destroy()
      return
    }
    const { status, headers, body } = rawAnswer(ERRORS[error.code ?? ''] ?? BROKEN_REQUEST)
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`)
  })
}

/** Error that is answered before there is a request that the app could answer. */
interface EarlyError extends Required<ErrorBody> {
  readonly status: string
}
type ErrorBody = ApiError['error']

const BROKEN_REQUEST: EarlyError = {
  status: '400 Bad Request',
  code: 'broken_request',
  message: 'this is no HTTP request',
  hint: 'this port speaks HTTP/1.1; metrics are sent to others',
}
/** The app is not asked either where the address can't be put together. */
const NO_HOST: EarlyError = {
  status: '400 Bad Request',
  code: 'bad_address',
  message: 'the header Host is missing, or the address is none',
  hint: 'send Host, as HTTP/1.1 demands, and a path that starts with /',
}
const UNKNOWN_EXPECTATION: EarlyError = {
  status: '417 Expectation Failed',
  code: 'expectation_failed',
  message: 'the header Expect names something unknown',
  hint: 'leave it out, or send 100-continue',
}
const ERRORS: Readonly<Record<string, EarlyError>> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    code: 'headers_limit',
    message: `address and headers are longer than ${HEADERS_BYTES_LIMIT} bytes`,
    hint: `an address may name ${ADDRESS_SERIES_LIMIT} series; post more of them to a live stream`,
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    code: 'request_timeout',
    message: 'the request was not complete in time',
    hint: `headers have ${HEADERS_TIMEOUT_MS} ms, whole requests ${REQUEST_TIMEOUT_MS} ms`,
  },
}

function rawAnswer({ status, ...error }: EarlyError) {
  const answer: ApiError = { error }
  const body = JSON.stringify(answer)
  const headers: Record<string, string> = {
    ...SECURITY_HEADERS,
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  }
  return { status, headers, body }
}

/** Hands connections of another port to the server, which owns and limits them all. */
function furtherPort(server: Server, host: string, port: number, reports: HttpReports): HttpPort {
  const { createServer } = process.getBuiltinModule('node:net')
  const door = createServer((socket) => void server.emit('connection', socket))
  return {
    start: () => listen(door, host, port, reports),
    stop: () => {
      if (!door.listening) return Promise.resolve()
      return new Promise((resolve) => {
        const grace = setTimeout(() => server.closeAllConnections(), STOP_GRACE_MS)
        door.close(() => {
          clearTimeout(grace)
          resolve()
        })
        server.closeIdleConnections()
      })
    },
  }
}

function listen(
  server: NetServer,
  host: string,
  port: number,
  reports: HttpReports,
): Promise<{ host: string; port: number }> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, backlog: ACCEPT_BACKLOG }, () => {
      server.off('error', reject)
      // a failed accept (no file descriptors left) costs that connection, not the hub
      server.on('error', (error: NodeJS.ErrnoException) => {
        reports.count('accepts_failed', error.code ?? 'unknown')
        reports.log?.('warn', 'accepting a connection did not work', { error: error.message })
      })
      const address = server.address() as AddressInfo
      resolve({ host: address.address, port: address.port })
    })
  })
}

function stop(server: Server): Promise<void> {
  if (!server.listening) return Promise.resolve()
  return new Promise((resolve) => {
    const grace = setTimeout(() => server.closeAllConnections(), STOP_GRACE_MS)
    server.close(() => {
      clearTimeout(grace)
      resolve()
    })
  })
}
