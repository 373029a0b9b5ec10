import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countText, intervalText, sizeText, spanText } from './span-text.ts'

test('a span has its two largest units', () => {
  const seconds = [0, 59.9, 60, 724, 3600, 7500, 86_400, 97_200]
  assert.deepEqual(
    seconds.map((second) => spanText(second * 1000)),
    ['0 s', '59 s', '1 m 00 s', '12 m 04 s', '1 h 00 m', '2 h 05 m', '1 d 00 h', '1 d 03 h'],
  )
})

test('an interval is in seconds where it is whole', () => {
  assert.deepEqual([1000, 60_000, 250, 1500].map(intervalText), [
    '1 s',
    '60 s',
    '250 ms',
    '1500 ms',
  ])
})

test('sizes and counts', () => {
  assert.deepEqual([999, 4100, 12_000_000].map(sizeText), ['999 B', '4.1 kB', '12.0 MB'])
  assert.deepEqual([countText(1, 'row'), countText(2, 'row')], ['1 row', '2 rows'])
  assert.equal(countText(2, 'series', 'series'), '2 series')
})
