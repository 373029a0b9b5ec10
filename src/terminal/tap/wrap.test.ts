import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textWidth } from '../columns.ts'
import { type Part, wrapLine } from './wrap.ts'

const PLACE = { columns: 20, indent: 4, color: 'none' } as const

const field = (name: string, value: string): readonly Part[] => [[`${name}=`, 'faint'], [value]]

function rows(...fields: readonly (readonly Part[])[]): readonly string[] {
  return wrapLine([['12:00']], fields, PLACE).split('\n')
}

test('a line that fits has one row', () => {
  assert.deepEqual(rows(field('key', 'a'), field('n', '1234')), ['12:00 key=a n=1234'])
})

test('a line that is longer goes on between its fields, nothing of it lost', () => {
  const name = 'eu.shop.time'
  assert.deepEqual(rows(field('key', 'abc'), field('value', '10'), field('type', 'h')), [
    '12:00 key=abc',
    '    value=10 type=h',
  ])
  assert.deepEqual(rows(field('key', name), field('v', '9')), [
    '12:00',
    `    key=${name}`,
    '    v=9',
  ])
})

test('a field that is wider than a row is broken within', () => {
  assert.deepEqual(rows(field('key', 'a'.repeat(30)), field('v', '9')), [
    '12:00',
    `    key=${'a'.repeat(12)}`,
    `    ${'a'.repeat(16)}`,
    '    aa v=9',
  ])
})

test('what is beyond four rows is cut, with a mark, and no row is wider than the terminal', () => {
  for (let length = 1; length < 120; length++) {
    const fields = [field('k', '値e\u0301'.repeat(length)), field('v', '9'), field('last', 'z')]
    const all = rows(...fields)
    assert.ok(all.length <= 4)
    for (const row of all) assert.ok(textWidth(row) <= 20, row)
    const isWhole = all.at(-1)!.endsWith('last=z')
    assert.equal(isWhole, !all.at(-1)!.endsWith('…'), all.join('\n'))
  }
})
