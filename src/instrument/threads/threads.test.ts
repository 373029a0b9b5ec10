/** Counters in several threads, sessions in one (eventcounters.md §4.4); on a fake clock. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { CountingThread } from '../../../test/support/threads/told-threads.ts'
import { turn, until } from '../../../test/support/threads/zone-threads.ts'
import type { CounterWindow } from '../../dialects/eventcounters/window.ts'
import {
  Counter,
  CounterRegistry,
  EventCounter,
  EventSource,
  eventCountersHandler,
  IncrementingEventCounter,
  IncrementingPollingCounter,
  PollingCounter,
} from '../index.ts'

interface Bed {
  readonly clock: FakeClock
  readonly registry: CounterRegistry
  readonly threads: CountingThread[]
  start(count: number): Promise<void>
  /** Lets all threads record for a while and pauses them. */
  record(): Promise<void>
  /** Records and their sum, of all threads that ever were. */
  written(): { count: number; sum: number }
  end(): Promise<void>
}

function newBed(): Bed {
  const clock = new FakeClock()
  const registry = new CounterRegistry({ clock, log: () => {} })
  const threads: CountingThread[] = []
  const living = () => threads.filter(({ isAlive }) => isAlive)
  return {
    clock,
    registry,
    threads,
    async start(count) {
      const shared = registry.share()
      const started = Array.from({ length: count }, (_, i) => {
        return new CountingThread(shared, `t${threads.length + i}`)
      })
      await Promise.all(started.map((thread) => thread.attached()))
      await Promise.all(started.map((thread) => thread.pause()))
      threads.push(...started)
    },
    async record() {
      const before = living().map(({ count }) => count)
      for (const thread of living()) thread.goOn()
      await until(() => living().every(({ count }, i) => count > before[i]! + 200))
      await Promise.all(living().map((thread) => thread.pause()))
    },
    written() {
      const add = (a: number, b: number): number => a + b
      return {
        count: threads.map((thread) => thread.count).reduce(add, 0),
        sum: threads.map((thread) => thread.sum).reduce(add, 0),
      }
    },
    async end() {
      await Promise.all(threads.map((thread) => thread.terminate()))
    },
  }
}

/** A session, and what its payloads add up to by counter. */
class Follower {
  readonly windows: CounterWindow[] = []
  readonly #close: () => void

  constructor({ registry }: Bed, intervalSec: number) {
    const request = { intervalMs: 1000 * intervalSec, deliver: 'own', hasBuckets: true } as const
    const session = registry.open(request, ({ windows }) => this.windows.push(...windows))
    this.#close = () => session!.close()
  }

  of(name: string): CounterWindow[] {
    return this.windows.filter(({ counter }) => counter.name === name)
  }

  count(name: string): number {
    return this.of(name).reduce((total, { statistics }) => {
      return total + (statistics.kind === 'mean' ? statistics.count : statistics.increment)
    }, 0)
  }

  /** Counts what stands in the buckets of a distribution. */
  bucketCount(name: string): number {
    return this.of(name).reduce((total, { histogram }) => total + Number(histogram!.count), 0)
  }

  close(): void {
    this.#close()
  }
}

/** Everything that a session got is what was written between two moments. */
function checkTotals(
  follower: Follower,
  from: { count: number; sum: number },
  to: { count: number; sum: number },
): void {
  const count = to.count - from.count
  assert.equal(follower.count('latency'), count, 'latency')
  assert.equal(follower.count('sizes'), count, 'sizes')
  assert.equal(follower.bucketCount('sizes'), count, 'buckets of sizes')
  assert.equal(follower.count('requests'), count, 'requests')
  assert.equal(follower.count('jobs'), 2 * count, 'jobs')
  assert.equal(follower.count('bytes'), to.sum - from.sum, 'bytes')
}

