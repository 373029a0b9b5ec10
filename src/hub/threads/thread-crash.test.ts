import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { packet, seriesNamed } from '../../../test/support/hub/hub.ts'
import {
  eventually,
  sendFromMany,
  sendUntil,
  startThreads,
  THREADS,
  taken,
  totalOf,
} from '../../../test/support/hub/hub-threads.ts'

suite('ingest threads that end', () => {
  test('a thread that ends under load is replaced, and no total goes back', async () => {
    const started = await startThreads()
    const { hub, clock, log, textPort, workers } = started
    const stopSending = new AbortController()
    const sent = Array.from({ length: 8 }, () => sendUntil(textPort, stopSending.signal))
    await eventually(() => hub.measurements('statshero') > 0)
    await hub.settle()
    let last = 0
    for (let round = 0; round < 10; round++) {
      const thread = round % THREADS
      await workers[thread]!.terminate()
      for (let i = 0; i < 20; i++) {
        const total = Number(totalOf(started, 'load'))
        assert.ok(total >= last, `total ${total} after ${last}`)
        last = total
        await setImmediate()
      }
      clock.advance(5000)
      await hub.settle()
    }
    const before = hub.measurements('statshero')
    await eventually(() => hub.measurements('statshero') > before)
    stopSending.abort()
    await Promise.all(sent)
    await eventually(() => (hub.sources().workers ?? []).every(({ state }) => state === 'running'))
    assert.equal(totalOf(started, 'pentameter.ingest.worker.restarts'), 10)
    assert.equal(log.filter((line) => line.includes('is started again')).length, 10)
    await hub.stop()
  })

  test('what threads had counted when they ended stays, to the last line', async () => {
    const started = await startThreads()
    const { hub, clock, textPort, workers } = started
    const body = 'a:1|m\na:-1|m\nb:5|h\nc:2|m|@0.4\nd:10|mr\n'
    const lists = Array.from({ length: 16 }, () => [packet(body)])
    const holds = (rounds: number): void => {
      const lines = 16 * rounds
      const { total, decrements } = hub.total(seriesNamed(hub, 'a')) as {
        total: number
        decrements: number
      }
      assert.deepEqual([total, decrements], [lines, lines])
      const spread = hub.total(seriesNamed(hub, 'b'))
      assert.ok(spread.kind === 'histogram')
      assert.deepEqual([spread.histogram.count, spread.histogram.sum], [BigInt(lines), 5 * lines])
      assert.equal(totalOf(started, 'c'), 5 * lines)
      assert.equal(totalOf(started, 'd'), 0)
    }
    for (let round = 1; round <= 2; round++) {
      await sendFromMany(textPort, lists)
      await taken(started, round * 16 * 5)
      holds(round)
      await Promise.all(workers.map((worker) => worker.terminate()))
      holds(round)
      clock.advance(5000)
      await hub.settle()
      await eventually(() =>
        (hub.sources().workers ?? []).every(({ state }) => state === 'running'),
      )
    }
    assert.equal(totalOf(started, 'pentameter.ingest.worker.restarts'), 2 * THREADS)
    assert.equal(hub.sources().listeners.find(({ name }) => name === 'text')!.state, 'listening')
    const segments = (hub.sources().workers ?? []).map(({ segment }) => segment!)
    assert.ok(Math.max(...segments) <= 2 * THREADS + 1, 'segments of ended threads are used again')
    await hub.stop()
  })

  test('what was lost with a thread is counted and told', async () => {
    const started = await startThreads()
    const { hub, clock, log, textPort, workers } = started
    // weights of 2.5 lines are added up by the main thread, in their order
    const lines = packet('c:1|m|@0.4\n'.repeat(100))
    const stopSending = new AbortController()
    const send = async (): Promise<void> => {
      const socket = connect({ port: textPort, host: '127.0.0.1' }).on('error', () => {})
      while (!stopSending.signal.aborted && !socket.destroyed) {
        socket.write(lines)
        await setImmediate()
      }
      socket.destroy()
    }
    const again = async (): Promise<void> => {
      while (!stopSending.signal.aborted) await send()
    }
    const senders = Array.from({ length: 8 }, again)
    let rounds = 0
    const lost = (part: string): number => {
      const labels = { part }
      return hub.metrics.counter('pentameter.ingest.worker.lost', labels).value
    }
    while (rounds < 40 && lost('commands') === 0) {
      const before = hub.measurements('statshero')
      await eventually(() => hub.measurements('statshero') > before)
      await workers[rounds++ % THREADS]!.terminate()
      clock.advance(5000)
      await hub.settle()
    }
    stopSending.abort()
    await Promise.all(senders)
    await eventually(() => hub.sources().listeners[0]!.connections === 0)
    await hub.settle()
    const taken = hub.measurements('statshero')
    const applied = Number(totalOf(started, 'c')) / 2.5
    const missing = taken - applied - lost('commands')
    assert.ok(Math.abs(missing) <= 1 + rounds, `${missing} of ${taken} lines in ${rounds} rounds`)
    assert.ok(lost('connections') > 0)
    const told = log.filter((line) => line.includes('is started again'))
    assert.equal(told.length, rounds)
    const commands = told.map((line) => Number(/"commands":(\d+)/.exec(line)![1]))
    assert.equal(
      commands.reduce((sum, n) => sum + n),
      lost('commands'),
    )
    await hub.stop()
  })
})
