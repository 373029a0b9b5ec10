import assert from 'node:assert/strict'
import { test } from 'node:test'
import { intervalText, sizeText } from './span-text.ts'

test('an interval is in seconds where it is whole', () => {
  assert.deepEqual([1000, 60_000, 250, 1500].map(intervalText), [
    '1 s',
    '60 s',
    '250 ms',
    '1500 ms',
  ])
})

test('sizes have three digits', () => {
  assert.deepEqual([999, 4100, 12_000_000].map(sizeText), ['999 B', '4.1 kB', '12.0 MB'])
})
