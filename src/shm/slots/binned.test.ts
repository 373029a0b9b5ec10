import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { defined } from '../../../test/support/threads/shm.ts'
import { U64_MAX } from '../../model/index.ts'
import { Zone } from '../index.ts'

const LAST = 4294967295

test('a value is counted at the first bound that is not below it, or at the last', () => {
  const bound = fc.oneof(
    fc.integer({ min: 1, max: 40 }),
    fc.integer({ min: 1, max: LAST - 1 }),
    fc.constant(LAST - 1),
  )
  const bounds = fc
    .uniqueArray(bound, { minLength: 1, maxLength: 17 })
    .map((list) => list.sort((a, b) => a - b))
  const value = fc.oneof(
    fc.integer({ min: 0, max: 41 }),
    fc.integer({ min: 0, max: 2 ** 32 }),
    fc.bigInt({ min: 0n, max: U64_MAX }),
  )
  const step = fc.tuple(fc.nat({ max: 1 }), value, fc.boolean())
  holds(
    fc.property(bounds, fc.array(step, { maxLength: 40 }), (own, steps) => {
      const zone = Zone.create({ workersLimit: 2 })
      const metric = defined(zone, 'a', 'binned', { bounds: own })
      const writers = [zone.attach(), zone.attach()]
      const all = [...own, LAST]
      const counts = new BigUint64Array(all.length)
      let sum = 0n
      for (const [w, v, isLeaving] of steps) {
        assert.ok(writers[w]!.binned(metric)!.observe(v))
        const bin = all.findIndex((b) => v <= b)
        counts[bin === -1 ? all.length - 1 : bin]! += 1n
        sum += BigInt(v)
        if (!isLeaving) continue
        assert.ok(writers[w]!.detach())
        writers[w] = zone.attach()
      }
      const reader = zone.reader()
      assert.deepEqual(reader.bins(metric), { sum: BigInt.asUintN(64, sum), bounds: all, counts })
      const documented = reader.documentedBins(metric)
      assert.deepEqual(
        documented.bins,
        all.map((b, i) => ({ bound: b, count: counts[i]! })),
      )
    }),
  )
})

test('values on a bound, just above it and just below it go where they belong', () => {
  const zone = Zone.create()
  const metric = defined(zone, 'a', 'binned', { bounds: [10, 2 ** 31, LAST - 1] })
  const histogram = zone.attach().binned(metric)!
  const values = [0, 10, 11, 2 ** 31 - 1, 2 ** 31, 2 ** 31 + 1, LAST - 1, LAST, 2 ** 53 - 1]
  for (const v of values) assert.ok(histogram.observe(v))
  assert.deepEqual([...zone.reader().bins(metric).counts], [2n, 3n, 2n, 2n])
})

test('what is no integer of 64 bits is refused, and everything after the writer left', () => {
  const zone = Zone.create()
  const metric = defined(zone, 'a', 'binned', { bounds: [1] })
  const writer = zone.attach()
  const histogram = writer.binned(metric)!
  for (const v of [-1, 0.5, Number.NaN, 2 ** 53, -1n, U64_MAX + 1n]) {
    assert.equal(histogram.observe(v), false, `${v}`)
  }
  assert.ok(writer.detach())
  assert.equal(histogram.observe(1), false)
  assert.equal(histogram.observe(1n), false)
  assert.deepEqual([...zone.reader().bins(metric).counts], [0n, 0n])
})
