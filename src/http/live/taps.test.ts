import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { serve } from '../../../test/support/http-client.ts'
import { FakeHubView, START_MS } from '../../../test/support/hub/fake-hub-view.ts'
import { packet, until } from '../../../test/support/hub/hub.ts'
import { RawPeer } from '../../../test/support/raw-peer.ts'
import type { TapBatch, TapPacket } from '../../hub/listen/tap/tap.ts'
import type {
  ApiError,
  TapErrorEvent,
  TapHelloEvent,
  TapPacketEvent,
  TapSkippedEvent,
} from '../api.ts'
import type { HttpLimits } from '../limits.ts'

const PEER = { timeMs: START_MS, dialect: 'statshero', address: '10.0.0.1', port: 7 } as const
const NO_LOSSES = { packets: 0, bytes: 0, errors: 0 }

async function start(context: TestContext, limits: Partial<HttpLimits> = {}) {
  const hub = new FakeHubView()
  const listener = { name: 'text', host: '127.0.0.1', port: 8125, transports: ['udp', 'tcp'] }
  const rest = { dialects: ['statshero'], state: 'listening', connections: 0 } as const
  hub.status = { ...hub.status, listeners: [{ ...listener, ...rest }] }
  const server = await serve(context, { view: hub, limits })
  const give = (items: TapBatch['items'], losses: TapBatch['losses'] = NO_LOSSES): void => {
    for (const take of hub.taps.get('text') ?? []) take({ items, losses })
  }
  return { hub, server, give }
}

const datagram = (bytes: Uint8Array): TapPacket => {
  return { ...PEER, transport: 'udp', bytes, isStart: true, isAfterGap: false }
}
const read = (text: string, isStart: boolean, isAfterGap = false): TapPacket => {
  return { ...PEER, transport: 'tcp', bytes: Buffer.from(text), isStart, isAfterGap }
}

test('a listener is tapped while a stream is open, and its messages are told', async (t) => {
  const { hub, server, give } = await start(t)
  const stream = await server.stream('/api/v1/tap?listener=text')
  const { data } = await stream.next<TapHelloEvent>('hello')
  assert.deepEqual(data, { listener: 'text', dialects: ['statshero'], nowMs: START_MS })
  assert.equal(hub.taps.get('text')!.size, 1)
  give([datagram(packet('a:1|m\nb:2|g\n'))])
  assert.deepEqual((await stream.next<TapPacketEvent>('packet')).data, {
    ...{ timeMs: START_MS, dialect: 'statshero', transport: 'udp', peer: '10.0.0.1:7', bytes: 17 },
    messages: [
      { key: 'a', value: 1, type: 'm' },
      { key: 'b', value: 2, type: 'g' },
    ],
  })
  stream.close()
  await until(() => hub.taps.get('text')!.size === 0)
  assert.ok(server.counted.includes('taps disconnected'))
})

test('reads of a connection are put together; after a gap, from the next message on', async (t) => {
  const { server, give } = await start(t)
  const stream = await server.stream('/api/v1/tap?listener=text&hex=true')
  await stream.next('hello')
  give([read('1|6\nab', true), read('c:1|m', false)])
  give([read('d:1|m\n', false, true), read('1|6\ne:1|m\n', true, true)])
  const told: TapPacketEvent[] = []
  for (let i = 0; i < 3; i++) told.push((await stream.next<TapPacketEvent>('packet')).data)
  assert.deepEqual(
    told.map(({ messages }) => messages.map((each) => (each as { key: string }).key)),
    [[], [], ['e']],
  )
  assert.equal(told[0]!.hex, Buffer.from('1|6\nab').toString('hex'))
})

test('errors have their bytes, and what was left out is said', async (t) => {
  const { server, give } = await start(t)
  const stream = await server.stream('/api/v1/tap?listener=text')
  await stream.next('hello')
  const bytes = Buffer.from('a:1x|m')
  const error = { code: 'bad_value', offset: 3, resync: true, detail: 'no integer' }
  give([{ ...PEER, transport: 'udp', ...error, bytes }], { packets: 4, bytes: 40, errors: 2 })
  assert.deepEqual((await stream.next<TapSkippedEvent>('skipped')).data, {
    ...{ packets: 4, bytes: 40, messages: 0, errors: 2 },
  })
  const { data } = await stream.next<TapErrorEvent>('bad')
  assert.deepEqual([data.code, data.offset, data.hex], ['bad_value', 3, bytes.toString('hex')])
})

test('beyond some messages in a tenth of a second they are counted', async (t) => {
  const { hub, server, give } = await start(t)
  const stream = await server.stream('/api/v1/tap?listener=text')
  await stream.next('hello')
  const many = datagram(packet('a:1|m\n'.repeat(200)))
  give([many, many])
  const { data } = await stream.next<TapSkippedEvent>('skipped')
  assert.equal(data.messages, 150)
  hub.clock.advance(100)
  give([many])
  for (const count of [200, 50, 200]) {
    assert.equal((await stream.next<TapPacketEvent>('packet')).data.messages.length, count)
  }
})

test('a packed body that unpacks to more than may be read is no flood', async (t) => {
  const { server, give } = await start(t)
  const stream = await server.stream('/api/v1/tap?listener=text')
  await stream.next('hello')
  const body = gzipSync(Buffer.from('a:1|m\n'.repeat(100_000)))
  give([datagram(Buffer.concat([Buffer.from(`1|${body.length}\n`), body]))])
  assert.deepEqual((await stream.next<TapPacketEvent>('packet')).data.messages, [])
})

test('a client that reads nothing misses events, and is told how many', async (t) => {
  const { server, give, hub } = await start(t, { streamBufferBytes: 20_000 })
  const slow = await RawPeer.connect(server.port)
  slow.socket.pause()
  slow.write(Buffer.from('GET /api/v1/tap?listener=text HTTP/1.1\r\nHost: localhost\r\n\r\n'))
  await until(() => hub.taps.get('text')?.size === 1)
  const many = datagram(packet('some.longer.key:1|m\n'.repeat(200)))
  for (let i = 0; i < 100; i++) {
    give([many])
    hub.clock.advance(100)
  }
  slow.socket.resume()
  const text = (): string => slow.received.toString()
  // it is told with the first event that has room again
  await until(() => {
    hub.clock.advance(100)
    give([many])
    return text().includes('event: skipped')
  })
  const counts = JSON.parse(/event: skipped\ndata: (.*)\n/.exec(text())![1]!) as TapSkippedEvent
  assert.ok(counts.packets > 10 && counts.messages === 200 * counts.packets)
  slow.socket.destroy()
})

test('taps beyond the limit, and listeners that are none, are refused in words', async (t) => {
  const { server } = await start(t, { taps: 1 })
  const unknown = await server.ask('/api/v1/tap?listener=tex')
  assert.equal(unknown.status, 404)
  assert.deepEqual(unknown.json<ApiError>().error, {
    ...{ code: 'unknown_listener', message: 'no listener tex', hint: 'there are: text' },
  })
  assert.equal((await server.ask('/api/v1/tap')).status, 400)
  const stream = await server.stream('/api/v1/tap?listener=text')
  await stream.next('hello')
  const refused = await server.ask('/api/v1/tap?listener=text')
  assert.equal(refused.status, 503)
  assert.equal(refused.json<ApiError>().error.code, 'taps_limit')
  assert.ok(server.counted.includes('refused taps_limit'))
})
