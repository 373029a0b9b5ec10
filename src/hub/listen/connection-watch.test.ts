import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { suite, type TestContext, test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { packet, startHub, type TestHub, until } from '../../../test/support/hub/hub.ts'
import { NO_REPORTS } from '../../dialects/endpoints.ts'
import { parseConfig } from '../config/config.ts'
import { OwnCounter, type SelfMetrics } from '../status/self-metrics.ts'
import { ConnectionPlaces } from './connection-places.ts'
import { ConnectionWatch } from './connection-watch.ts'
import { PeerCounts } from './peer-counts.ts'
import { portOptions } from './port-options.ts'

const WHOLE = packet('a:1|m\n')
/** Wallaroo's Connect, and a frame of 1 MiB of which only the length comes. */
const CONNECT = Buffer.from([0, 0, 0, 1, 1])
const LARGE_FRAME = Buffer.from([0, 16, 0, 0, 3])

async function setUp(context: TestContext, options: Record<string, unknown> = {}) {
  const started = await startHub(options)
  const sockets: Socket[] = []
  context.after(async () => {
    for (const socket of sockets) socket.destroy()
    await started.hub.stop()
  })
  const peer = async (port: number, bytes?: Uint8Array, localAddress = '127.0.0.1') => {
    const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {})
    socket.resume()
    sockets.push(socket)
    await once(socket, 'connect')
    if (bytes !== undefined) socket.write(bytes)
    return socket
  }
  return { ...started, peer }
}

/** Connections that the hub itself closed, by listener and reason. */
function closed({ hub }: Pick<TestHub, 'hub'>): Record<string, number> {
  const entries = [...hub.series]
    .filter(({ identity }) => identity.name === 'pentameter.connections.closed')
    .map((record): [string, number] => {
      const total = hub.total(record)
      const labels = record.identity.labels.map(([, value]) => value).join(' ')
      return [labels, total.kind === 'counter' ? Number(total.total) : 0]
    })
  return Object.fromEntries(entries)
}

function open({ hub }: Pick<TestHub, 'hub'>, name = 'text'): number {
  return hub.sources().listeners.find((each) => each.name === name)!.connections
}

function lines({ log }: Pick<TestHub, 'log'>, reason: string): string[] {
  return log.filter((line) => line.includes(`"reason":"${reason}"`))
}

/** Lets time pass as an event loop does that is not held up. */
async function pass(started: TestHub, seconds: number): Promise<void> {
  for (let i = 0; i < seconds; i++) {
    started.clock.advance(1000)
    await new Promise(setImmediate)
  }
}