test('sessions that come and go each get what was written while they were open', async () => {
  const bed = newBed()
  await bed.start(3)
  type Open = { follower: Follower; from: ReturnType<Bed['written']>; endsAt: number }
  const plan: readonly (readonly [opens: number, intervalSec: number, lastsSec: number])[] = [
    [0, 1, 8],
    [0, 2, 4],
    [1, 3, 6],
    [2, 1, 1],
    [3, 2, 4],
    [5, 1, 3],
  ]
  const open: Open[] = []
  let checked = 0
  for (let second = 0; second < 9; second++) {
    for (const each of open.filter(({ endsAt }) => endsAt === second)) {
      each.follower.close()
      checkTotals(each.follower, each.from, bed.written())
      checked++
    }
    for (const [opens, intervalSec, lastsSec] of plan) {
      if (opens !== second) continue
      const follower = new Follower(bed, intervalSec)
      open.push({ follower, from: bed.written(), endsAt: second + lastsSec })
    }
    await bed.record()
    bed.clock.advance(1000)
  }
  assert.equal(checked, plan.length)
  await bed.end()
})

for (const threadCount of [1, 8]) {
  test(`${threadCount} threads at 10^6: the deviation is that of all samples`, async () => {
    const bed = newBed()
    await bed.start(threadCount)
    const from = bed.threads.map(({ count }) => count)
    const follower = new Follower(bed, 2)
    await bed.record()
    await bed.record()
    bed.clock.advance(2000)
    const samples = bed.threads.flatMap((thread, i) => samplesOf(from[i]!, thread.count))
    const [window] = follower.of('offset')
    assert.ok(window?.statistics.kind === 'mean')
    const { count, mean, deviation } = window.statistics
    assert.equal(count, samples.length)
    // Without the offset sums and squares are small integers, and exact.
    const sum = samples.reduce((total, value) => total + value, 0)
    const squares = samples.reduce((total, value) => total + value * value, 0)
    const exact = Math.sqrt((count * squares - sum * sum) / (count * count))
    assert.ok(Math.abs(mean - 1e6 - sum / count) <= 1e-9 * 1e6)
    assert.ok(Math.abs(deviation - exact) <= 1e-9 * exact, `${deviation}, exactly ${exact}`)
    await bed.end()
  })
}

/** What told-thread.ts records, without the offset. */
function samplesOf(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => (7 * (from + i + 1)) % 101)
}

test('with nobody listening, what was recorded before is in no session', async () => {
  const bed = newBed()
  await bed.start(1)
  const first = new Follower(bed, 1)
  await bed.record()
  first.close()
  await bed.record()
  const from = bed.written()
  const second = new Follower(bed, 1)
  await bed.record()
  bed.clock.advance(1000)
  checkTotals(second, from, bed.written())
  assert.equal(first.windows.length, 0)
  await bed.end()
})

test('a thread that is terminated loses nothing that it has recorded', async () => {
  const bed = newBed()
  await bed.start(2)
  const follower = new Follower(bed, 1)
  const from = bed.written()
  await bed.record()
  await bed.threads[0]!.terminate()
  bed.clock.advance(1000)
  await bed.record()
  bed.clock.advance(1000)
  checkTotals(follower, from, bed.written())
  // Its gauge was part of a sum, and ends with it.
  await until(() => {
    bed.clock.advance(1000)
    const [last] = follower.of('level').slice(-1)
    return last?.statistics.kind === 'mean' && last.statistics.mean === 3
  })
  await bed.end()
})

test('a counter of a thread comes into open sessions, described as the thread did', async () => {
  const bed = newBed()
  bed.registry.share()
  const follower = new Follower(bed, 1)
  await bed.start(1)
  const [thread] = bed.threads
  bed.clock.advance(1000)
  await bed.record()
  bed.clock.advance(1000)
  checkTotals(follower, { count: 0, sum: 0 }, bed.written())
  const [latency] = follower.of('latency')
  assert.deepEqual(latency!.counter, {
    provider: 'App',
    name: 'latency',
    displayName: 'Latency',
    units: 'ms',
    rateScaleSec: 0,
    metaData: [['tier', 'worker']],
  })
  assert.equal(follower.of('bytes')[0]!.counter.rateScaleSec, 60)
  assert.deepEqual(follower.of('jobs')[0]!.counter.metaData, [['thread', 't0']])
  const { displayName, units } = follower.of('requests')[0]!.counter
  assert.deepEqual([displayName, units], ['Requests', 'count'])
  assert.ok(thread!.count > 0)
  await bed.end()
})

