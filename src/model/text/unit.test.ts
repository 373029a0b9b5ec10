import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unitSymbol } from './unit.ts'

const CASES: readonly (readonly [unit: string, shown: string])[] = [
  ['Cel', '°C'],
  ['mCel', 'm°C'],
  ['[degF]', '°F'],
  ['deg', '°'],
  ['kOhm', 'kΩ'],
  ['uOhm', 'µΩ'],
  ['By', 'B'],
  ['MiBy', 'MiB'],
  ['KiBy', 'KiB'],
  ['kBy', 'kB'],
  ['d', 'days'],
  ['1', ''],
  ['{request}', 'request'],
  ['{}', ''],
  ['By/s', 'B/s'],
  ['{req}/s', 'req/s'],
  ['{a/b}', 'a/b'],
  ['1/min', '/min'],
  // symbols, words, and what only looks like a code
  ['', ''],
  ['°C', '°C'],
  ['ms', 'ms'],
  ['m/s', 'm/s'],
  ['Celery', 'Celery'],
  ['{a}{b}', '{a}{b}'],
  ['{', '{'],
  ['constructor', 'constructor'],
]

for (const [unit, shown] of CASES) {
  test(`the unit ${JSON.stringify(unit)} is written ${JSON.stringify(shown)}`, () => {
    assert.equal(unitSymbol(unit), shown)
  })
}
