import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import type { FakeClock } from '../../../test/support/fake-clock.ts'
import { serve } from '../../../test/support/http-client.ts'
import { FakeHubView } from '../../../test/support/hub/fake-hub-view.ts'
import { until } from '../../../test/support/hub/hub.ts'
import { RawPeer } from '../../../test/support/raw-peer.ts'
import type { ApiError } from '../api.ts'
import type { OtlpPreview } from '../export/otlp/source.ts'
import { HTTP_LIMITS } from '../limits.ts'

/** Answers without end, of the given text or of pauses alone, until they are let go. */
class Endless implements OtlpPreview {
  readonly text: string | undefined
  open = 0
  steps = 0
  isLetGo = false
  /** Stands still unless told; without it a turn would never end. */
  clock: FakeClock | undefined

  constructor(text?: string) {
    this.text = text
  }

  metricsOf(): [] {
    return []
  }

  *json(): Generator<string | undefined, void> {
    this.open++
    try {
      for (; !this.isLetGo; this.steps++) {
        if (this.text === undefined) this.clock?.pass(5)
        yield this.text
      }
      yield '{}'
    } finally {
      this.open--
    }
  }
}

async function start(test: TestContext, otlp: Endless, limits = {}) {
  const hub = new FakeHubView()
  otlp.clock = hub.clock
  const server = await serve(test, {
    view: hub,
    otlp: async () => otlp,
    limits: { ...HTTP_LIMITS, ...limits },
  })
  const open = async (headers = '', from?: string): Promise<RawPeer> => {
    const peer = await RawPeer.connect(server.port, '127.0.0.1', from)
    test.after(() => peer.close())
    const head = `GET /api/v1/otlp HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`
    peer.write(Buffer.from(head))
    return peer
  }
  return { hub, server, open }
}

