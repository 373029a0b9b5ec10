import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { bufferOf, defined, histogramFacts } from '../../../test/support/threads/shm.ts'
import { addExact, type Exact, Histogram, multiplyExact, U64_MAX } from '../../model/index.ts'
import { type ExponentialHandle, type WindowReading, Zone } from '../index.ts'
import { SLOT } from './exponential-slot.ts'

type Observation = readonly [value: Exact, count: Exact]

const HUGE = 10n ** 100n - 1n
const count = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Exact>(1) },
  fc.integer({ min: 1, max: 1_000 }),
  fc.bigInt({ min: 1n, max: 2n ** 40n }),
)
/** Integers of every path: small, around the safe limit, of 100 digits, and 0. */
const integer: fc.Arbitrary<Exact> = fc.oneof(
  fc.integer({ min: -5, max: 100_000 }),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.bigInt({ min: 2n ** 53n - 2n, max: 2n ** 53n + 2n }),
  fc.bigInt({ min: -HUGE, max: HUGE }),
)
/** Multiples of 1/8 below 2^20: their sums are exact in a double, in any order. */
const eighths = fc.integer({ min: -(2 ** 23), max: 2 ** 23 }).map((n) => n / 8)
const observations = (value: fc.Arbitrary<Exact>): fc.Arbitrary<Observation[]> =>
  fc.array(fc.tuple(value, count), { maxLength: 60 })

function newHistogram(): { zone: Zone; handle: ExponentialHandle } {
  const zone = Zone.create({ workersLimit: 4 })
  return { zone, handle: zone.attach().exponential(defined(zone, 'a', 'exponential'))! }
}

function modelOf(list: readonly Observation[]): Histogram {
  const model = new Histogram()
  for (const [value, times] of list) model.record(value, times)
  return model
}

test('any sequence of integers reads as the model holds it, to the last digit', () => {
  holds(
    fc.property(observations(integer), (list) => {
      const { zone, handle } = newHistogram()
      for (const [value, times] of list) assert.ok(handle.observe(value, times))
      assert.deepEqual(histogramFacts(zone.reader().exponential(0)), histogramFacts(modelOf(list)))
    }),
    300,
  )
})

test('integers and fractions of several writers add up to one model', () => {
  const list = observations(fc.oneof(eighths, fc.integer({ min: -1000, max: 1000 })))
  const few = list.map((entries) => entries.map(([v, n]) => [v, Number(n) % 100] as const))
  holds(
    fc.property(few, few, few, (...lists) => {
      const zone = Zone.create({ workersLimit: 3 })
      const metric = defined(zone, 'a', 'exponential')
      for (const entries of lists) {
        const handle = zone.attach().exponential(metric)!
        for (const [value, times] of entries) assert.equal(handle.observe(value, times), times > 0)
      }
      assert.deepEqual(
        histogramFacts(zone.reader().exponential(metric)),
        histogramFacts(modelOf(lists.flat())),
      )
    }),
  )
})

test('doubles of every size lie in the model’s buckets, and their sum stays finite', () => {
  const double = fc.double({ noNaN: true, noDefaultInfinity: true })
  holds(
    fc.property(fc.array(double, { minLength: 1, maxLength: 40 }), (values) => {
      const { zone, handle } = newHistogram()
      for (const value of values) assert.ok(handle.observe(value))
      const { sum, ...facts } = histogramFacts(zone.reader().exponential(0)) as { sum: Exact }
      const { sum: _, ...expected } = histogramFacts(modelOf(values.map((v) => [v, 1]))) as {
        sum: Exact
      }
      assert.deepEqual(facts, expected)
      assert.ok(Number.isFinite(Number(sum)))
    }),
  )
})

test('fractions are summed as doubles, integers beside them stay exact', () => {
  const { zone, handle } = newHistogram()
  handle.observe(2n ** 70n)
  for (const value of [0.1, 0.2, 0.7]) handle.observe(value)
  handle.observe(1)
  const sum = zone.reader().exponential(0).sum!
  assert.equal(sum, addExact(2n ** 70n + 1n, 0.1 + 0.2 + 0.7))
})

test('the sum of 100-digit integers is exact over a million observations of each', () => {
  const { zone, handle } = newHistogram()
  handle.observe(HUGE, 1_000_000)
  handle.observe(-HUGE + 12n, 999_999)
  for (let i = 0; i < 10; i++) handle.observe(Number.MAX_SAFE_INTEGER)
  const histogram = zone.reader().exponential(0)
  assert.equal(histogram.sum, HUGE + 12n * 999_999n + 10n * (2n ** 53n - 1n))
  assert.equal(histogram.min, -HUGE + 12n)
  assert.equal(histogram.max, HUGE)
})

