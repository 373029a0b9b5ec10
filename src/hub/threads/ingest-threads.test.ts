import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { suite, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { packet, sendTcp, sendUdp, seriesNamed, startHub } from '../../../test/support/hub/hub.ts'
import {
  eventually,
  sendConnection,
  sendFromMany,
  startThreads,
  THREADS,
  taken,
  totalOf,
} from '../../../test/support/hub/hub-threads.ts'

suite('ingest in four threads', () => {
  test('totals of many udp sources and connections are exact', async () => {
    const started = await startThreads()
    const { hub, textPort } = started
    const lines = 'a:1|m\nb:2|m|@0.3\nd:3|h\nd:3|h|@0.3\na:-2|m\n'
    const udp = Array.from({ length: 16 }, () => Array.from({ length: 25 }, () => packet(lines)))
    const tcp = Array.from({ length: 12 }, () => Array.from({ length: 50 }, () => packet(lines)))
    await Promise.all([
      sendFromMany(textPort, udp),
      ...tcp.map((writes) => sendConnection(textPort, writes)),
    ])
    const packets = 16 * 25 + 12 * 50
    await taken(started, packets * 5)
    assert.deepEqual(hub.total(seriesNamed(hub, 'a')), {
      kind: 'counter',
      total: packets,
      decrements: 2 * packets,
    })
    assert.equal(totalOf(started, 'b'), Math.floor((packets * 2) / 0.3 + 1e-6))
    const total = hub.total(seriesNamed(hub, 'd'))
    assert.ok(total.kind === 'histogram')
    assert.equal(total.histogram.count, BigInt(packets + Math.floor(packets / 0.3 + 1e-6)))
    const { workers = [], sources } = hub.sources()
    assert.equal(workers.length, THREADS)
    assert.equal(
      workers.reduce((sum, { measurements }) => sum + measurements, 0),
      packets * 5,
    )
    assert.ok(workers.filter(({ measurements }) => measurements > 0).length > 1)
    assert.equal(new Set(workers.map(({ segment }) => segment)).size, THREADS)
    assert.deepEqual(sources, [], 'the second is still open')
    await hub.stop()
  })

  test('gauges and readings keep the order of their connection', async () => {
    const started = await startThreads()
    const { hub, textPort } = started
    const names = Array.from({ length: 12 }, (_, i) => `c${i}`)
    const writes = (name: string): Buffer[] =>
      Array.from({ length: 200 }, (_, i) => packet(`${name}:${i}|g\n${name}:${i * 7}|mr\n`))
    await Promise.all(names.map((name) => sendConnection(textPort, writes(name))))
    await taken(started, 12 * 200 * 2)
    for (const name of names) {
      assert.deepEqual(hub.total(seriesNamed(hub, name, 'gauge')), { kind: 'gauge', value: 199 })
      const record = seriesNamed(hub, name, 'counter')
      assert.deepEqual(hub.total(record), { kind: 'counter', total: 199 * 7, decrements: 0 })
      assert.ok(record.kind === 'counter')
      assert.equal(record.reading?.resets, 0)
    }
    await hub.stop()
  })

  test('a series of all threads is one series, in the frame of its second', async () => {
    const started = await startThreads()
    const { hub, clock, textPort } = started
    const lists = Array.from({ length: 16 }, () => [packet('shared:1|m\n')])
    await sendFromMany(textPort, lists)
    await taken(started, 16)
    clock.advance(1000)
    const cell = hub.live.newest?.cell(seriesNamed(hub, 'shared').id, 'counter')
    assert.deepEqual(cell, { kind: 'counter', delta: 16 })
    const { sources } = hub.sources()
    assert.deepEqual(
      sources.map(({ address, series }) => [address, series]),
      [['127.0.0.1', 1]],
    )
    await hub.stop()
  })

  test('limits hold over all threads, and what is refused is summed up', async () => {
    const started = await startThreads({ seriesLimit: 50, connectionsLimit: 3 })
    const { hub, textPort } = started
    const body = Array.from({ length: 100 }, (_, i) => `n${i}:1|m\n`).join('')
    await sendFromMany(
      textPort,
      Array.from({ length: 16 }, () => [packet(body)]),
    )
    await taken(started, 1600)
    assert.equal(hub.series.countedSize, 50)
    const kept = [...hub.series].filter(({ source }) => source !== 'hub')
    assert.equal(kept.length, 50)
    const sums = kept.map((record) => Number((hub.total(record) as { total: number }).total))
    const overflow = Number(totalOf(started, 'pentameter.overflow'))
    assert.equal(sums.reduce((sum, n) => sum + n, 0) + overflow, 1600)
    assert.deepEqual(sums, Array(50).fill(16), 'no line of a series that was taken is refused')

    const sockets = Array.from({ length: 5 }, () =>
      connect({ port: textPort, host: '127.0.0.1' }).on('error', () => {}),
    )
    const [text] = hub.sources().listeners
    assert.equal(text!.name, 'text')
    const limit = () =>
      hub.sources().limits.find(({ name }) => name === 'connectionsLimit of text')!
    await eventually(() => limit().refused === 2)
    assert.equal(limit().used, 3)
    for (const socket of sockets) socket.destroy()
    await eventually(() => limit().used === 0)
    await hub.stop()
  })

  test('time and bytes of connections are limited over all threads', async () => {
    const started = await startThreads({
      ...{ firstMessageTimeoutMs: 200, unfinishedBytesLimitPerAddress: 1_048_576 },
      statshero: { frameTimeoutMs: 0 },
    })
    const { hub, clock, log, textPort } = started
    const limit = (name: string) => hub.sources().limits.find((each) => each.name === name)!
    const begun = Buffer.concat([Buffer.from('1|1000000\n'), Buffer.alloc(600_000, 'a')])
    const peers = Array.from({ length: 24 }, (_, i) => {
      const socket = connect({ port: textPort, host: '127.0.0.1' }).on('error', () => {})
      if (i % 2 === 0) socket.write(begun)
      return socket.resume()
    })
    await eventually(() => peers.every((socket) => socket.closed))
    const bytes = limit('unfinishedBytesLimitPerAddress')
    assert.ok(bytes.refused >= 11, `${bytes.refused} closed`)
    await eventually(() => limit('connectionsLimit of text').used === 0)
    assert.deepEqual([bytes.used, limit('connectionsLimitPerAddress').used], [0, 0])
    await hub.settle()
    clock.advance(1000)
    const told = log.filter((line) => line.includes('first_message_timeout'))
    assert.equal(told.length, 1, 'one line, whichever thread it is from')
    await hub.stop()
  })

  test('bad lines and refusals of all threads arrive summed up, with offenders', async () => {
    const started = await startThreads()
    const { hub, textPort } = started
    const body = `${'bad\n'.repeat(30)}pentameter.x:1|m\nok:1|m\n`
    await sendFromMany(
      textPort,
      Array.from({ length: 16 }, () => [packet(body)]),
    )
    await taken(started, 32)
    const [error] = hub.sources().errors
    assert.deepEqual([error!.code, error!.count, error!.last.length], ['parse_error', 480, 20])
    assert.equal(hub.reports.errorsOfSource('statshero', '127.0.0.1'), 480)
    assert.equal(hub.reports.refusalsOf('reserved_name'), 16)
    await hub.stop()
  })

  test('a silent series leaves all threads and comes back as a new one', async () => {
    const started = await startThreads({ expireAfterS: 10 })
    const { hub, clock, textPort } = started
    const lists = Array.from({ length: 16 }, () => [packet('a:1|m\na:-1|m\n')])
    await sendFromMany(textPort, lists)
    await taken(started, 32)
    const first = seriesNamed(hub, 'a')
    clock.advance(12_000)
    assert.deepEqual(
      [...hub.series].filter(({ source }) => source !== 'hub'),
      [],
    )
    assert.equal(hub.series.countedSize, 0)
    await hub.settle()
    clock.advance(1000)
    assert.equal(hub.series.get(first.id), undefined)
    await sendFromMany(textPort, lists)
    await taken(started, 64)
    const record = seriesNamed(hub, 'a')
    assert.notEqual(record.id, first.id)
    assert.deepEqual(hub.total(record), { kind: 'counter', total: 16, decrements: 16 })
    await hub.stop()
  })

  test('what a thread counts before it has forgotten a series is in the last cell', async () => {
    const started = await startThreads({ expireAfterS: 10 })
    const { hub, clock, textPort } = started
    const deltas: bigint[] = []
    hub.sessions.open({
      intervalS: 1,
      onFrame: (frame) => deltas.push(...frame.counterDeltas.filter((n) => n >= 1000n)),
    })
    await sendConnection(textPort, [packet('a:1000|m\n')])
    await taken(started, 1)
    clock.advance(10_000)
    const sending = sendConnection(textPort, [packet('a:2000|m\n')])
    clock.advance(2000) // expires while the line is on its way
    await sending
    await taken(started, 2)
    clock.advance(2000)
    assert.equal(
      deltas.reduce((sum, n) => sum + n, 0n),
      3000n,
    )
    await hub.stop()
  })

  test('lines whose order matters are held back by TCP, not dropped, in a flood', async () => {
    const started = await startThreads()
    const { hub, textPort } = started
    const body = packet('x:1|m|@0.3\ny:1|h|@0.4\nz:5|mr\n'.repeat(1000))
    const writes = Array.from({ length: 50 }, () => body)
    await Promise.all(Array.from({ length: 8 }, () => sendConnection(textPort, writes)))
    await taken(started, 8 * 50 * 3000)
    assert.deepEqual(hub.sources().refusals, [])
    assert.equal(totalOf(started, 'x'), Math.floor(400_000 / 0.3))
    const spread = hub.total(seriesNamed(hub, 'y'))
    assert.ok(spread.kind === 'histogram')
    assert.equal(spread.histogram.count, 1_000_000n)
    await hub.stop()
  })

  test('a second hub on a port that threads share fails, and gets it when it is free', async () => {
    const first = await startThreads()
    const second = await startThreads({ textPort: first.textPort })
    const state = () => second.hub.sources().listeners.find(({ name }) => name === 'text')!
    assert.deepEqual(
      [state().state, state().message],
      ['failed', 'port is taken by another process'],
    )
    await first.hub.stop()
    second.clock.advance(15_000)
    await eventually(() => state().state === 'listening')
    assert.equal(state().port, first.textPort)
    await second.hub.stop()
    const free = createServer().listen(first.textPort, '127.0.0.1')
    await once(free, 'listening')
    free.close()
  })

  test('a stop takes what has reached the machine and delivers it', async () => {
    const started = await startThreads()
    const { hub, textPort } = started
    let delivered = 0n
    hub.addSink({
      name: 'test',
      *deliver(frame) {
        yield
        for (const delta of frame.counterDeltas) if (delta % 1000n === 0n) delivered += delta
      },
      close: async () => {},
    })
    await sendFromMany(
      textPort,
      Array.from({ length: 16 }, () => [packet('a:1000|m\nb:1000|m|@0.4\n')]),
    )
    await hub.stop()
    assert.equal(delivered, 16_000n + 40_000n)
  })
})

test('where no thread can be started the main thread serves their ports, and says so', async () => {
  for (const createWorker of [
    () => {
      throw new Error('ERR_WORKER_INIT_FAILED: EAGAIN')
    },
    () => new Worker('throw new Error("EAGAIN")', { eval: true }),
  ]) {
    const started = await startHub({ ingestWorkers: 2 }, { createWorker })
    const { hub, log, clock } = started
    await sendUdp(started, [packet('a:3|m\n')])
    await sendTcp(started, [packet('a:4|m\n')])
    assert.deepEqual(hub.total(seriesNamed(hub, 'a')), { kind: 'counter', total: 7, decrements: 0 })
    clock.advance(10_000)
    const { workers, workerFailure, listeners, dialects, sources } = hub.sources()
    assert.deepEqual(workers, [])
    assert.match(workerFailure!, /EAGAIN/)
    assert.deepEqual(
      listeners.map(({ state }) => state),
      ['listening', 'listening'],
    )
    assert.equal(dialects.filter(({ name }) => name === 'statshero').length, 1)
    assert.equal(sources[0]?.address, '127.0.0.1')
    assert.equal(log.filter((line) => line.includes('no ingest thread starts')).length, 1)
    await hub.stop()
  }
})
