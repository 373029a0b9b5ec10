import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { FakeHubView } from '../../../test/support/hub/fake-hub-view.ts'
import { RoundRobin } from '../tasks/round-robin.ts'
import { type Comparison, type Row, Usual } from './usual.ts'

const HOUR_MS = 3_600_000

interface Bench {
  readonly hub: FakeHubView
  readonly usual: Usual
  /** Lets so many seconds pass; `each` says what came in them. */
  pass(seconds: number, each?: (second: number) => void): void
  /** The newest comparison, when all that waits is done. */
  found(): Promise<Comparison | undefined>
  row(id: number): Promise<Row | undefined>
}

function createBench(): Bench {
  const hub = new FakeHubView()
  const turns = new RoundRobin(hub.clock, { budgetNs: 8_000_000n, turnNs: 4_000_000n })
  const usual = new Usual(hub, turns)
  let second = 0
  const found = async (): Promise<Comparison | undefined> => {
    usual.ask()
    for (let i = 0; i < 200; i += 1) await setImmediate()
    return usual.ask()
  }
  return {
    ...{ hub, usual, found },
    pass(seconds, each) {
      for (let i = 0; i < seconds; i += 1) {
        each?.(second)
        second += 1
        hub.tick()
      }
    },
    row: async (id) => (await found())?.rows.get(id),
  }
}

test('the past is taken from the ring: what is usual is known at once', async () => {
  const { hub, pass, found, row } = createBench()
  const requests = hub.add({ name: 'requests', kind: 'counter' })
  const depth = hub.add({ name: 'depth', kind: 'gauge' })
  const latency = hub.add({ name: 'latency', kind: 'histogram' })
  const sizes = hub.add({ name: 'sizes', kind: 'histogram' })
  const bounds = [10, 100]
  pass(300, () => {
    hub.series.held(sizes).open.histogram.bounds = bounds
    hub.observe(sizes, 100)

    hub.count(requests, 40)
    hub.set(depth, 7)
    for (let value = 1; value <= 100; value += 1) hub.observe(latency, value)
  })
  const comparison = await found()
  assert.deepEqual([comparison?.rows.size, comparison?.unusual, comparison?.stale], [4, [], []])
  assert.equal(comparison!.endMs, hub.clock.wallMs())
  const counter = (await row(requests))!
  assert.deepEqual([counter.recent, counter.usual, counter.spread, counter.rate], [40, 40, 0, 40])
  const gauge = (await row(depth))!
  assert.deepEqual([gauge.recent, gauge.usual, gauge.rate], [7, 7, Number.NaN])
  const histogram = (await row(latency))!
  assert.ok(Math.abs(histogram.recent - 99) < 3, String(histogram.recent))
  assert.deepEqual([histogram.usual, histogram.rate], [histogram.recent, 100])
  const bounded = (await row(sizes))!
  assert.deepEqual([bounded.recent, bounded.rate], [100, 1])
})

test('what leaves its usual is told, and for how long', async () => {
  const { hub, pass, found } = createBench()
  const jumps = hub.add({ name: 'jumps', kind: 'counter' })
  const stays = hub.add({ name: 'stays', kind: 'counter' })
  const falls = hub.add({ name: 'falls', kind: 'gauge' })
  const slow = hub.add({ name: 'slow', kind: 'histogram' })
  pass(300, (second) => {
    hub.count(jumps, second < 270 ? 20 : 90)
    hub.count(stays, 20)
    hub.set(falls, second < 280 ? 100 : 30)
    for (let i = 0; i < 10; i += 1) hub.observe(slow, second < 290 ? 5 : 50)
  })
  const { unusual } = (await found())!
  assert.deepEqual(
    unusual.map(({ id, unusualS }) => [id, unusualS]),
    [
      [jumps, 30],
      [falls, 20],
      [slow, 10],
    ],
  )
})

test('a counter is compared net of its decrements, which are no series', async () => {
  const { hub, pass, found, row } = createBench()
  const open = hub.add({ name: 'open', kind: 'counter' })
  const left = hub.add({ name: 'left', kind: 'counter' })
  const falls = hub.add({ name: 'falls', kind: 'counter' })
  pass(300, (second) => {
    const busy = second < 290 ? 1 : 10
    hub.count(open, 40 * busy)
    hub.countDown(open, 40 * busy - 20)
    hub.count(left, 60)
    if (second >= 280) hub.countDown(left, 60)
    hub.countDown(falls, second < 290 ? 20 : 90)
  })
  const comparison = (await found())!
  assert.deepEqual(
    comparison.unusual.map(({ id, unusualS }) => [id, unusualS]),
    [
      [left, 20],
      [falls, 10],
    ],
  )
  assert.equal(comparison.rows.size, 3)
  const net = (await row(open))!
  assert.deepEqual([net.recent, net.usual, net.rate], [20, 20, 20])
  assert.deepEqual([(await row(left))!.recent, (await row(falls))!.usual], [0, -20])
})

