/** Clients that read too slowly, or never (eventcounters.md §6). */
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { suite, type TestContext, test } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import {
  FakeCounterSource,
  LineClient,
  startEndpoint,
  sum,
  until,
  windowOf,
} from '../test/counter-wire.ts'
import type { OutputLimits } from './output.ts'

/** Large enough for one of them to fill what the system itself holds for a connection. */
const COUNTERS = 2000

async function start(t: TestContext, limits: Partial<OutputLimits> = {}) {
  const source = new FakeCounterSource()
  const clock = new FakeClock()
  const endpoint = await startEndpoint(t, { source, clock, limits })
  const open = (isReading: boolean, intervalSec = 1) =>
    LineClient.open(endpoint.port, `?EventCounterIntervalSec=${intervalSec}`, { isReading })
  return { ...endpoint, source, clock, open }
}

/** The windows of one boundary, recognisable by its number. */
function boundary(number: number, counters = COUNTERS) {
  return Array.from({ length: counters }, (_, i) => windowOf(`counter-${i}`, sum(number)))
}

/** Increments of every line, one entry per boundary, which must be whole. */
function boundariesOf(client: LineClient, counters = COUNTERS): unknown[] {
  const { payloads } = client
  const numbers: unknown[] = []
  for (let i = 0; i < payloads.length; i += counters) {
    const part = payloads.slice(i, i + counters)
    assert.equal(part.length, counters, 'a boundary is whole')
    part.forEach(({ Name, Increment }, place) => {
      assert.equal(Name, `counter-${place}`)
      assert.equal(Increment, part[0]!.Increment)
    })
    numbers.push(part[0]!.Increment)
  }
  return numbers
}

suite('a client that never reads', () => {
  test('is closed after 30 skipped boundaries, and its neighbour loses nothing', async (t) => {
    const { source, open, served, reports } = await start(t)
    const slow = await open(false, 10)
    const quick = await open(true, 1)
    let sent = 0
    while (source.sessions.size === 2 && sent < 200) {
      sent++
      source.emit(boundary(sent))
      await until(() => quick.lines.length === sent * COUNTERS, `boundary ${sent}`)
    }
    assert.equal(source.sessions.size, 1, 'one is left')
    assert.equal(reports.counts['endpoint_sessions stalled'], 1)
    assert.equal(reports.counts['skipped_boundaries buffer_full'], 30)
    assert.deepEqual(
      boundariesOf(quick),
      Array.from({ length: sent }, (_, i) => i + 1),
    )
    const [left] = served
    assert.deepEqual(left!.counts, { boundaries: sent, skipped: 0 })
    slow.read()
    await until(() => slow.isEnded, 'slow client closed')
  })

  test('never has more waiting than the limit', async (t) => {
    const limit = 100_000
    const { source, open, server } = await start(t, { outputBytes: limit })
    const sockets: Socket[] = []
    server.on('connection', (socket) => sockets.push(socket))
    await open(false)
    let most = 0
    for (let i = 1; source.sessions.size > 0 && i < 500; i++) {
      source.emit(boundary(i, 300))
      for (const socket of sockets) most = Math.max(most, socket.writableLength)
      await new Promise((resolve) => setImmediate(resolve))
    }
    assert.equal(source.sessions.size, 0)
    assert.ok(most > limit / 2, `${most} bytes waited`)
    // Headers and the lengths of chunks come on top.
    assert.ok(most < limit + 1000, `${most} bytes waited`)
  })
})

suite('a client that reads late', () => {
  test('gets what fitted, each boundary whole, and then goes on', async (t) => {
    const { source, open, served } = await start(t)
    const client = await open(false)
    const [session] = served
    let sent = 0
    while (session!.counts.skipped < 3) source.emit(boundary(++sent))
    client.read()
    const taken = () => session!.counts.boundaries - session!.counts.skipped
    await until(() => client.lines.length === taken() * COUNTERS, 'what waited')
    source.emit(boundary(++sent))
    await until(() => client.lines.length === taken() * COUNTERS, 'the next one')
    const numbers = boundariesOf(client)
    assert.equal(numbers.at(-1), sent)
    assert.equal(session!.counts.skipped, 3)
    assert.deepEqual(
      numbers.slice(0, -1),
      Array.from({ length: sent - 4 }, (_, i) => i + 1),
    )
  })

  test('starts to count skipped boundaries anew after one that fitted', async (t) => {
    const { source, open, served } = await start(t, { skippedInARow: 4 })
    const client = await open(false)
    const [session] = served
    for (let round = 1; round <= 3; round++) {
      while (session!.counts.skipped < 3 * round) source.emit(boundary(round))
      if (round === 1) client.read()
      else client.incoming.resume()
      const taken = () => session!.counts.boundaries - session!.counts.skipped
      await until(() => client.lines.length === taken() * COUNTERS, 'what waited')
      client.incoming.pause()
      source.emit(boundary(round))
    }
    assert.equal(source.sessions.size, 1)
  })
})

suite('a boundary that is larger than the buffer', () => {
  test('is sent in pieces when nothing waits, and whole', async (t) => {
    const { source, open, served } = await start(t, { outputBytes: 20_000 })
    const client = await open(true)
    const [session] = served
    for (let number = 1; number <= 3; number++) {
      source.emit(boundary(number))
      await until(() => client.lines.length === number * COUNTERS, `boundary ${number}`)
    }
    assert.deepEqual(boundariesOf(client), [1, 2, 3])
    assert.equal(session!.counts.skipped, 0)
  })

  test('makes the next one skipped while it is under way', async (t) => {
    const { source, open, served } = await start(t, { outputBytes: 20_000 })
    const client = await open(true)
    const [session] = served
    source.emit(boundary(1))
    source.emit(boundary(2, 1))
    await until(() => client.lines.length === COUNTERS, 'boundary 1')
    source.emit(boundary(3))
    await until(() => client.lines.length === 2 * COUNTERS, 'boundary 3')
    assert.deepEqual(boundariesOf(client), [1, 3])
    assert.equal(session!.counts.skipped, 1)
  })

  test('is no reason to write on after the session was ended', async (t) => {
    const { source, open, served } = await start(t, { outputBytes: 20_000 })
    const client = await open(true)
    source.emit(boundary(1))
    for (const session of served) session.end()
    await client.ended()
    assert.ok(client.lines.length < COUNTERS)
    assert.equal(client.incoming.complete, true)
    assert.equal(client.text, '', 'ends behind a whole line')
  })
})
