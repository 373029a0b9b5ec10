import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type EventReader, serve } from '../../../test/support/http-client.ts'
import { FakeHubView, START_MS } from '../../../test/support/hub/fake-hub-view.ts'
import { until } from '../../../test/support/hub/hub.ts'
import { RawPeer } from '../../../test/support/raw-peer.ts'
import type { CellsEvent, HelloEvent, SeriesEvent, SourcesAnswer } from '../api.ts'
import type { HttpLimits } from '../limits.ts'

const HOUR_MS = 3_600_000

async function start(context: TestContext, limits: Partial<HttpLimits> = {}) {
  const hub = new FakeHubView()
  const server = await serve(context, { view: hub, limits })
  const post = async (stream: string, series: readonly number[]) => {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ series })
    return (await server.ask(`/api/v1/live/${stream}`, { method: 'POST', headers, body })).status
  }
  return { hub, server, post }
}

const cellsOf = async (stream: EventReader) => (await stream.next<CellsEvent>('cells')).data

test('a stream greets, and then tells every second what its series did', async (t) => {
  const { hub, server } = await start(t)
  const a = hub.add({ name: 'a', kind: 'counter' })
  const b = hub.add({ name: 'b', kind: 'counter' })
  const stream = await server.stream(`/api/v1/live?series=${a}&interval=1`)
  const hello = await stream.next<HelloEvent>('hello')
  assert.equal(hello.data.nowMs, START_MS)
  assert.equal(hello.data.intervalMs, 1000)
  assert.equal(hello.data.startId, hub.startId)
  assert.equal(hello.data.staleAfterMs, hub.staleAfterMs)
  assert.equal(hello.data.windowMaxMs, 1_200_000)
  hub.count(a, 3)
  hub.count(b, 4)
  hub.tick()
  const first = await stream.next<CellsEvent>('cells')
  assert.equal(first.id, String(START_MS + 1000))
  assert.deepEqual(first.data, {
    endMs: START_MS + 1000,
    intervalMs: 1000,
    counters: [[a, 3]],
    gauges: [],
    histograms: [],
    summaries: [],
  })
  hub.tick()
  assert.deepEqual((await cellsOf(stream)).counters, [])
})

test('all four kinds travel, wide integers as text', async (t) => {
  const { hub, server } = await start(t)
  const counter = hub.add({ name: 'c', kind: 'counter' })
  const gauge = hub.add({ name: 'g', kind: 'gauge' })
  const histogram = hub.add({ name: 'h', kind: 'histogram' })
  const summary = hub.add({ name: 's', kind: 'summary' })
  const stream = await server.stream(`/api/v1/live?series=${[summary, histogram, gauge, counter]}`)
  await stream.next('hello')
  hub.count(counter, 2n ** 60n)
  hub.set(gauge, -1.5)
  hub.observe(histogram, 8, 2)
  hub.sample(summary, 3)
  hub.tick()
  const cells = await cellsOf(stream)
  assert.deepEqual(cells.counters, [[counter, '1152921504606846976']])
  assert.deepEqual(cells.gauges, [[gauge, -1.5]])
  assert.equal(cells.histograms[0]![1].count, 2)
  assert.deepEqual(cells.summaries, [
    [summary, { count: 1, mean: 3, deviation: 0, min: 3, max: 3 }],
  ])
})

test('a counter whose peer is away is told as null, from the second of the loss on', async (t) => {
  const { hub, server } = await start(t)
  const id = hub.add({ name: 'c', kind: 'counter', source: 'h:1' })
  const other = hub.add({ name: 'd', kind: 'counter', source: 'h:2' })
  const stream = await server.stream(`/api/v1/live?series=${id},${other}`)
  await stream.next('hello')
  hub.away.push({ source: 'h:1', fromMs: START_MS + 1500, toMs: START_MS + 2500 })
  const told: unknown[] = []
  for (const increment of [1, 0, 0, 0]) {
    if (increment > 0) hub.count(id, increment)
    hub.tick()
    told.push((await cellsOf(stream)).counters)
  }
  assert.deepEqual(told, [[[id, 1]], [[id, null]], [[id, null]], []])
})

