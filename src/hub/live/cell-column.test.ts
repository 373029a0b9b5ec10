import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { runNow } from '../tasks/task.ts'
import { CellColumn } from './cell-column.ts'

test('cells in any order are taken in that of their ids, each with its number', () => {
  const ids = fc.uniqueArray(fc.nat({ max: 9999 }), { maxLength: 40 })
  holds(
    fc.property(ids, (given) => {
      const column = new CellColumn(Float64Array)
      for (const id of given) column.add(id, id / 4)
      const cells = runNow(column.joined())
      const rising = given.toSorted((a, b) => a - b)
      assert.deepEqual([...cells.ids], rising)
      assert.deepEqual(
        [...cells.values],
        rising.map((id) => id / 4),
      )
    }),
  )
})

test('a long column in two runs is whole, and takes many steps', () => {
  const column = new CellColumn(BigUint64Array)
  for (let id = 1; id < 100_000; id += 2) column.add(id, BigInt(id))
  for (let id = 0; id < 100_000; id += 2) column.add(id, BigInt(id))
  const task = column.joined()
  let steps = 0
  let step = task.next()
  for (; step.done !== true; step = task.next()) steps++
  assert.ok(steps >= 30, `${steps} steps`)
  const { ids, values } = step.value
  assert.equal(ids.length, 100_000)
  assert.ok(ids.every((id, row) => id === row && values[row] === BigInt(row)))
})
