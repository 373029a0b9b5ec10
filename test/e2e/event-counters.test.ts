/**
 * The way of a sample through everything: an application's counter, a hub that attaches to it, its
 * API and /metrics, and a second hub that attaches to the first.
 */

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { eventCountersOf } from '../../src/dialects/eventcounters/hub/resident.ts'
import { ConfigError } from '../../src/hub/config/values.ts'
import {
  CounterRegistry,
  EventCounter,
  EventCountersServer,
  EventSource,
  Histogram,
  IncrementingEventCounter,
  PollingCounter,
} from '../../src/instrument/index.ts'
import { Histogram as Buckets } from '../../src/model/index.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { serve } from '../support/http-client.ts'
import { seriesNamed, startHub, type TestHub, until } from '../support/hub/hub.ts'
import { plainHistogram } from '../support/plain-histogram.ts'

/** An application with counters of three kinds, served on a port of its own. */
class App {
  readonly clock = new FakeClock()
  readonly registry = new CounterRegistry({ clock: this.clock, log: () => {} })
  readonly #source = new EventSource('Shop', { registry: this.registry })
  readonly sold = new IncrementingEventCounter('sold', this.#source, {
    displayName: 'Sold',
    displayRateTimeScale: 60,
    metaData: { zone: 'eu' },
  })
  readonly latency = new EventCounter('latency', this.#source, { displayUnits: 'ms' })
  level = 40
  readonly #level = new PollingCounter('level', this.#source, () => this.level)
  #server: EventCountersServer | undefined

  /** @returns the address of the endpoint */
  async serve(port = 0): Promise<URL> {
    this.#server = new EventCountersServer({ registry: this.registry, port })
    await this.#server.start()
    return new URL(this.#server.url)
  }

  /** As when the process ends. */
  async stop(): Promise<void> {
    await this.#server?.close()
    await until(() => this.registry.sessionCount === 0)
  }

  /** Ends an interval; what was recorded in it goes to whoever listens. */
  tick(seconds = 1): void {
    for (let second = 0; second < seconds; second++) this.clock.advance(1000)
  }

  close(): void {
    this.#level.close()
    this.#source.close()
  }
}

async function startApp(test: TestContext): Promise<{ app: App; url: URL }> {
  const app = new App()
  const url = await app.serve()
  test.after(async () => {
    await app.stop()
    app.close()
  })
  return { app, url }
}

async function attach(
  test: TestContext,
  url: string,
  options: Record<string, unknown> = {},
): Promise<TestHub> {
  const started = await startHub({ attach: [url], ...options })
  test.after(() => started.hub.stop())
  return started
}

/** Waits until the hub has taken so many windows, and closes its second. */
async function take({ hub, clock }: TestHub, windows: number): Promise<void> {
  await until(() => hub.measurements('eventcounters') >= windows)
  clock.advance(1000)
}

function totalOf({ hub }: TestHub, name: string): unknown {
  const total = hub.total(seriesNamed(hub, name))
  return total.kind === 'counter' ? total.total : undefined
}

test('the scale that is meant reaches a hub, and a hub behind it', async (t) => {
  const { app, url } = await startApp(t)
  const { registry } = app
  const source = new EventSource('Scales', { registry })
  const scales = { none: 0, second: 1, hour: 3600 }
  for (const [name, displayRateTimeScale] of Object.entries(scales)) {
    new IncrementingEventCounter(name, source, { displayRateTimeScale })
  }
  const first = await attach(t, `${url.href}?counters=Scales`)
  const http = await serve(t, { view: first.hub })
  const second = await attach(t, `http://127.0.0.1:${http.port}?counters=Scales`)
  await until(() => registry.sessionCount === 1 && eventCountersOf(first.hub)!.size === 1)
  first.clock.advance(1000)
  app.tick()
  await take(first, 3)
  await take(second, 3)
  for (const { hub } of [first, second]) {
    const read = Object.keys(scales).map((name) => seriesNamed(hub, name).metadata.rateTimeScaleS)
    assert.deepEqual(read, [undefined, 1, 3600])
  }
  source.close()
})

test('a sample goes from the application by a hub to the page, Prometheus, and on', async (t) => {
  const { app, url } = await startApp(t)
  const first = await attach(t, url.href)
  const { hub } = first
  const http = await serve(t, { view: hub })
  const second = await attach(t, `http://127.0.0.1:${http.port}?counters=Shop`)
  await until(() => app.registry.sessionCount === 1 && eventCountersOf(hub)!.size === 1)
  first.clock.advance(1000)
  app.sold.increment(2)
  app.sold.increment(0.5)
  for (const ms of [10, 20, 60]) app.latency.writeMetric(ms)
  app.tick()
  await take(first, 3)

  const page = await http.json<{ series: { name: string; kind: string }[] }>(
    '/api/v1/series?dialect=eventcounters',
  )
  assert.deepEqual(page.series.map(({ name, kind }) => `${name} ${kind}`).sort(), [
    'latency summary',
    'level gauge',
    'sold counter',
  ])
  const { identity, metadata } = seriesNamed(hub, 'sold')
  assert.deepEqual(identity.labels, [
    ['endpoint', url.host],
    ['provider', 'Shop'],
    ['zone', 'eu'],
  ])
  assert.deepEqual(metadata.rateTimeScaleS, 60)
  const { text } = await http.ask('/metrics')
  assert.match(text, /^shop_sold_total\{[^}]*zone="eu"[^}]*\} 2\.5$/m)
  assert.match(text, /^shop_level\{.*\} 40$/m)
  assert.match(text, /^shop_latency_seconds_samples_sum\{.*\} 0\.09$/m)
  assert.match(text, /^shop_latency_seconds_samples_count\{.*\} 3$/m)

  await take(second, 3)
  assert.equal(totalOf(second, 'sold'), 2.5)
  const latency = second.hub.total(seriesNamed(second.hub, 'latency'))
  assert.ok(latency.kind === 'summary')
  const { count, mean, min, max } = latency.summary
  assert.deepEqual([count, mean, min, max], [3, 30, 10, 60])
  const labels = Object.fromEntries(seriesNamed(second.hub, 'sold').identity.labels)
  assert.deepEqual(labels, {
    endpoint: `127.0.0.1:${http.port}`,
    exported_endpoint: url.host,
    provider: 'Shop',
    zone: 'eu',
  })
})

