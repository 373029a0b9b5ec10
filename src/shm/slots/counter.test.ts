import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { defined } from '../../../test/support/threads/shm.ts'
import { U64_MAX } from '../../model/index.ts'
import { Zone } from '../index.ts'

const step = fc.oneof(
  fc.integer({ min: -3, max: 2 ** 31 - 1 }),
  fc.maxSafeInteger(),
  fc.double(),
  fc.bigInt({ min: -5n, max: U64_MAX + 5n }),
)

test('a counter is exact up to 2^64 - 1 and refuses what would pass it, in any sequence', () => {
  holds(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const zone = Zone.create({ workersLimit: 1 })
      const counter = zone.attach().counter(defined(zone, 'a', 'counter'))!
      let total = 0n
      for (const n of steps) {
        const isValid = typeof n === 'bigint' ? n >= 0n : Number.isSafeInteger(n) && n >= 0
        const fits = isValid && total + BigInt(n) <= U64_MAX
        const isAdded = typeof n === 'bigint' ? counter.addExact(n) : counter.add(n)
        assert.equal(isAdded, fits, `${n}`)
        if (fits) total += BigInt(n)
        assert.equal(counter.value(), total)
      }
      assert.equal(zone.reader().counter(0), total)
    }),
  )
})

test('by its place a counter takes what its handle takes fast, and leaves the rest to it', () => {
  const zone = Zone.create()
  const writer = zone.attach()
  const metric = defined(zone, 'a', 'counter')
  const place = writer.counterPlace(metric)
  const handle = writer.counter(metric)!
  for (const n of [0, 1, 2 ** 31 - 1]) assert.ok(writer.addSmall(place, n))
  assert.equal(handle.value(), 2n ** 31n)
  for (const n of [-1, 0.5, 2 ** 31, Number.NaN]) assert.equal(writer.addSmall(place, n), false)
  assert.ok(handle.addExact(2n ** 63n))
  assert.equal(writer.addSmall(place, 1), false)
  assert.equal(handle.value(), 2n ** 63n + 2n ** 31n)
  assert.ok(writer.detach())
  assert.equal(writer.addSmall(place, 1), false)
  assert.equal(writer.counterPlace(metric), -1)
  assert.equal(zone.reader().counter(metric), 2n ** 63n + 2n ** 31n)
})

test('small increments, too, stop at the limit', () => {
  const zone = Zone.create()
  const counter = zone.attach().counter(defined(zone, 'a', 'counter'))!
  assert.ok(counter.addExact(U64_MAX - 2n))
  assert.deepEqual([counter.add(1), counter.add(1), counter.add(1)], [true, true, false])
  assert.equal(zone.reader().counter(0), U64_MAX)
})

test('the limit is that of the total: a large increment counts what other writers added', () => {
  const zone = Zone.create()
  const metric = defined(zone, 'a', 'counter')
  const [a, b] = [zone.attach().counter(metric)!, zone.attach().counter(metric)!]
  assert.ok(a.addExact(2n ** 63n))
  assert.equal(b.addExact(2n ** 63n), false)
  assert.ok(b.addExact(2n ** 63n - 1n))
  assert.equal(zone.reader().counter(metric), U64_MAX)
})

test('a total that several writers filled stays at 2^64 - 1, also read in bulk and folded', () => {
  const zone = Zone.create()
  const metric = defined(zone, 'a', 'counter')
  const writers = [zone.attach(), zone.attach()]
  writers[0]!.counter(metric)!.addExact(U64_MAX)
  writers[1]!.counter(metric)!.add(1)
  const reader = zone.reader()
  const read = (): bigint[] => {
    const totals = new BigUint64Array(1)
    reader.counters(Uint32Array.of(metric), totals)
    return [reader.counter(metric), totals[0]!]
  }
  assert.deepEqual(read(), [U64_MAX, U64_MAX])
  for (const writer of writers) writer.detach()
  assert.deepEqual(read(), [U64_MAX, U64_MAX])
})

test('bulk reading gives what single reading gives, over many chunks and writers', () => {
  const zone = Zone.create()
  const writers = [zone.attach(), zone.attach()]
  const metrics = Uint32Array.from({ length: 20_000 }, (_, i) => defined(zone, `${i}`, 'counter'))
  metrics.forEach((metric, i) => {
    writers[0]!.counter(metric)!.add(i)
    if (i % 3 === 0) writers[1]!.counter(metric)!.add(2 * i)
  })
  const target = new BigUint64Array(metrics.length).fill(99n)
  zone.reader().counters(metrics, target)
  metrics.forEach((_, i) => {
    assert.equal(target[i], BigInt(i % 3 === 0 ? 3 * i : i))
  })
})

test('a wrapping counter is the sum of what was added modulo 2^64, over all threads', () => {
  const delta = fc.oneof(
    fc.integer({ min: -5, max: 2 ** 31 - 1 }),
    fc.maxSafeInteger(),
    fc.bigInt({ min: -(2n ** 63n), max: U64_MAX }),
  )
  const list = fc.array(fc.tuple(fc.nat({ max: 1 }), delta, fc.boolean()), { maxLength: 40 })
  holds(
    fc.property(list, (steps) => {
      const zone = Zone.create({ workersLimit: 2 })
      const metric = defined(zone, 'a', 'counter', { mode: 'wrapping' })
      const writers = [zone.attach(), zone.attach()]
      const total = new Uint32Array(1)
      const totals = new BigUint64Array(1)
      let expected = 0n
      for (const [writer, n, isLeaving] of steps) {
        const counter = writers[writer]!.counter(metric)!
        assert.ok(typeof n === 'number' ? counter.add(n) : counter.addExact(n))
        assert.ok(counter.addWrapping(n))
        expected = BigInt.asUintN(64, expected + 2n * BigInt(n))
        if (isLeaving) {
          writers[writer]!.detach()
          writers[writer] = zone.attach()
        }
        const reader = zone.reader()
        total[0] = metric
        reader.counters(total, totals)
        assert.equal(reader.counter(metric), expected)
        assert.equal(totals[0], expected)
      }
    }),
  )
})

test('a wrapping counter takes no number that is none of 64 bits', () => {
  const zone = Zone.create()
  const counter = zone.attach().counter(defined(zone, 'a', 'counter', { mode: 'wrapping' }))!
  for (const value of [0.5, Number.NaN, 2 ** 53, -(2n ** 63n) - 1n, U64_MAX + 1n]) {
    assert.equal(counter.addWrapping(value), false, `${value}`)
  }
  assert.equal(zone.reader().counter(0), 0n)
})

test('only a wrapping counter wraps, and only while its writer is attached', () => {
  const zone = Zone.create()
  const writer = zone.attach()
  const plain = writer.counter(defined(zone, 'plain', 'counter'))!
  const wrapping = writer.counter(defined(zone, 'wrapping', 'counter', { mode: 'wrapping' }))!
  plain.add(5)
  assert.equal(plain.addWrapping(-1), false)
  assert.equal(plain.addWrapping(1n), false)
  assert.equal(plain.value(), 5n)
  wrapping.add(2 ** 40)
  assert.ok(writer.detach())
  assert.equal(wrapping.add(1), false)
  assert.equal(wrapping.addExact(1n), false)
  assert.equal(wrapping.addWrapping(-1n), false)
  assert.equal(zone.reader().counter(wrapping.metric), 2n ** 40n)
})
