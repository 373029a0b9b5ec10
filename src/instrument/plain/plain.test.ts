import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { plainHistogram } from '../../../test/support/plain-histogram.ts'
import { holds } from '../../../test/support/property.ts'
import type { SessionRequest } from '../../dialects/eventcounters/server/counter-source.ts'
import type { CounterWindow, Statistics } from '../../dialects/eventcounters/window.ts'
import { Histogram as Buckets } from '../../model/index.ts'
import { Counter, CounterRegistry, EventCounter, EventSource, Gauge, Histogram } from '../index.ts'

interface Bed {
  readonly clock: FakeClock
  readonly registry: CounterRegistry
  readonly source: EventSource
  readonly logged: string[]
  /** Opens a session; answers what it has got. */
  follow(intervalSec: number, request?: Partial<SessionRequest>): CounterWindow[]
}

function newBed(labelSets = 1_000): Bed {
  const clock = new FakeClock()
  const logged: string[] = []
  const log = (message: string) => logged.push(message)
  const registry = new CounterRegistry({ clock, log, limits: { labelSets } })
  return {
    clock,
    registry,
    source: new EventSource('App', { registry }),
    logged,
    follow(intervalSec, request = {}) {
      const windows: CounterWindow[] = []
      const intervalMs = 1000 * intervalSec
      registry.open({ intervalMs, deliver: 'own', ...request }, (boundary) => {
        windows.push(...boundary.windows)
      })
      return windows
    },
  }
}

const statisticsOf = (windows: readonly CounterWindow[]): Statistics[] =>
  windows.map(({ statistics }) => statistics)

const mean = (count: number, value: number, deviation = 0, min = value, max = value) => {
  return { kind: 'mean', count, mean: value, deviation, min, max }
}

test('a counter is a sum: each session gets what was added while it was open', () => {
  const { clock, source, follow } = newBed()
  const counter = new Counter('requests', source)
  counter.add(10)
  const fast = follow(1)
  counter.add()
  clock.advance(1000)
  const slow = follow(2)
  counter.add(2n)
  counter.add(3)
  clock.advance(1000)
  clock.advance(1000)
  const sum = (increment: number) => ({ kind: 'sum', increment })
  assert.deepEqual(statisticsOf(fast), [sum(1), sum(5), sum(0)])
  assert.deepEqual(statisticsOf(slow), [sum(5)])
})

test('a counter refuses what a u64 cannot hold, counts it, and says so once', () => {
  const { registry, source, logged, clock, follow } = newBed()
  const counter = new Counter('requests', source)
  const windows = follow(1)
  const wrong = [0.5, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, -1n, 1n << 64n]
  for (const n of [...wrong, null, '1', {}, Symbol('one')]) counter.add(n as number)
  assert.equal(registry.counts.refused_values, wrong.length + 4)
  assert.deepEqual(logged, [
    'instrument "requests" of source "App": want a whole number from 0, as a bigint beyond ' +
      '2^53 - 1; at most 2^64 - 1 in all',
  ])
  counter.add((1n << 64n) - 1n)
  counter.add(1)
  assert.equal(registry.counts.refused_values, wrong.length + 5)
  clock.advance(1000)
  assert.deepEqual(statisticsOf(windows), [{ kind: 'sum', increment: 2 ** 64 }])
})

test('beyond 2^53 differences are exact: the total is no double', () => {
  const { source, clock, follow } = newBed()
  const counter = new Counter('requests', source)
  counter.add((1n << 60n) + 1n)
  const windows = follow(1)
  counter.add(1)
  clock.advance(1000)
  assert.deepEqual(statisticsOf(windows), [{ kind: 'sum', increment: 1 }])
})

test('a gauge has no payload before it is set, and then its value at each boundary', () => {
  const { source, clock, follow, registry } = newBed()
  const gauge = new Gauge('level', source, { unit: '%' })
  const windows = follow(1)
  clock.advance(1000)
  assert.equal(windows.length, 0)
  gauge.set(5)
  gauge.add(2.5)
  gauge.add(-1)
  for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY, '7', 1n, undefined]) {
    gauge.set(wrong as number)
  }
  gauge.add(Number.NaN)
  clock.advance(2000)
  assert.deepEqual(statisticsOf(windows), [mean(1, 6.5), mean(1, 6.5)])
  assert.equal(windows[0]!.counter.units, '%')
  assert.equal(registry.counts.refused_values, 6)
})

