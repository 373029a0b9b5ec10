import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../test/support/property.ts'
import { jsonPieces } from './pieces.ts'

test('pieces of JSON are together what they would be at once', () => {
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 4 }),
    fc.array(fc.record({ rows: fc.array(fc.integer(), { maxLength: 200 }) }), { maxLength: 4 }),
    fc.record({ gone: fc.constant(undefined), rows: fc.array(fc.string(), { maxLength: 300 }) }),
  )
  holds(
    fc.property(value, (each) => {
      assert.equal([...jsonPieces(each)].join(''), JSON.stringify(each))
    }),
    500,
  )
})

test('no piece holds more than 64 elements of a list, however deep it lies', () => {
  const rows = Array.from({ length: 1000 }, (_, i) => i)
  const answer = {
    tables: [
      { name: 'a', rows },
      { name: 'b', rows },
    ],
    total: rows,
  }
  for (const piece of jsonPieces(answer)) assert.ok(piece.split(',').length <= 64, piece)
})
