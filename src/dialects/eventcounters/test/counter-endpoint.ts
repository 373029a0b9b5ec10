/** An EventCounters endpoint that says what a test tells it to say, line by line. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { boundaryText } from '../codec/line.ts'
import type { CounterDescription, Statistics } from '../window.ts'

/** A window with what a test does not care about filled in. */
export interface ToldWindow {
  readonly provider?: string
  readonly name: string
  readonly displayName?: string
  readonly units?: string
  readonly rateScaleSec?: number
  readonly tags?: Readonly<Record<string, string>>
  /** One sample; or what the interval held. */
  readonly mean?: number
  readonly increment?: number
  readonly seriesMs?: number
  readonly intervalSec?: number
  readonly timeMs?: number
}

/** 2026-01-02T03:04:05.006Z */
export const TOLD_MS = Date.UTC(2026, 0, 2, 3, 4, 5, 6)

export function toldLine(told: ToldWindow): string {
  const { seriesMs = 1000, intervalSec = seriesMs / 1000, timeMs = TOLD_MS } = told
  const counter: CounterDescription = {
    provider: told.provider ?? 'Shop',
    name: told.name,
    displayName: told.displayName ?? '',
    units: told.units ?? '',
    rateScaleSec: told.rateScaleSec ?? 0,
    metaData: Object.entries(told.tags ?? {}),
  }
  const window = { counter, seriesMs, intervalSec, statistics: statisticsOf(told) }
  return boundaryText({ timeMs, windows: [window] }, seriesMs % 1000 === 0 ? 'document' : 'peer')
}

function statisticsOf({ mean, increment }: ToldWindow): Statistics {
  if (increment !== undefined) return { kind: 'sum', increment }
  const value = mean ?? 0
  return { kind: 'mean', count: 1, mean: value, deviation: 0, min: value, max: value }
}

export class CounterEndpoint {
  readonly url: string
  /** Path and query of every request. */
  readonly asked: string[] = []
  /** How the next request is answered; a session by default. */
  answer: (outgoing: ServerResponse, incoming: IncomingMessage) => void = startSession
  readonly #server: ReturnType<typeof createServer>
  readonly #sessions = new Set<ServerResponse>()
  #onSession: (() => void)[] = []

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
      this.asked.push(incoming.url ?? '')
      this.answer(outgoing, incoming)
      if (outgoing.writableEnded || outgoing.statusCode !== 200) return
      this.#sessions.add(outgoing)
      outgoing.on('close', () => this.#sessions.delete(outgoing))
      for (const resolve of this.#onSession.splice(0)) resolve()
    })
  }

  static async start(): Promise<CounterEndpoint> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new CounterEndpoint(server)
  }

  get sessions(): number {
    return this.#sessions.size
  }

  /** Resolves when one is open. */
  async session(): Promise<void> {
    if (this.#sessions.size > 0) return
    await new Promise<void>((resolve) => this.#onSession.push(resolve))
  }

  tell(...windows: readonly ToldWindow[]): void {
    this.tellText(windows.map(toldLine).join(''))
  }

  tellText(text: string): void {
    for (const session of this.#sessions) session.write(text)
  }

  /** Cuts every session in the middle of whatever it says. */
  cut(): void {
    for (const session of this.#sessions) session.destroy()
    this.#sessions.clear()
  }

  async stop(): Promise<void> {
    this.cut()
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

function startSession(outgoing: ServerResponse): void {
  outgoing.writeHead(200, {
    'content-type': 'application/x-ndjson; charset=utf-8',
    'eventcounters-series': 'Interval=1',
  })
  outgoing.flushHeaders()
}
