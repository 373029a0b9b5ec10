import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { RawPeer } from '../../../../test/support/raw-peer.ts'
import {
  FakeCounterSource,
  LineClient,
  startEndpoint,
  sum,
  until,
  windowOf,
} from '../test/counter-wire.ts'
import type { OutputLimits } from './output.ts'

const INTERVAL = '?EventCounterIntervalSec='

async function start(t: TestContext, limits: Partial<OutputLimits> = {}, sessions?: number) {
  const source = new FakeCounterSource(sessions)
  const clock = new FakeClock()
  const endpoint = await startEndpoint(t, { source, clock, limits })
  return {
    ...endpoint,
    source,
    clock,
    ask: (query: string) => LineClient.open(endpoint.port, query),
  }
}

suite('the answer of an endpoint', () => {
  test('has the headers of the document, and says which series it serves', async (t) => {
    const { ask, source } = await start(t)
    const client = await ask(`${INTERVAL}10`)
    assert.equal(client.status, 200)
    assert.equal(client.headers['content-type'], 'application/x-ndjson; charset=utf-8')
    assert.equal(client.headers['cache-control'], 'no-store')
    assert.equal(client.headers['eventcounters-series'], 'Interval=10')
    assert.equal(client.headers['content-encoding'], undefined)
    assert.deepEqual([...source.sessions][0]?.request, { intervalMs: 10_000, deliver: 'own' })
    const peer = await ask(`${INTERVAL}0.25&profile=peer&deliver=all&counters=App%5Ba%2Cb%5D,x`)
    assert.equal(peer.headers['eventcounters-series'], 'Interval=250')
    assert.deepEqual([...source.sessions][1]?.request, {
      intervalMs: 250,
      deliver: 'all',
      filter: [
        { provider: 'App', counters: ['a', 'b'], type: 'All' },
        { provider: 'x', counters: [], type: 'All' },
      ],
    })
  })

  test('without an interval is a session that is open, silent and named none', async (t) => {
    const { ask, source, reports } = await start(t)
    for (const [query, invalid] of [
      ['', 0],
      [`${INTERVAL}0`, 0],
      [`${INTERVAL}soon`, 1],
      [`${INTERVAL}-1&profile=peer`, 1],
      [`${INTERVAL}1e10&profile=peer`, 2],
      ['?profile=peer', 2],
    ] as const) {
      const client = await ask(query)
      assert.equal(client.headers['eventcounters-series'], 'none', query)
      assert.equal([...source.sessions].at(-1)?.request.intervalMs, 0)
      const { counts } = reports
      const counted =
        (counts['invalid_intervals document'] ?? 0) + (counts['invalid_intervals peer'] ?? 0)
      assert.equal(counted, invalid, query)
    }
    assert.equal(source.sessions.size, 6)
  })

  test('takes the first of repeated parameters, and any bytes as text', async (t) => {
    const { ask, source } = await start(t)
    const first = await ask(`${INTERVAL}2&EventCounterIntervalSec=3&other=%zz&%E0%A4%A=1`)
    assert.equal(first.headers['eventcounters-series'], 'Interval=2')
    const coded = await ask('?EventCounter%49ntervalSec=+%35%20&counters=%C3%BC%FF%zz')
    assert.equal(coded.headers['eventcounters-series'], 'Interval=5')
    assert.equal([...source.sessions][1]?.request.filter?.[0]?.provider, 'ü\uFFFD%zz')
  })

  for (const [query, text, parameter] of [
    ['?counters=', 'Expected non-empty counter_provider', 'counters'],
    ['?counters=a%5Bb', "Expected to find closing ']' in counter_provider", 'counters'],
    [
      '?counters=a%5Bb%5Dc',
      "Unexpected characters after closing ']' in counter_provider",
      'counters',
    ],
    ['?counters=a[b][c]', "Expected at most one '[' in counter_provider", 'counters'],
    [
      '?counters=a,EventCounters%5Ca',
      'Using the same provider name with and without the EventCounters\\ prefix in the ' +
        'counter list is not supported.',
      'counters',
    ],
    ['?profile=Peer', 'unknown profile "Peer", want document or peer', 'profile'],
    ['?deliver=some', 'unknown deliver "some", want own or all', 'deliver'],
  ] as const) {
    test(`refuses ${query} with 400 and the exact text`, async (t) => {
      const { ask, source, reports } = await start(t)
      const client = await ask(query)
      assert.equal(client.status, 400)
      assert.deepEqual(JSON.parse(await client.ended()), { error: text })
      assert.equal(client.headers['content-type'], 'application/json; charset=utf-8')
      assert.equal(source.sessions.size, 0)
      assert.deepEqual(reports.counts, { [`http_rejected ${parameter}`]: 1 })
    })
  }

  test('is 503 when there are too many sessions, and room comes back', async (t) => {
    const { ask, source, reports } = await start(t, {}, 1)
    const client = await ask(`${INTERVAL}1`)
    const refused = await ask(`${INTERVAL}1`)
    assert.equal(refused.status, 503)
    assert.deepEqual(JSON.parse(await refused.ended()), { error: 'too many sessions are open' })
    assert.equal(reports.counts['http_rejected sessions'], 1)
    client.close()
    await until(() => source.sessions.size === 0, 'session closed')
    assert.equal((await ask(`${INTERVAL}1`)).status, 200)
  })

  test('to HEAD is the headers alone, without a session; other methods get 405', async (t) => {
    const { port, source, reports } = await start(t, {}, 0)
    const head = await LineClient.open(port, `${INTERVAL}2`, { method: 'HEAD' })
    assert.equal(head.status, 200)
    assert.equal(head.headers['eventcounters-series'], 'Interval=2')
    assert.equal(await head.ended(), '')
    const bad = await LineClient.open(port, '?profile=x', { method: 'HEAD' })
    assert.equal(bad.status, 400)
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const client = await LineClient.open(port, `${INTERVAL}1`, { method })
      assert.deepEqual([client.status, client.headers.allow], [405, 'GET, HEAD'])
      assert.match(await client.ended(), /^\{"error":"method .* is not allowed, want GET"\}$/)
    }
    assert.equal(source.sessions.size, 0)
    assert.equal(reports.counts['http_rejected method'], 4)
  })

  test('comes at once, however long the first interval is', async (t) => {
    const { ask } = await start(t)
    assert.equal((await ask(`${INTERVAL}4294967295`)).status, 200)
  })
})

