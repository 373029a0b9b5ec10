import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { SharedRows } from './shared-rows.ts'

test('equal things have one row while somebody has it, and different things never', () => {
  const step = fc.record({ text: fc.constantFrom('a', 'b', 'c', 'd'), isTaken: fc.boolean() })
  holds(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const rows = new SharedRows<string>()
      const taken: { text: string; row: number }[] = []
      for (const { text, isTaken } of steps) {
        if (isTaken) taken.push({ text, row: rows.take(text) })
        else {
          const at = taken.findIndex((each) => each.text === text)
          if (at >= 0) rows.release(taken.splice(at, 1)[0]!.row)
        }
        for (const each of taken) assert.equal(rows.get(each.row), each.text)
        const inUse = new Set(taken.map(({ row }) => row))
        assert.equal(inUse.size, new Set(taken.map((each) => each.text)).size)
        assert.ok(
          [...inUse].every((row) => row < 4),
          'rows are given out again',
        )
      }
    }),
  )
})
