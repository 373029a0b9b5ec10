import assert from 'node:assert/strict'
import { type IncomingMessage, request } from 'node:http'
import { type TestContext, test } from 'node:test'
import { serve } from '../../../../test/support/http-client.ts'
import { FakeHubView } from '../../../../test/support/hub/fake-hub-view.ts'
import { until } from '../../../../test/support/hub/hub.ts'
import { RawPeer } from '../../../../test/support/raw-peer.ts'
import { createHttpServer, type HttpServer } from '../../../http/server.ts'
import { NO_REPORTS } from '../../endpoints.ts'
import { GUESTS } from '../../registry.ts'
import { eventCountersOf } from '../hub/resident.ts'

const PATH = '/api/v1/eventcounters'

interface Line {
  readonly provider: string
  readonly time: string
  readonly Payload: Readonly<Record<string, unknown>>
}

/** A client that stays: what it has read so far, line by line. */
class Client {
  readonly incoming: IncomingMessage
  readonly lines: Line[] = []
  keepAlives = 0
  isEnded = false
  #rest = ''

  constructor(incoming: IncomingMessage) {
    this.incoming = incoming
    incoming.setEncoding('utf8')
    incoming.on('error', () => {})
    incoming.on('close', () => {
      this.isEnded = true
    })
    incoming.on('data', (text: string) => {
      const lines = (this.#rest + text).split('\n')
      this.#rest = lines.pop()!
      for (const line of lines) {
        if (line === '') this.keepAlives++
        else this.lines.push(JSON.parse(line))
      }
    })
  }

  static open(port: number, query: string): Promise<Client> {
    return new Promise((resolve, reject) => {
      request({ host: '127.0.0.1', port, path: `${PATH}?${query}`, agent: false }, (incoming) => {
        resolve(new Client(incoming))
      })
        .on('error', reject)
        .end()
    })
  }

  async next(count: number): Promise<Line[]> {
    await until(() => this.lines.length >= count)
    return this.lines.splice(0, count)
  }
}

async function start(
  test: TestContext,
  options: Partial<Parameters<typeof createHttpServer>[0]> = {},
) {
  const hub = new FakeHubView()
  const server = await serve(test, { view: hub, ...options })
  return { hub, server, open: (query: string) => Client.open(server.port, query) }
}

test('every series of the hub is an EventCounter, whatever dialect it came from', async (t) => {
  const { hub, open } = await start(t)
  const labels = [
    ['provider', 'Shop'],
    ['zone', 'eu'],
  ] as const
  const counter = hub.add({ name: 'sold', kind: 'counter', labels })
  const gauge = hub.add({ name: 'level', kind: 'gauge', metadata: { unit: 'm' } })
  const client = await open('EventCounterIntervalSec=2')
  assert.equal(client.incoming.headers['eventcounters-series'], 'Interval=2')
  assert.equal(client.incoming.headers['content-type'], 'application/x-ndjson; charset=utf-8')
  assert.equal(client.incoming.headers['cache-control'], 'no-store')
  hub.tick()
  hub.count(counter, 2.5)
  hub.set(gauge, 7)
  hub.tick()
  hub.tick()
  const [sold, level] = await client.next(2)
  assert.deepEqual(sold, {
    event: 'EventCounters',
    provider: 'Shop',
    time: new Date(hub.clock.wallMs()).toISOString(),
    Payload: {
      DisplayName: '',
      DisplayRateTimeScale: '1',
      Name: 'sold',
      Increment: 2.5,
      IntervalSec: 2,
      Series: 'Interval=2',
      CounterType: 'Sum',
      MetaData: 'zone=eu',
    },
  })
  assert.equal(level!.provider, 'statshero')
  assert.deepEqual(Object.entries(level!.Payload).slice(2, 8), [
    ['Name', 'level'],
    ['Mean', 7],
    ['StandardDeviation', 0],
    ['Count', 1],
    ['Min', 7],
    ['Max', 7],
  ])
  assert.equal(level!.Payload.MetaData, 'DisplayUnits=m')
})

test('clients of different intervals and profiles do not notice each other', async (t) => {
  const { hub, open } = await start(t)
  const id = hub.add({ name: 'c', kind: 'counter' })
  const slow = await open('EventCounterIntervalSec=3')
  const quick = await open('EventCounterIntervalSec=0.5&profile=peer')
  for (let second = 0; second <= 6; second++) {
    hub.count(id, 1)
    hub.tick()
  }
  const seen = (lines: readonly Line[]) =>
    lines.map(({ Payload }) => [Payload.Series, Payload.Increment, Payload.IntervalSec])
  assert.deepEqual(seen(await slow.next(2)), [
    ['Interval=3', 3, 3],
    ['Interval=3', 3, 3],
  ])
  const each = ['Interval=500', 1, 1]
  assert.deepEqual(seen(await quick.next(6)), [each, each, each, each, each, each])
})

test('errors of this route are a text, whoever finds them', async (t) => {
  const { server } = await start(t)
  const ask = async (query: string, options = {}) => {
    const { status, headers, text } = await server.ask(`${PATH}${query}`, options)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    return [status, JSON.parse(text)]
  }
  assert.deepEqual(await ask('?counters=a[b'), [
    400,
    { error: "Expected to find closing ']' in counter_provider" },
  ])
  const [status, { error }] = await ask('?profile=dotnet')
  assert.equal(status, 400)
  assert.match(error, /profile "dotnet"/)
  const host = await ask('', { headers: { host: 'evil.example' } })
  assert.deepEqual([host[0], typeof host[1].error], [421, 'string'])
  const caller = await ask('', { headers: { 'sec-fetch-site': 'cross-site' } })
  assert.deepEqual([caller[0], typeof caller[1].error], [403, 'string'])
  const post = await ask('', { method: 'POST' })
  assert.deepEqual(post, [405, { error: `method POST on ${PATH}, want GET, HEAD` }])
})

test('HEAD tells the headers of a session and opens none', async (t) => {
  const { hub, server } = await start(t)
  const query = '?EventCounterIntervalSec=7'
  const { status, headers, text } = await server.ask(PATH + query, { method: 'HEAD' })
  assert.deepEqual([status, headers['eventcounters-series'], text], [200, 'Interval=7', ''])
  assert.equal(eventCountersOf(hub)!.size, 0)
})

test('requests count under their route and status, sessions and refusals by reason', async (t) => {
  const counted: string[] = []
  const reports = { count: (name: string, reason: string) => counted.push(`${name} ${reason}`) }
  const { hub, server, open } = await start(t, { reportsOf: () => ({ ...NO_REPORTS, ...reports }) })
  const client = await open('EventCounterIntervalSec=x')
  await server.ask(`${PATH}?deliver=none`)
  client.incoming.destroy()
  await until(() => eventCountersOf(hub)!.size === 0)
  assert.deepEqual(counted, [
    'invalid_intervals document',
    'endpoint_sessions opened',
    'http_rejected deliver',
    'endpoint_sessions disconnected',
  ])
  assert.deepEqual(server.counted, [`requests ${PATH} 200`, `requests ${PATH} 400`])
})

test('sessions above the limit get 503, and room is given back', async (t) => {
  const { hub, server, open } = await start(t)
  const clients = await Promise.all(Array.from({ length: 64 }, () => open('')))
  const refused = await server.ask(PATH)
  assert.equal(refused.status, 503)
  assert.equal(typeof JSON.parse(refused.text).error, 'string')
  clients[0]!.incoming.destroy()
  await until(() => eventCountersOf(hub)!.size === 63)
  await open('')
  assert.equal(eventCountersOf(hub)!.size, 64)
})

test('a silent session is kept alive by an empty line every 15 s, and not before', async (t) => {
  const { hub, open } = await start(t)
  const client = await open('EventCounterIntervalSec=100')
  const other = await open('EventCounterIntervalSec=1')
  const counter = hub.add({ name: 'c', kind: 'counter' })
  for (const keepAlives of [1, 2]) {
    hub.clock.advance(999)
    for (let second = 1; second <= 14; second++) {
      hub.count(counter, 1)
      hub.tick()
    }
    const time = new Date(hub.clock.wallMs()).toISOString()
    await until(() => other.lines.at(-1)?.time === time)
    assert.equal(client.keepAlives, keepAlives - 1)
    hub.clock.advance(1)
    await until(() => client.keepAlives === keepAlives)
  }
  assert.deepEqual(client.lines, [])
})

/** A server of which more than the port is wanted. */
async function listening(test: TestContext, hub: FakeHubView): Promise<[HttpServer, number]> {
  const server = createHttpServer({
    view: hub,
    webRoot: '/nonexistent',
    host: '127.0.0.1',
    port: 0,
    guests: GUESTS,
  })
  const { port } = await server.start()
  test.after(() => server.stop())
  return [server, port]
}

test('the server says who is attached, at which interval', async (t) => {
  const hub = new FakeHubView()
  hub.add({ name: 'c', kind: 'counter' })
  const [, port] = await listening(t, hub)
  const client = await Client.open(port, 'EventCounterIntervalSec=1&counters=statshero,hub')
  for (let second = 0; second < 3; second++) hub.tick()
  await client.next(2)
  const [connection, ...others] = eventCountersOf(hub)!.connections()
  assert.deepEqual(others, [])
  assert.equal(connection!.peer.address, '127.0.0.1')
  assert.equal(connection!.peer.port, client.incoming.socket.localPort)
  assert.deepEqual(connection!.facts, {
    intervalMs: 1000,
    profile: 'document',
    deliver: 'own',
    providers: 2,
    boundaries: 2,
    skipped: 0,
  })
  client.incoming.destroy()
  await until(() => eventCountersOf(hub)!.connections().length === 0)
})

test('one address that has all sessions keeps no other one from them', async (t) => {
  const counted: string[] = []
  const reports = { count: (name: string, reason: string) => counted.push(`${name} ${reason}`) }
  const { hub, server, open } = await start(t, { reportsOf: () => ({ ...NO_REPORTS, ...reports }) })
  const text = `GET ${PATH}?EventCounterIntervalSec=4000000 HTTP/1.1\r\nHost: localhost\r\n\r\n`
  const held: RawPeer[] = []
  for (let i = 1; i <= 64; i++) {
    const peer = await RawPeer.connect(server.port, '127.0.0.1', '127.0.0.2')
    t.after(() => peer.close())
    held.push(peer)
    peer.write(Buffer.from(text))
    await until(() => eventCountersOf(hub)!.size === i)
  }
  const clients = [await open('EventCounterIntervalSec=1'), await open('EventCounterIntervalSec=1')]
  for (const { incoming } of clients) assert.equal(incoming.statusCode, 200)
  await until(() => held.filter(({ isEnded }) => isEnded).length === 2)
  assert.ok(held[0]!.isEnded && held[1]!.isEnded)
  const back = await RawPeer.connect(server.port, '127.0.0.1', '127.0.0.2')
  t.after(() => back.close())
  back.write(Buffer.from(text))
  await until(() => back.received.includes(' 503 '))
  assert.ok(clients.every(({ isEnded }) => !isEnded))
  assert.equal(counted.filter((each) => each === 'endpoint_sessions made_room').length, 2)
})

test('sessions end in order when the server stops', async (t) => {
  const hub = new FakeHubView()
  const [server, port] = await listening(t, hub)
  const client = await Client.open(port, 'EventCounterIntervalSec=1')
  await server.stop()
  await until(() => client.isEnded)
  assert.equal(client.incoming.complete, true)
  assert.deepEqual([eventCountersOf(hub)!.size, hub.sessions.size, hub.clock.pending], [0, 0, 0])
})