test('sums pass the safe limit exactly on every path, upwards and back', () => {
  const third = 3_002_399_751_580_331 // three of it are 2^53 + 1, which no double is
  const { zone, handle } = newHistogram()
  const list: [number, number][] = [
    [3, 1],
    [third, 1],
    [-third, 1],
    [-Number.MAX_SAFE_INTEGER, 1],
    [third, 3],
    [Number.MAX_SAFE_INTEGER, 1],
    [-Number.MAX_SAFE_INTEGER, 3],
    [Number.MAX_SAFE_INTEGER, 3],
    [Number.MAX_SAFE_INTEGER, 1],
    ...Array.from({ length: 9 }, (): [number, number] => [3, 1]),
  ]
  let sum = 0n
  for (const [value, times] of list) {
    assert.ok(handle.observe(value, times))
    sum += BigInt(value) * BigInt(times)
    assert.equal(BigInt(zone.reader().exponential(0).sum!), sum)
  }
})

test('what is no observation is refused and changes nothing', () => {
  const { zone, handle } = newHistogram()
  handle.observe(7)
  const before = histogramFacts(zone.reader().exponential(0))
  for (const value of [Number.NaN, Infinity, -Infinity, 2n ** 333n, -(2n ** 333n)]) {
    assert.equal(handle.observe(value), false, `${value}`)
  }
  for (const times of [0, -1, 0.5, Number.NaN, 2 ** 53, 0n, -1n, U64_MAX + 1n]) {
    assert.equal(handle.observe(7, times), false, `count ${times}`)
    assert.equal(handle.observe(-3, times), false, `count ${times}`)
  }
  assert.deepEqual(histogramFacts(zone.reader().exponential(0)), before)
})

test('a bucket that would pass 2^64 - 1 refuses, by large and by small counts', () => {
  for (const value of [3, 0, -3, 0.25]) {
    const { zone, handle } = newHistogram()
    assert.ok(handle.observe(value, U64_MAX - 1n))
    assert.equal(handle.observe(value, 2), false)
    assert.equal(handle.observe(value, 2n), false)
    assert.ok(handle.observe(value))
    assert.equal(handle.observe(value), false)
    assert.equal(handle.observe(value, 1n), false)
    assert.equal(zone.reader().exponential(0).count, U64_MAX)
    const sum = zone.reader().exponential(0).sum!
    const exactSum = multiplyExact(value, U64_MAX)
    assert.ok(sum === exactSum || Math.abs(Number(sum) / Number(exactSum) - 1) < 1e-15)
  }
})

test('a bucket that is full stays so where its handle goes on in another zone', () => {
  for (const value of [3, 0.25]) {
    const { zone, handle } = newHistogram()
    for (let i = 0; i < 3; i++) assert.ok(handle.observe(value))
    assert.ok(handle.observe(value, U64_MAX - 3n))
    zone.reconfigure({ workers: 2 })
    assert.equal(handle.observe(value), false)
    assert.equal(zone.reader().exponential(handle.metric).count, U64_MAX)
  }
})

test('a sum beyond 384 bits goes on as a double', () => {
  const { zone, handle } = newHistogram()
  for (let i = 0; i < 3; i++) assert.ok(handle.observe(2n ** 332n + BigInt(i), 2n ** 51n))
  const sum = Number(zone.reader().exponential(0).sum)
  assert.ok(Math.abs(sum / (3 * 2 ** 383) - 1) < 1e-12, `${sum}`)
})

test('a fresh histogram is empty, with sum 0 and no extremes', () => {
  const zone = Zone.create()
  const metric = defined(zone, 'a', 'exponential')
  const empty = histogramFacts(new Histogram())
  assert.deepEqual(histogramFacts(zone.reader().exponential(metric)), empty)
  zone.attach().exponential(metric)
  assert.deepEqual(histogramFacts(zone.reader().exponential(metric)), empty)
})

