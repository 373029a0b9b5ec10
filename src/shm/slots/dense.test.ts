import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { defined } from '../../../test/support/threads/shm.ts'
import { U64_MAX } from '../../model/index.ts'
import { denseBin, denseBinOf, denseBound, Zone } from '../index.ts'

test('bins are bounded by the powers of two up to 2^31, and by 2^32 - 1', () => {
  const cases: [value: number, bin: number][] = [
    [0, 0],
    [1, 0],
    [2, 1],
    [3, 2],
    [4, 2],
    [5, 3],
    [2 ** 30, 30],
    [2 ** 30 + 1, 31],
    [2 ** 31 - 1, 31],
    [2 ** 31, 32],
    [Number.MAX_SAFE_INTEGER, 32],
  ]
  for (const [value, bin] of cases) assert.equal(denseBin(value), bin, `${value}`)
  assert.deepEqual([denseBound(0), denseBound(31), denseBound(32)], [1, 2 ** 31, 2 ** 32 - 1])
})

test('below 2^31 the bin is the least power of two that is not below the value', () => {
  holds(
    fc.property(fc.integer({ min: 1, max: 2 ** 31 - 1 }), (value) => {
      const bound = denseBound(denseBin(value))
      assert.ok(bound >= value && bound / 2 < value, `${value} in ${bound}`)
    }),
    1_000,
  )
})

test('every integer of 64 bits is counted in its bin and summed modulo 2^64', () => {
  const value = fc.oneof(
    fc.integer({ min: -2, max: 40 }),
    fc.integer({ min: 0, max: 2 ** 31 }),
    fc.maxSafeInteger(),
    fc.bigInt({ min: -1n, max: U64_MAX + 1n }),
    fc.double(),
  )
  const list = fc.array(value, { maxLength: 60 })
  holds(
    fc.property(list, list, (...lists) => {
      const zone = Zone.create({ workersLimit: 2 })
      const metric = defined(zone, 'a', 'dense')
      const bins = new BigUint64Array(33)
      let sum = 0n
      for (const values of lists) {
        const histogram = zone.attach().dense(metric)!
        for (const v of values) {
          const isValid =
            typeof v === 'bigint' ? v >= 0n && v <= U64_MAX : Number.isSafeInteger(v) && v >= 0
          assert.equal(histogram.observe(v), isValid, `${v}`)
          if (!isValid) continue
          sum += BigInt(v)
          bins[denseBin(Number(v))]! += 1n
        }
      }
      const reading = zone.reader().dense(metric)
      assert.deepEqual(reading.bins, bins)
      assert.equal(reading.sum, BigInt.asUintN(64, sum))
    }),
  )
})

test('bin and bound agree at every power of two, around it and for random 64-bit values', () => {
  const check = (value: bigint): void => {
    const bin = denseBinOf(value)
    const bound = BigInt(denseBound(bin))
    if (value > 2_147_483_647n) assert.equal(bin, 32)
    else assert.ok(value <= bound && (bin === 0 || value > bound / 2n), `${value} in ${bound}`)
    if (value <= BigInt(Number.MAX_SAFE_INTEGER)) assert.equal(denseBin(Number(value)), bin)
  }
  for (let k = 0n; k < 64n; k++) for (const d of [-1n, 0n, 1n]) check((1n << k) + d)
  check(U64_MAX)
  const random = new BigUint64Array(8_000)
  for (let filled = 0; filled < 1_000_000; filled += random.length) {
    crypto.getRandomValues(random)
    // Shifted by what its low bits say, so that all sizes come as often.
    for (const value of random) check(value >> (value & 63n))
  }
})

test('in the mode fractions a value counts where the integer above it would', () => {
  const zone = Zone.create()
  const metric = defined(zone, 'a', 'dense', { mode: 'fractions' })
  const writers = [zone.attach(), zone.attach()]
  const cases: [value: number | bigint, bin: number][] = [
    [0, 0],
    [-0, 0],
    [0.25, 0],
    [1, 0],
    [1.0001, 1],
    [2.5, 2],
    [2 ** 31 - 1, 31],
    [2 ** 31 - 0.5, 32],
    [1e300, 32],
    [7n, 3],
  ]
  const bins = new BigUint64Array(33)
  let sum = 0
  cases.forEach(([value, bin], i) => {
    assert.ok(writers[i % 2]!.dense(metric)!.observe(value))
    bins[bin]! += 1n
    sum += Number(value)
  })
  for (const value of [-0.5, Number.NaN, Number.POSITIVE_INFINITY, -1n, U64_MAX + 1n]) {
    assert.equal(writers[0]!.dense(metric)!.observe(value), false)
  }
  const reader = zone.reader()
  assert.deepEqual(reader.bins(metric).counts, bins)
  assert.equal(reader.bins(metric).sum, sum)
  assert.throws(() => reader.dense(metric), /counts fractions$/)
  for (const writer of writers) assert.ok(writer.detach())
  assert.deepEqual(reader.bins(metric).counts, bins)
  assert.equal(reader.bins(metric).sum, sum)
})

test('a sum of fractions stays at the largest double, also when segments are folded', () => {
  const zone = Zone.create()
  const metric = defined(zone, 'a', 'dense', { mode: 'fractions' })
  const writers = [zone.attach(), zone.attach()]
  for (const writer of writers) {
    const histogram = writer.dense(metric)!
    histogram.observe(Number.MAX_VALUE)
    histogram.observe(Number.MAX_VALUE)
    assert.ok(writer.detach())
    assert.equal(histogram.observe(1), false)
  }
  assert.equal(zone.reader().bins(metric).sum, Number.MAX_VALUE)
})
