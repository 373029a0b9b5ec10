import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { defined } from '../../../test/support/shm.ts'
import { U64_MAX } from '../../model/index.ts'
import { denseBin, denseBound, Zone } from '../index.ts'

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