for (const order of ['before', 'after'] as const) {
  test(`a counter made here ${order} the thread’s of that name is the same counter`, async () => {
    const bed = newBed()
    const source = new EventSource('App', { registry: bed.registry })
    const make = () => ({
      latency: new EventCounter('latency', source),
      bytes: new IncrementingEventCounter('bytes', source),
      requests: new Counter('requests', source),
    })
    let own = order === 'before' ? make() : undefined
    await bed.start(2)
    const follower = new Follower(bed, 1)
    const from = bed.written()
    await bed.record()
    if (own === undefined) {
      await bed.record()
      own = make()
    }
    own.latency.writeMetric(1000)
    own.bytes.increment(5)
    own.requests.add(7)
    await bed.record()
    bed.clock.advance(1000)
    const { count, sum } = bed.written()
    assert.equal(follower.of('latency').length, 1)
    assert.equal(follower.count('latency'), count - from.count + 1)
    assert.equal(follower.count('bytes'), sum - from.sum + 5)
    assert.equal(follower.count('requests'), count - from.count + 7)
    const { statistics } = follower.of('latency')[0]!
    assert.ok(statistics.kind === 'mean' && statistics.max === 1000)
    own.latency.close()
    await bed.record()
    bed.clock.advance(1000)
    await bed.record()
    bed.clock.advance(1000)
    assert.ok(follower.of('latency').length > 1, 'the threads’ own goes on')
    assert.equal(bed.registry.counts.duplicate_counters, 0)
    await bed.end()
  })
}

test('a counter of both threads is there until both have closed it', async () => {
  const { clock, registry } = newBed()
  const joined = CounterRegistry.open(registry.share(), { clock })
  const theirs = new EventCounter('latency', new EventSource('App', { registry: joined }))
  theirs.writeMetric(1)
  const counts: number[] = []
  registry.open({ intervalMs: 1000, deliver: 'own' }, ({ windows }) => {
    const sums = windows.map(({ statistics }) =>
      statistics.kind === 'mean' ? statistics.count : 0,
    )
    counts.push(sums.length === 0 ? -1 : sums.reduce((total, each) => total + each))
  })
  theirs.writeMetric(2)
  const ours = new EventCounter('latency', new EventSource('app', { registry }))
  ours.writeMetric(3)
  clock.advance(1000)
  theirs.close()
  await turn()
  ours.writeMetric(4)
  ours.displayName = 'Ours'
  clock.advance(1000)
  ours.close()
  clock.advance(1000)
  assert.deepEqual(counts, [2, 1, -1])
  const again = new EventCounter('latency', new EventSource('App', { registry: joined }))
  await turn()
  again.writeMetric(5)
  clock.advance(1000)
  assert.equal(counts.at(-1), 1)
})

test('a joined registry refuses sessions and polling; what it closes is gone', async () => {
  const bed = newBed()
  const { clock } = bed
  const joined = CounterRegistry.open(bed.registry.share(), { clock })
  const request = { intervalMs: 1000, deliver: 'own' } as const
  assert.throws(() => joined.open(request, () => {}), /^TypeError: sessions belong to the thread/)
  assert.throws(() => joined.session({ intervalMs: 1000 }, () => {}), TypeError)
  assert.throws(() => eventCountersHandler(joined), /^TypeError: counters are served by the thread/)
  const source = new EventSource('App', { registry: joined })
  assert.throws(
    () => new PollingCounter('p', source, () => 1),
    /^TypeError: counter "p" of .*polling/,
  )
  assert.throws(() => new IncrementingPollingCounter('q', source, () => 1), TypeError)
  assert.throws(() => joined.share(), /^TypeError: a registry that another thread serves/)
  const follower = new Follower(bed, 1)
  const latency = new EventCounter('latency', source)
  const requests = new Counter('requests', source)
  latency.writeMetric(4)
  latency.writeMetric(Number.NaN)
  requests.add(2)
  clock.advance(1000)
  latency.displayName = 'Latency'
  latency.writeMetric(6)
  requests.add(1)
  clock.advance(1000)
  assert.equal(joined.counts.nonfinite_samples, 1)
  assert.equal(follower.count('latency'), 2)
  assert.equal(follower.count('requests'), 3)
  assert.equal(follower.of('latency').at(-1)!.counter.displayName, 'Latency')
  latency.close()
  requests.close()
  await turn()
  follower.windows.length = 0
  clock.advance(3000)
  assert.equal(follower.windows.length, 0)
  new Counter('requests', source).add(5)
  await turn()
  clock.advance(3000)
  assert.equal(follower.count('requests'), 5)
})