/** Waits until nothing more is made, because nothing more is taken. */
async function isStalled(otlp: Endless): Promise<void> {
  for (let before = -1; otlp.steps === 0 || before !== otlp.steps; ) {
    before = otlp.steps
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

test('an answer without a place waits, and goes on when there is one', async (t) => {
  const otlp = new Endless()
  const { server, open } = await start(t, otlp, { answersLimit: 1 })
  const first = await open()
  await until(() => otlp.open === 1)
  const second = server.ask('/api/v1/otlp')
  first.close()
  await until(() => otlp.open === 0 || otlp.steps > 0)
  otlp.isLetGo = true
  assert.equal((await second).text, '{}')
})

test('an answer that found no place in time is 503, and says when to ask again', async (t) => {
  const otlp = new Endless()
  const { hub, server, open } = await start(t, otlp, { answersLimit: 1 })
  await open()
  await until(() => otlp.open === 1)
  const second = server.ask('/metrics')
  const waits = hub.clock.pending
  await until(() => hub.clock.pending > waits)
  hub.clock.advance(2000)
  const { status, headers, json } = await second
  assert.equal(status, 503)
  assert.equal(headers['retry-after'], '2')
  assert.equal(json<ApiError>().error.code, 'busy')
  assert.ok(server.counted.includes('refused busy'))
})

test('where as many wait as may, a further answer is refused at once', async (t) => {
  const otlp = new Endless()
  const { server, open } = await start(t, otlp, { answersLimit: 1, answersWaitingLimit: 0 })
  await open()
  await until(() => otlp.open === 1)
  for (const path of ['/metrics', '/api/v1/series', '/api/v1/sources', '/api/v1/range?series=']) {
    assert.equal((await server.ask(path)).status, 503, path)
  }
})

test('what an answer takes no place for is answered beside full places', async (t) => {
  const otlp = new Endless()
  const { hub, server, open } = await start(t, otlp, { answersLimit: 1, answersWaitingLimit: 0 })
  const id = hub.add({ name: 'n', kind: 'gauge' })
  await open()
  await until(() => otlp.open === 1)
  assert.equal((await server.ask(`/api/v1/series/${id}`)).status, 200)
  assert.equal((await server.ask('/metrics', { method: 'HEAD' })).status, 200)
})

test('the work of an answer ends with its client, before its first byte', async (t) => {
  const otlp = new Endless()
  const { open } = await start(t, otlp)
  const peer = await open()
  await until(() => otlp.steps > 1)
  peer.close()
  await until(() => otlp.open === 0)
})

test('the work of an answer ends with its client, compressed or not', async (t) => {
  for (const headers of ['', 'Accept-Encoding: gzip\r\n']) {
    const otlp = new Endless(randomBytes(20_000).toString('latin1'))
    const { open } = await start(t, otlp)
    const peer = await open(headers)
    await until(() => peer.received.length > 100_000)
    peer.close()
    await until(() => otlp.open === 0)
  }
})

test('a client that goes in the middle of a compressed answer is no fault', async (t) => {
  for (let round = 0; round < 20; round++) {
    const otlp = new Endless(randomBytes(20_000).toString('latin1'))
    const { open } = await start(t, otlp)
    const peer = await open('Accept-Encoding: gzip\r\n')
    await until(() => peer.received.length > (round % 10) * 10_000)
    peer.close()
    await until(() => otlp.open === 0)
  }
})

test('no more is made of an answer than its client takes', async (t) => {
  const piece = 'text '.repeat(10_000)
  const otlp = new Endless(piece)
  const { open } = await start(t, otlp)
  const peer = await open()
  peer.socket.pause()
  await isStalled(otlp)
  // what the system holds of a connection is a few megabytes
  assert.ok(otlp.steps * piece.length < 32_000_000, `${otlp.steps} pieces`)
})

test('a client that lets its answer wait gives way to one that waits for a place', async (t) => {
  const otlp = new Endless('text '.repeat(10_000))
  const { hub, server, open } = await start(t, otlp, { answersLimit: 1 })
  const slow = await open()
  slow.socket.pause()
  await isStalled(otlp)
  const second = server.ask('/metrics')
  const waits = hub.clock.pending
  await until(() => hub.clock.pending > waits)
  hub.clock.advance(1500)
  assert.equal((await second).status, 200)
  await until(() => otlp.open === 0)
  assert.ok(server.counted.includes('answers_cut slow'))
})

test('one address that has all places and waits for more keeps no other one out', async (t) => {
  const otlp = new Endless()
  const limits = { answersLimit: 2, answersWaitingLimit: 2 }
  const { hub, server, open } = await start(t, otlp, limits)
  for (let i = 1; i <= 2; i++) {
    await open('', '127.0.0.2')
    await until(() => otlp.open === i)
  }
  const waiting: RawPeer[] = []
  for (let i = 0; i < 3; i++) waiting.push(await open('', '127.0.0.2'))
  // that two wait is known by the refusal of a third one
  await until(() => waiting.some(({ received }) => received.includes(' 503 ')))
  const answer = server.ask('/metrics')
  await until(() => server.counted.filter((each) => each === 'refused busy').length === 2)
  // the newest of that address made room among those that wait; nothing is cut at once
  assert.equal(otlp.open, 2)
  hub.clock.advance(750)
  assert.equal((await answer).status, 200)
  assert.ok(server.counted.includes('answers_cut made_room'))
  await until(() => otlp.open === 2)
})

test('of those that wait, an address with fewer places comes first', async (t) => {
  const otlp = new Endless()
  const { server, open } = await start(t, otlp, { answersLimit: 2 })
  const held = [await open('', '127.0.0.2'), await open('', '127.0.0.2')]
  await until(() => otlp.open === 2)
  for (let i = 0; i < 3; i++) await open('', '127.0.0.2')
  const answer = server.ask('/metrics')
  // requests begin in turn: once these are answered, all of the others wait
  for (let i = 0; i < 3; i++) await server.ask('/api/v1/series/1')
  held[0]!.close()
  assert.equal((await answer).status, 200)
})