test('a histogram of the application reaches a hub with every bucket', async (t) => {
  const { app, url } = await startApp(t)
  const { registry } = app
  const source = new EventSource('Sizes', { registry })
  const sizes = new Histogram('sizes', source, { unit: 'B', labels: ['kind'] })
  const times = new EventCounter('times', source, { histogram: true })
  const started = await attach(t, `${url.href}?counters=Sizes`)
  await until(() => registry.sessionCount === 1)
  const wanted = new Buckets()
  for (let second = 0; second < 3; second++) {
    for (let i = 0; i < 40; i++) {
      const value = (second * 40 + i) ** 3 / 7
      for (const kind of ['a', 'b']) sizes.with({ kind }).record(value)
      times.writeMetric(value)
      wanted.record(value)
    }
    app.tick()
  }
  await take(started, 9)
  const { hub } = started
  const found = [...hub.series].filter(({ identity }) => /^(sizes|times)$/.test(identity.name))
  assert.deepEqual(found.map(({ identity }) => `${identity.name} ${identity.kind}`).sort(), [
    'sizes histogram',
    'sizes histogram',
    'times histogram',
  ])
  for (const record of found) {
    const total = hub.total(record)
    assert.ok(total.kind === 'histogram')
    const { sum, ...buckets } = plainHistogram(total.histogram)
    const { sum: whole, ...own } = plainHistogram(wanted)
    assert.deepEqual(buckets, own)
    assert.ok(Math.abs(Number(sum) / Number(whole) - 1) < 1e-12)
    assert.deepEqual([total.histogram.min, total.histogram.max], [wanted.min, wanted.max])
  }
  source.close()
})

test('viewers of payloads get what they always got, in the same bytes', async (t) => {
  const { app, url } = await startApp(t)
  const { registry } = app
  const source = new EventSource('Sizes', { registry })
  const sizes = new Histogram('sizes', source)
  const asked: Record<string, string>[] = [{}, { 'EventCounters-Marks': '1' }]
  const address = `${url.href}?EventCounterIntervalSec=1&counters=Sizes`
  const answers = await Promise.all(asked.map((headers) => fetch(address, { headers })))
  await until(() => registry.sessionCount === 2)
  sizes.record(3)
  app.tick()
  for (const answer of answers) {
    const { value } = await answer.body!.getReader().read()
    const [line] = Buffer.from(value!).toString().split('\n')
    assert.deepEqual(Object.keys(JSON.parse(line!)), ['event', 'provider', 'time', 'Payload'])
  }
  source.close()
})

test('an application that comes back is counted on, and nothing twice', async (t) => {
  const { app, url } = await startApp(t)
  const started = await attach(t, url.href)
  const { hub, clock } = started
  await until(() => app.registry.sessionCount === 1)
  app.sold.increment(3)
  app.tick()
  await take(started, 3)
  app.sold.increment(100) // in an interval that is never told
  await app.stop()
  const peer = () => hub.sources().peers?.[0]
  await until(() => peer()?.state === 'lost')
  assert.deepEqual(hub.sources().connections, [])
  assert.equal(typeof peer()?.message, 'string')
  clock.advance(2000)
  await app.serve(Number(url.port))
  clock.advance(10_000)
  await until(() => app.registry.sessionCount === 1)
  app.sold.increment(4)
  app.tick()
  await take(started, 6)
  assert.equal(totalOf(started, 'sold'), 7)
  const facts = hub.sources().connections[0]!.facts
  assert.deepEqual([facts.state, facts.windows, facts.reconnects], ['online', 6, 1])
  const reconnects = [...hub.series].filter(
    ({ identity }) => identity.name === 'pentameter.eventcounters.reconnects',
  )
  assert.ok(reconnects.length > 0)
})

