import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { u64, VECTORS } from '../test/golden.ts'
import { Schedule } from './ticks.ts'

describe('ticks', () => {
  for (const each of VECTORS.ticks) {
    it(`${each.name}: sends and misses what the golden case says`, () => {
      const grid = new Schedule(u64(each.requested_ns), u64(each.min_interval_ns))
      assert.equal(grid.intervalNs, u64(each.effective_ns))
      const ticks = each.wakeups_elapsed_ns.flatMap((elapsed) => grid.wake(u64(elapsed)) ?? [])
      assert.deepEqual(
        ticks.map(({ t }) => t),
        each.sent_t.map(u64),
      )
      assert.equal(
        ticks.reduce((sum, { missed }) => sum + missed, 0),
        each.missed,
      )
    })
  }
})