test('a histogram gives sessions mean and deviation, and keeps every value in its buckets', () => {
  const { source, clock, follow, registry } = newBed()
  const histogram = new Histogram('time', source, { unit: 'ms' })
  histogram.record(1000)
  const [one, two] = [follow(1), follow(2)]
  for (const value of [2, 4]) histogram.record(value)
  clock.advance(1000)
  for (const value of [7, 9]) histogram.record(value)
  for (const wrong of [Number.NaN, 1n, '1', null, Symbol('one')]) histogram.record(wrong as number)
  clock.advance(1000)
  clock.advance(1000)
  const nothing = mean(0, 0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY)
  assert.deepEqual(statisticsOf(two), [mean(4, 5.5, Math.sqrt(7.25), 2, 9)])
  assert.deepEqual(statisticsOf(one), [mean(2, 3, 1, 2, 4), mean(2, 8, 1, 7, 9), nothing])
  const { count, sum, min, max } = histogram.histogram
  assert.deepEqual([count, sum, min, max], [5n, 1022, 2, 1000])
  assert.equal(registry.counts.refused_values, 5)
})

test('labels make a counter each, whose pairs sessions see; with() is the same handle', () => {
  const { source, clock, follow } = newBed()
  const requests = new Counter('requests', source, { labels: ['route', 'code'] })
  const windows = follow(1)
  const ok = requests.with({ route: '/', code: '200' })
  assert.equal(requests.with({ code: '200', route: '/' }), ok)
  ok.add(3)
  requests.with({ route: '/', code: '404' }).add()
  clock.advance(1000)
  assert.deepEqual(
    windows.map(({ counter, statistics }) => [counter.metaData, statistics]),
    [
      [
        [
          ['code', '200'],
          ['route', '/'],
        ],
        { kind: 'sum', increment: 3 },
      ],
      [
        [
          ['code', '404'],
          ['route', '/'],
        ],
        { kind: 'sum', increment: 1 },
      ],
    ],
  )
})

test('other labels than declared are a mistake; without their values nothing is counted', () => {
  const { source, registry, logged } = newBed()
  const requests = new Counter('requests', source, { labels: ['route'] })
  for (const wrong of [{}, { rout: '/' }, { route: '/', code: '200' }, { route: 200 }]) {
    assert.throws(() => requests.with(wrong as never), /^TypeError: instrument "requests"/)
  }
  requests.add()
  assert.equal(registry.counts.refused_values, 1)
  assert.deepEqual(logged, [
    'instrument "requests" of source "App": want values of its labels, route',
  ])
  assert.throws(() => new Counter('a', source, { labels: ['x', 'x'] }), TypeError)
  assert.throws(() => new Counter('', source), RangeError)
  assert.throws(() => new Gauge('a', source, { unit: 'x'.repeat(513) }), RangeError)
})

test('beyond the limit of label sets, handles do nothing, and are counted', () => {
  const { source, registry, clock, follow, logged } = newBed(2)
  const requests = new Histogram('requests', source, { labels: ['route'] })
  const windows = follow(1)
  for (const route of ['/a', '/b', '/c', '/d', '/a']) requests.with({ route }).record(1)
  requests.with({ route: 'x=1,y' }).record(1)
  clock.advance(1000)
  assert.deepEqual(
    windows.map(({ counter }) => counter.metaData[0]![1]),
    ['/a', '/b'],
  )
  assert.equal(registry.counts.dropped_label_sets, 3)
  assert.equal(registry.counts.refused_values, 0)
  assert.deepEqual(logged, ['instrument "requests" of source "App": limit of 2 sets of labels'])
})

test('label values may hold separators; what could not be read back becomes _', () => {
  const { source, registry, clock, follow } = newBed()
  const requests = new Counter('requests', source, { labels: ['route'] })
  const windows = follow(1)
  for (const route of ['/?a=1', '/a,b', '/a,b=c', '']) requests.with({ route }).add()
  clock.advance(1000)
  assert.deepEqual(
    windows.map(({ counter }) => counter.metaData[0]![1]),
    ['/?a=1', '/a,b', '/a_b=c', ''],
  )
  assert.equal(registry.counts.dropped_label_sets, 0)
})