suite('a session at an endpoint', () => {
  test('gets each of its boundaries as lines, in order, in its own spelling', async (t) => {
    const { ask, source } = await start(t)
    const document = await ask(`${INTERVAL}1`)
    const peer = await ask(`${INTERVAL}1&profile=peer`)
    const mean = { kind: 'mean', count: 2, mean: 1.5, deviation: 0.5, min: 1, max: 2 } as const
    source.emit([
      windowOf('requests', sum(3), { displayName: 'Requests', rateScaleSec: 60 }),
      windowOf('time', mean, { units: 'ms' }),
    ])
    await until(() => document.lines.length === 2 && peer.lines.length === 2, 'lines')
    assert.equal(
      document.lines[0],
      '{"event":"EventCounters","provider":"App","time":"2023-11-14T22:13:21.000Z","Payload":' +
        '{"DisplayName":"Requests","DisplayRateTimeScale":"60","Name":"requests","Increment":3,' +
        '"IntervalSec":1,"Series":"Interval=1","CounterType":"Sum","MetaData":""}}',
    )
    assert.equal(
      peer.lines[1],
      '{"event":"EventCounters","provider":"App","time":"2023-11-14T22:13:21.000Z","Payload":' +
        '{"Name":"time","DisplayName":"","Mean":1.5,"StandardDeviation":0.5,"Count":2,"Min":1,' +
        '"Max":2,"IntervalSec":1,"Series":"Interval=1000","CounterType":"Mean","Metadata":"",' +
        '"DisplayUnits":"ms"}}',
    )
  })

  test('gets an empty line after 15 s of silence, and not before', async (t) => {
    const { ask, source, clock } = await start(t)
    const client = await ask(`${INTERVAL}0`)
    clock.advance(14_999)
    source.emit([windowOf('a', sum(1))])
    await until(() => client.lines.length === 1, 'line')
    clock.advance(14_999)
    source.emit([])
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(client.lines.length, 1)
    clock.advance(1)
    await until(() => client.lines.length === 2, 'keep-alive')
    clock.advance(14_999)
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(client.lines.length, 2)
    clock.advance(1)
    await until(() => client.lines.length === 3, 'second keep-alive')
    assert.deepEqual(client.lines.slice(1), ['', ''])
  })

  test('is closed at once when its client is gone, and leaves no timer', async (t) => {
    const { ask, source, clock, reports, served } = await start(t)
    const clients = await Promise.all([ask(''), ask(`${INTERVAL}1`), ask(`${INTERVAL}1`)])
    assert.equal(served.size, 3)
    for (const client of clients) client.close()
    await until(() => source.sessions.size === 0, 'sessions closed')
    await until(() => served.size === 0, 'answers over')
    assert.equal(clock.pending, 0)
    assert.equal(reports.counts['endpoint_sessions opened'], 3)
    const { counts } = reports
    const disconnected = counts['endpoint_sessions disconnected'] ?? 0
    assert.equal(disconnected + (counts['endpoint_sessions error'] ?? 0), 3)
  })

  test('ends in order when it is told to: what was written arrives', async (t) => {
    const { ask, source, served, clock, reports } = await start(t)
    const client = await ask(`${INTERVAL}1`)
    source.emit([windowOf('a', sum(1))])
    const [session] = served
    session!.end()
    session!.end()
    source.emit([windowOf('b', sum(1))])
    await client.ended()
    assert.equal(client.incoming.complete, true)
    assert.deepEqual(
      client.payloads.map(({ Name }) => Name),
      ['a'],
    )
    assert.deepEqual([source.sessions.size, clock.pending, served.size], [0, 0, 0])
    assert.equal(reports.counts['endpoint_sessions stopped'], 1)
  })
})