test('a fractional increment travels as the number it is', async (t) => {
  const { hub, server } = await start(t)
  const id = hub.add({ name: 'c', kind: 'counter' })
  const stream = await server.stream(`/api/v1/live?series=${id}&interval=2`)
  await stream.next('hello')
  for (const increment of [0.25, 1.5]) {
    hub.count(id, increment)
    hub.tick()
  }
  assert.deepEqual((await cellsOf(stream)).counters, [[id, 1.75]])
})

test('a gauge that was sampled says what it went through', async (t) => {
  const { hub, server } = await start(t)
  const id = hub.add({ name: 'g', kind: 'gauge' })
  const [one, two] = await Promise.all(
    [1, 2].map((interval) => server.stream(`/api/v1/live?series=${id}&interval=${interval}`)),
  )
  hub.set(id, 44, { first: 0, min: -1, max: 49, count: 10 })
  hub.tick()
  hub.set(id, 50)
  hub.tick()
  assert.deepEqual((await cellsOf(one!)).gauges, [
    [id, 44, { first: 0, min: -1, max: 49, count: 10 }],
  ])
  assert.deepEqual((await cellsOf(one!)).gauges, [[id, 50]])
  assert.deepEqual((await cellsOf(two!)).gauges, [
    [id, 50, { first: 0, min: -1, max: 50, count: 11 }],
  ])
})

test('streams of different intervals each get their own windows', async (t) => {
  const { hub, server } = await start(t)
  const id = hub.add({ name: 'c', kind: 'counter' })
  const three = await server.stream(`/api/v1/live?series=${id}&interval=3`)
  hub.count(id, 1)
  hub.tick()
  const two = await server.stream(`/api/v1/live?series=${id}&interval=2`)
  for (let i = 2; i <= 6; i++) {
    hub.count(id, i)
    hub.tick()
  }
  const deltas = async (stream: EventReader) => {
    const { endMs, intervalMs, counters } = await cellsOf(stream)
    return [(endMs - START_MS) / 1000, intervalMs, counters[0]![1]]
  }
  assert.deepEqual(await deltas(three), [3, 3000, 6])
  assert.deepEqual(await deltas(three), [6, 3000, 15])
  assert.deepEqual(await deltas(two), [3, 2000, 5])
  assert.deepEqual(await deltas(two), [5, 2000, 9])
})

test('a post changes what a stream carries, and only that stream', async (t) => {
  const { hub, server, post } = await start(t)
  const a = hub.add({ name: 'a', kind: 'counter' })
  const b = hub.add({ name: 'b', kind: 'counter' })
  const stream = await server.stream(`/api/v1/live?series=${a}`)
  const other = await server.stream(`/api/v1/live?series=${a}`)
  const hello = await stream.next<HelloEvent>('hello')
  assert.equal(await post(hello.data.stream, [b]), 204)
  hub.count(a, 1)
  hub.count(b, 2)
  hub.tick()
  assert.deepEqual((await cellsOf(stream)).counters, [[b, 2]])
  assert.deepEqual((await cellsOf(other)).counters, [[a, 1]])
  assert.equal(await post('nobody', [b]), 404)
})

test('series and sources are told at the start and when they change', async (t) => {
  const { hub, server } = await start(t)
  const stream = await server.stream('/api/v1/live')
  assert.deepEqual((await stream.next<SeriesEvent>('series')).data, { revision: 0, total: 0 })
  await stream.next('sources')
  const id = hub.add({ name: 'c', kind: 'counter' })
  hub.countDown(id, 1)
  hub.tick()
  // Decrements are no series of their own.
  assert.deepEqual((await stream.next<SeriesEvent>('series')).data, { revision: 2, total: 1 })
  hub.tick()
  const limit = { name: 'x', limit: 1, used: 1, refused: 0, behaviour: 'refuses' }
  hub.status = { ...hub.status, limits: [limit] }
  hub.tick()
  const sources = await stream.next<SourcesAnswer>('sources')
  assert.deepEqual(sources.data.limits, [limit])
  hub.tick()
  await stream.next('cells')
  assert.deepEqual(
    stream.events.filter(({ event }) => event !== 'cells'),
    [],
  )
})