test('a label value that is too long or holds U+0000 makes a handle that does nothing', () => {
  const { source, registry, logged } = newBed()
  const requests = new Counter('requests', source, { labels: ['route'] })
  requests.with({ route: 'x'.repeat(513) }).add()
  requests.with({ route: 'nul\0' }).add()
  assert.equal(registry.counts.dropped_label_sets, 2)
  assert.equal(logged.length, 1)
})

test('two instruments of one name are one counter; closed by both, it is gone', () => {
  const { source, clock, follow, registry } = newBed()
  const [one, two] = [new Counter('requests', source), new Counter('requests', source)]
  const windows = follow(1)
  one.add(1)
  two.add(2)
  clock.advance(1000)
  one.close()
  one.close()
  two.add(4)
  clock.advance(1000)
  assert.deepEqual(
    statisticsOf(windows),
    [3, 4].map((increment) => ({ kind: 'sum', increment })),
  )
  two.close()
  clock.advance(1000)
  assert.equal(windows.length, 2)
  assert.equal(registry.counts.duplicate_counters, 0)
})

test('instruments of one name and different kinds are different counters', () => {
  const { source, clock, follow } = newBed()
  new Counter('a', source).add(1)
  new Gauge('a', source).set(2)
  new Histogram('a', source).record(3)
  const windows = follow(1)
  clock.advance(1000)
  assert.deepEqual(
    statisticsOf(windows).map(({ kind }) => kind),
    ['sum', 'mean', 'mean'],
  )
})

test('where the zone is full, an instrument does nothing, and is counted', () => {
  const clock = new FakeClock()
  const zone = { onFull: 'error', slabSize: 4_096 } as const
  const registry = new CounterRegistry({ clock, log: () => {}, zone })
  const source = new EventSource('App', { registry })
  for (let i = 0; i < 100; i++) new Counter(`counter ${i}`, source).add(1)
  assert.ok(registry.counts.dropped_counters > 0)
})

test('where the zone is full, every set of labels is counted and the first is logged', () => {
  const logged: string[] = []
  const log = (message: string) => logged.push(message)
  const registry = new CounterRegistry({ clock: new FakeClock(), log, zone: { metricsLimit: 5 } })
  const counter = new Counter('c', new EventSource('App', { registry }), { labels: ['of'] })
  for (let i = 0; i < 8; i++) counter.with({ of: `${i}` }).add(1)
  assert.equal(registry.counts.dropped_counters, 3)
  assert.deepEqual(logged, ['instrument "c" of source "App": metrics_limit'])
})

test('names of labels that could not be sent are refused when the instrument is made', () => {
  const { source, registry } = newBed()
  for (const label of ['a=b', 'a,b', 'a:b', 'DisplayUnits', '']) {
    assert.throws(() => new Counter('c', source, { labels: [label] }), label)
  }
  assert.equal(registry.counts.dropped_label_sets, 0)
})

test('an instrument of a source that was closed does nothing, and is counted', () => {
  const { source, registry, clock, follow } = newBed()
  const labelled = new Counter('labelled', source, { labels: ['of'] })
  labelled.with({ of: 'a' }).add(1)
  const windows = follow(1)
  source.close()
  assert.equal(source.isLive, false)
  labelled.with({ of: 'a' }).add(1)
  labelled.with({ of: 'b' }).add(1)
  new Counter('late', source).add(1)
  clock.advance(1000)
  assert.deepEqual([windows, registry.sources], [[], []])
  assert.equal(registry.counts.dropped_counters, 2)
})

test('sets of labels that are new after close are not served', () => {
  const { source, clock, follow } = newBed()
  const counter = new Counter('c', source, { labels: ['of'] })
  counter.with({ of: 'a' }).add(1)
  const windows = follow(1)
  counter.close()
  counter.with({ of: 'b' }).add(1)
  clock.advance(1000)
  assert.deepEqual(windows, [])
})