suite('time that connections may take', () => {
  test('silent connections are closed within a minute, and one line tells of them', async (it) => {
    const started = await setUp(it)
    const { textPort, streamPort, peer } = started
    for (let i = 0; i < 20; i++) await peer(textPort)
    for (let i = 0; i < 20; i++) await peer(streamPort, Buffer.of(0))
    await until(() => open(started) === 20 && open(started, 'stream') === 20)
    // their byte is read in these turns: none of them is taken for a viewer that waits
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
    await pass(started, 40)
    assert.equal(open(started), 20)
    await pass(started, 20)
    assert.deepEqual([open(started), open(started, 'stream')], [0, 0])
    assert.deepEqual(closed(started), {
      'text first_message_timeout': 20,
      'stream first_message_timeout': 20,
    })
    const [line, ...more] = lines(started, 'first_message_timeout')
    assert.match(line!, /"count":20/)
    await pass(started, 60)
    assert.equal(lines(started, 'first_message_timeout').length, more.length + 2)
  })

  test('dripped bytes do not extend the time of a message', async (context) => {
    const started = await setUp(context)
    const { streamPort, peer } = started
    const socket = await peer(streamPort, Buffer.concat([CONNECT, LARGE_FRAME]))
    const isHeld = () => started.hub.sources().connections.some(({ facts }) => facts.connects === 1)
    await until(isHeld)
    for (let second = 0; second < 28; second++) {
      await pass(started, 1)
      socket.write(Buffer.of(0))
    }
    assert.equal(open(started, 'stream'), 1)
    await pass(started, 5)
    assert.equal(open(started, 'stream'), 0)
    assert.deepEqual(closed(started), { 'stream message_timeout': 1 })
  })

  test('a quiet sender stays, as long as there is room', async (context) => {
    const started = await setUp(context, { connectionsLimit: 2 })
    const { textPort, streamPort, hub, peer } = started
    const quiet = await peer(textPort, WHOLE)
    const worker = await peer(streamPort, CONNECT)
    await until(() => hub.measurements('statshero') === 1)
    await until(() => open(started, 'stream') === 1)
    await pass(started, 3600)
    assert.deepEqual([open(started), open(started, 'stream')], [1, 1])
    const working = await peer(textPort, WHOLE)
    await until(() => hub.measurements('statshero') === 2)
    await pass(started, 1)
    const late = await peer(textPort, WHOLE)
    await until(() => hub.measurements('statshero') === 3)
    await until(() => quiet.closed)
    const sorry = await peer(textPort)
    await until(() => sorry.closed)
    assert.deepEqual(
      [working, late, worker].map(({ closed }) => closed),
      [false, false, false],
    )
    assert.deepEqual(closed(started), { 'text made_room': 1 })
    const limit = hub.sources().limits.find(({ name }) => name === 'connectionsLimit of text')
    assert.equal(limit?.refused, 1)
  })

  test('a hub that stood still blames no peer', async (context) => {
    const started = await setUp(context)
    const { textPort, clock, peer } = started
    await peer(textPort)
    await until(() => open(started) === 1)
    clock.stall(300_000)
    await pass(started, 30)
    assert.equal(open(started), 1)
  })
})

suite('places for connections', () => {
  test('are made for latecomers by those that have said nothing', async (context) => {
    const started = await setUp(context, { connectionsLimit: 5 })
    const { textPort, hub, peer, clock } = started
    const working = await peer(textPort, WHOLE)
    await until(() => hub.measurements('statshero') === 1)
    const silent: Socket[] = []
    for (let i = 0; i < 4; i++) silent.push(await peer(textPort))
    await until(() => open(started) === 5)
    clock.advance(300)
    for (let i = 2; i <= 5; i++) {
      await peer(textPort, WHOLE)
      await until(() => hub.measurements('statshero') === i)
    }
    await until(() => silent.every((socket) => socket.closed))
    assert.equal(working.closed, false)
    assert.deepEqual(closed(started), { 'text made_room': 4 })
    await peer(textPort)
    await until(() => hub.sources().limits.some(({ refused }) => refused === 1))
    assert.equal(open(started), 5)
  })

  test('are taken from the address that has most, whatever it does in them', async (context) => {
    const started = await setUp(context, { connectionsLimit: 4 })
    const { textPort, hub, peer } = started
    const held: Socket[] = []
    for (let i = 1; i <= 4; i++) {
      held.push(await peer(textPort, WHOLE, '127.0.0.2'))
      await until(() => hub.measurements('statshero') === i)
    }
    const came = [await peer(textPort, WHOLE, '127.0.0.3')]
    await until(() => hub.measurements('statshero') === 5)
    // it still has two fewer: one more
    await pass(started, 2)
    held[1]!.write(WHOLE)
    await until(() => hub.measurements('statshero') === 6)
    came.push(await peer(textPort, WHOLE, '127.0.0.3'))
    await until(() => hub.measurements('statshero') === 7)
    await until(() => held.filter((socket) => socket.closed).length === 2)
    // the most silent one went
    assert.deepEqual(
      held.map((socket) => socket.closed),
      [true, false, true, false],
    )
    // equal shares are stable: those who come back, and those who want more, are refused
    for (const address of ['127.0.0.2', '127.0.0.3']) {
      const refused = await peer(textPort, WHOLE, address)
      await until(() => refused.closed)
    }
    assert.ok(came.every((socket) => !socket.closed))
    assert.deepEqual(closed(started), { 'text made_room': 2 })
    await pass(started, 1)
    assert.match(lines(started, 'connections_limit')[0]!, /"count":2/)
    assert.match(lines(started, 'made_room').join(), /"count":[12]/)
  })

  test('are limited per address, over all listeners', async (context) => {
    const started = await setUp(context, { connectionsLimitPerAddress: 3 })
    const { textPort, streamPort, hub, peer } = started
    for (let i = 0; i < 2; i++) await peer(textPort, WHOLE)
    await peer(streamPort, CONNECT)
    await until(() => hub.measurements('statshero') === 2 && open(started, 'stream') === 1)
    const fourth = await peer(textPort, WHOLE)
    await until(() => fourth.closed)
    await peer(textPort, WHOLE, '127.0.0.2')
    await until(() => hub.measurements('statshero') === 3)
    assert.deepEqual(closed(started), { 'text connections_per_address': 1 })
    const limit = hub.sources().limits.find(({ name }) => name === 'connectionsLimitPerAddress')
    assert.deepEqual([limit?.used, limit?.refused], [3, 1])
  })
})

