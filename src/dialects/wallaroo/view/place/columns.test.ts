import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeView } from '../../../../../test/support/wallaroo-rows.ts'
import { heatColumns, heatRange } from '../../../../web/chart/heat.ts'
import { BinColumns, countsOf, firstSecond, lastSecond, lineOf, valueAt } from './columns.ts'

const FROM = 1_700_000_000

test('a line has a value per second behind the left edge, and gaps where nothing ended', () => {
  const view = fakeView()
  assert.deepEqual([firstSecond(view), lastSecond(view)], [FROM, FROM + 3])
  assert.deepEqual([...lineOf(view, 'throughput')], [Number.NaN, 3, Number.NaN, 3])
  assert.equal(valueAt(view, 'p50Ns', FROM + 1), 900)
  for (const second of [FROM, FROM + 2, FROM + 4]) {
    assert.ok(Number.isNaN(valueAt(view, 'p50Ns', second)), `${second}`)
  }
})

test('a window of several seconds has its latencies in all of them, back to the one before', () => {
  const { charts, ...view } = fakeView()
  const long = { ...view, charts: { ...charts, windowS: [9, null, 2] } }
  assert.deepEqual([...lineOf(long, 'p50Ns')], [Number.NaN, 900, 3000, 3000])
  assert.deepEqual([...lineOf(long, 'throughput')], [Number.NaN, 3, Number.NaN, 3])
  const { sums } = heatColumns(new BinColumns(long), FROM, FROM + 3, 300)
  assert.deepEqual([...sums], [2, 0, 1, 0, 0, 1.5, 0, 0, 1.5])
})

test('bin i is the bucket that ends at 2^i ns', () => {
  const columns = heatColumns(new BinColumns(fakeView()), FROM, FROM + 3, 300)
  assert.deepEqual([columns.scale, columns.offset, columns.width], [0, 9, 3])
  assert.deepEqual([...columns.sums], [2, 0, 1, 0, 0, 0, 0, 0, 3])
  assert.deepEqual(heatRange(columns), { lo: 512, hi: 4096 })
})

test('a view without messages has no buckets', () => {
  const view = { ...fakeView(), bins: [] }
  assert.equal(new BinColumns(view).buckets.width, 0)
  assert.equal(heatRange(heatColumns(new BinColumns(view), FROM, FROM + 3, 300)), undefined)
})

test('counts of bins that are not sent are 0', () => {
  const counts = countsOf(fakeView().bins)
  assert.equal(counts.length, 65)
  assert.deepEqual([counts[10], counts[11], counts[12], counts[63]], [2, 0, 4, 0])
})
