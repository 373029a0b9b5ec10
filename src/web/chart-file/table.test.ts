import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseCsv } from '../../../test/support/csv.ts'
import { type ChartTable, cellText, csvOf } from './table.ts'

const SECOND = { name: 'Second', form: 'second' } as const

test('a file has ISO times, all digits and units; what is not known is empty', () => {
  const rows = [
    [1_749_650_602, 0.1 + 0.2, 3],
    [1_749_650_603, Number.NaN, '18446744073709551616'],
  ]
  const table: ChartTable = {
    columns: [
      SECOND,
      { name: 'rate', form: 'value', unit: 'B/s' },
      { name: 'up to', form: 'count', unit: 'ns' },
    ],
    length: rows.length,
    row: (i) => rows[i]!,
  }
  assert.equal(
    csvOf(table),
    'time,rate_B_per_s,up_to_ns\n2025-06-11T14:03:22Z,0.30000000000000004,3\n' +
      '2025-06-11T14:03:23Z,,18446744073709551616\n',
  )
})

test('heads of shares, of rates without a unit, and of words say what they are', () => {
  const columns = [
    { name: 'share', form: 'percent' },
    { name: 'observations', form: 'value', unit: '/s' },
    { name: 'latency', form: 'words' },
    { name: 'cpu', form: 'value', unit: '%' },
  ] as const
  const [heads] = parseCsv(csvOf({ columns, length: 0, row: () => [] }))
  assert.deepEqual(heads, ['share_percent', 'observations_per_s', 'latency', 'cpu_percent'])
})

test('cells are read as everywhere on the page', () => {
  const plain = (text: string): string => text.replace(/[\u00a0\u202f]/g, ' ')
  const value = { name: 'p99', form: 'value', unit: 'ms' } as const
  assert.equal(plain(cellText(value, 1234.5)), '1.23 s')
  assert.equal(cellText(value, Number.NaN), '–')
  assert.equal(cellText(value, null), '–')
  assert.equal(plain(cellText({ name: 'n', form: 'count' }, 12_345)), '12 345')
  assert.equal(plain(cellText({ name: 'n', form: 'percent' }, 12.345)), '12.3 %')
  assert.match(cellText(SECOND, 1_749_650_602), /^1[012] Jun 2025 \d\d:\d\d:22$/)
})