suite('bytes of unfinished messages', () => {
  test('are limited per address: who holds most is closed', async (context) => {
    const limits = { unfinishedBytesLimitPerAddress: 1_048_576 }
    const started = await setUp(context, limits)
    const { textPort, hub, peer } = started
    const held = () =>
      hub.sources().limits.find(({ name }) => name === 'unfinishedBytesLimitPerAddress')!
    const small = await peer(textPort, Buffer.from('1|20000\naaa'))
    await until(() => held().used > 0)
    const large: Socket[] = []
    const body = Buffer.concat([Buffer.from('1|1000000\n'), Buffer.alloc(600_000, 'a')])
    for (let i = 0; i < 6; i++) large.push(await peer(textPort, body))
    await until(() => large.filter((socket) => socket.closed).length >= 5)
    assert.equal(small.closed, false)
    assert.ok(held().used <= held().limit)
    assert.ok(held().refused >= 5)
    assert.equal(closed(started)['text unfinished_bytes_per_address'], held().refused)
  })

  test('are limited in all, over listeners and addresses', async (context) => {
    const started = await setUp(context, { unfinishedBytesLimit: 1_048_576 })
    const { textPort, streamPort, hub, peer } = started
    const held = () => hub.sources().limits.find(({ name }) => name === 'unfinishedBytesLimit')!
    const text = Buffer.concat([Buffer.from('1|1000000\n'), Buffer.alloc(700_000, 'a')])
    await peer(textPort, text)
    await until(() => held().used >= 700_000)
    const frame = Buffer.concat([CONNECT, LARGE_FRAME, Buffer.alloc(600_000)])
    const large = await peer(streamPort, frame, '127.0.0.2')
    await until(() => large.closed)
    assert.ok(held().used <= held().limit)
    assert.deepEqual(closed(started), { 'stream unfinished_bytes': 1 })
    large.destroy()
  })

  test('are taken from the address that holds most in all, however small its parts', async (it) => {
    const started = await setUp(it, { unfinishedBytesLimit: 1_048_576 })
    const { textPort, hub, peer } = started
    const held = () => hub.sources().limits.find(({ name }) => name === 'unfinishedBytesLimit')!
    const part = (bytes: number) => Buffer.concat([Buffer.from('1|1000000\n'), Buffer.alloc(bytes)])
    const honest = await peer(textPort, part(200_000))
    await until(() => held().used >= 190_000)
    const small: Socket[] = []
    for (let i = 0; i < 20; i++) small.push(await peer(textPort, part(60_000), '127.0.0.2'))
    const left = () => small.filter((socket) => !socket.closed).length
    const whole = () =>
      hub.sources().connections.filter(({ facts }) => Number(facts.bytesHeld) >= 60_000)
    await until(() => left() < 20 && whole().length === left() + 1)
    assert.equal(honest.closed, false)
    assert.ok(held().used <= held().limit)
    assert.deepEqual(closed(started), { 'text unfinished_bytes': 20 - left() })
  })

  test('are allocated as they come, whatever a length announces', async (context) => {
    const started = await setUp(context)
    const { streamPort, textPort, hub, peer } = started
    await peer(streamPort, Buffer.concat([CONNECT, LARGE_FRAME]))
    await peer(textPort, Buffer.from('1|1000000\na'))
    await until(() => hub.sources().connections.length === 2)
    const held = () => hub.sources().connections.map(({ facts }) => Number(facts.bytesHeld))
    await until(() => held().every((bytes) => bytes > 0))
    assert.ok(held().every((bytes) => bytes <= 20_000))
  })
})

