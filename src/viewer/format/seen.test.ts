import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countText, elapsedText, seenLine } from './seen.ts'

test('a span has its two largest units', () => {
  const seconds = [0, 59.9, 60, 724, 3600, 7500, 86_400, 97_200]
  assert.deepEqual(
    seconds.map((second) => elapsedText(second * 1000)),
    ['0 s', '59 s', '1 m 00 s', '12 m 04 s', '1 h 00 m', '2 h 05 m', '1 d 00 h', '1 d 03 h'],
  )
})

test('the last line says how long and what was seen', () => {
  assert.deepEqual([countText(1, 'row'), countText(2, 'row')], ['1 row', '2 rows'])
  const series = countText(67, 'series', 'series')
  assert.equal(seenLine(724_000, [series, '3 errors']), 'seen 12 m 04 s, 67 series, 3 errors\n')
})
