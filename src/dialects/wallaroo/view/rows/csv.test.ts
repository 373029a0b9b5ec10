import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseCsv } from '../../../../../test/support/csv.ts'
import { fakeRow, fakeView } from '../../../../../test/support/wallaroo-rows.ts'
import { binsCsv, rowsCsv } from './csv.ts'

/** The row of a computation with such a name, as a spreadsheet reads it. */
function rowNamed(name: string): Record<string, string> {
  const [heads = [], cells = []] = parseCsv(rowsCsv('spread', [fakeRow({ name }, 4000)]))
  return Object.fromEntries(heads.map((head, i) => [head, cells[i]!]))
}

test('cells with commas, quotes and line ends come back as they were', () => {
  for (const name of ['a,b', 'say "yes"', 'two\nlines', '', ' ', 'Zürich 👩‍💻', 'a@b*c:d||e']) {
    assert.equal(rowNamed(name).name, name)
  }
})

test('integers of any size stay exact, and what is not known is empty', () => {
  const { worker, p99_ns } = rowNamed('Check')
  assert.deepEqual([worker, p99_ns], ['', '4000'])
  const bins = [
    { bin: 64, fromNs: '18446744073709551615', toNs: -2, count: 1, percent: Number.NaN },
    { bin: 1, fromNs: 0.5, toNs: 1, count: 1, percent: 50 },
  ]
  assert.equal(
    binsCsv({ ...fakeView(), bins }),
    'bin,above_ns,up_to_ns,messages,percent\n64,18446744073709551615,-2,1,\n1,0.5,1,1,50\n',
  )
})

test('no name of a peer is calculated by a spreadsheet', () => {
  for (const name of ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1']) {
    assert.equal(rowNamed(name).name, `'${name}`)
  }
})
