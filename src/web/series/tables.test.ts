import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SeriesData } from '../../viewer/store/series-data.ts'
import { bucketsTable, heatTable, lanesTable, seriesTable } from './tables.ts'

const NOW = 1_800_000_000
const CELL = { count: 6, sum: 20, min: 0, max: 9, p50: 2, p90: 8, p99: 9, scale: 0, negative: 0 }

function histogram(): SeriesData {
  const data = new SeriesData('histogram')
  data.write(NOW - 1, { ...CELL, offset: 1, counts: [3, 1], zero: 2 })
  data.write(NOW, { ...CELL, offset: 2, counts: [4], zero: 1, overflow: { from: 64, count: 1 } })
  return data
}

test('a row is a second, from the oldest on, a column a lane in the unit that is shown', () => {
  const data = new SeriesData('counter')
  data.write(NOW - 1, 2)
  data.write(NOW, 3)
  const table = seriesTable(data, { from: NOW - 3, to: NOW }, { unit: '/min', factor: 60 })
  assert.deepEqual(
    Array.from({ length: table.length }, (_, i) => table.row(i)),
    [
      [NOW - 2, Number.NaN],
      [NOW - 1, 120],
      [NOW, 180],
    ],
  )
  assert.deepEqual(table.columns[1], { name: 'rate', form: 'value', unit: '/min' })
})

test('a row of longer steps says how long they are, and of an open one there is none', () => {
  const steps = new SeriesData('gauge', 5)
  const facts = { closed: NOW + 3 }
  const values = { value: [1, 2, 3], min: [1, 2, 3], max: [1, 2, 3] }
  steps.writeColumn(NOW - 5, { id: 1, kind: 'gauge', ...values }, NOW - 100, facts)
  const table = seriesTable(steps, { from: NOW - 10, to: NOW + 3 }, { unit: '', factor: 1 })
  assert.deepEqual(table.columns[0], { name: '5\u00a0s to', form: 'second' })
  assert.deepEqual(
    Array.from({ length: table.length }, (_, i) => table.row(i)[0]),
    [NOW - 5, NOW],
  )
  const heat = new SeriesData('histogram', 5)
  const cells = Array(2).fill({ ...CELL, offset: 1, counts: [6], zero: 0 })
  heat.writeColumn(NOW, { id: 1, kind: 'histogram', cells }, NOW - 100, facts)
  const rows = heatTable(heat, { from: NOW - 10, to: NOW + 3 }, 'ms')
  assert.deepEqual([rows.columns[0]?.name, rows.length], ['5\u00a0s to', 1])
})

test('buckets of what is shown are added up; what is in none of them has a row, too', () => {
  const table = bucketsTable(histogram(), { from: NOW - 2, to: NOW }, 'ms')
  const rows = Array.from({ length: table.length }, (_, i) => table.row(i))
  assert.deepEqual(
    rows.map(([above, upTo, count]) => [above, upTo, count]),
    [
      [0, 0, 3],
      [2, 4, 3],
      [4, 8, 5],
      [64, null, 1],
    ],
  )
  assert.equal(Math.round(rows.reduce((sum, row) => sum + Number(row[3]), 0)), 100)
})

test('buckets between bounds of one’s own have them for ends, the outermost one end', () => {
  const data = new SeriesData('histogram')
  const bounds = [10, 20, 50]
  data.write(NOW, { ...CELL, scale: 0, offset: 0, counts: [1, 0, 2, 3], bounds, zero: 0 })
  const table = bucketsTable(data, { from: NOW - 2, to: NOW }, 'ms')
  const rows = Array.from({ length: table.length }, (_, i) => table.row(i).slice(0, 3))
  assert.deepEqual(rows, [
    [null, 10, 1],
    [20, 50, 2],
    [50, null, 3],
  ])
})

test('a heat map as rows has each second apart', () => {
  const table = heatTable(histogram(), { from: NOW - 2, to: NOW }, 'ms')
  const rows = Array.from({ length: table.length }, (_, i) => table.row(i).slice(0, 4))
  assert.deepEqual(rows, [
    [NOW - 1, 0, 0, 2],
    [NOW - 1, 2, 4, 3],
    [NOW - 1, 4, 8, 1],
    [NOW, 0, 0, 1],
    [NOW, 4, 8, 4],
    [NOW, 64, null, 1],
  ])
})

test('lanes have the names that they are given', () => {
  const lanes = [{ lane: 'count', unit: '/s', name: 'observations' }] as const
  const table = lanesTable(histogram(), { from: NOW - 1, to: NOW }, lanes)
  assert.deepEqual(table.row(0), [NOW, 6])
  assert.equal(table.columns[1]?.name, 'observations')
})
