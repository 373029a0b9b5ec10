/**
 * Well-behaved peers of a hub under attack, each of which knows what it should get: senders by TCP
 * and UDP that count their lines, a scraper, a health check, a counter session, a scope viewer and
 * a page's live stream.
 */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { EventCountersClient } from '../../src/dialects/eventcounters/client.ts'
import { ScopeClient } from '../../src/dialects/scope/client.ts'
import type { Listeners } from '../support/hub/hub-process.ts'

const STEP_MS = 10
/** Lines of one step of each sender: 2,000 a second. */
const LINES_PER_STEP = 20
const PROBE_MS = 100
const SCRAPE_MS = 2000
const FAILED_MS = 60_000

export interface Seen {
  readonly tcpLines: number
  readonly udpLines: number
  /** Those of them that the counter session has told of: about a second behind. */
  readonly udpCounted: number
  /**
   * Slowest health check, ms, without the time in which hub or neighbours were ready to run and
   * other processes had the machine; one that failed counts as 60 s.
   */
  readonly slowestProbeMs: number
  /** The same with that time. */
  readonly slowestWallMs: number
  readonly probes: number
  readonly scrapes: number
  /** Answered 503, which is an answer. */
  readonly scrapesRefused: number
  readonly snapshots: number
  readonly windows: number
  readonly events: number
}

export class Neighbours {
  readonly #listeners: Listeners
  readonly #stop = new AbortController()
  readonly #running: Promise<void>[] = []
  #tcpLines = 0
  #udpLines = 0
  #udpCounted = 0
  readonly #stolenMs: () => number
  #slowestProbeMs = 0
  #slowestWallMs = 0
  #probes = 0
  #scrapes = 0
  #scrapesRefused = 0
  #snapshots = 0
  #windows = 0
  #events = 0

  /** @param stolenMs reads the time in which others had the machine, since whenever */
  constructor(listeners: Listeners, stolenMs = () => 0) {
    this.#listeners = listeners
    this.#stolenMs = stolenMs
  }

  get seen(): Seen {
    return {
      tcpLines: this.#tcpLines,
      udpLines: this.#udpLines,
      udpCounted: this.#udpCounted,
      slowestProbeMs: Math.round(this.#slowestProbeMs),
      slowestWallMs: Math.round(this.#slowestWallMs),
      probes: this.#probes,
      scrapes: this.#scrapes,
      scrapesRefused: this.#scrapesRefused,
      snapshots: this.#snapshots,
      windows: this.#windows,
      events: this.#events,
    }
  }

  /** Forgets the slowest probe, for the next stretch of time. */
  beginStretch(): void {
    this.#slowestProbeMs = 0
    this.#slowestWallMs = 0
  }

  start(): void {
    const { signal } = this.#stop
    const all = [this.#sendTcp, this.#sendUdp, this.#probe, this.#scrape, this.#watch, this.#follow]
    this.#running.push(...all.map((each) => each.call(this, signal)))
  }

  /** Ends all; what has been sent is on its way by then. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#running)
  }

  get #base(): string {
    const { host, port } = this.#listeners.http
    return `http://${host}:${port}`
  }

  async #sendTcp(signal: AbortSignal): Promise<void> {
    const { host, port } = this.#listeners.text
    const socket = connect({ host, port })
    socket.resume()
    await once(socket, 'connect')
    while (!signal.aborted) {
      if (!socket.write(packetOf('neighbour.tcp'))) await once(socket, 'drain', { signal })
      this.#tcpLines += LINES_PER_STEP
      await setTimeout(STEP_MS)
    }
    socket.end()
    await once(socket, 'close')
  }

  async #sendUdp(signal: AbortSignal): Promise<void> {
    const { host, port } = this.#listeners.text
    const socket = createSocket('udp4')
    while (!signal.aborted) {
      await new Promise((resolve) => socket.send(packetOf('neighbour.udp'), port, host, resolve))
      this.#udpLines += LINES_PER_STEP
      await setTimeout(STEP_MS)
    }
    socket.close()
  }

  async #probe(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const [beganMs, stolenMs] = [performance.now(), this.#stolenMs()]
      const isWell = (await answerOf(`${this.#base}/healthz`)) === 200
      const wallMs = isWell ? performance.now() - beganMs : FAILED_MS
      const ownMs = isWell ? Math.max(0, wallMs - (this.#stolenMs() - stolenMs)) : FAILED_MS
      this.#slowestWallMs = Math.max(this.#slowestWallMs, wallMs)
      this.#slowestProbeMs = Math.max(this.#slowestProbeMs, ownMs)
      this.#probes++
      await setTimeout(PROBE_MS)
    }
  }

  async #scrape(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const status = await answerOf(`${this.#base}/metrics`)
      this.#scrapes++
      if (status === 503) this.#scrapesRefused++
      await setTimeout(SCRAPE_MS)
    }
  }

  /** A scope viewer and a counter session. */
  async #watch(signal: AbortSignal): Promise<void> {
    const { host, port } = this.#listeners.stream
    const viewer = new ScopeClient({
      ...{ host, port, samplingIntervalMs: 100 },
      onSample: () => {
        this.#snapshots++
      },
    })
    const session = new EventCountersClient({
      url: this.#base,
      counters: 'statshero[neighbour.tcp,neighbour.udp]',
      onWindow: ({ counter: { name }, statistics }) => {
        this.#windows++
        if (name === 'neighbour.udp' && statistics.kind === 'sum') {
          this.#udpCounted += statistics.increment
        }
      },
    })
    await Promise.all([viewer.start(), session.start()])
    if (!signal.aborted) await once(signal, 'abort')
    await Promise.all([viewer.close(), session.close()])
  }

  /** The live stream of a page, which comes again when it is closed. */
  async #follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const answer = await fetch(`${this.#base}/api/v1/live?interval=1`, { signal })
        for await (const chunk of answer.body ?? []) {
          this.#events += Buffer.from(chunk).toString('latin1').split('event: ').length - 1
        }
      } catch {
        await setTimeout(PROBE_MS)
      }
    }
  }
}

function packetOf(name: string): string {
  const lines = `${name}:1|m\n`.repeat(LINES_PER_STEP)
  return `1|${lines.length}\n${lines}`
}

/** Reads an answer to its end. @returns its status; 0 where the connection failed */
async function answerOf(url: string): Promise<number> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(30_000) })
    await answer.arrayBuffer()
    return answer.status
  } catch {
    return 0
  }
}
