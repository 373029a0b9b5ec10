import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { StatsHeroClient, type StatsHeroClientOptions } from './client.ts'

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await setImmediate()
}

/** A UDP socket that keeps what arrives. */
async function udpServer() {
  const socket = createSocket('udp4')
  const packets: string[] = []
  socket.on('message', (bytes) => packets.push(bytes.toString('latin1')))
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    packets,
    port: socket.address().port,
    async [Symbol.asyncDispose]() {
      socket.close()
    },
  }
}

/** A TCP server that keeps what arrives, per connection. */
async function tcpServer(port = 0) {
  const streams: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    const index = streams.push('') - 1
    sockets.add(socket)
    socket.on('data', (chunk) => {
      streams[index] += chunk.toString('latin1')
    })
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    streams,
    sockets,
    port: (server.address() as { port: number }).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** A port at which nobody listens, over UDP or TCP. */
async function unusedPort(): Promise<number> {
  await using server = await tcpServer()
  return server.port
}

function clientTo(port: number, options: StatsHeroClientOptions = {}) {
  const clock = new FakeClock()
  const client = new StatsHeroClient({ host: '127.0.0.1', port, clock, ...options })
  void client.start()
  return { client, clock }
}

suite('client over UDP', { timeout: 30_000 }, () => {
  test('lines leave together once the oldest is a second old', async () => {
    await using server = await udpServer()
    const { client, clock } = clientTo(server.port)
    client.meter('app.requests').record(1)
    client.histogram('app.time').record(85)
    clock.advance(999)
    assert.equal(client.counts.sent, 0)
    clock.advance(1)
    await until(() => server.packets.length === 1)
    assert.deepEqual(server.packets, ['1|31\napp.requests:1|m\napp.time:85|h\n'])
    await client.close()
    assert.deepEqual(client.counts, { sent: 2, dropped: 0, lost: 0, refused: 0 })
    assert.equal(clock.pending, 0)
  })

  test('a full packet leaves at once, the line that found no room opens the next', async () => {
    await using server = await udpServer()
    const { client } = clientTo(server.port, { maxDatagramBytes: 20 })
    const gauge = client.gauge('ab')
    for (const value of [1, 2, 3]) gauge.record(value)
    await until(() => server.packets.length === 1)
    assert.deepEqual(server.packets, ['1|14\nab:1|g\nab:2|g\n'])
    await client.close()
    await until(() => server.packets.length === 2)
    assert.equal(server.packets[1], '1|7\nab:3|g\n')
  })

  test('a flush interval of 0 makes every line a packet', async () => {
    await using server = await udpServer()
    const { client, clock } = clientTo(server.port, { flushIntervalMs: 0 })
    const reader = client.meterReader('r')
    reader.record(2n ** 64n)
    reader.record(5)
    assert.equal(clock.pending, 0)
    await until(() => server.packets.length === 2)
    assert.deepEqual(server.packets, ['1|26\nr:18446744073709551616|mr\n', '1|7\nr:5|mr\n'])
    await client.close()
  })

  test('a sampled recorder sends its part of the calls, each with the rate', async () => {
    await using server = await udpServer()
    const draws = [0.05, 0.1, 0.5, 0.0999, 0.99]
    const { client } = clientTo(server.port, { random: () => draws.shift() ?? 1 })
    const meter = client.meter('a', 0.1)
    for (let i = 0; i < 5; i++) meter.record(1)
    await client.close()
    await until(() => server.packets.length === 1)
    assert.deepEqual(server.packets, ['1|22\na:1|m|@0.1\na:1|m|@0.1\n'])
  })

  test('a line that is sent as it is keeps its rate and is not drawn for', async () => {
    await using server = await udpServer()
    const { client } = clientTo(server.port, { random: () => assert.fail('drawn') })
    client.send({ key: 'a', value: 3, type: 'h', sampleRate: 0.25 })
    await client.close()
    await until(() => server.packets.length === 1)
    assert.deepEqual(server.packets, ['1|12\na:3|h|@0.25\n'])
  })

  test('a name is checked when it is registered; recording never throws but counts', async () => {
    await using server = await udpServer()
    const { client } = clientTo(server.port)
    assert.throws(() => client.meter('a:b'), { code: 'bad_key' })
    assert.throws(() => client.meter(''), { code: 'empty_key' })
    assert.throws(() => client.histogram('a', 0), { code: 'bad_sample_rate' })
    assert.throws(() => client.send({ key: 'a', value: 0.5, type: 'm' }), { code: 'bad_value' })
    const meter = client.meter('a')
    for (const value of [-1, 0.5, Number.NaN, 2 ** 60]) meter.record(value)
    assert.equal(client.counts.refused, 4)
    await client.close()
    assert.deepEqual(server.packets, [])
  })

  test('lenient: names are cleaned, values rounded', async () => {
    await using server = await udpServer()
    const { client } = clientTo(server.port, { lenient: true })
    client.gauge('a|b').record(0.5)
    await client.close()
    await until(() => server.packets.length === 1)
    assert.deepEqual(server.packets, ['1|8\na_b:1|g\n'])
  })

  test('gzip packs bodies that get smaller by it and no others', async () => {
    await using server = await udpServer()
    const { client } = clientTo(server.port, { gzip: true })
    const meter = client.meter('a.rather.long.name')
    meter.record(1)
    client.flush()
    for (let i = 0; i < 20; i++) meter.record(1)
    await client.close()
    await until(() => server.packets.length === 2)
    assert.equal(server.packets[0], '1|23\na.rather.long.name:1|m\n')
    const [header, ...rest] = server.packets[1]!.split('\n')
    const body = Buffer.from(rest.join('\n'), 'latin1')
    assert.equal(header, `1|${body.length}`)
    assert.equal(gunzipSync(body).toString(), 'a.rather.long.name:1|m\n'.repeat(20))
    assert.throws(() => clientTo(1, { gzip: true, profile: 'document' }), TypeError)
  })

  test('a server that is not there costs what is sent, and stops nothing', async () => {
    const port = await unusedPort()
    const errors: Error[] = []
    const onError = (error: Error) => errors.push(error)
    const { client } = clientTo(port, { flushIntervalMs: 0, onError })
    const meter = client.meter('a')
    for (let i = 0; i < 10; i++) {
      meter.record(1)
      await setImmediate()
    }
    await client.close()
    const { sent, lost, dropped } = client.counts
    assert.equal(sent + lost + dropped, 10)
  })

  test('after close nothing is sent; what comes then is counted as dropped', async () => {
    await using server = await udpServer()
    const { client, clock } = clientTo(server.port)
    await client.close()
    client.meter('a').record(1)
    await client.close()
    assert.equal(client.counts.dropped, 1)
    assert.equal(clock.pending, 0)
  })
})

suite('client over TCP', { timeout: 30_000 }, () => {
  const options: StatsHeroClientOptions = { transport: 'tcp', flushIntervalMs: 0 }

  test('packets follow each other on one connection', async () => {
    await using server = await tcpServer()
    const { client } = clientTo(server.port, options)
    const meter = client.meter('a')
    for (const value of [1, 2, 3]) meter.record(value)
    await client.close()
    await until(() => server.sockets.size === 0)
    assert.deepEqual(server.streams, ['1|6\na:1|m\n1|6\na:2|m\n1|6\na:3|m\n'])
  })

  test('while nobody listens lines wait, the oldest go, and the link tries again', async () => {
    const port = await unusedPort()
    let failures = 0
    const onError = () => failures++
    const { client, clock } = clientTo(port, { ...options, queueLinesLimit: 3, onError })
    const meter = client.meter('a')
    for (const value of [1, 2, 3, 4, 5]) meter.record(value)
    assert.equal(client.counts.dropped, 2)
    await until(() => failures === 1 && clock.pending === 1)
    clock.advance(100)
    await until(() => failures === 2 && clock.pending === 1)
    clock.advance(199)
    await setImmediate()
    assert.equal(failures, 2, 'the second wait is twice as long')
    await using server = await tcpServer(port)
    clock.advance(1)
    await until(() => client.counts.sent === 3)
    await client.close()
    await until(() => server.streams[0]?.length === 30)
    assert.deepEqual(server.streams, ['1|6\na:3|m\n1|6\na:4|m\n1|6\na:5|m\n'])
  })

  test('a lost connection comes back, and begins with a whole packet', async () => {
    await using server = await tcpServer()
    const { client, clock } = clientTo(server.port, options)
    const meter = client.meter('a')
    meter.record(1)
    await until(() => server.streams[0]?.length === 10)
    for (const socket of server.sockets) socket.resetAndDestroy()
    await until(() => clock.pending === 1)
    meter.record(2)
    clock.advance(100)
    await until(() => server.streams[1]?.length === 10)
    assert.deepEqual(server.streams, ['1|6\na:1|m\n', '1|6\na:2|m\n'])
    await client.close()
    assert.deepEqual(client.counts, { sent: 2, dropped: 0, lost: 0, refused: 0 })
  })

  test('close waits a second for a server that is away, then counts what is left', async () => {
    const port = await unusedPort()
    const { client, clock } = clientTo(port, options)
    client.meter('a').record(1)
    const closing = client.close()
    clock.advance(1000)
    await closing
    assert.equal(client.counts.dropped, 1)
    assert.equal(clock.pending, 0)
  })

  test('packets wait up to so many bytes, and the oldest go', async () => {
    const port = await unusedPort()
    const { client } = clientTo(port, { ...options, queueBytesLimit: 4096 })
    const meter = client.meter('a'.repeat(2000))
    for (const value of [1, 2, 3, 4, 5]) meter.record(value)
    assert.equal(client.counts.dropped, 3)
    client.meter('a'.repeat(4090)).record(1)
    assert.equal(client.counts.dropped, 6, 'one that is larger does not wait at all')
    await client.close()
  })

  test('the limit of waiting lines holds for lines that are still being gathered', async () => {
    const port = await unusedPort()
    const { client, clock } = clientTo(port, { transport: 'tcp', queueLinesLimit: 10 })
    const meter = client.meter('a')
    for (let i = 0; i < 95; i++) meter.record(1)
    const closing = client.close()
    clock.advance(1000)
    await closing
    assert.equal(client.counts.dropped, 95)
  })
})

test('a client that was never started closes at once, and says what it dropped', async () => {
  const client = new StatsHeroClient({ host: '127.0.0.1', port: 9 })
  client.meter('jobs').record(1)
  await client.close()
  assert.deepEqual([client.counts.sent, client.counts.dropped], [0, 1])
})
