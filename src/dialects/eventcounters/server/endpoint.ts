/**
 * One request to `GET /api/v1/eventcounters`, answered on Node's own types by a session of a
 * counter source, for as long as the client stays (eventcounters.md §2, §6).
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../../../time/clock.ts'
import { systemClock } from '../../../time/system-clock.ts'
import { seriesText } from '../codec/interval.ts'
import { CONTENT_TYPE, LIMITS, MARKS_HEADER, SERIES_HEADER, WITH_BUCKETS } from '../spec.ts'
import type { Boundary, CounterSession, CounterSource } from './counter-source.ts'
import { type OutputLimits, SessionOutput } from './output.ts'
import { parseQuery, QueryError, type SessionQuery } from './query.ts'

/** Reports of an endpoint; the names are those of eventcounters.md §6. */
export interface EndpointReports {
  /**
   * - `http_rejected`: `counters`, `profile`, `deliver`, `sessions` or `method`
   * - `invalid_intervals`: the profile whose grammar the text does not follow
   * - `skipped_boundaries`: `buffer_full`
   * - `endpoint_sessions`: `opened`, and `disconnected`, `stalled`, `error`, `stopped` or
   *   `made_room` at the end
   */
  count(name: string, reason: string, amount?: number): void
}

/** Parts of an endpoint: what it serves, and how. */
export interface EndpointParts {
  readonly source: CounterSource
  readonly clock?: Clock
  readonly reports?: EndpointReports
  readonly limits?: Partial<OutputLimits>
  /** Headers of every answer, refusals included. */
  readonly headers?: Readonly<Record<string, string>>
  /** Calls back when there is time for a part of a long boundary; `setImmediate` by default. */
  readonly inTurn?: (work: () => void) => void
  /** Called once for every session that was opened, when it is over. */
  readonly onEnd?: (session: ServedSession) => void
}

type SessionEnd = 'disconnected' | 'stalled' | 'error' | 'stopped' | 'made_room'

/** One answer that goes on until it ends. */
export interface ServedSession {
  readonly query: SessionQuery
  readonly sinceMs: number
  readonly counts: Readonly<SessionCounts>
  /** Ends the answer behind what waits; the session is closed at once. */
  end(): void
  /** Ends both at once, with the connection, because another client needs the place. */
  makeRoom(): void
}

interface SessionCounts {
  /** Boundaries that were handed over, empty ones included. */
  boundaries: number
  skipped: number
}

const SILENT: EndpointReports = { count() {} }
/** Idle time after which the system asks a silent client whether it is still there. */
const PROBE_MS = 30_000

/**
 * Answers a request, whatever its path. The caller has checked who asks.
 * @returns the session; undefined when the request was refused or wanted the headers only
 *
 * @example
 * import { createServer } from 'node:http'
 * import { serveSession } from 'pentameter/eventcounters'
 * import { CounterRegistry } from 'pentameter/instrument'
 *
 * const source = new CounterRegistry()
 * createServer((incoming, outgoing) => void serveSession(incoming, outgoing, { source }))
 */
export function serveSession(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  parts: EndpointParts,
): ServedSession | undefined {
  const { reports = SILENT } = parts
  // A body means nothing here, but unread it would keep the connection from being used again.
  incoming.resume()
  const refuse = (status: number, reason: string, message: string): undefined => {
    reports.count('http_rejected', reason)
    refuseRequest(outgoing, status, message, parts.headers ?? {})
  }
  const { method } = incoming
  if (method !== 'GET' && method !== 'HEAD') {
    return refuse(405, 'method', `method ${method} is not allowed, want GET`)
  }
  let query: SessionQuery
  try {
    query = parseQuery(incoming.url ?? '')
  } catch (error) {
    if (error instanceof QueryError) return refuse(400, error.parameter, error.message)
    throw error
  }
  if (method === 'HEAD') {
    writeHead(outgoing, query, parts)
    outgoing.end()
    return undefined
  }
  return (
    open(incoming, outgoing, query, parts) ?? refuse(503, 'sessions', 'too many sessions are open')
  )
}

