import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOver, parseThreshold } from './threshold.ts'

test('a threshold is a counter, a direction and a number', () => {
  const both = parseThreshold(' queue < -1.5e3 ', parseThreshold('cpu-usage>80', []))
  assert.deepEqual(both, [
    { counter: 'cpu-usage', isAbove: true, value: 80 },
    { counter: 'queue', isAbove: false, value: -1500 },
  ])
})

test('the last comparison counts, because names may hold one', () => {
  assert.equal(parseThreshold('a>b>1', [])[0]!.counter, 'a>b')
})

test('anything else is refused', () => {
  for (const text of ['', 'cpu', 'cpu>', '>80', 'cpu>x', 'cpu=80', 'cpu>80 %', 'cpu>1e']) {
    assert.throws(() => parseThreshold(text, []), /COUNTER>VALUE/, text)
  }
})

test('only its own counter passes it, and a value that is none does not', () => {
  const thresholds = parseThreshold('cpu>80', [])
  assert.equal(isOver(thresholds, 'cpu', 80.1), true)
  assert.equal(isOver(thresholds, 'cpu', 80), false)
  assert.equal(isOver(thresholds, 'gpu', 99), false)
  assert.equal(isOver(thresholds, 'cpu', undefined), false)
})