test('news of a second come behind its cells', async (t) => {
  const { hub, server } = await start(t)
  const stream = await server.stream('/api/v1/live')
  await stream.next('sources')
  hub.add({ name: 'c', kind: 'counter' })
  hub.tick()
  await stream.until(() => stream.events.length === 2, 'two events')
  assert.deepEqual(
    stream.events.map(({ event }) => event),
    ['cells', 'series'],
  )
})

test('a client that comes back gets what the ring still has, once and in order', async (t) => {
  const { hub, server } = await start(t)
  const id = hub.add({ name: 'c', kind: 'counter' })
  const tick = (delta: number) => {
    hub.count(id, delta)
    hub.tick()
  }
  for (let i = 1; i <= 5; i++) tick(i)
  const headers = { 'last-event-id': String(START_MS + 2000) }
  const path = `/api/v1/live?series=${id}&interval=`
  const stream = await server.stream(`${path}1`, headers)
  const pairs = await server.stream(`${path}2`, headers)
  assert.equal((await stream.next('hello')).id, String(START_MS + 2000))
  tick(6)
  tick(7)
  const seen: unknown[] = []
  for (let i = 0; i < 5; i++) seen.push((await cellsOf(stream)).counters[0]![1])
  assert.deepEqual(seen, [3, 4, 5, 6, 7])
  const windows: unknown[] = []
  for (let i = 0; i < 3; i++) {
    const { intervalMs, counters } = await cellsOf(pairs)
    windows.push([intervalMs, counters[0]![1]])
  }
  // The last missed window is short: the session's own begins with the next second.
  assert.deepEqual(windows, [
    [2000, 7],
    [1000, 5],
    [2000, 13],
  ])
})

test('a client that the clock was set back for is told what it missed', async (t) => {
  const { hub, server } = await start(t)
  const id = hub.add({ name: 'c', kind: 'counter' })
  const tick = (delta: number) => {
    hub.count(id, delta)
    return hub.tick()
  }
  tick(1)
  for (const interval of [1, 3]) {
    const path = `/api/v1/live?series=${id}&interval=${interval}`
    const stream = await server.stream(path)
    let { id: lastId } = await stream.next('hello')
    hub.clock.setWall(-HOUR_MS)
    hub.clockSteps++
    const first = tick(2)
    await stream.until(() => stream.isEnded, 'the end')
    let told = 0
    for (const { event, id: own, data } of stream.events) {
      if (event === 'cells') told += Number((JSON.parse(data) as CellsEvent).counters[0]![1])
      lastId = own ?? lastId
    }
    lastId = stream.lastId ?? lastId
    assert.ok(Number(lastId) <= first.endMs)
    tick(3)
    const again = await server.stream(path, { 'last-event-id': lastId! })
    tick(4)
    while (told < 5) told += Number((await cellsOf(again)).counters[0]![1])
    assert.equal(told, 5)
    again.close()
  }
})

test('what a window held when the clock was set is told before the end', async (t) => {
  const { hub, server } = await start(t)
  const id = hub.add({ name: 'c', kind: 'counter' })
  for (const step of [2 * HOUR_MS, -HOUR_MS]) {
    const stream = await server.stream(`/api/v1/live?series=${id}&interval=3`)
    await stream.next('hello')
    hub.count(id, 1)
    hub.tick()
    hub.clock.setWall(step)
    hub.clockSteps++
    hub.count(id, 2)
    const { endMs } = hub.tick()
    await stream.until(() => stream.isEnded, 'the end')
    const cells = stream.events.filter(({ event }) => event === 'cells')
    assert.deepEqual(
      cells.map(({ data }) => (JSON.parse(data) as CellsEvent).counters),
      [[[id, 3]]],
    )
    assert.equal(stream.lastId, String(endMs))
  }
})

