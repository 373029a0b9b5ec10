import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { defined } from '../../../test/support/threads/shm.ts'
import { exact, U64_MAX } from '../../model/index.ts'
import { type SharedGaugeHandle, Zone } from '../index.ts'

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