test('each window has its own extremes, over all writers', () => {
  const window = fc.array(fc.tuple(fc.nat({ max: 1 }), fc.oneof(integer, eighths)), {
    maxLength: 12,
  })
  holds(
    fc.property(fc.array(window, { maxLength: 6 }), (windows) => {
      const zone = Zone.create({ workersLimit: 2 })
      const metric = defined(zone, 'a', 'exponential')
      const handles = [0, 1].map(() => zone.attach().exponential(metric)!)
      const reader = zone.reader()
      let wasObserved = false
      for (const observed of windows) {
        for (const [writer, value] of observed) handles[writer]!.observe(value)
        const epoch = reader.closeWindow()
        const reading: WindowReading = { min: 0, max: 0, isExact: false }
        const values = observed.map(([, value]) => value)
        assert.equal(reader.window(metric, epoch, reading), values.length > 0)
        assert.equal(reading.min, values.length === 0 ? NaN : Math.min(...values.map(Number)))
        assert.equal(reading.max, values.length === 0 ? NaN : Math.max(...values.map(Number)))
        const isExact = values.every((value) => typeof value === 'number' || isDouble(value))
        assert.equal(reading.isExact, isExact)
        assert.equal(reader.windowChanged(metric, epoch), values.length > 0 || wasObserved)
        wasObserved = values.length > 0
      }
    }),
  )

  function isDouble(value: bigint): boolean {
    return BigInt(Number(value)) === value
  }
})

test('a window is read until the next one ends, and then no more', () => {
  const { zone, handle } = newHistogram()
  const reader = zone.reader()
  const reading: WindowReading = { min: 0, max: 0, isExact: true }
  handle.observe(5)
  const epoch = reader.closeWindow()
  handle.observe(9)
  assert.ok(reader.window(0, epoch, reading))
  assert.deepEqual(reading, { min: 5, max: 5, isExact: true })
  reader.closeWindow()
  handle.observe(1)
  assert.equal(reader.window(0, epoch, reading), false)
})

test('a histogram that is filled anew is the same as a new one, whatever it held', () => {
  const list = observations(fc.oneof(integer, eighths))
  holds(
    fc.property(fc.array(fc.tuple(list, list), { minLength: 1, maxLength: 4 }), (pairs) => {
      const zone = Zone.create()
      const writers = [zone.attach(), zone.attach()]
      const reader = zone.reader()
      const target = new Histogram(2)
      target.foldZero(3)
      pairs.forEach((pair, i) => {
        const metric = defined(zone, `${i}`, 'exponential')
        const empty = defined(zone, `empty ${i}`, 'exponential')
        pair.forEach((each, w) => {
          for (const [value, times] of each) writers[w]!.exponential(metric)!.observe(value, times)
        })
        for (const asked of [metric, empty]) {
          assert.equal(reader.exponential(asked, target), target)
          assert.deepEqual(histogramFacts(target), histogramFacts(reader.exponential(asked)))
          assert.equal(target.zeroThreshold, 0)
        }
      })
    }),
    100,
  )
})

/** The guard of the one histogram that has seen nothing but `value`. */
function guardOf(zone: Zone, value: number): { ints: Int32Array; at: number } {
  const min = new Float64Array(bufferOf(zone)).indexOf(value) // the extremes of windows come later
  return { ints: new Int32Array(bufferOf(zone)), at: 2 * (min - SLOT.min + SLOT.shapeGuard) }
}

test('a reading waits for a writer that is suspended inside a change', (t) => {
  const { zone, handle } = newHistogram()
  handle.observe(12_345.5)
  const { ints, at } = guardOf(zone, 12_345.5)
  let pauses = 0
  t.mock.method(Atomics, 'wait', () => {
    pauses++
    if (pauses < 1_500) return 'timed-out'
    Atomics.add(ints, at, 1)
    handle.observe(3)
    return 'not-equal'
  })
  Atomics.add(ints, at, 1)
  assert.equal(zone.reader().exponential(handle.metric).count, 2n)
  assert.equal(pauses, 1_500)
})

test('a histogram whose writer died inside a change is waited for once, and read as it is', (t) => {
  const { zone, handle } = newHistogram()
  handle.observe(12_345.5)
  const { ints, at } = guardOf(zone, 12_345.5)
  Atomics.add(ints, at, 1)
  const wait = t.mock.method(Atomics, 'wait', () => 'timed-out')
  const reader = zone.reader()
  assert.equal(reader.exponential(handle.metric).count, 1n)
  const pauses = wait.mock.callCount()
  assert.ok(pauses > 0)
  for (let i = 0; i < 10; i++) assert.equal(reader.exponential(handle.metric).count, 1n)
  assert.equal(wait.mock.callCount(), pauses)
})
