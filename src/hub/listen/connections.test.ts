import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { until } from '../../../test/support/hub/hub.ts'
import type { Dialect } from '../../dialects/dialect.ts'
import type { DialectServer } from '../../dialects/endpoints.ts'
import { STREAM_PORT } from '../../dialects/options.ts'
import { dialect as statshero } from '../../dialects/statshero/dialect.ts'
import { Zone } from '../../shm/index.ts'
import { parseConfig } from '../config/config.ts'
import { SERIES_LIMITS } from '../ingest/quota.ts'
import { SeriesStore } from '../series/series.ts'
import { SelfMetrics } from '../status/self-metrics.ts'
import { Port } from './port.ts'

interface Taken {
  readonly dialect: string
  readonly first: string
}

/** A port shared by a dialect whose server speaks first and one whose client does, with `00`. */
async function sharedPort(
  connectionsLimit = 10,
  { config = {}, onTalk = () => {} }: { config?: object; onTalk?: (clock: FakeClock) => void } = {},
) {
  const taken: Taken[] = []
  const server = (name: string, greeting: string): DialectServer => ({
    accept(socket: Socket, first: Uint8Array) {
      taken.push({ dialect: name, first: Buffer.from(first).toString('latin1') })
      if (greeting !== '') {
        socket.write(greeting)
        onTalk(clock)
      }
      socket.resume()
    },
    connections: () => [],
    stop: async () => {},
  })
  const dialect = (name: string, speaksFirst: boolean, byte: number): Dialect => ({
    ...statshero,
    name,
    speaksFirst,
    port: STREAM_PORT,
    claims: (first) => (first.length < 2 ? undefined : first[0] === byte && first[1] === byte),
  })
  const clock = new FakeClock()
  const zone = Zone.create()
  const store = new SeriesStore(zone, SERIES_LIMITS, () => clock.wallMs())
  const metrics = new SelfMetrics(store, zone.attach())
  const errors: string[] = []
  const port = new Port(
    {
      name: 'stream',
      host: '127.0.0.1',
      port: 0,
      transports: ['tcp'],
      connectionsLimit,
      limits: parseConfig(config, []),
      receiveBufferBytes: 4096,
    },
    [
      { dialect: dialect('talker', true, 0x31), server: server('talker', 'hello') },
      { dialect: dialect('listener', false, 0x30), server: server('listener', '') },
    ],
    {
      clock,
      metrics,
      errors: {
        decodeError: ({ code }, first, { transport }) => {
          errors.push(`${code} ${transport} ${Buffer.from(first).toString('latin1')}`)
        },
      },
      log: () => {},
    },
  )
  await port.start()
  return { port, clock, taken, errors }
}

async function open(port: Port): Promise<{ socket: Socket; read: () => string }> {
  const socket = connect(port.port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  socket.on('error', () => {})
  await once(socket, 'connect')
  return { socket, read: () => text }
}

test('a silent connection goes to the server that speaks first, after a wait', async () => {
  const { port, clock, taken } = await sharedPort()
  const { socket, read } = await open(port)
  await until(() => port.status().connections === 1)
  assert.deepEqual(taken, [])
  clock.advance(50)
  await until(() => read() === 'hello')
  assert.deepEqual(taken, [{ dialect: 'talker', first: '' }])
  socket.destroy()
  port.stop()
})

test('a peer that speaks at once is never written to by another dialect', async () => {
  const { port, clock, taken } = await sharedPort()
  const { socket, read } = await open(port)
  socket.write('0')
  socket.write('0rest')
  await until(() => taken.length === 1)
  clock.advance(1000)
  assert.equal(taken[0]!.dialect, 'listener')
  assert.equal(taken[0]!.first.startsWith('00'), true)
  assert.equal(read(), '')
  socket.destroy()
  port.stop()
})

test('how long a peer may be silent before it is greeted is an option', async () => {
  const { port, clock } = await sharedPort(10, { config: { greetAfterMs: 400 } })
  const { socket, read } = await open(port)
  await until(() => port.status().connections === 1)
  clock.advance(399)
  for (let turn = 0; turn < 20; turn++) await nextTurn()
  assert.equal(read(), '')
  clock.advance(1)
  await until(() => read() === 'hello')
  socket.destroy()
  port.stop()
})

test('a peer that speaks while its greeting waits for a turn is told nothing', async () => {
  const peers: Awaited<ReturnType<typeof open>>[] = []
  const onTalk = (clock: FakeClock): void => {
    // the turn has no time left for the other one, which speaks now
    clock.advance(100)
    for (const { socket } of peers) socket.write('00')
  }
  const { port, clock, taken } = await sharedPort(10, { onTalk })
  peers.push(await open(port), await open(port))
  await until(() => port.status().connections === 2)
  clock.advance(50)
  await until(() => taken.length === 2)
  for (let turn = 0; turn < 20; turn++) await nextTurn()
  assert.deepEqual(
    taken.map(({ dialect }) => dialect),
    ['talker', 'listener'],
  )
  assert.deepEqual(peers.map(({ read }) => read()).toSorted(), ['', 'hello'])
  for (const { socket } of peers) socket.destroy()
  port.stop()
})

test('bytes that no dialect claims close the connection, and are an error', async () => {
  const { port, errors } = await sharedPort()
  const { socket } = await open(port)
  socket.write('GET / HTTP/1.1\r\n\r\n')
  await once(socket, 'close')
  assert.deepEqual(errors, ['unclaimed tcp GET / HTTP/1.1\r\n\r\n'])
  port.stop()
})

test('above the limit a connection is closed at once, and open ones go on', async () => {
  const { port, clock, taken } = await sharedPort(1)
  const first = await open(port)
  await until(() => port.status().connections === 1)
  const second = await open(port)
  await once(second.socket, 'close')
  assert.equal(port.refusedConnections, 1)
  clock.advance(50)
  await until(() => taken.length === 1)
  first.socket.destroy()
  await until(() => port.status().connections === 0)
  port.stop()
})
