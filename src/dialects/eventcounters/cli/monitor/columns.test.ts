import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../../../test/support/property.ts'
import { type Column, layoutOf, VALUE_WIDTH } from './columns.ts'

test('names that need the room take that of the spark', () => {
  assert.deepEqual(layoutOf(80, ['raw', 'delta'], 55), {
    nameWidth: 48,
    values: [
      { column: 'raw', end: 64 },
      { column: 'delta', end: 80 },
    ],
    spark: undefined,
  })
})

test('a spark stands at the right edge, as wide as the names leave it', () => {
  assert.deepEqual(layoutOf(80, ['raw'], 40).spark, { start: 58, width: 22 })
  assert.deepEqual(layoutOf(100, ['raw'], 20).spark, { start: 63, width: 37 })
  assert.deepEqual(layoutOf(400, ['raw'], 40).spark, { start: 280, width: 120 })
})

test('columns without room are left out from the right, the first one never', () => {
  const all: Column[] = ['raw', 'rate', 'minute', 'total', 'delta']
  const shown = (width: number) => layoutOf(width, all, 20).values.map(({ column }) => column)
  assert.deepEqual(shown(80), ['raw', 'rate', 'minute'])
  assert.deepEqual(shown(60), ['raw', 'rate'])
  assert.deepEqual(shown(20), ['raw'])
})

test('nothing overlaps and nothing leaves the terminal', () => {
  const columns = fc.integer({ min: 60, max: 400 })
  holds(
    fc.property(columns, fc.nat(300), fc.integer({ min: 1, max: 5 }), (width, name, count) => {
      const all = (['raw', 'rate', 'minute', 'total', 'delta'] as const).slice(0, count)
      const { nameWidth, values, spark } = layoutOf(width, all, name)
      let end = nameWidth
      for (const value of values) {
        assert.ok(value.end - VALUE_WIDTH > end - 1)
        end = value.end
      }
      if (spark === undefined) assert.equal(end, width)
      else {
        assert.ok(spark.start > end)
        assert.equal(spark.start + spark.width, width)
        assert.ok(nameWidth >= name, 'a spark never costs a name')
      }
    }),
  )
})
