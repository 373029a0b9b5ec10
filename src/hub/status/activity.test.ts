import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packet } from '../../../test/support/hub/hub.ts'
import {
  eventually,
  sendFromMany,
  startThreads,
  taken,
} from '../../../test/support/hub/hub-threads.ts'
import { Activity, WorkerRates, type WorkerReading } from './activity.ts'

const worker = (thread: number, measurements: number): WorkerReading => ({
  thread,
  state: 'running',
  segment: thread + 2,
  connections: 0,
  measurements,
  restarts: 0,
})

test('the last seconds are those without a gap before them', () => {
  const activity = new Activity('test')
  activity.close(2, [], 1_000_000, 1)
  activity.close(8, [], 1_002_000, 2)
  assert.deepEqual(activity.recent, [2, 3, 3])
  activity.close(9, [], 1_013_000, 1)
  activity.close(9, [], 1_014_000, 1)
  assert.deepEqual(activity.recent, [1, 0])
})

test('a rate is what came since the second before, spread over a longer interval', () => {
  const rates = new WorkerRates()
  const at = (...totals: number[]): WorkerReading[] => totals.map((total, i) => worker(i, total))
  const now = (): number[] => rates.describe(at(0, 0)).map(({ ratePerSecond }) => ratePerSecond)
  assert.deepEqual(now(), [0, 0])
  rates.close(at(100, 7), 1)
  assert.deepEqual(now(), [100, 7])
  rates.close(at(400, 7), 3)
  assert.deepEqual(now(), [100, 0])
})

test('each ingest thread says its rate and how it receives', async () => {
  const started = await startThreads({ udpReceive: 'dgram' })
  const { hub, clock, textPort } = started
  const workers = () => hub.sources().workers ?? []
  clock.advance(1000)
  const body = packet('a:1|m\n'.repeat(10))
  await sendFromMany(
    textPort,
    Array.from({ length: 16 }, () => [body]),
  )
  await taken(started, 160)
  clock.advance(1000)
  assert.deepEqual(
    workers().map(({ ratePerSecond }) => ratePerSecond),
    workers().map(({ measurements }) => measurements),
  )
  const sum = workers().reduce((all, { ratePerSecond }) => all + ratePerSecond, 0)
  assert.equal(sum, 160)
  await eventually(() => workers().every(({ udpReceive }) => udpReceive === 'dgram'))
  clock.advance(1000)
  assert.ok(workers().every(({ ratePerSecond }) => ratePerSecond === 0))
  await hub.stop()
})
