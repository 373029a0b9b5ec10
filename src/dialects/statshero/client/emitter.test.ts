import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { ModelIngest } from '../../../../test/support/model-ingest.ts'
import { type Cell, type Exact, Histogram, type Identity } from '../../../model/index.ts'
import { runNow } from '../../../time/task.ts'
import type { Transport } from '../../decoder.ts'
import type { Reports } from '../../endpoints.ts'
import { dialect as statshero } from '../dialect.ts'

/** A receiver of our own on a free port. */
async function receiver(transport: Transport) {
  const ingest = new ModelIngest()
  const server = statshero.createServer!({
    ingest,
    openSnapshot: () => ({ revision: 0, list: () => [], read: () => {} }),
    reports: counting().reports,
    clock: new FakeClock(),
    options: {},
  })
  if (transport === 'tcp') {
    const listener = createServer((socket) => server.accept!(socket, new Uint8Array(0)))
    listener.listen(0, '127.0.0.1')
    await once(listener, 'listening')
    return {
      ingest,
      port: (listener.address() as { port: number }).port,
      async [Symbol.asyncDispose]() {
        await server.stop()
        listener.close()
      },
    }
  }
  const socket = createSocket('udp4')
  socket.on('message', (bytes, { address, port }) => {
    server.datagram!(bytes, { transport, address, port })
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    ingest,
    port: socket.address().port,
    async [Symbol.asyncDispose]() {
      socket.close()
    },
  }
}

function counting() {
  const counted: Record<string, number> = {}
  const reports: Reports = {
    decodeError: ({ code }) => assert.fail(code),
    decodeNote: (note) => assert.fail(note),
    count: (name, reason, amount = 1) => {
      counted[`${name} ${reason}`] = (counted[`${name} ${reason}`] ?? 0) + amount
    },
    log: () => {},
  }
  return { counted, reports }
}

function emitterTo(port: number, transport: Transport, options: Record<string, unknown> = {}) {
  const { counted, reports } = counting()
  const clock = new FakeClock()
  const target = { transport, host: '127.0.0.1', port }
  const emitter = statshero.connectEmitter!(target, { reports, clock, options: { emit: options } })
  return { emitter, counted, clock }
}

const named = (name: string, kind: Identity['kind']): Identity => ({ name, kind, labels: [] })
const counter = (delta: Exact): Cell => ({ kind: 'counter', delta })

suite('emitter', { timeout: 30_000 }, () => {
  for (const transport of ['udp', 'tcp'] as const) {
    test(`over ${transport} our own receiver gets back every kind of cell`, async () => {
      await using server = await receiver(transport)
      const { ingest, port } = server
      const { emitter, counted } = emitterTo(port, transport)
      const histogram = new Histogram(0)
      for (const value of [0, 1, 3, 85, 90, 90, -7]) histogram.record(value)
      emitter.send(named('hits', 'counter'), counter(5), undefined, 1000)
      emitter.send(named('depth', 'gauge'), { kind: 'gauge', value: -4.5, at: 0 }, undefined, 1000)
      emitter.send(named('time', 'histogram'), { kind: 'histogram', histogram }, undefined, 1000)
      runNow(emitter.flush())
      emitter.send(named('hits', 'counter'), counter(2n ** 53n), undefined, 1000)
      await emitter.close()
      const find = (name: string) => ingest.series.find(({ identity }) => identity.name === name)
      while (find('hits')?.total !== 2n ** 53n + 5n) await setImmediate()
      assert.equal(find('depth')?.value, -5)
      const got = find('time')!.histogram.atScale(0)
      assert.equal(got.zeroCount, histogram.zeroCount)
      assert.deepEqual(got.count, histogram.count)
      assert.equal(got.positive.total(), histogram.positive.total())
      assert.equal(got.quantile(0.9), histogram.quantile(0.9))
      assert.deepEqual(counted, { 'emit rounded': 1 })
    })
  }

  test('mapping and profile are options; what they leave out is counted', async () => {
    await using server = await receiver('udp')
    const { ingest, port } = server
    const options = { profile: 'document', counterAs: 'mr' }
    const { emitter, counted } = emitterTo(port, 'udp', options)
    emitter.send(named('a_b', 'counter'), counter(5), 40, 1000)
    emitter.send(named('low', 'gauge'), { kind: 'gauge', value: -1, at: 0 }, undefined, 1000)
    await emitter.close()
    while (ingest.series.length === 0) await setImmediate()
    assert.match(ingest.series[0]!.identity.name, /^ab\.[0-9a-f]{8}$/)
    assert.equal(ingest.series[0]!.last, 40)
    assert.deepEqual(counted, { 'emit negative': 1 })
  })

  test('a cell that can not be said throws nothing, it is counted by its code', async () => {
    const { emitter, counted } = emitterTo(9, 'udp')
    emitter.send(named('k'.repeat(66_000), 'counter'), counter(1), undefined, 1000)
    assert.deepEqual(counted, { 'emit line_too_long': 1 })
    await emitter.close()
  })
})