/** One thread's watch of a port that several have, and the connections that it is given. */
class ThreadWatch {
  readonly watch: ConnectionWatch
  readonly clock: FakeClock

  constructor(thread: number, peers: SharedArrayBuffer, places: Int32Array, limits = {}) {
    this.clock = new FakeClock()
    const layout = { open: 0, own: 1 + 2 * thread, refused: 2 + 2 * thread, limit: 6 }
    const options = portOptions('text', parseConfig(limits, []), [])
    this.watch = new ConnectionWatch(options, {
      clock: this.clock,
      log: () => {},
      errors: NO_REPORTS,
      metrics: { counter: () => new OwnCounter(undefined) } as unknown as SelfMetrics,
      peers: new PeerCounts(peers, 1 + thread, 0),
      places: new ConnectionPlaces(places, layout),
    })
  }

  /** @param bytesHeld of a message that is not complete */
  come(remoteAddress: string, bytesHeld = 0): FakeSocket {
    const socket = Object.assign(new FakeSocket(), { remoteAddress })
    if (this.watch.admit(socket as unknown as Socket)) {
      const progress = { messages: 1, isInsideMessage: bytesHeld > 0, isTimed: false, bytesHeld }
      this.watch.follow(socket as unknown as Socket, 'none', progress)
    }
    return socket
  }
}

class FakeSocket extends EventEmitter {
  destroyed = false
  destroy(): void {
    this.destroyed = true
  }
  isPaused(): boolean {
    return false
  }
}

suite('threads that have a port together', () => {
  const setUp = (limits = {}) => {
    const peers = PeerCounts.create(3).shared
    const places = new Int32Array(new SharedArrayBuffer(64))
    return [0, 1].map((thread) => new ThreadWatch(thread, peers, places, limits)) as [
      ThreadWatch,
      ThreadWatch,
    ]
  }

  test('take places from the address that has most of all of theirs', () => {
    const [one, other] = setUp()
    const spread = [one.come('192.0.2.1'), ...['', '', ''].map(() => other.come('192.0.2.1'))]
    // two here, in all fewer
    const local = [one.come('192.0.2.2'), one.come('192.0.2.2')]
    assert.equal(one.come('192.0.2.3').destroyed, false)
    assert.deepEqual(
      spread.map(({ destroyed }) => destroyed),
      [true, false, false, false],
    )
    assert.ok(local.every(({ destroyed }) => !destroyed))
  })

  test('leave an address alone that holds less than one whose connections others have', () => {
    const [one, other] = setUp({ unfinishedBytesLimit: 1_048_576 })
    const parts = [300_000, 300_000, 200_000].map((bytes) => other.come('192.0.2.1', bytes))
    const honest = one.come('192.0.2.2', 400_000)
    assert.equal(honest.destroyed, false)
    other.clock.advance(2000)
    assert.deepEqual(
      parts.map(({ destroyed }) => destroyed),
      [true, false, false],
    )
    assert.equal(honest.destroyed, false)
  })
})
