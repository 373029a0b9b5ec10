import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { addToSummary, EMPTY_SUMMARY } from '../../../model/index.ts'
import { graphiteKey, summaryFields, timerFields } from './flush.ts'

function fieldsOf(values: readonly number[], underFive: 'real' | 'zero' = 'real') {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const runs = values.map((value) => [value, 1n] as const)
  return Object.fromEntries(timerFields(runs, mean, underFive))
}

suite('a flush to Graphite', () => {
  test('percentiles of 1 to 20 are the elements at the rounded ranks', () => {
    const fields = fieldsOf(Array.from({ length: 20 }, (_, i) => i + 1))
    assert.equal(fields.median, 10)
    assert.deepEqual([fields.upper_90, fields.upper_95, fields.upper_99], [18, 19, 20])
  })

  test('fewer than five values are zeros only where that is asked for', () => {
    assert.deepEqual(new Set(Object.values(fieldsOf([10, 20, 30, 40], 'zero'))), new Set([0]))
    assert.deepEqual(fieldsOf([10, 20, 30, 40]), {
      ...{ mean: 25, median: 20, upper: 40, lower: 10, count: 4n },
      ...{ upper_90: 40, upper_95: 40, upper_99: 40 },
    })
    assert.equal(fieldsOf([7]).upper_90, 7)
  })

  test('a value observed several times counts as several values', () => {
    const runs = [
      [1, 3n],
      [9, 2n],
    ] as const
    assert.deepEqual(Object.fromEntries(timerFields(runs, 4.2, 'zero')), {
      ...{ mean: 4.2, median: 1, upper: 9, lower: 1, count: 5n },
      ...{ upper_90: 9, upper_95: 9, upper_99: 9 },
    })
  })

  test('a summary says what it knows', () => {
    const summary = [10, 20].reduce(addToSummary, EMPTY_SUMMARY)
    const known = { mean: 15, upper: 20, lower: 10, count: 2 }
    assert.deepEqual(Object.fromEntries(summaryFields(summary, 'real')), known)
    const zeros = { mean: 0, upper: 0, lower: 0, count: 0 }
    assert.deepEqual(Object.fromEntries(summaryFields(summary, 'zero')), zeros)
  })

  test('a run of white space becomes one underscore', () => {
    assert.equal(graphiteKey('a \t b/é.c'), 'a_b-.c')
  })
})