function open(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  query: SessionQuery,
  parts: EndpointParts,
): ServedSession | undefined {
  const { filter, deliver, interval, profile } = query
  const buckets = incoming.headers[MARKS_HEADER.toLowerCase()] === WITH_BUCKETS && {
    hasBuckets: true,
  }
  const request = { intervalMs: intervalOf(query), deliver, ...buckets, ...(filter && { filter }) }
  let served: Answer | undefined
  const session = parts.source.open(request, (boundary) => served?.take(boundary))
  if (session === undefined) return undefined
  const { reports = SILENT } = parts
  if (interval.kind === 'invalid' || (interval.kind === 'stop' && interval.isInvalid === true)) {
    reports.count('invalid_intervals', profile)
  }
  reports.count('endpoint_sessions', 'opened')
  writeHead(outgoing, query, parts)
  // The client learns at once that its session is open, however long the first interval is.
  outgoing.flushHeaders()
  served = new Answer(incoming, outgoing, query, session, parts)
  return served
}

/** The answer to one client, from its headers to its end. */
class Answer implements ServedSession {
  readonly query: SessionQuery
  readonly sinceMs: number
  readonly counts: SessionCounts = { boundaries: 0, skipped: 0 }
  readonly #socket: Socket
  readonly #outgoing: ServerResponse
  readonly #session: CounterSession
  readonly #output: SessionOutput
  readonly #parts: EndpointParts
  readonly #onClose = (): void => this.#finish()
  #reason: SessionEnd = 'disconnected'
  #isOver = false

  constructor(
    { socket, headers }: IncomingMessage,
    outgoing: ServerResponse,
    query: SessionQuery,
    session: CounterSession,
    parts: EndpointParts,
  ) {
    const clock = parts.clock ?? systemClock
    this.query = query
    this.sinceMs = clock.wallMs()
    this.#socket = socket
    this.#outgoing = outgoing
    this.#session = session
    this.#parts = parts
    this.#output = new SessionOutput(outgoing, {
      profile: query.profile,
      hasMarks: headers[MARKS_HEADER.toLowerCase()] !== undefined,
      clock,
      limits: { ...LIMITS, ...parts.limits },
      ...(parts.inTurn && { inTurn: parts.inTurn }),
      onSkipped: () => this.#onSkipped(),
      onStalled: () => this.#close('stalled'),
    })
    socket.setNoDelay(true)
    socket.setKeepAlive(true, PROBE_MS)
    // A session may be silent for longer than a server's idle time; keep-alives and probes watch.
    socket.setTimeout(0)
    outgoing.on('error', () => {
      this.#reason = 'error'
    })
    // Of the connection, not of the answer: one that waits behind another is told of no close.
    socket.once('close', this.#onClose)
    if (socket.destroyed) this.#finish()
  }

  take(boundary: Boundary): void {
    if (this.#isOver) return
    this.counts.boundaries++
    this.#output.take(boundary)
  }

  end(): void {
    if (this.#isOver) return
    this.#reason = 'stopped'
    this.#finish()
    this.#outgoing.end()
  }

  makeRoom(): void {
    this.#close('made_room')
  }

  #onSkipped(): void {
    this.counts.skipped++
    this.#parts.reports?.count('skipped_boundaries', 'buffer_full')
  }

  #close(reason: SessionEnd): void {
    if (this.#isOver) return
    this.#reason = reason
    this.#finish()
    // With the connection: an answer that waits behind another could not end it.
    this.#socket.destroy()
  }

  #finish(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#socket.off('close', this.#onClose)
    this.#session.close()
    this.#output.stop()
    this.#parts.reports?.count('endpoint_sessions', this.#reason)
    this.#parts.onEnd?.(this)
  }
}

/**
 * Reads the interval; 0 = a session that is open and silent; so is one whose text means nothing,
 * for a new session.
 */
function intervalOf({ interval }: SessionQuery): number {
  return interval.kind === 'run' ? interval.intervalMs : 0
}

function writeHead(outgoing: ServerResponse, query: SessionQuery, parts: EndpointParts): void {
  const intervalMs = intervalOf(query)
  outgoing.writeHead(200, {
    ...parts.headers,
    'Content-Type': CONTENT_TYPE,
    'Cache-Control': 'no-store',
    [SERIES_HEADER]: intervalMs === 0 ? 'none' : seriesText(intervalMs, query.profile),
    // A proxy that collects bytes would turn boundaries into bursts.
    'X-Accel-Buffering': 'no',
  })
}

/** Answers with a refusal of the shape that all of this endpoint have: `{"error": text}`. */
export function refuseRequest(
  outgoing: ServerResponse,
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = JSON.stringify({ error: message })
  outgoing.writeHead(status, {
    ...headers,
    ...(status === 405 ? { Allow: 'GET, HEAD' } : {}),
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Length': Buffer.byteLength(body),
  })
  outgoing.end(body)
}
