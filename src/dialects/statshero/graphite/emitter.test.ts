import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { type Cell, type Exact, Histogram, type Identity } from '../../../model/index.ts'
import { runNow } from '../../../time/task.ts'
import type { Transport } from '../../decoder.ts'
import { GraphiteEmitter } from './emitter.ts'

function emitterTo(port: number, options: object = {}, transport: Transport = 'tcp') {
  const counted: Record<string, number> = {}
  const clock = new FakeClock()
  const emitter = new GraphiteEmitter(
    { transport, host: '127.0.0.1', port },
    {
      clock,
      options: { graphite: options },
      reports: {
        decodeError: ({ code }) => assert.fail(code),
        decodeNote: (note) => assert.fail(note),
        count: (name, reason, amount = 1) => {
          counted[`${name} ${reason}`] = (counted[`${name} ${reason}`] ?? 0) + amount
        },
        log: () => {},
      },
    },
  )
  return { emitter, counted, clock }
}

/** A place that keeps what is written to it, as Carbon's line receiver. */
async function carbon(port = 0) {
  let text = ''
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.setEncoding('latin1').on('data', (piece: string) => {
      text += piece
    })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as { port: number }).port,
    /** Waits for so many lines. */
    async lines(count: number): Promise<string[]> {
      while (text.split('\n').length <= count) await setImmediate()
      return text.trimEnd().split('\n')
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

function named(name: string, kind: Identity['kind'], rest: Partial<Identity> = {}): Identity {
  return { name, kind, labels: [], ...rest }
}
const counter = (delta: Exact): Cell => ({ kind: 'counter', delta })
const gauge = (value: Exact): Cell => ({ kind: 'gauge', value, at: 0 })

suite('the output for Graphite', { timeout: 30_000 }, () => {
  test('a flush says what ten seconds brought, as estatsd writes it', async () => {
    await using graphite = await carbon()
    const { emitter, clock, counted } = emitterTo(graphite.port)
    const hits = named('hits', 'counter')
    const readings = named('jiffies', 'counter', { qualifier: ['shp.type', 'mr'] })
    const depth = named('depth', 'gauge')
    const time = named('request time', 'histogram')
    for (let second = 0; second < 10; second++) {
      clock.advance(1000)
      emitter.send(hits, counter(second), undefined)
      emitter.send(readings, counter(1), 100 + second)
      emitter.send(depth, gauge(second), undefined)
      const histogram = new Histogram(8)
      histogram.record(2 * second + 1)
      histogram.record(2 * second + 2)
      emitter.send(time, { kind: 'histogram', histogram }, undefined)
      runNow(emitter.flush())
    }
    const at = 1_700_000_010
    const wanted = [
      'stats.hits 4.5',
      'stats_counts.hits 45',
      'stats.readers.jiffies 109',
      'stats.gauges.depth 9',
      'stats.timers.request_time.mean 10.5',
      'stats.timers.request_time.median 10',
      'stats.timers.request_time.upper 20',
      'stats.timers.request_time.lower 1',
      'stats.timers.request_time.count 20',
      'stats.timers.request_time.upper_90 18',
      'stats.timers.request_time.upper_95 19',
      'stats.timers.request_time.upper_99 20',
      'statsd.numStats 4',
    ]
    assert.deepEqual(
      await graphite.lines(wanted.length),
      wanted.map((line) => `${line} ${at}`),
    )
    await emitter.close()
    assert.deepEqual(counted, {})
  })

  test('everything is wiped by a flush, and the rest of the time is said at the end', async () => {
    await using graphite = await carbon()
    const { emitter, clock } = emitterTo(graphite.port, { flushIntervalS: 2 })
    emitter.send(named('a', 'counter'), counter(2n ** 60n), undefined)
    clock.advance(2000)
    runNow(emitter.flush())
    clock.advance(2000)
    runNow(emitter.flush())
    emitter.send(named('b', 'counter'), counter(3), undefined)
    clock.advance(1000)
    runNow(emitter.flush())
    await graphite.lines(3)
    await emitter.close()
    assert.deepEqual(await graphite.lines(6), [
      'stats.a 576460752303423500 1700000002',
      'stats_counts.a 1152921504606846976 1700000002',
      'statsd.numStats 1 1700000002',
      'stats.b 3 1700000005',
      'stats_counts.b 3 1700000005',
      'statsd.numStats 1 1700000005',
    ])
  })

  test('labels are components, and cleaning makes no two series one', async () => {
    await using graphite = await carbon()
    const { emitter, clock } = emitterTo(graphite.port, { flushIntervalS: 1 })
    const labels = [['host', 'a.b c']] as const
    emitter.send(named('up', 'gauge', { labels }), gauge(1), undefined)
    emitter.send(named('a b', 'gauge'), gauge(1), undefined)
    emitter.send(named('a_b', 'gauge'), gauge(2), undefined)
    emitter.send(named('é', 'gauge'), gauge(3), undefined)
    emitter.send(named('inf', 'gauge'), gauge(Number.POSITIVE_INFINITY), undefined)
    clock.advance(1000)
    runNow(emitter.flush())
    const lines = (await graphite.lines(5)).map((line) => line.split(' ').slice(0, 2).join(' '))
    assert.deepEqual(lines.slice(0, 2), ['stats.gauges.up.host.a_b_c 1', 'stats.gauges.a_b 1'])
    assert.match(lines[2]!, /^stats\.gauges\.a_b\.[0-9a-f]{8} 2$/)
    assert.deepEqual(lines.slice(3), ['stats.gauges._ 3', 'statsd.numStats 5'])
    await emitter.close()
  })

  test('what Graphite misses while it is away comes later, with its own time', async () => {
    let port: number
    {
      await using gone = await carbon()
      port = gone.port
    }
    const { emitter, clock } = emitterTo(port, { flushIntervalS: 1 })
    for (let second = 1; second <= 2; second++) {
      emitter.send(named('a', 'gauge'), gauge(second), undefined)
      clock.advance(1000)
      runNow(emitter.flush())
    }
    await using graphite = await carbon(port)
    const waiting = setInterval(() => clock.advance(1000), 5)
    const lines = await graphite.lines(4)
    clearInterval(waiting)
    assert.deepEqual(lines, [
      'stats.gauges.a 1 1700000001',
      'statsd.numStats 1 1700000001',
      'stats.gauges.a 2 1700000002',
      'statsd.numStats 1 1700000002',
    ])
    await emitter.close()
  })

  test('what waits has a limit of bytes, and lost lines are counted', async () => {
    const { emitter, clock, counted } = emitterTo(9, { flushIntervalS: 1, queueBytesLimit: 100 })
    for (let second = 1; second <= 3; second++) {
      emitter.send(named('a', 'gauge'), gauge(second), undefined)
      clock.advance(1000)
      runNow(emitter.flush())
    }
    assert.deepEqual(counted, { 'emit queue_full': 4 })
    await emitter.close()
    assert.deepEqual(counted, { 'emit queue_full': 6 })
  })

  test('datagrams hold whole lines', async () => {
    const socket = createSocket('udp4')
    const datagrams: string[] = []
    socket.on('message', (bytes) => datagrams.push(bytes.toString()))
    socket.bind(0, '127.0.0.1')
    await once(socket, 'listening')
    const { emitter, clock } = emitterTo(socket.address().port, { flushIntervalS: 1 }, 'udp')
    for (let i = 0; i < 100; i++) emitter.send(named(`g${i}`, 'gauge'), gauge(i), undefined)
    clock.advance(1000)
    runNow(emitter.flush())
    while (datagrams.join('').split('\n').length <= 101) await setImmediate()
    assert.ok(datagrams.every((each) => each.length <= 1432 && each.endsWith('\n')))
    assert.ok(datagrams.length > 1)
    await emitter.close()
    socket.close()
  })
})