test('a cell is serialised once, however many streams show it', async (t) => {
  const { hub, server } = await start(t)
  const ids = Array.from({ length: 50 }, (_, i) => hub.add({ name: `h${i}`, kind: 'histogram' }))
  let unpacked = 0
  // Opened first, so it sees every frame before the streams do.
  hub.sessions.open({
    intervalS: 1,
    onFrame: (frame) => {
      const unpack = frame.histogramAt.bind(frame)
      frame.histogramAt = (row) => {
        unpacked++
        return unpack(row)
      }
    },
  })
  const asked = [ids, [...ids].reverse(), ids.slice(0, 25)]
  const streams = await Promise.all(
    asked.map((each) => server.stream(`/api/v1/live?series=${each}`)),
  )
  for (const id of ids) hub.observe(id, 5)
  hub.tick()
  const cells = await Promise.all(streams.map(cellsOf))
  assert.equal(unpacked, 50)
  assert.deepEqual(cells[0], cells[1])
  assert.deepEqual(
    cells.map(({ histograms }) => histograms.length),
    [50, 50, 25],
  )
})

test('a heartbeat comes every 15 s of the hub clock, and not before', async (t) => {
  const { hub, server } = await start(t)
  const id = hub.add({ name: 'a', kind: 'counter' })
  const stream = await server.stream(`/api/v1/live?series=${id}`)
  for (const heartbeats of [1, 2]) {
    hub.clock.advance(999)
    for (let second = 1; second <= 14; second++) hub.tick()
    // The cells of the last second were sent at 14,999 ms: a heartbeat before them has arrived too.
    for (let second = 1; second <= 14; second++) await stream.next('cells')
    assert.equal(stream.comments, heartbeats - 1)
    hub.clock.advance(1)
    await stream.until(() => stream.comments === heartbeats, 'heartbeat')
  }
})

test('nothing is left behind by clients that go', async (t) => {
  const { hub, server } = await start(t)
  const timers = hub.clock.pending
  const streams = await Promise.all([1, 2, 3].map(() => server.stream('/api/v1/live')))
  assert.equal(hub.sessions.size, 4)
  for (const stream of streams) stream.close()
  const isIdle = () => hub.sessions.size === 0 && hub.clock.pending === timers
  await streams[0]!.until(isIdle, 'idle hub')
  assert.deepEqual(server.counted.filter((each) => each === 'streams disconnected').length, 3)
})

test('streams beyond the limit get 503 with a hint, and room is given back', async (t) => {
  const { server } = await start(t, { streams: 1 })
  const stream = await server.stream('/api/v1/live')
  const refused = await server.ask('/api/v1/live')
  assert.equal(refused.status, 503)
  assert.match(refused.text, /"code":"streams_limit".*"hint"/)
  stream.close()
  await stream.until(() => server.counted.includes('streams disconnected'), 'end')
  const again = await server.stream('/api/v1/live')
  again.close()
  assert.ok(server.counted.includes('refused streams_limit'))
})

