import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseCsv } from '../../../../../test/support/csv.ts'
import { csvText } from './csv.ts'

test('cells with commas, quotes and line ends come back as they were', () => {
  const names = ['a,b', 'say "yes"', 'two\nlines', '', ' ', 'Zürich 👩‍💻', 'a@b*c:d||e']
  assert.deepEqual(
    parseCsv(
      csvText(
        ['name'],
        names.map((name) => [name]),
      ),
    ).slice(1),
    [...names.map((name) => [name])],
  )
})

test('integers of any size stay exact, and what is not known is empty', () => {
  assert.equal(
    csvText(
      ['a', 'b', 'c'],
      [
        ['18446744073709551615', 0.5, null],
        [1, -2, Number.NaN],
      ],
    ),
    'a,b,c\n18446744073709551615,0.5,\n1,-2,\n',
  )
})

test('no name of a peer is calculated by a spreadsheet', () => {
  for (const name of ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1']) {
    const [, [cell]] = parseCsv(csvText(['name'], [[name]])) as [string[], [string]]
    assert.equal(cell, `'${name}`)
  }
})