test('hubs of different intervals count the same, also one that changes its own', async (t) => {
  const { app, url } = await startApp(t)
  const quick = await attach(t, url.href)
  const slow = await attach(t, `${url.href}?EventCounterIntervalSec=3`)
  const fine = await attach(t, url.href, {
    eventcounters: { client: { intervalMs: 500, profile: 'peer' } },
  })
  await until(() => app.registry.sessionCount === 3)
  for (let second = 1; second <= 6; second++) {
    app.sold.increment(second)
    app.tick()
  }
  await take(quick, 18)
  await take(slow, 6)
  await take(fine, 36)
  for (const hub of [quick, slow, fine]) assert.equal(totalOf(hub, 'sold'), 21)
  const intervals = [quick, slow, fine].map(({ hub }) => hub.sources().connections[0]!.facts)
  assert.deepEqual(
    intervals.map(({ interval }) => interval),
    ['Interval=1', 'Interval=3', 'Interval=500'],
  )
  await slow.hub.stop()
  await until(() => app.registry.sessionCount === 2)
  const changed = await attach(t, `${url.href}?EventCounterIntervalSec=2`)
  await until(() => app.registry.sessionCount === 3)
  app.sold.increment(9)
  app.tick(2)
  await take(quick, 24)
  await take(changed, 3)
  assert.deepEqual([totalOf(quick, 'sold'), totalOf(changed, 'sold')], [30, 9])
})

test('the dialect has its meter: what it takes, whom from, and where it is served', async (t) => {
  const { app, url } = await startApp(t)
  const started = await attach(t, url.href)
  const { hub, clock } = started
  hub.servedBy({ host: '127.0.0.1', port: 4711 })
  await until(() => app.registry.sessionCount === 1)
  app.tick()
  await take(started, 3)
  const { dialects, sources, connections, limits } = hub.sources()
  const meter = dialects.find(({ name }) => name === 'eventcounters')!
  assert.deepEqual(
    [meter.address, meter.role, meter.series, meter.ratePerSecond > 0],
    ['tcp 127.0.0.1:4711', 'emit', 3, true],
  )
  assert.match(meter.tryIt, /127\.0\.0\.1:4711\/api\/v1\/eventcounters/)
  assert.equal(sources.find(({ dialect }) => dialect === 'eventcounters')?.series, 3)
  assert.equal(connections[0]!.peer, `tcp ${url.host}`)
  assert.equal(limits.find(({ name }) => name === 'eventcounters.sessionsLimit')?.limit, 64)
  assert.equal(clock.pending > 0, true)
})

test('a hub refuses to attach to itself, and addresses that make no sense', async () => {
  const itself = /that is this hub itself/
  assert.match(await problemOf(['http://127.0.0.1:4999'], { httpPort: 4999 }), itself)
  assert.match(await problemOf(['eventcounters://localhost:4999'], { httpPort: 4999 }), itself)
  assert.match(await problemOf(['http://LocalHost:4999'], { httpPort: 4999 }), itself)
  assert.match(await problemOf(['http://127.0.0.1:9?profile=dotnet']), /attach .*profile "dotnet"/)
  assert.match(await problemOf(['proxywasm://127.0.0.1:9']), /no protocol of a network/)
  assert.match(await problemOf(['http://127.0.0.1:9?counters=A[x']), /closing ']'/)
})

test('a hub refuses to read one counter twice, whatever its address looks like', async () => {
  const twice = /^attach .*: its counters are read already, by http:/
  const path = '/api/v1/eventcounters'
  const one = 'http://127.0.0.1:9'
  assert.match(await problemOf([one, one]), twice)
  assert.match(await problemOf([one, `${one}${path}?EventCounterIntervalSec=10`]), twice)
  assert.match(await problemOf([one, 'eventcounters://127.0.0.1:9/?profile=peer']), twice)
  assert.match(await problemOf([`${one}?counters=Shop`, `${one}?counters=A,shop[orders]`]), twice)
  assert.match(await problemOf([`${one}?counters=A[x,y]`, `${one}?counters=a[z,y]`]), twice)
  const apart = [`${one}?counters=A[x],B`, `${one}?counters=A[y]`, `${one}/other`]
  assert.equal(await problemOf([...apart, 'http://127.0.0.1:8']), 'started')
})

async function problemOf(attach: readonly string[], options = {}): Promise<string> {
  try {
    const { hub } = await startHub({ attach, ...options })
    await hub.stop()
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error))
    return error.message
  }
  return 'started'
}
