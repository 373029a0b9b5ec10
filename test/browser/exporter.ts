/** A real exporter, fifty times a second, whose values a test decides sample by sample. */
import type { TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import {
  type CallbackSeries,
  CallbackSource,
} from '../../src/dialects/scope/server/callback-source.ts'
import { ScopeServer } from '../../src/dialects/scope/server.ts'
import type { Served } from './browser.ts'
import { serveHub } from './real-hub.ts'

/** Interval at which the hub asks for samples. */
const INTERVAL = '20ms'
const POLL_MS = 20

interface Driven {
  readonly name: string
  readonly about?: CallbackSeries
  /** Value while nothing else was asked for. */
  readonly usual?: number
}

export class Exporter {
  readonly #source = new CallbackSource()
  #server = new ScopeServer({ source: this.#source, port: 0 })
  #port = 0
  readonly #next = new Map<string, number[]>()
  readonly #levels = new Map<string, number>()
  #reads = 0

  constructor(lines: readonly Driven[]) {
    for (const { name, about = {}, usual = 0 } of lines) {
      this.#levels.set(name, usual)
      this.#source.add(name, () => this.#read(name), about)
    }
  }

  get address(): string {
    return `127.0.0.1:${this.#port}`
  }

  async start(): Promise<void> {
    await this.#server.start()
    this.#port = this.#server.port
  }

  async stop(): Promise<void> {
    await this.#server.close()
  }

  /** Comes back at the port it had. */
  async restart(): Promise<void> {
    this.#server = new ScopeServer({ source: this.#source, port: this.#port })
    await this.#server.start()
  }

  /** Has single samples, one after the other, before the usual value comes again. */
  spike(name: string, ...values: number[]): void {
    this.#next.set(name, [...(this.#next.get(name) ?? []), ...values])
  }

  /** Changes the usual value. */
  set(name: string, value: number): void {
    this.#levels.set(name, value)
  }

  /** Waits until the hub has taken further samples, however slow the machine is. */
  async told(samples: number): Promise<void> {
    const until = this.#reads + samples * this.#levels.size
    while (this.#reads < until) await setTimeout(POLL_MS)
  }

  /** Serves the page by a hub that reads it. */
  readonly serve = async (folder: string): Promise<Served> => {
    const hub = await serveHub(folder, {
      config: { attach: [`scope://${this.address}?interval=${INTERVAL}`] },
    })
    return {
      url: hub.url,
      stop: async () => {
        await hub.stop()
        await this.stop()
      },
    }
  }

  #read(name: string): number {
    this.#reads++
    return this.#next.get(name)?.shift() ?? this.#levels.get(name)!
  }
}

/** Starts an exporter for one test. */
export async function startExporter(_: TestContext, lines: readonly Driven[]): Promise<Exporter> {
  const exporter = new Exporter(lines)
  await exporter.start()
  return exporter
}
