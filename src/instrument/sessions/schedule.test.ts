import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { Grid } from './schedule.ts'

const MS = 1_000_000n

suite('grid', () => {
  test('the first point is one interval after the origin', () => {
    const grid = new Grid(7n, 1000)
    assert.equal(grid.deadlineNs, 7n + 1000n * MS)
    assert.equal(grid.isDue(7n + 1000n * MS - 1n), false)
    assert.equal(grid.isDue(7n + 1000n * MS), true)
  })

  test('points that were missed collapse into one', () => {
    const grid = new Grid(0n, 1000)
    grid.serve(3300n * MS)
    assert.equal(grid.deadlineNs, 4000n * MS)
  })

  test('a boundary served a little early is not served again at its own moment', () => {
    const grid = new Grid(0n, 1000)
    grid.serve(999n * MS + 500_000n)
    assert.equal(grid.deadlineNs, 2000n * MS)
  })

  test('one that joins later gets the next point of the origin', () => {
    assert.equal(new Grid(0n, 10_000, 12_345n * MS).deadlineNs, 20_000n * MS)
    assert.equal(new Grid(0n, 10_000, 20_000n * MS).deadlineNs, 30_000n * MS)
  })

  test('a day of boundaries, each served late by some time, ends on its grid', () => {
    const origin = 123_456_789n
    const grid = new Grid(origin, 1000)
    for (let second = 1n; second <= 86_400n; second++) {
      assert.equal(grid.deadlineNs, origin + second * 1000n * MS)
      grid.serve(grid.deadlineNs + ((second * 7_919n) % 999n) * MS)
    }
  })

  test('the next point is the smallest one later than now and the one served', () => {
    const ns = fc.bigInt({ min: 0n, max: 10n ** 15n })
    const interval = fc.integer({ min: 1, max: 4_294_967_295_000 })
    holds(
      fc.property(ns, interval, fc.array(ns), (origin, intervalMs, delays) => {
        const grid = new Grid(origin, intervalMs)
        const step = BigInt(intervalMs) * MS
        for (const delay of delays) {
          const served = grid.deadlineNs
          const nowNs = served - MS + delay
          const latest = nowNs > served ? nowNs : served
          grid.serve(nowNs)
          assert.equal((grid.deadlineNs - origin) % step, 0n)
          assert.ok(grid.deadlineNs > latest && grid.deadlineNs - step <= latest)
        }
      }),
    )
  })
})
