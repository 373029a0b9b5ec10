import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { exactly, exceptFor, some, table, within } from './soak/comparison.ts'
import { flat } from './soak/flatness.ts'

suite('comparisons of a soak', () => {
  test('a count that is one off, to either side, is no match', () => {
    const met = [999, 1000, 1001].map((seen) => exactly('lines', 1000, seen).isMet)
    assert.deepEqual(met, [false, true, false])
    assert.equal(exactly('lines', 1000, Number.NaN).isMet, false)
  })

  test('what is said to be lost may be missing, and not one more', () => {
    const met = [989, 990, 1000, 1001].map((seen) => exceptFor('lines', 1000, seen, 10).isMet)
    assert.deepEqual(met, [false, true, true, false])
    assert.equal(exceptFor('lines', 1000, Number.NaN, 10).isMet, false)
  })

  test('a count that goes on lies between two readings of the other', () => {
    const met = [9, 10, 20, 21].map((seen) => within('requests', 10, 20, seen).isMet)
    assert.deepEqual(met, [false, true, true, false])
    assert.equal(within('requests', 10, 20, Number.NaN).isMet, false)
  })

  test('work that was never done has not passed', () => {
    assert.deepEqual([some('kills', 0).isMet, some('kills', 1).isMet], [false, true])
  })

  test('the table marks the row that failed', () => {
    const text = table([exactly('good', 1, 1), exactly('bad', 2, 1)])
    const verdicts = text.split('\n').map((line) => line.split(' ')[0])
    assert.deepEqual(verdicts, ['verdict', 'ok', 'FAILED'])
  })
})

suite('flatness of a soak', () => {
  const bound = { share: 0.1, amount: 2 }
  const steps = (...thirds: number[]) => thirds.flatMap((value) => Array(5).fill(value))

  test('what grows while it warms up, and then stays, is flat', () => {
    assert.ok(flat('heap', steps(10, 100, 109), bound).isMet)
  })

  test('what goes on growing is not', () => {
    assert.equal(flat('heap', steps(10, 100, 111), bound).isMet, false)
  })

  test('one sample far off does not decide', () => {
    assert.ok(flat('heap', [...steps(10, 100, 100), 5000], bound).isMet)
  })

  test('a small number may vary by the amount', () => {
    assert.ok(flat('descriptors', steps(1, 3, 5), bound).isMet)
    assert.equal(flat('descriptors', steps(1, 3, 6), bound).isMet, false)
  })

  test('without samples nothing is known to be flat', () => {
    assert.equal(flat('heap', [], bound).isMet, false)
  })
})
