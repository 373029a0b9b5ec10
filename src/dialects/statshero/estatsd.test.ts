import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { graphiteKey, meterFields, timerFields } from './estatsd.ts'
import { loadVectors } from './test/golden.ts'

const runsOf = (values: readonly number[]) => values.map((value) => [value, 1] as const)

suite('vectors: estatsd', () => {
  for (const vector of loadVectors().aggregation.filter(({ layout }) => layout === 'estatsd')) {
    test(`writes ${vector.id} as the real server does`, () => {
      const { values, marks, flushSeconds, key, expect } = vector
      if (values !== undefined) assert.deepEqual(timerFields(runsOf(values), 'zero'), expect)
      else if (key !== undefined) assert.equal(graphiteKey(key), expect)
      else {
        const sum = (marks as number[]).reduce((total, mark) => total + mark, 0)
        const { stats, stats_counts } = meterFields(sum, marks.length, flushSeconds)
        assert.deepEqual({ 'stats.KEY': stats, 'stats_counts.KEY': stats_counts }, expect)
      }
    })
  }
})

suite('timers of estatsd', () => {
  test('percentiles of 1 to 20 are the elements at the rounded ranks', () => {
    const fields = timerFields(runsOf(Array.from({ length: 20 }, (_, i) => i + 1)))
    assert.equal(fields.median, 10)
    assert.deepEqual([fields.upper_90, fields.upper_95, fields.upper_99], [18, 19, 20])
  })

  test('fewer than five values are zeros only where that is asked for', () => {
    const runs = runsOf([10, 20, 30, 40])
    assert.equal(timerFields(runs, 'zero').count, 0)
    assert.deepEqual(timerFields(runs), {
      ...{ mean: 25, median: 20, upper: 40, lower: 10, count: 4 },
      ...{ upper_90: 40, upper_95: 40, upper_99: 40 },
    })
    assert.equal(timerFields(runsOf([7])).upper_90, 7)
    assert.equal(timerFields([]).mean, 0)
  })

  test('a value observed several times counts as several values', () => {
    const repeated = timerFields([
      [1, 3],
      [9, 2],
    ])
    assert.deepEqual(repeated, timerFields(runsOf([1, 1, 1, 9, 9])))
  })

  test('a run of white space becomes one underscore', () => {
    assert.equal(graphiteKey('a \t b/é.c'), 'a_b-.c')
  })
})
