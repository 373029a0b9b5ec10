import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { createZone, keyOf } from '../../../test/support/threads/shm.ts'
import { defineAll, gaugeName } from '../../../test/support/threads/zone-thread.ts'
import {
  RecordingThread,
  totalsOf,
  turn,
  until,
} from '../../../test/support/threads/zone-threads.ts'
import { type GaugeReading, type SharedZone, Zone } from '../index.ts'

const MEBIBYTE = 1_048_576

test('four threads lose nothing through 20 reconfigurations, and no total falls', async () => {
  const zone = createZone()
  defineAll(zone)
  const reader = zone.reader()
  const metrics = defineAll(zone)
  const other = Zone.open(zone.shared)
  const threads = [1, 2, 3, 4].map(() => new RecordingThread(zone, 'turns'))
  for (const thread of threads) await thread.attached()
  let last = totalsOf(zone)
  let lastCount = 0n
  const look = (): void => {
    for (const seen of [totalsOf(zone), totalsOf(other)]) {
      for (const [name, total] of Object.entries(seen)) {
        assert.ok(total >= last[name]!, `${name}: ${total} after ${last[name]}`)
      }
      last = seen
    }
    const count = reader.counter(metrics.counter)
    assert.ok(count >= lastCount)
    lastCount = count
  }
  for (let i = 0; i < 20; i++) {
    const asked = i % 3 === 0 ? other : zone
    asked.reconfigure({ workers: 1 + (i % 5), zoneBytesLimit: (16 + i) * MEBIBYTE })
    // Now and then the next one comes before all threads have had a turn.
    for (let turns = (i * 7) % 20; turns > 0; turns--) {
      look()
      await turn()
    }
  }
  await until(() => zone.usage().segmentsUnmoved === 0)
  look()
  for (const thread of threads) await thread.end()
  await until(() => zone.usage().orphansFolded === 4)
  const rounds = threads.reduce((sum, thread) => sum + thread.rounds, 0n)
  for (const seen of [totalsOf(zone), totalsOf(other)]) {
    for (const [name, total] of Object.entries(seen)) assert.equal(total, rounds, name)
  }
  checkSums(zone, threads)
  assert.equal(zone.usage().replacements, 20)
  assert.equal(zone.usage().refusals.lock_timeout, 0)
})

/** Gauges, sums and names that threads defined on the way. */
function checkSums(zone: Zone, threads: readonly RecordingThread[]): void {
  const reader = zone.reader()
  const metrics = defineAll(zone)
  let sum = 0n
  let defined = 0
  const reading: GaugeReading = { value: 0, sequence: 0 }
  for (const { rounds, threadId } of threads) {
    for (let round = 0n; round < rounds; round++) sum += round & 0xfffn
    assert.ok(reader.gauge(zone.find(keyOf(gaugeName(threadId))), reading))
    assert.equal(reading.value, Number(rounds) - 1)
    for (let round = 0n; round <= rounds; round += 200n) {
      const metric = zone.find(keyOf(`${threadId}.${round}`))
      if (metric === -1) continue
      defined++
      assert.equal(reader.counter(metric), 1n)
    }
  }
  assert.equal(reader.bins(metrics.dense).sum, sum)
  assert.ok(defined > 0)
}

test('a thread that dies before it has moved is moved and folded by the creator', async () => {
  const zone = createZone()
  defineAll(zone)
  const thread = new RecordingThread(zone, 'busy')
  await thread.attached()
  await until(() => thread.rounds > 1_000n)
  zone.reconfigure({ workers: 3 })
  const rounds = thread.rounds
  await until(() => thread.rounds > rounds + 1_000n)
  assert.equal(zone.usage().segmentsUnmoved, 1, 'a thread without turns stays where it is')
  const before = totalsOf(zone)
  await thread.terminate()
  await until(() => zone.usage().orphansFolded === 1)
  assert.equal(zone.usage().segmentsUnmoved, 0)
  for (const [name, total] of Object.entries(totalsOf(zone))) {
    assert.ok(total >= before[name]! && total >= thread.rounds, name)
    assert.ok(total <= thread.rounds + 1n, name)
  }
})

test('a thread that starts with memory that was replaced since finds the zone', async () => {
  const zone = createZone()
  defineAll(zone)
  const thread = new RecordingThread(zone, 'turns')
  zone.reconfigure({ workers: 2 })
  await thread.attached()
  await until(() => thread.rounds > 0n)
  await thread.end()
  await until(() => zone.usage().orphansFolded === 1)
  assert.equal(totalsOf(zone).counter, thread.rounds)
})

test('where the creating thread has ended, the others tell late-comers the zone', async () => {
  const creator = new Worker(CREATOR, { workerData: INDEX })
  const [before] = (await once(creator, 'message')) as [SharedZone]
  const zone = Zone.open(before)
  const metric = zone.find(keyOf('a'))
  const counter = zone.attach().counter(metric)!
  counter.add(1)
  creator.postMessage('end')
  await once(creator, 'exit')
  zone.reconfigure({ workersLimit: 10 })
  counter.add(2)
  assert.equal(zone.reader().counter(metric), 8n)
  for (const shared of [zone.shared, before]) {
    const late = new Worker(LATE, { workerData: { index: INDEX, shared } })
    const [[answer]] = await Promise.all([once(late, 'message'), once(late, 'exit')])
    assert.deepEqual(answer, [8n, 1])
  }
})

const INDEX = new URL('../index.ts', import.meta.url).href
const threadOf = (source: string): URL =>
  new URL(`data:text/javascript,${encodeURIComponent(source)}`)

/** Creates a zone, counts 5 and ends when it is told. */
const CREATOR = threadOf(`
  import { parentPort, workerData } from 'node:worker_threads'
  const { Zone } = await import(workerData)
  const zone = Zone.create({ zoneBytesLimit: 4 * 2 ** 20 })
  zone.attach().counter(zone.define(Buffer.from('a'), 'counter')).add(5)
  parentPort.once('message', () => process.exit())
  parentPort.postMessage(zone.shared)
`)

/** Opens a zone, reads the counter, and defines a metric that may be there. */
const LATE = threadOf(`
  import { parentPort, workerData } from 'node:worker_threads'
  const { Zone } = await import(workerData.index)
  const zone = Zone.open(workerData.shared)
  const total = zone.reader().counter(zone.find(Buffer.from('a')))
  parentPort.postMessage([total, zone.define(Buffer.from('b'), 'counter')])
`)
