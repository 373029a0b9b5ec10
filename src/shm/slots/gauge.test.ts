import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { defined } from '../../../test/support/threads/shm.ts'
import { addExact, type Exact, exact, maxExact, minExact, U64_MAX } from '../../model/index.ts'
import { type GaugeReading, type SharedGaugeHandle, Zone } from '../index.ts'

const blank = (): GaugeReading => ({ value: 0, sequence: -1 })

test('a gauge holds any double and any integer of [-2^63, 2^64) exactly', () => {
  const zone = Zone.create()
  const gauge = zone.attach().gauge(defined(zone, 'a', 'gauge'))!
  const reader = zone.reader()
  const value = fc.oneof(fc.double(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }))
  let last = 0
  holds(
    fc.property(value, (given) => {
      assert.equal(gauge.set(given), true)
      const reading = blank()
      assert.ok(reader.gauge(0, reading))
      assert.ok(Object.is(reading.value, exact(given)), `${reading.value} for ${given}`)
      assert.ok(reading.sequence > last)
      last = reading.sequence
    }),
    500,
  )
})

test('an integer outside that range is rounded to the nearest double, and said so', () => {
  const zone = Zone.create()
  const gauge = zone.attach().gauge(defined(zone, 'a', 'gauge'))!
  const cases: [bigint, Exact][] = [
    [2n ** 64n + 1n, 2 ** 64],
    [-(2n ** 63n) - 1n, -(2 ** 63)],
    [10n ** 99n, 1e99],
  ]
  for (const [given, kept] of cases) {
    const reading = blank()
    assert.equal(gauge.set(given), false)
    zone.reader().gauge(0, reading)
    assert.equal(reading.value, kept)
  }
})

test('an integer beyond every double is not written', () => {
  const zone = Zone.create()
  const gauge = zone.attach().gauge(defined(zone, 'a', 'gauge'))!
  gauge.set(1)
  assert.equal(gauge.set(10n ** 400n), false)
  const reading = blank()
  zone.reader().gauge(0, reading)
  assert.equal(reading.value, 1)
})

test('a gauge that was never written reads as NaN, sequence 0', () => {
  const zone = Zone.create()
  const metric = defined(zone, 'a', 'gauge')
  const reading = blank()
  assert.equal(zone.reader().gauge(metric, reading), false)
  assert.deepEqual(reading, { value: Number.NaN, sequence: 0 })
  zone.attach().gauge(metric)
  assert.equal(zone.reader().gauge(metric, reading), false)
})

test('the last write of all writers wins, also after they detached in any order', () => {
  const write = fc.tuple(fc.nat({ max: 3 }), fc.oneof(fc.integer(), fc.bigInt({ min: 0n })))
  const order = fc.shuffledSubarray([0, 1, 2, 3])
  holds(
    fc.property(fc.array(write, { minLength: 1, maxLength: 20 }), order, (writes, leaving) => {
      const zone = Zone.create({ workersLimit: 4 })
      const metric = defined(zone, 'a', 'gauge')
      const writers = Array.from({ length: 4 }, () => zone.attach())
      for (const [writer, value] of writes) writers[writer]!.gauge(metric)!.set(value)
      const reading = blank()
      for (const writer of [-1, ...leaving]) {
        if (writer >= 0) writers[writer]!.detach()
        zone.reader().gauge(metric, reading)
        const last = exact(writes.at(-1)![1])
        const isWord = typeof last === 'number' || last < 2n ** 64n
        assert.equal(reading.value, isWord ? last : Number(last))
        assert.equal(reading.sequence, writes.length)
      }
    }),
    100,
  )
})

test('the sequences of many gauges are those that each of them is read with', () => {
  const zone = Zone.create()
  const writers = [zone.attach(), zone.attach()]
  // More than a chunk holds, and some that nobody ever writes.
  const metrics = Uint32Array.from({ length: 3_000 }, (_, i) => defined(zone, `${i}`, 'gauge'))
  metrics.forEach((metric, i) => {
    if (i % 3 > 0) writers[i % 2]!.gauge(metric)!.set(i)
    if (i % 5 === 0) writers[1]!.gauge(metric)!.set(2n ** 60n)
  })
  writers[0]!.detach()
  const reader = zone.reader()
  const sequences = new Float64Array(metrics.length).fill(7)
  reader.gaugeSequences(metrics, sequences)
  metrics.forEach((metric, i) => {
    const reading = blank()
    assert.equal(reader.gauge(metric, reading), sequences[i]! > 0)
    assert.equal(sequences[i], reading.sequence)
  })
  const counter = defined(zone, 'counter', 'counter')
  assert.throws(() => reader.gaugeSequences(Uint32Array.of(counter), sequences), TypeError)
})

