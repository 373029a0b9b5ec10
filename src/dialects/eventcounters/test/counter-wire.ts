/**
 * Both ends of the counters' wire for tests: a counter source that closes windows when it is told
 * to, an endpoint over any source on a free port, and a client that sees bare lines.
 */
import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  request,
  type Server,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { RecordedReports } from '../../../../test/support/recorded-reports.ts'
import type { ClientError } from '../client/attempt.ts'
import { EventCountersClient, type EventCountersClientOptions } from '../client.ts'
import type { ReadWindow } from '../codec/read.ts'
import type {
  Boundary,
  CounterSession,
  CounterSource,
  SessionRequest,
} from '../server/counter-source.ts'
import { type EndpointParts, type ServedSession, serveSession } from '../server/endpoint.ts'
import type { CounterDescription, CounterWindow, Statistics } from '../window.ts'

/** A window of a counter of provider `App`, for tests that look at other things. */
export function windowOf(
  name: string,
  statistics: Statistics,
  more: Partial<CounterDescription> & Partial<Omit<CounterWindow, 'counter'>> = {},
): CounterWindow {
  const { seriesMs = 1000, intervalSec = seriesMs / 1000, statistics: _, ...fields } = more
  const counter = {
    provider: 'App',
    name,
    displayName: '',
    units: '',
    rateScaleSec: 0,
    metaData: [],
    ...fields,
  }
  return { counter, seriesMs, intervalSec, statistics }
}

export const sum = (increment: number): Statistics => ({ kind: 'sum', increment })

interface FakeSession {
  readonly request: SessionRequest
  readonly onBoundary: (boundary: Boundary) => void
}

/** Every open session gets what a test hands out. */
export class FakeCounterSource implements CounterSource {
  readonly sessions = new Set<FakeSession>()
  readonly #limit: number

  constructor(limit = 64) {
    this.#limit = limit
  }

  open(
    request: SessionRequest,
    onBoundary: (boundary: Boundary) => void,
  ): CounterSession | undefined {
    if (this.sessions.size >= this.#limit) return undefined
    const session = { request, onBoundary }
    this.sessions.add(session)
    const { sessions } = this
    return {
      get isOpen() {
        return sessions.has(session)
      },
      close: () => void sessions.delete(session),
    }
  }

  /** One boundary for every session. */
  emit(windows: readonly CounterWindow[], timeMs = 1_700_000_001_000): void {
    for (const { onBoundary } of this.sessions) onBoundary({ timeMs, windows })
  }
}

export interface TestEndpoint {
  readonly port: number
  readonly url: string
  readonly reports: RecordedReports
  readonly served: Set<ServedSession>
  readonly server: Server
}

/** Serves a source whatever path is asked for, until the test is over. */
export async function startEndpoint(
  test: TestContext,
  parts: EndpointParts,
): Promise<TestEndpoint> {
  const reports = new RecordedReports()
  const served = new Set<ServedSession>()
  const all: EndpointParts = { reports, onEnd: (each) => served.delete(each), ...parts }
  const server = await startServer(test, (incoming, outgoing) => {
    const session = serveSession(incoming, outgoing, all)
    if (session !== undefined) served.add(session)
  })
  const { port } = server.address() as AddressInfo
  return { port, url: `http://127.0.0.1:${port}`, reports, served, server }
}

export async function startServer(test: TestContext, listener: RequestListener): Promise<Server> {
  const server = createServer(listener)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  test.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return server
}

/** A client and all that it told. */
export interface Watched {
  readonly client: EventCountersClient
  readonly windows: ReadWindow[]
  readonly errors: (ClientError & { readonly retryInMs: number })[]
  readonly reports: RecordedReports
  opened: number
}

/** A started client that is stopped with the test. */
export function watch(
  t: TestContext,
  options: EventCountersClientOptions,
  clock: FakeClock = new FakeClock(),
): Watched {
  const reports = new RecordedReports()
  const windows: ReadWindow[] = []
  const errors: Watched['errors'] = []
  const client = new EventCountersClient({
    ...options,
    ...{ clock, reports },
    onOpen: () => {
      watched.opened++
    },
    onWindow: (window) => windows.push(window),
    onError: (error, retryInMs) => errors.push({ ...error, retryInMs }),
  })
  const watched: Watched = { client, windows, errors, reports, opened: 0 }
  t.after(() => client.close())
  void client.start()
  return watched
}

/** Waits for something that must come; the bound is for tests that fail. */
export async function until(
  isDone: () => boolean,
  what: string,
  patienceMs = 20_000,
): Promise<void> {
  const endMs = performance.now() + patienceMs
  while (!isDone()) {
    if (performance.now() > endMs) throw new Error(`did not come: ${what}`)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** A client that only takes lines, and may stop reading. */
export class LineClient {
  readonly incoming: IncomingMessage
  readonly lines: string[] = []
  text = ''
  isEnded = false

  private constructor(incoming: IncomingMessage) {
    this.incoming = incoming
    incoming.on('error', () => {})
    incoming.on('close', () => {
      this.isEnded = true
    })
  }

  /** @param options.isReading false leaves everything where it is until read() */
  static open(
    port: number,
    query: string,
    { method = 'GET', isReading = true } = {},
  ): Promise<LineClient> {
    return new Promise((resolve, reject) => {
      const path = `/api/v1/eventcounters${query}`
      request({ host: '127.0.0.1', port, path, method, agent: false }, (incoming) => {
        const client = new LineClient(incoming)
        if (isReading) client.read()
        resolve(client)
      })
        .on('error', reject)
        .end()
    })
  }

  get status(): number {
    return this.incoming.statusCode!
  }

  get headers(): IncomingHttpHeaders {
    return this.incoming.headers
  }

  read(): void {
    this.incoming.setEncoding('utf8')
    this.incoming.on('data', (text: string) => {
      const lines = (this.text + text).split('\n')
      this.text = lines.pop()!
      this.lines.push(...lines)
    })
  }

  /** Payloads so far, keep-alives left out. */
  get payloads(): Record<string, unknown>[] {
    return this.lines.filter((line) => line !== '').map((line) => JSON.parse(line).Payload)
  }

  async ended(): Promise<string> {
    await until(() => this.isEnded, 'end')
    return this.text
  }

  close(): void {
    this.incoming.destroy()
  }
}
