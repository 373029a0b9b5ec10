import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shownAs } from './rate.ts'

test('a counter is stated per what its sender chose, a second where it chose nothing', () => {
  const shown = (rateTimeScaleS?: number) =>
    shownAs({ kind: 'counter', unit: 'B', ...(rateTimeScaleS && { rateTimeScaleS }) })
  assert.deepEqual(shown(), { unit: 'B/s', factor: 1 })
  assert.deepEqual(shown(60), { unit: 'B/min', factor: 60 })
  assert.deepEqual(shown(3600), { unit: 'B/h', factor: 3600 })
  assert.deepEqual(shown(10), { unit: 'B/10 s', factor: 10 })
})

test('the person who looks goes before the sender, and only for counters', () => {
  const info = { kind: 'counter', rateTimeScaleS: 3600 } as const
  assert.deepEqual(shownAs(info, 's'), { unit: '/s', factor: 1 })
  assert.deepEqual(shownAs(info, 'min'), { unit: '/min', factor: 60 })
  assert.deepEqual(shownAs({ kind: 'gauge', unit: 'MB' }, 'h'), { unit: 'MB', factor: 1 })
})
