import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseInstant, parsePast } from './flag-values.ts'

test('an instant is a time, Unix seconds or an age, and not before all Unix time', () => {
  assert.equal(parseInstant('2026-01-31T12:00Z'), Date.UTC(2026, 0, 31, 12))
  assert.equal(parseInstant('1700000000'), 1_700_000_000_000)
  assert.ok(Math.abs(Date.now() - 7_200_000 - parseInstant('2h')) < 60_000)
  for (const text of ['soon', '', '99999999d', '1960-01-01T00:00Z']) {
    assert.throws(() => parseInstant(text), /want 2026-01-31T12:00Z, Unix seconds/, text)
  }
})

test('a time that is still to come is none that was', () => {
  assert.ok(parsePast('1s') < Date.now())
  const later = new Date(Date.now() + 3_600_000).toISOString()
  assert.throws(() => parsePast(later), /still to come/)
})
