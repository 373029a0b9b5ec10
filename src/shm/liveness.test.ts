import assert from 'node:assert/strict'
import process from 'node:process'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { createZone, defined, keyOf } from '../../test/support/threads/shm.ts'
import {
  METRICS,
  type ThreadEnd,
  type ZoneThreadTask,
} from '../../test/support/threads/zone-thread.ts'
import {
  RecordingThread,
  THREAD_PATH,
  totalsOf,
  until,
} from '../../test/support/threads/zone-threads.ts'
import type { Zone } from './index.ts'

/** Threads ended at random moments; the acceptance test's number is 100. */
const THREADS = Number(process.env.ZONE_THREADS ?? 12)

const leased = (zone: Zone): number =>
  zone.usage().segments.filter(({ segment }) => segment > 0).length

for (const end of ['stop', 'exit', 'throw', 'detach'] satisfies ThreadEnd[]) {
  test(`a thread that ends (${end}) leaves its totals, and its segment is free`, async () => {
    const zone = createZone()
    const thread = new RecordingThread(zone, 'turns', end)
    await thread.attached()
    await until(() => thread.rounds > 1_000n)
    await thread.end()
    await until(() => leased(zone) === 0)
    for (const [name, total] of Object.entries(totalsOf(zone))) {
      assert.equal(total, thread.rounds, name)
    }
    assert.equal(zone.usage().orphansFolded, end === 'detach' ? 0 : 1)
    assert.equal(zone.attach().segment, thread.segment)
  })
}

test(`${THREADS} threads terminated at random moments: nothing falls, all are folded`, async () => {
  const zone = createZone({ workersLimit: 3 })
  const names = Object.keys(METRICS)
  let last = totalsOf(zone)
  let least = 0n
  const look = (): void => {
    const now = totalsOf(zone)
    for (const name of names) assert.ok(now[name]! >= last[name]!, `${name}: ${now[name]}`)
    last = now
  }
  for (let i = 0; i < THREADS / 2; i++) {
    const pair = [new RecordingThread(zone, 'busy'), new RecordingThread(zone, 'busy')]
    for (const thread of pair) await thread.attached()
    assert.notEqual(pair[0]!.segment, pair[1]!.segment, 'two live threads share no segment')
    const rounds = BigInt((i * 7_919) % 3_000)
    await until(() => pair.every((thread) => thread.rounds >= rounds))
    await Promise.all(pair.map((thread) => thread.terminate()))
    look()
    await until(() => leased(zone) === 0)
    look()
    least += pair[0]!.rounds + pair[1]!.rounds
    for (const name of names) {
      const over = last[name]! - least
      assert.ok(over >= 0n && over <= BigInt(2 * (i + 1)), `${name}: ${over} more than recorded`)
    }
  }
  assert.equal(zone.usage().orphansFolded, THREADS)
})

test('threads terminated while they define and retire: the zone works on', async () => {
  const zone = createZone()
  const names = Array.from({ length: 500 }, (_, i) => `stays ${i}`)
  const metrics = names.map((name) => defined(zone, name, 'counter'))
  const writer = zone.attach()
  metrics.forEach((metric, i) => {
    writer.counter(metric)!.add(i)
  })
  for (let round = 0; round < 10 || zone.usage().lockTakeovers === 0; round++) {
    const before = zone.metrics
    const thread = new RecordingThread(zone, 'define')
    await thread.attached()
    await until(() => zone.metrics > before)
    await thread.terminate()
    await until(() => leased(zone) === 1)
    assert.equal(zone.define(keyOf(`after ${round}`), 'counter') >= 0, true)
    const reader = zone.reader()
    metrics.forEach((metric, i) => {
      assert.equal(zone.find(keyOf(names[i]!)), metric)
      assert.equal(reader.counter(metric), BigInt(i))
    })
  }
  const { refusals, metrics: defined_ } = zone.usage()
  assert.equal(refusals.lock_timeout, 0)
  // What can be found is what is counted: every name leads to a metric of that name.
  let found = 0
  for (let metric = 0; metric < zone.metrics; metric++) {
    try {
      if (zone.find(zone.key(metric)) === metric) found++
    } catch {
      // a retired number
    }
  }
  assert.equal(found, defined_)
})

/** Starts the worker it is told to, and terminates it at the first message. */
const STARTER = `
  const { parentPort, Worker, workerData } = require('node:worker_threads')
  const worker = new Worker(workerData.path, { workerData: workerData.inner })
  parentPort.once('message', () => worker.terminate())
`

test('a thread that another thread has started, and ended, is noticed, too', async () => {
  const zone = createZone()
  const control = new Int32Array(new SharedArrayBuffer(12))
  const tally = new BigUint64Array(new SharedArrayBuffer(8))
  const zoneThread = { shared: zone.shared, work: 'busy', end: 'stop', control, tally } as const
  const inner: { zoneThread: ZoneThreadTask } = { zoneThread }
  const starter = new Worker(STARTER, { eval: true, workerData: { path: THREAD_PATH, inner } })
  await until(() => Atomics.load(tally, 0) > 1_000n)
  starter.postMessage('end')
  await until(() => leased(zone) === 0)
  assert.ok(totalsOf(zone).counter! >= Atomics.load(tally, 0))
  assert.equal(zone.usage().orphansFolded, 1)
})
