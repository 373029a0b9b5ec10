import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { Schedule } from './schedule.ts'

const MS = 1_000_000n

suite('schedule', () => {
  test('the first point is one interval after the origin', () => {
    const schedule = new Schedule(7n, 1000)
    assert.equal(schedule.deadlineNs, 7n + 1000n * MS)
    assert.equal(schedule.isDue(7n + 1000n * MS - 1n), false)
    assert.equal(schedule.isDue(7n + 1000n * MS), true)
  })

  test('points that were missed collapse into one', () => {
    const schedule = new Schedule(0n, 1000)
    schedule.serve(3300n * MS)
    assert.equal(schedule.deadlineNs, 4000n * MS)
  })

  test('a boundary served a little early is not served again at its own moment', () => {
    const schedule = new Schedule(0n, 1000)
    schedule.serve(999n * MS + 500_000n)
    assert.equal(schedule.deadlineNs, 2000n * MS)
  })

  test('one that joins later gets the next point of the origin', () => {
    assert.equal(new Schedule(0n, 10_000, 12_345n * MS).deadlineNs, 20_000n * MS)
    assert.equal(new Schedule(0n, 10_000, 20_000n * MS).deadlineNs, 30_000n * MS)
  })

  test('a day of boundaries, each served late by some time, ends on its schedule', () => {
    const origin = 123_456_789n
    const schedule = new Schedule(origin, 1000)
    for (let second = 1n; second <= 86_400n; second++) {
      assert.equal(schedule.deadlineNs, origin + second * 1000n * MS)
      schedule.serve(schedule.deadlineNs + ((second * 7_919n) % 999n) * MS)
    }
  })

  test('the next point is the smallest one later than now and the one served', () => {
    const ns = fc.bigInt({ min: 0n, max: 10n ** 15n })
    const interval = fc.integer({ min: 1, max: 4_294_967_295_000 })
    holds(
      fc.property(ns, interval, fc.array(ns), (origin, intervalMs, delays) => {
        const schedule = new Schedule(origin, intervalMs)
        const step = BigInt(intervalMs) * MS
        for (const delay of delays) {
          const served = schedule.deadlineNs
          const nowNs = served - MS + delay
          const latest = nowNs > served ? nowNs : served
          schedule.serve(nowNs)
          assert.equal((schedule.deadlineNs - origin) % step, 0n)
          assert.ok(schedule.deadlineNs > latest && schedule.deadlineNs - step <= latest)
        }
      }),
    )
  })
})
