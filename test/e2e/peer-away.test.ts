/**
 * What an attached application counts while it is there, away and back: a gap in all outputs, and
 * totals that go on behind it.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import {
  CounterRegistry,
  EventCounter,
  EventCountersServer,
  EventSource,
  IncrementingEventCounter,
  PollingCounter,
} from '../../src/instrument/index.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { serve } from '../support/http-client.ts'
import { seriesNamed, startHub, type TestHub, until } from '../support/hub/hub.ts'
import { ALL, AllOutputs, outputsWith } from '../support/outputs/all-outputs.ts'

const NAMES = ['shop.sold', 'shop.latency', 'shop.level']

/** An application with a counter, a summary and a gauge. */
class App {
  readonly #clock = new FakeClock()
  readonly #registry: CounterRegistry
  readonly #source: EventSource
  readonly #sold: IncrementingEventCounter
  readonly #latency: EventCounter
  readonly #level: PollingCounter
  readonly #server: EventCountersServer

  constructor(port: number, sessions: number) {
    this.#registry = new CounterRegistry({
      clock: this.#clock,
      log: () => {},
      limits: { sessions },
    })
    this.#source = new EventSource('Shop', { registry: this.#registry })
    this.#sold = new IncrementingEventCounter('shop.sold', this.#source)
    this.#latency = new EventCounter('shop.latency', this.#source)
    this.#level = new PollingCounter('shop.level', this.#source, () => 40)
    this.#server = new EventCountersServer({ registry: this.#registry, port })
  }

  static async start(t: TestContext, port = 0, sessions = 64): Promise<App> {
    const app = new App(port, sessions)
    await app.#server.start()
    t.after(() => app.stop())
    return app
  }

  get port(): number {
    return this.#server.port
  }

  /** Sells two, and waits until a hub was told of so many counters. */
  async sell({ hub }: TestHub, counters = NAMES.length): Promise<void> {
    await until(() => this.#registry.sessionCount === 1)
    this.#sold.increment(2)
    this.#latency.writeMetric(10)
    const before = hub.measurements('eventcounters')
    this.#clock.advance(1000)
    await until(() => hub.measurements('eventcounters') === before + counters)
  }

  async stop(): Promise<void> {
    await this.#server.close()
    this.#level.close()
    this.#source.close()
  }
}

test('while a peer is away none of its series is in any output; totals go on', async (t) => {
  const first = await App.start(t)
  const { port } = first
  const started = await startHub({ attach: [`http://127.0.0.1:${port}`] })
  const { hub } = started
  const outputs = await AllOutputs.open(t, started)
  const state = () => hub.sources().peers![0]!.state
  await first.sell(started)
  // a snapshot has counters as of the second before
  await outputs.second()
  await first.sell(started)
  const told = await outputs.second()
  assert.deepEqual(outputsWith(NAMES, told), ALL)
  const created = /^shop_shop_sold_created.*$/m.exec(told.get('OpenMetrics')!)![0]

  const lose = async () => {
    await first.stop()
    await until(() => state() === 'lost')
  }
  for (let second = 0; second < 3; second++) {
    const told = second === 0 ? await outputs.second(lose) : await outputs.second()
    const { series, ...others } = Object.fromEntries(told)
    assert.deepEqual(outputsWith(NAMES, new Map(Object.entries(others))), [])
    // they are listed, and have no value
    const listed = JSON.parse(series!).series as { name: string; canonical: { value: unknown } }[]
    const own = listed.filter(({ name }) => NAMES.includes(name))
    assert.deepEqual(
      own.map(({ canonical }) => canonical.value),
      [null, null, null],
    )
  }

  const second = await App.start(t, port)
  await until(async () => {
    await outputs.second()
    return state() === 'connected'
  })
  await second.sell(started)
  await outputs.second()
  await second.sell(started)
  const back = await outputs.second()
  assert.deepEqual(outputsWith(NAMES, back), ALL)
  assert.match(back.get('text')!, /^shop_shop_sold_total\{.*\} 8$/m)
  // one counter, which has not begun anew
  assert.ok(back.get('OpenMetrics')!.includes(created))
  assert.deepEqual(hub.total(seriesNamed(hub, 'shop.sold')), {
    ...{ kind: 'counter', total: 8, decrements: 0 },
  })
})

test('a peer of whose two sessions one is refused is there', async (t) => {
  const app = await App.start(t, 0, 1)
  const url = `http://127.0.0.1:${app.port}?counters=Shop`
  const started = await startHub({ attach: [`${url}[shop.sold]`, `${url}[shop.level]`] })
  const { hub, clock } = started
  const states = () => hub.sources().peers!.map(({ state }) => state)
  await until(() => states().includes('connected'))
  await until(() => hub.sources().peers!.some(({ message }) => message !== undefined))
  assert.deepEqual(states().sort(), ['connected', 'never'])
  await app.sell(started, 1)
  clock.advance(1000)
  clock.advance(1000)
  const [record] = [...hub.series].filter(({ identity }) => NAMES.includes(identity.name))
  assert.equal(hub.isAway(record!), false)
})

test('a scrape target that is down is told to be so on /metrics', async (t) => {
  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const { port } = closed.address() as AddressInfo
  await new Promise((resolve) => closed.close(resolve))
  const url = `prometheus+http://127.0.0.1:${port}?interval=1s&job=down`
  const { hub, clock } = await startHub({ attach: [url] })
  const http = await serve(t, { view: hub })
  clock.advance(1000)
  await until(() => hub.sources().peers?.[0]?.message !== undefined)
  clock.advance(1000)
  const { text } = await http.ask('/metrics')
  assert.match(text, new RegExp(`^up\\{instance="127.0.0.1:${port}",job="down"\\} 0$`, 'm'))
  assert.equal(hub.isAway(seriesNamed(hub, 'up')), false)
})