test('a gauge that swings is as usual, fast or in step with the columns', async () => {
  const { hub, pass, found, row } = createBench()
  const fast = hub.add({ name: 'fast', kind: 'gauge' })
  const even = hub.add({ name: 'even', kind: 'gauge' })
  const sparse = hub.add({ name: 'sparse', kind: 'gauge' })
  const huge = hub.add({ name: 'huge', kind: 'gauge' })
  const steps = hub.add({ name: 'steps', kind: 'gauge' })
  pass(600, (second) => {
    // 50 values a second, the last of which drifts; in the last column it is another one.
    const last = second < 590 ? 49 : Math.floor(second / 10) % 2
    hub.set(fast, last, { first: 0, min: 0, max: 49, count: 50 })
    hub.set(even, (second + (second < 590 ? 0 : 1)) % 5)
    if (second % 10 === 3) hub.set(sparse, 0)
    if (second % 10 === 8) hub.set(sparse, 90)
    hub.set(huge, 1.7e308)
    hub.set(steps, second < 590 ? 10 : 20)
  })
  const { unusual } = (await found())!
  assert.deepEqual(
    unusual.map(({ id }) => id),
    [steps],
  )
  assert.deepEqual([(await row(fast))!.recent, (await row(even))!.recent], [24.5, 2])
  assert.equal((await row(sparse))!.recent, 45, 'five seconds of each')
})

test('it goes on with every ten seconds', async () => {
  const { hub, pass, found, row } = createBench()
  const requests = hub.add({ name: 'requests', kind: 'counter' })
  pass(100, () => hub.count(requests, 10))
  const first = (await found())!.endMs
  pass(9, () => hub.count(requests, 60))
  assert.equal((await found())!.endMs, first)
  pass(1, () => hub.count(requests, 60))
  assert.equal((await found())!.endMs, first + 10_000)
  assert.deepEqual((await row(requests))!.recent, 60)
  assert.deepEqual(
    (await found())!.unusual.map(({ id }) => id),
    [requests],
  )
})

test('a counter that stands still is at 0; if its peer is away nothing is known', async () => {
  const { hub, pass, found, row } = createBench()
  const rare = hub.add({ name: 'rare', kind: 'counter', source: '10.0.0.1' })
  const gone = hub.add({ name: 'gone', kind: 'counter', source: '10.0.0.2' })
  const depth = hub.add({ name: 'depth', kind: 'gauge' })
  pass(100, (second) => {
    if (second === 0) hub.set(depth, 5)
    if (second === 0 || second === 95) hub.count(rare, 30)
    hub.count(gone, 1)
  })
  assert.deepEqual([(await row(rare))!.usual, (await row(rare))!.recent], [0, 3])
  assert.equal((await row(depth))!.recent, 5)
  hub.away.push({ source: '10.0.0.2', fromMs: 0, toMs: Infinity })
  pass(10)
  assert.equal((await row(rare))!.recent, 0)
  assert.equal((await row(gone))!.recent, Number.NaN)
  pass(310)
  const { stale, rows } = (await found())!
  assert.deepEqual(stale, [rare, gone, depth])
  assert.equal(rows.get(depth)!.recent, Number.NaN)
})

test('without questions it stops, and begins anew when there is one', async () => {
  const { hub, usual, pass, found } = createBench()
  const requests = hub.add({ name: 'requests', kind: 'counter' })
  pass(100, () => hub.count(requests, 10))
  await found()
  assert.equal(hub.sessions.size, 1)
  pass(62)
  assert.equal(hub.sessions.size, 0)
  assert.equal(usual.ask(), undefined)
  assert.ok((await found())!.rows.get(requests))
})

test('a clock that was set makes it begin anew', async () => {
  const { hub, usual, pass, found } = createBench()
  const requests = hub.add({ name: 'requests', kind: 'counter' })
  pass(100, () => hub.count(requests, 10))
  await found()
  hub.clock.setWall(-HOUR_MS)
  hub.clockSteps += 1
  pass(1)
  assert.equal(usual.ask(), undefined)
  pass(30, () => hub.count(requests, 10))
  assert.equal((await found())!.endMs, Math.floor(hub.clock.wallMs() / 10_000) * 10_000)
})

test('a series that was silent for long takes no room', async () => {
  const { hub, usual, pass, found } = createBench()
  const requests = hub.add({ name: 'requests', kind: 'counter' })
  const other = hub.add({ name: 'other', kind: 'counter' })
  pass(20, () => hub.count(requests, 10))
  await found()
  for (let minute = 0; minute < 16; minute += 1) {
    pass(60, () => hub.count(other, 1))
    usual.ask()
    await found()
  }
  assert.equal((await found())!.rows.get(requests), undefined)
  assert.equal((await found())!.rows.size, 1)
})