test('a gauge of all writers is their sum, least or greatest, as its mode says', () => {
  const value = fc.oneof(
    fc.integer({ min: -9, max: 9 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }),
  )
  const step = fc.tuple(fc.nat({ max: 2 }), value, fc.boolean())
  holds(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const zone = Zone.create({ workersLimit: 3 })
      const reader = zone.reader()
      const modes = ['sum', 'min', 'max'] as const
      const metrics = modes.map((mode) => defined(zone, mode, 'gauge', { mode }))
      const writers = [zone.attach(), zone.attach(), zone.attach()]
      /** What each attached writer wrote last, and what those left that are gone. */
      const held: (Exact | undefined)[] = [undefined, undefined, undefined]
      let left: Exact[] = []
      for (const [w, given, isLeaving] of steps) {
        for (const metric of metrics) assert.ok(writers[w]!.gauge(metric)!.set(given))
        held[w] = exact(given)
        if (isLeaving) {
          assert.ok(writers[w]!.detach())
          writers[w] = zone.attach()
          left = [...left, held[w]]
          held[w] = undefined
        }
        const now = held.filter((v) => v !== undefined)
        const all = [...left, ...now]
        const expected: (Exact | undefined)[] = [
          now.length === 0 ? undefined : now.reduce(addExact),
          all.reduce(minExact),
          all.reduce(maxExact),
        ]
        metrics.forEach((metric, i) => {
          const reading = blank()
          assert.equal(reader.gauge(metric, reading), expected[i] !== undefined)
          if (expected[i] !== undefined) assert.equal(reading.value, expected[i], modes[i]!)
        })
      }
    }),
  )
})

test('segments show what each writer has written, and leave out who has not', () => {
  const zone = Zone.create()
  const metric = defined(zone, 'a', 'gauge', { mode: 'max' })
  const writers = [zone.attach(), zone.attach(), zone.attach()]
  for (const writer of writers) writer.gauge(metric)
  writers[0]!.gauge(metric)!.set(5)
  writers[2]!.gauge(metric)!.set(-1.5)
  const facts = zone
    .reader()
    .segments(metric)
    .map((reading) => [reading.segment, reading.type === 'gauge' && reading.value])
  assert.deepEqual(facts, [
    [1, 5],
    [3, -1.5],
  ])
})

function sharedBy(count: number): { zone: Zone; metric: number; handles: SharedGaugeHandle[] } {
  const zone = Zone.create()
  const metric = defined(zone, 'a', 'gauge', { mode: 'shared' })
  const handles = Array.from({ length: count }, () => zone.attach().sharedGauge(metric)!)
  return { zone, metric, handles }
}

test('all writers set and add to one value, modulo 2^64, and a fall below zero is told', () => {
  const delta = fc.oneof(
    fc.integer(),
    fc.maxSafeInteger(),
    fc.bigInt({ min: -(2n ** 63n), max: U64_MAX }),
  )
  const step = fc.tuple(fc.nat({ max: 1 }), fc.boolean(), delta)
  holds(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const { zone, metric, handles } = sharedBy(2)
      const reader = zone.reader()
      let value = 0n
      for (const [writer, isSet, given] of steps) {
        const handle = handles[writer]!
        const n = BigInt(given)
        if (isSet) {
          assert.equal(handle.set(given), n >= 0n)
          if (n >= 0n) value = n
        } else {
          assert.equal(handle.add(given), value + n < 0n ? 'wrapped' : 'added')
          value = BigInt.asUintN(64, value + n)
        }
        const reading = { value: 0, sequence: 1 }
        assert.ok(reader.gauge(metric, reading))
        assert.deepEqual(reading, { value: exact(value), sequence: 0 })
        assert.equal(reader.sharedGauge(metric), value)
        assert.equal(handle.value(), value)
      }
    }),
  )
})

test('what is no integer of 64 bits is neither set nor added', () => {
  const { zone, metric, handles } = sharedBy(1)
  const [gauge] = handles
  gauge!.set(3)
  for (const value of [0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, U64_MAX + 1n]) {
    assert.equal(gauge!.set(value), false, `${value}`)
    assert.equal(gauge!.add(value), undefined, `${value}`)
  }
  assert.equal(gauge!.add(-(2n ** 63n) - 1n), undefined)
  assert.equal(zone.reader().sharedGauge(metric), 3n)
})

test('the value outlives its writers, whose handles refuse, and is in no segment', () => {
  const zone = Zone.create()
  const metric = defined(zone, 'a', 'gauge', { mode: 'shared' })
  const writer = zone.attach()
  const gauge = writer.sharedGauge(metric)!
  gauge.add(5)
  assert.ok(writer.detach())
  assert.equal(gauge.add(1), undefined)
  assert.equal(gauge.set(1), false)
  assert.equal(gauge.value(), 0n)
  assert.equal(zone.reader().sharedGauge(metric), 5n)
  assert.deepEqual(zone.reader().segments(metric), [])
  assert.equal(zone.usage().bytes.segments, 0)
})
