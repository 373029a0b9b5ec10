/** Counters of an application over HTTP, without a hub (eventcounters.md §2). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { suite, type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { LineClient, until, watch } from '../dialects/eventcounters/test/counter-wire.ts'
import { hostCheck } from '../host-check.ts'
import {
  CounterRegistry,
  EventCounter,
  EventCountersServer,
  type EventCountersServerOptions,
  EventSource,
  eventCountersHandler,
  IncrementingEventCounter,
} from './index.ts'

async function start(t: TestContext, options: EventCountersServerOptions = {}) {
  const clock = new FakeClock()
  const registry = new CounterRegistry({ clock, log: () => {} })
  const source = new EventSource('App', { registry })
  const time = new EventCounter('time', source)
  const hits = new IncrementingEventCounter('hits', source)
  const server = new EventCountersServer({ registry, port: 0, ...options })
  await server.start()
  t.after(() => server.close())
  const { port } = server
  const open = (query: string) => LineClient.open(port, query)
  return { clock, registry, time, hits, server, port, open }
}

interface Answer {
  readonly status: number
  readonly text: string
  readonly headers: NodeJS.Dict<string | string[]>
}

function ask(port: number, path: string, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, headers, agent: false }
    request(options, async (incoming) => {
      let text = ''
      for await (const chunk of incoming) text += chunk
      resolve({ status: incoming.statusCode!, text, headers: incoming.headers })
    })
      .on('error', reject)
      .end()
  })
}

suite('an application that serves its counters', () => {
  test('gives every client its own interval, and none disturbs another', async (t) => {
    const { clock, time, hits, open } = await start(t)
    const slow = await open('?EventCounterIntervalSec=10')
    const quick = await open('?EventCounterIntervalSec=1')
    for (let second = 1; second <= 30; second++) {
      for (let i = 0; i < second; i++) time.writeMetric(i)
      hits.increment(second)
      clock.advance(1000)
      await until(() => quick.lines.length === 2 * second, `second ${second}`)
    }
    await until(() => slow.lines.length === 6, 'three boundaries')
    const field = (client: LineClient, name: string, key: string) =>
      client.payloads.filter(({ Name }) => Name === name).map((payload) => payload[key] as number)
    const tens = (values: number[]) =>
      [0, 10, 20].map((from) => values.slice(from, from + 10).reduce((a, b) => a + b, 0))
    assert.deepEqual(field(slow, 'time', 'Count'), tens(field(quick, 'time', 'Count')))
    assert.deepEqual(field(slow, 'hits', 'Increment'), tens(field(quick, 'hits', 'Increment')))
    assert.deepEqual(field(slow, 'hits', 'Increment'), [55, 155, 255])
    assert.deepEqual(new Set(slow.payloads.map(({ Series }) => Series)), new Set(['Interval=10']))
  })

  test('says the same to one client whoever else comes and goes', async (t) => {
    const run = async (others: boolean) => {
      const { clock, time, open, registry } = await start(t)
      const slow = await open('?EventCounterIntervalSec=10')
      for (let second = 1; second <= 30; second++) {
        const other = others ? await open('?EventCounterIntervalSec=1') : undefined
        time.writeMetric(Math.sin(second))
        clock.advance(1000)
        other?.close()
        await until(() => registry.sessionCount === 1, 'the other one gone')
      }
      await until(() => slow.lines.length === 6, 'three boundaries')
      return slow.lines
    }
    assert.deepEqual(await run(true), await run(false))
  })

  test('with `deliver=all` shows a client the series of others, which ours drops', async (t) => {
    const { clock, server, hits, open, registry } = await start(t)
    const all = await open('?EventCounterIntervalSec=2&deliver=all&counters=app[hits]')
    const options = { url: server.url, counters: 'App[hits]', deliver: 'all' } as const
    const { windows, client } = watch(t, options)
    await until(() => registry.sessionCount === 2, 'sessions')
    for (let i = 1; i <= 4; i++) {
      hits.increment(i)
      clock.advance(1000)
    }
    await until(() => all.lines.length === 6, 'both series')
    await until(() => client.counts.foreignSeries === 2, 'foreign windows')
    const series = all.payloads.map(({ Series }) => Series)
    assert.equal(series.filter((text) => text === 'Interval=1').length, 4)
    assert.deepEqual(
      windows.map(({ statistics }) => statistics),
      [1, 2, 3, 4].map((increment) => ({ kind: 'sum', increment })),
    )
  })

  test('gives up a client that never reads, and its neighbour loses nothing', async (t) => {
    const { clock, registry, server, port } = await start(t)
    const source = new EventSource('Many', { registry })
    const many = Array.from(
      { length: 2000 },
      (_, i) => new IncrementingEventCounter(`counter-${i}`, source),
    )
    const query = '?counters=Many&EventCounterIntervalSec='
    const slow = await LineClient.open(port, `${query}1`, { isReading: false })
    const quick = await LineClient.open(port, `${query}2`)
    let seconds = 0
    for (; registry.sessionCount === 2 && seconds < 300; seconds++) {
      for (const counter of many) counter.increment()
      clock.advance(1000)
      // a second is long enough for what is left of a boundary, whose parts each take a turn
      for (let part = 0; part < 4; part++) await turn()
      const expected = Math.floor((seconds + 1) / 2) * many.length
      await until(() => quick.lines.length === expected, `boundary at ${seconds + 1}`)
    }
    assert.equal(registry.sessionCount, 1)
    assert.equal(server.counts['skipped_boundaries buffer_full'], 30)
    assert.equal(server.counts['endpoint_sessions stalled'], 1)
    assert.ok(quick.payloads.every(({ Increment }) => Increment === 2))
    slow.read()
    await until(() => slow.isEnded, 'connection closed')
  })

  test('refuses what it does not serve, in one shape, and counts it', async (t) => {
    const { port, server, registry } = await start(t)
    const path = '/api/v1/eventcounters'
    const refused = async (query: string, headers?: Record<string, string>) => {
      const { status, text } = await ask(port, query, headers)
      return [status, (JSON.parse(text) as { error: string }).error]
    }
    assert.deepEqual(await refused('/nowhere'), [404, `nothing here; counters are at ${path}`])
    assert.deepEqual(await refused(`${path}?counters=a[`), [
      400,
      "Expected to find closing ']' in counter_provider",
    ])
    assert.deepEqual(await refused(`${path}/`), [404, `nothing here; counters are at ${path}`])
    assert.deepEqual(await refused(path, { host: 'evil.example' }), [
      421,
      'host "evil.example" is not a name of this server: see allowedHosts',
    ])
    assert.deepEqual(await refused(path, { 'sec-fetch-site': 'cross-site' }), [
      403,
      'pages of other origins may not read counters',
    ])
    const { status, text, headers } = await ask(port, '/')
    assert.equal(status, 200)
    assert.match(text, /\/api\/v1\/eventcounters\?EventCounterIntervalSec=1/)
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin')
    const client = await LineClient.open(port, '?EventCounterIntervalSec=x')
    client.close()
    assert.equal(registry.counts.invalid_intervals, 1)
    assert.equal(server.counts['endpoint_sessions opened'], 1)
  })

  test('answers to loopback names, its own and those allowed', async (t) => {
    const { port } = await start(t, { allowedHosts: ['Metrics.LAN'] })
    const statusOf = async (host: string) => (await ask(port, '/', { host })).status
    for (const host of ['localhost', `LOCALHOST:${port}`, '[::1]:1', '127.1.2.3', 'metrics.lan.']) {
      assert.equal(await statusOf(host), 200, host)
    }
    for (const host of ['10.0.0.1', 'localhost.evil.example', '127.0.0.1.evil.example', '[::2]']) {
      assert.equal(await statusOf(host), 421, host)
    }
  })

  test('on every address answers to any number, but not to unknown names', () => {
    for (const bound of ['0.0.0.0', '::', '']) {
      const isAllowed = hostCheck(bound, [])
      assert.deepEqual(
        ['10.0.0.1:4000', '[fe80::1]:1', 'localhost', 'evil.example', ''].map(isAllowed),
        [true, true, true, false, false],
      )
    }
  })

  test('frees its port when it is closed, sessions or not', async (t) => {
    const { server, port, open, registry } = await start(t)
    const client = await open('?EventCounterIntervalSec=1')
    await server.close()
    await client.ended()
    assert.equal(client.incoming.complete, true)
    assert.equal(registry.sessionCount, 0)
    const again = new EventCountersServer({ registry, port })
    await again.start()
    const late = new EventCountersServer({ registry, port })
    await assert.rejects(late.start(), { code: 'EADDRINUSE' })
    await late.close()
    await again.close()
  })

  test('has an address once it is started, and closes at once where it never was', async () => {
    const server = new EventCountersServer({ registry: new CounterRegistry(), port: 0 })
    assert.deepEqual([server.port, server.url], [0, ''])
    await server.close()
    await server.start()
    assert.equal(server.url, `http://127.0.0.1:${server.port}/api/v1/eventcounters`)
    await server.close()
  })
})

suite('a handler in a server of the application', () => {
  test('takes its path and leaves the others', async () => {
    const clock = new FakeClock()
    const registry = new CounterRegistry({ clock, log: () => {}, limits: { sessions: 1 } })
    const hits = new IncrementingEventCounter('hits', new EventSource('App', { registry }))
    const handle = eventCountersHandler(registry)
    const server = createServer((incoming, outgoing) => {
      if (!handle(incoming, outgoing)) outgoing.end('application')
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    const client = await LineClient.open(port, '?EventCounterIntervalSec=1')
    hits.increment()
    clock.advance(1000)
    await until(() => client.lines.length === 1, 'line')
    assert.equal((await ask(port, '/api/v1/eventcounters')).status, 503)
    assert.equal((await ask(port, '/api/v1/eventcounters2?x')).text, 'application')
    assert.deepEqual(handle.counts, {
      'endpoint_sessions opened': 1,
      'http_rejected sessions': 1,
    })
    handle.close()
    server.close()
    server.closeIdleConnections()
    await once(server, 'close')
    assert.deepEqual([registry.sessionCount, clock.pending], [0, 0])
  })
})
