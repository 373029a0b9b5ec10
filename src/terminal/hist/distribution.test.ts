import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeSeries } from '../../../test/support/series-info.ts'
import type { SeriesInfo } from '../../http/api.ts'
import { addMerged, mergedOf } from '../../viewer/store/buckets.ts'
import { Catalogue } from '../../viewer/store/catalogue.ts'
import { distributionJson, figuresIn, histogramsOf } from './distribution.ts'

function entriesOf(...series: readonly Partial<SeriesInfo>[]) {
  const catalogue = new Catalogue()
  const infos = series.map((part, id) => fakeSeries({ id, name: `s${id}`, ...part }))
  catalogue.replace({ series: infos, total: infos.length, revision: 1 })
  return catalogue.entries
}

test('histograms of one unit are taken, others are not added up', () => {
  const ms = { kind: 'histogram', unit: 'ms' } as const
  const found = histogramsOf(entriesOf(ms, { kind: 'counter' }, ms), 's')
  assert.deepEqual(
    found.map(({ id }) => id),
    [0, 2],
  )
  assert.throws(() => histogramsOf([], 'x'), /^Error: no histogram matches x$/)
  assert.throws(() => histogramsOf(entriesOf({}), 'x'), /x \(1 series of other kinds do\)/)
  const units = entriesOf(ms, { kind: 'histogram', unit: 's' })
  assert.throws(() => histogramsOf(units, 'x'), /several units: ms, s\n {2}add words/)
  const own = entriesOf({ ...ms, bounds: [1, 2] }, { ...ms, bounds: [1, 5] })
  assert.throws(() => histogramsOf(own, 'x'), /between different bounds\n {2}add words/)
  const many = entriesOf(...new Array<Partial<SeriesInfo>>(201).fill(ms))
  assert.throws(() => histogramsOf(many, 'x'), /201 histograms match x; 200 can be added up/)
})

const CELL = {
  ...{ count: 4, sum: 20, min: 2.5, max: 8, p50: 4, p90: 8, p99: 8 },
  ...{ scale: 0, offset: 1, counts: [1, 3], zero: 0, negative: 0 },
}

test('figures are of all that was added up', () => {
  const merged = addMerged([mergedOf(CELL), mergedOf(CELL)])
  const figures = new Map(figuresIn(merged, 2, 'ms'))
  assert.deepEqual(
    ['count', 'rate', 'min', 'max', 'mean'].map((name) => figures.get(name)),
    ['8', '4.00 /s', '2.50 ms', '8.00 ms', '5.00 ms'],
  )
  assert.deepEqual(figuresIn(addMerged([]), 2, 'ms'), [['count', '0']])
})

test('JSON has the buckets by their upper bounds, and null for what is not known', () => {
  const cell = { ...CELL, sum: null, zero: 1, count: 6, overflow: { from: 1024, count: 1 } }
  const json = distributionJson(mergedOf(cell)) as Readonly<Record<string, unknown>>
  assert.deepEqual(json.buckets, [
    [0, 1],
    [4, 1],
    [8, 3],
    [null, 1],
  ])
  assert.deepEqual([json.count, json.sum, json.overflowFrom], [6, null, 1024])
  assert.equal(typeof json.p999, 'number')
})
