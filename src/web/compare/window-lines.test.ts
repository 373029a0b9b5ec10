import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SeriesData } from '../../viewer/store/series-data.ts'
import { windowLines } from './window-lines.ts'

const NAMES = ['now', '10 s before'] as const

test('both windows of a gauge show the peaks within their seconds', () => {
  const [data, earlier] = [new SeriesData('gauge'), new SeriesData('gauge')]
  for (let second = 1; second <= 30; second++) {
    data.write(second, 5, 1, { min: 4, max: second === 25 ? 900 : 6 })
    earlier.write(second, 50, 1, { min: 40, max: second === 15 ? 9000 : 60 })
  }
  const [now, then] = windowLines([data, earlier], 20, 30, { before: 10, factor: 1, names: NAMES })
  assert.equal(now!.values.length, 11)
  assert.deepEqual([Math.max(...now!.spread!.high), now!.spread!.high.indexOf(900)], [900, 5])
  assert.deepEqual([Math.max(...then!.spread!.high), then!.spread!.high.indexOf(9000)], [9000, 5])
  assert.equal(Math.min(...then!.spread!.low), 40)
})

test('a window that has not been read has no line', () => {
  const data = new SeriesData('gauge')
  for (let second = 1; second <= 30; second++) data.write(second, 5, 1)
  const [, then] = windowLines([data, undefined], 20, 30, { before: 10, factor: 1, names: NAMES })
  for (const values of [then!.values, then!.spread!.high]) {
    assert.ok(values.every((value) => Number.isNaN(value)))
  }
})
