import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ageText, clockText, durationText, instantText, momentText, windowText } from './time.ts'

const AT = new Date(2026, 5, 11, 14, 3, 22).getTime()

test('an instant is wall time to the second', () => {
  assert.equal(clockText(AT), '14:03:22')
  assert.equal(clockText(new Date(2026, 0, 1, 3, 4, 5).getTime()), '03:04:05')
})

test('an instant of another day carries the day', () => {
  assert.equal(momentText(AT - 3_600_000, AT), '13:03:22')
  assert.equal(momentText(AT - 86_400_000, AT), '10 Jun 14:03')
})

test('an instant of another year carries the year', () => {
  const before = new Date(2025, 11, 31, 23, 59, 58).getTime()
  assert.equal(momentText(before, AT), '31 Dec 2025 23:59')
  assert.equal(instantText(before, AT), '31 Dec 2025 23:59:58')
  assert.equal(instantText(AT, before), '11 Jun 2026 14:03:22')
  assert.equal(instantText(AT - 86_400_000, AT), '10 Jun 14:03:22')
})

test('ages grow coarser as they grow', () => {
  const words = [0.42, 0.97, 12, 89, 90, 252, 5400, 36_000, 400_000].map(ageText)
  assert.deepEqual(
    words.map((word) => word.replace('\u00a0', ' ')),
    [
      '0.4 s ago',
      '1 s ago',
      '12 s ago',
      '89 s ago',
      '2 min ago',
      '4 min ago',
      '2 h ago',
      '10 h ago',
      '5 d ago',
    ],
  )
})

test('a clock that runs ahead gives no negative age', () => {
  assert.equal(durationText(-3), '0.0\u00a0s')
})

test('a window is stated in seconds or minutes, and a minute is no metre', () => {
  assert.deepEqual([10, 60, 600].map(windowText), ['10 s', '1 min', '10 min'])
})
