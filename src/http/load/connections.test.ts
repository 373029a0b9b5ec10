/** Places for connections, when some are held for nothing. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { serve } from '../../../test/support/http-client.ts'
import { FakeHubView } from '../../../test/support/hub/fake-hub-view.ts'
import { until } from '../../../test/support/hub/hub.ts'
import { RawPeer } from '../../../test/support/raw-peer.ts'

const HOST = 'HTTP/1.1\r\nHost: localhost\r\n'
/** Requests whose bodies never end. */
const ENDLESS = [
  `POST /api/v1/live/x ${HOST}Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n[`,
  `GET /api/v1/series ${HOST}Content-Length: 100000\r\n\r\nx`,
  `GET /api/v1/live ${HOST}Content-Length: 1\r\n\r\n`,
]

async function ask(t: TestContext, port: number, text: string, from?: string): Promise<RawPeer> {
  const peer = await RawPeer.connect(port, '127.0.0.1', from)
  t.after(() => peer.close())
  peer.write(Buffer.from(text))
  return peer
}

async function hold(t: TestContext, port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').resume()
  socket.on('error', () => {})
  t.after(() => socket.destroy())
  await once(socket, 'connect')
  return socket
}

for (const limits of [{ connections: 3 }, { connectionsPerAddress: 3 }]) {
  test(`who holds all places keeps no other out: ${Object.keys(limits)}`, async (t) => {
    const server = await serve(t, { view: new FakeHubView(), limits })
    const held: Socket[] = []
    for (let i = 0; i < 3; i++) held.push(await hold(t, server.port))
    const closed = once(held[0]!, 'close')
    assert.equal((await server.ask('/healthz')).status, 200)
    await closed
    assert.deepEqual(
      held.map(({ destroyed }) => destroyed),
      [true, false, false],
    )
    assert.deepEqual(
      server.counted.filter((each) => each.startsWith('refused')),
      ['refused made_room'],
    )
  })
}

test('an answer under way is never closed for a newcomer', async (t) => {
  const server = await serve(t, { view: new FakeHubView(), limits: { connections: 2 } })
  const stream = await server.stream('/api/v1/live')
  const held = await hold(t, server.port)
  const closed = once(held, 'close')
  assert.equal((await server.ask('/healthz')).status, 200)
  await closed
  assert.equal(stream.isEnded ?? false, false)
  stream.close()
})

test('one address whose requests never end keeps no other one out, and it is logged', async (t) => {
  const hub = new FakeHubView()
  const lines: string[] = []
  const counted: string[] = []
  const reports = {
    count: (name: string, reason: string) => void counted.push(`${name} ${reason}`),
    log: (_: string, message: string, facts: object = {}) => {
      lines.push(`${message} ${JSON.stringify(facts)}`)
    },
  }
  const limits = { connections: 4, connectionsPerAddress: 4 }
  const server = await serve(t, { view: hub, limits, reports })
  const held: RawPeer[] = []
  for (let i = 0; i < 4; i++) held.push(await ask(t, server.port, ENDLESS[i % 3]!, '127.0.0.2'))
  await until(() => hub.sessions.size > 0)
  const probes: RawPeer[] = []
  for (let i = 0; i < 2; i++) probes.push(await ask(t, server.port, `GET /healthz ${HOST}\r\n`))
  await until(() => probes.every(({ received }) => received.includes('"isAlive":true')))
  await until(() => held.filter(({ isEnded }) => isEnded).length === 2)
  // equal shares are stable
  const back = await ask(t, server.port, ENDLESS[0]!, '127.0.0.2')
  await back.ended()
  assert.equal(held.filter(({ isEnded }) => isEnded).length, 2)
  assert.deepEqual(
    counted.filter((each) => /made_room|limit/.test(each)),
    ['refused made_room', 'refused made_room', 'refused connections_limit'],
  )
  assert.deepEqual(lines, [
    'connections to HTTP closed to make room for others {"address":"127.0.0.2","count":1}',
    'connections to HTTP refused: all places are taken {"address":"127.0.0.2","count":1}',
  ])
})

test('a request whose rest does not come is as idle as none, to its own address too', async (t) => {
  // a list is answered, whatever else the request has to say
  for (const text of [ENDLESS[0]!, ENDLESS[2]!]) {
    const hub = new FakeHubView()
    const server = await serve(t, { view: hub, limits: { connections: 1 } })
    // once the first of them is answered, the second has begun
    const held = await ask(t, server.port, `GET /healthz ${HOST}\r\n${text}`)
    await until(() => held.received.includes('"isAlive":true'))
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
    await assert.rejects(server.ask('/healthz'))
    assert.equal(held.isEnded, false)
    hub.clock.advance(300)
    assert.equal((await server.ask('/healthz')).status, 200)
    await held.ended()
  }
})

test('an answer that is not taken is as idle as none', async (t) => {
  const hub = new FakeHubView()
  let steps = 0
  const otlp = {
    metricsOf: () => [],
    *json() {
      for (; ; steps++) yield 'text '.repeat(10_000)
    },
  }
  const server = await serve(t, {
    view: hub,
    otlp: async () => otlp,
    limits: { connections: 1 },
  })
  const held = await ask(t, server.port, `GET /api/v1/otlp ${HOST}\r\n`)
  await until(() => held.received.length > 0)
  held.socket.pause()
  // until the system takes no more of it
  for (let before = -1; before !== steps; ) {
    before = steps
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  await assert.rejects(server.ask('/healthz'))
  hub.clock.advance(1000)
  assert.equal((await server.ask('/healthz')).status, 200)
})