test('one address that has all streams keeps no other one from them', async (t) => {
  const { server } = await start(t, { streams: 4 })
  const text = 'GET /api/v1/live?interval=3600 HTTP/1.1\r\nHost: localhost\r\n\r\n'
  const held: RawPeer[] = []
  for (let i = 1; i <= 4; i++) {
    const peer = await RawPeer.connect(server.port, '127.0.0.1', '127.0.0.2')
    t.after(() => peer.close())
    held.push(peer)
    peer.write(Buffer.from(text))
    await until(() => peer.received.includes('event: hello'))
  }
  const streams = [await server.stream('/api/v1/live'), await server.stream('/api/v1/live')]
  await until(() => held.filter(({ isEnded }) => isEnded).length === 2)
  assert.ok(held[0]!.isEnded && held[1]!.isEnded)
  assert.equal((await server.ask('/api/v1/live')).status, 503)
  assert.ok(streams.every(({ isEnded }) => !isEnded))
  assert.equal(server.counted.filter((each) => each === 'streams made_room').length, 2)
  for (const stream of streams) stream.close()
})

test('a hub without free sessions gives that of another stream', async (t) => {
  const hub = new FakeHubView(undefined, 4)
  const server = await serve(t, { view: hub })
  for (let i = 0; i < 3; i++) {
    const peer = await RawPeer.connect(server.port, '127.0.0.1', '127.0.0.2')
    t.after(() => peer.close())
    peer.write(Buffer.from('GET /api/v1/live HTTP/1.1\r\nHost: localhost\r\n\r\n'))
    await until(() => peer.received.includes('event: hello'))
  }
  const stream = await server.stream('/api/v1/live')
  assert.equal(hub.sessions.size, 4)
  stream.close()
})

test('a hub without free sessions refuses streams and keeps none half open', async (t) => {
  const hub = new FakeHubView(undefined, 1)
  const server = await serve(t, { view: hub })
  const timers = hub.clock.pending
  assert.equal((await server.ask('/api/v1/live')).status, 503)
  assert.equal(hub.sessions.size, 0)
  assert.equal(hub.clock.pending, timers)
})

test('a client that does not read loses events and is closed in the end', async (t) => {
  const { hub, server } = await start(t, { streamBufferBytes: 65_536 })
  const ids = Array.from({ length: 500 }, (_, i) => hub.add({ name: `h${i}`, kind: 'histogram' }))
  const slow = await server.stream(`/api/v1/live?series=${ids}`)
  const quick = await server.stream(`/api/v1/live?series=${ids[0]}`)
  slow.incoming.pause()
  const skipped = () => server.counted.filter((each) => each === 'events_skipped cells').length
  for (let second = 0; second < 400 && !server.counted.includes('streams stalled'); second++) {
    for (const id of ids) hub.observe(id, second)
    hub.tick()
    await quick.next('cells')
  }
  assert.ok(skipped() > 30, `${skipped()} skipped`)
  assert.ok(server.counted.includes('streams stalled'))
  await slow.until(() => hub.sessions.size === 2, 'the session of the slow client is closed')
})

test('a client that does not read is closed as soon when the clock was set back', async (t) => {
  const { hub, server } = await start(t, { streamBufferBytes: 65_536 })
  const ids = Array.from({ length: 500 }, (_, i) => hub.add({ name: `h${i}`, kind: 'histogram' }))
  const slow = await server.stream(`/api/v1/live?series=${ids}`)
  const quick = await server.stream(`/api/v1/live?series=${ids[0]}`)
  slow.incoming.pause()
  const isSkipped = () => server.counted.includes('events_skipped cells')
  for (let second = 0; second < 400 && !server.counted.includes('streams stalled'); second++) {
    for (const id of ids) hub.observe(id, second)
    hub.tick()
    await quick.next('cells')
    if (isSkipped() && hub.clock.wallMs() > hub.clock.startMs) hub.clock.setWall(-HOUR_MS)
  }
  assert.ok(server.counted.includes('streams stalled'))
})

test('streams end in order when the hub stops', async (t) => {
  const { hub, server } = await start(t)
  const stream = await server.stream('/api/v1/live')
  await stream.next('sources')
  await server.stop()
  await stream.until(() => stream.isEnded, 'end')
  assert.equal(stream.incoming.complete, true)
  assert.equal(hub.sessions.size, 0)
  assert.ok(server.counted.includes('streams stopped'))
  await server.stop()
})