suite('hostile clients', () => {
  test('one that pipelines and one that sends a body get answers like others', async (t) => {
    const { port } = await start(t)
    const peer = await RawPeer.connect(port)
    const head = 'GET /?profile=no HTTP/1.1\r\nHost: a\r\n'
    const body = `Content-Length: 100000\r\n\r\n${'x'.repeat(100_000)}`
    peer.write(Buffer.from(`${head}${body}${head}\r\n`))
    await until(() => peer.received.toString().split('400 Bad Request').length === 3, 'answers')
    peer.close()
  })

  test('absolute addresses, no query and thousands of parameters are read', async (t) => {
    const { port, source } = await start(t)
    for (const target of [
      'http://other/x?EventCounterIntervalSec=7',
      '/?'.padEnd(12_000, 'a&b=%&'),
    ]) {
      const peer = await RawPeer.connect(port)
      peer.write(Buffer.from(`GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`))
      await until(() => peer.received.includes('\r\n\r\n'), 'headers')
      assert.match(peer.received.toString(), /^HTTP\/1\.1 200 /)
      peer.close()
    }
    assert.ok(source.sessions.size <= 2)
  })

  test('one of HTTP/1.0 gets lines without chunks', async (t) => {
    const { port, source } = await start(t)
    const peer = await RawPeer.connect(port)
    peer.write(Buffer.from(`GET /${INTERVAL}1 HTTP/1.0\r\n\r\n`))
    await until(() => source.sessions.size === 1, 'session')
    source.emit([windowOf('a', sum(1))])
    await until(() => peer.received.includes('"Name":"a"'), 'line')
    assert.doesNotMatch(peer.received.toString(), /transfer-encoding/i)
    peer.close()
    await until(() => source.sessions.size === 0, 'end')
  })

  test('sessions that wait behind another on one connection end with it', async (t) => {
    const { port, source, clock } = await start(t)
    const peer = await RawPeer.connect(port)
    peer.write(Buffer.from(`GET /${INTERVAL}1 HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(3)))
    await until(() => source.sessions.size === 3, 'sessions')
    peer.close()
    await until(() => source.sessions.size === 0, 'end')
    assert.equal(clock.pending, 0)
  })
})
