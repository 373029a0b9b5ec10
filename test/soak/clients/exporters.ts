/** Programs that the hub attaches to: an application with EventCounters, a server of scope. */

import { CallbackSource, ScopeServer } from '../../../src/dialects/scope/index.ts'
import {
  EventCounter,
  IncrementingEventCounter,
} from '../../../src/instrument/counters/event-counters.ts'
import { CounterRegistry, EventSource } from '../../../src/instrument/registry.ts'
import { EventCountersServer } from '../../../src/instrument/serve.ts'
import { type Client, pause } from './client.ts'

const STEP_MS = 10

/** Application that is there before the hub, and counts when the hub listens. */
export class CounterExporter {
  readonly #registry = new CounterRegistry({ log: () => {} })
  readonly #source = new EventSource('Soak', { registry: this.#registry })
  readonly #sold = new IncrementingEventCounter('sold', this.#source)
  readonly #latency = new EventCounter('latency', this.#source)
  readonly #server = new EventCountersServer({ registry: this.#registry, port: 0 })

  async start(): Promise<string> {
    await this.#server.start()
    return this.#server.url
  }

  async close(): Promise<void> {
    await this.#server.close()
    for (const counter of [this.#sold, this.#latency]) counter.close()
    this.#source.close()
  }

  readonly run: Client = async ({ ledger, random }, signal) => {
    while (this.#registry.sessionCount === 0 && !signal.aborted) await pause(STEP_MS, signal)
    while (!signal.aborted) {
      const [sold, latency] = [random.below(10), random.below(1000)]
      this.#sold.increment(sold)
      this.#latency.writeMetric(latency)
      ledger.add('soak.sold', sold)
      ledger.add('soak.latency count', 1)
      await pause(STEP_MS, signal)
    }
  }
}

/** Server of scope whose one value moves. */
export class ScopeExporter {
  #value = 0
  readonly #server: ScopeServer

  constructor() {
    const source = new CallbackSource()
    source.add('soak.boiler', () => this.#value)
    this.#server = new ScopeServer({ source, port: 0 })
  }

  async start(): Promise<string> {
    await this.#server.start()
    return `scope://127.0.0.1:${this.#server.port}`
  }

  close(): Promise<void> {
    return this.#server.close()
  }

  readonly run: Client = async ({ ledger, random }, signal) => {
    while (!signal.aborted) {
      this.#value = random.below(1000)
      ledger.set('soak.boiler', this.#value)
      await pause(STEP_MS, signal)
    }
  }
}