test('whatever is recorded, the boundaries of every session add up to it', () => {
  const step = fc.record({ counter: fc.nat({ max: 2 }), n: fc.nat({ max: 99 }), ms: fc.nat(1500) })
  holds(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const { clock, source, follow } = newBed()
      const counter = new Counter('c', source, { labels: ['of'] })
      const histogram = new Histogram('h', source)
      const sessions = [follow(1), follow(3)]
      let [total, count] = [0, 0]
      for (const { counter: of, n, ms } of steps) {
        counter.with({ of: `${of}` }).add(n)
        histogram.record(n)
        total += n
        count++
        clock.advance(ms)
      }
      clock.advance(3000)
      for (const windows of sessions) {
        const add = (sum: number, { statistics }: CounterWindow): number =>
          sum + (statistics.kind === 'sum' ? statistics.increment : 0)
        assert.equal(windows.reduce(add, 0), total)
        const means = statisticsOf(windows).filter((each) => each.kind === 'mean')
        assert.equal(
          means.reduce((sum, each) => sum + each.count, 0),
          count,
        )
      }
    }),
    50,
  )
})

/** Buckets of all windows of a counter together. */
function mergedBuckets(windows: readonly CounterWindow[], name: string): Buckets {
  const sum = new Buckets()
  for (const { counter, histogram } of windows) {
    if (counter.name === name) sum.mergeFrom(histogram!)
  }
  return sum
}

test('however sessions cut the time, their buckets together are the histogram’s own', () => {
  const value = fc.oneof(
    fc.integer({ min: -5, max: 5 }),
    fc.double({ min: 1e-9, max: 1e12, noNaN: true }).map((each) => Math.fround(each)),
  )
  const step = fc.record({ value, ms: fc.nat(2500), opens: fc.integer({ min: -6, max: 3 }) })
  holds(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const { clock, source, follow } = newBed()
      const plain = new Histogram('plain', source)
      const counter = new EventCounter('counter', source, { histogram: true })
      plain.record(1e6) // in no session
      const opened: { windows: CounterWindow[]; recorded: number[] }[] = []
      for (const { value, ms, opens } of steps) {
        if (opens > 0) opened.push({ windows: follow(opens, { hasBuckets: true }), recorded: [] })
        plain.record(value)
        counter.writeMetric(value)
        for (const { recorded } of opened) recorded.push(value)
        clock.advance(ms)
      }
      clock.advance(3000)
      for (const { windows, recorded } of opened) {
        const wanted = new Buckets()
        for (const each of recorded) wanted.record(each)
        for (const name of ['plain', 'counter']) {
          const { sum, ...buckets } = plainHistogram(mergedBuckets(windows, name))
          const { sum: whole, ...own } = plainHistogram(atLeastAsCoarse(wanted, buckets.scale))
          assert.deepEqual(buckets, own, name)
          const sizes = steps.reduce((total, step) => total + Math.abs(step.value), 1e6)
          const isNear = Math.abs(Number(sum) - Number(whole)) <= 1e-12 * sizes
          assert.ok(isNear, `sum ${sum}, wanted ${whole}`)
        }
      }
      source.close()
    }),
    50,
  )
})

/** The histogram's scale falls by what was recorded before a session, too. */
function atLeastAsCoarse(histogram: Buckets, scale: number): Buckets {
  return histogram.scale > scale ? histogram.atScale(scale) : histogram
}

test('buckets come to sessions that ask for them, with least and most of each window', () => {
  const { clock, source, follow } = newBed()
  const histogram = new Histogram('h', source)
  const [plain, asking] = [follow(1), follow(1, { hasBuckets: true })]
  for (const value of [2, 30]) histogram.record(value)
  clock.advance(1000)
  clock.advance(1000)
  histogram.record(7)
  clock.advance(1000)
  assert.deepEqual(
    plain.map(({ histogram: buckets }) => buckets),
    [undefined, undefined, undefined],
  )
  assert.deepEqual(statisticsOf(asking), statisticsOf(plain))
  assert.deepEqual(
    asking.map(({ histogram: buckets }) => [buckets!.count, Number(buckets!.sum)]),
    [
      [2n, 32],
      [0n, 0],
      [1n, 7],
    ],
  )
})
