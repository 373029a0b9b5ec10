import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SeriesData } from '../../viewer/store/series-data.ts'
import { drawHeat, heatColumns, heatRange } from './heat.ts'
import type { Painter } from './painter.ts'

const NOW = 1_800_000_000

function histogram(seconds: number): SeriesData {
  const data = new SeriesData('histogram')
  for (let i = 0; i < seconds; i += 1) {
    data.write(NOW + i, {
      count: 4,
      sum: 9,
      min: 1,
      max: 8,
      p50: 2,
      p90: 8,
      p99: 8,
      scale: 0,
      offset: 0,
      counts: [3, 0, 1],
      zero: 0,
      negative: 0,
    })
  }
  return data
}

test('with room for it there is a column per second', () => {
  const columns = heatColumns(histogram(60), NOW - 1, NOW + 59, 240)
  assert.equal(columns.group, 1)
  assert.equal(columns.count, 60)
  assert.deepEqual([...columns.sums.slice(0, 3)], [3, 0, 1])
})

test('columns narrower than 3 px are merged by adding bins, none lost', () => {
  const columns = heatColumns(histogram(600), NOW - 1, NOW + 599, 240)
  assert.equal(columns.group, 8)
  assert.equal(
    columns.sums.reduce((sum, each) => sum + each, 0),
    600 * 4,
  )
})

test('merged columns lie on the grid of time and keep their contents while they move', () => {
  const data = histogram(600)
  const before = heatColumns(data, NOW - 1, NOW + 593, 240)
  const after = heatColumns(data, NOW + 4, NOW + 598, 240)
  assert.equal(before.group, after.group)
  const shift = (after.first - before.first) / after.group
  const width = before.width
  // A column in the middle, far from both edges.
  const at = 20
  assert.deepEqual(
    after.sums.slice(at * width, (at + 1) * width),
    before.sums.slice((at + shift) * width, (at + shift + 1) * width),
  )
})

test('the range covers what is filled, in whole octaves', () => {
  assert.deepEqual(heatRange(heatColumns(histogram(10), NOW - 1, NOW + 9, 240)), { lo: 1, hi: 8 })
  assert.equal(heatRange(heatColumns(new SeriesData('histogram'), NOW, NOW + 9, 240)), undefined)
})

test('between chosen bounds the range is that of their rows, the outermost an octave high', () => {
  const rangeOf = (counts: readonly number[], bounds: readonly number[]) => {
    const data = new SeriesData('histogram')
    const moments = { count: 4, sum: 9, min: null, max: null, p50: 2, p90: 8, p99: 8 }
    const rows = { scale: 0, offset: 0, counts, bounds, zero: 0, negative: 0 }
    data.write(NOW, { ...moments, ...rows })
    return heatRange(heatColumns(data, NOW - 1, NOW + 9, 240))
  }
  assert.deepEqual(rangeOf([0, 1, 1, 0], [10, 30, 50]), { lo: 10, hi: 50 })
  assert.deepEqual(rangeOf([1, 0, 0, 1], [10, 30, 50]), { lo: 5, hi: 100 })
  assert.deepEqual(rangeOf([1, 1, 0, 0], [-10, 30, 50]), { lo: 15, hi: 30 })
  assert.equal(rangeOf([1, 0, 0, 0], [-10, 30, 50]), undefined)
})

/** Colours of three columns of one bucket each, in a ramp of seven. */
function colorsOf(sums: readonly number[]): (string | undefined)[] {
  const painted = new Map<number, string>()
  let path: number[] = []
  const context = {
    beginPath: () => {
      path = []
    },
    rect: (left: number) => path.push(Math.round(left / 10)),
    fillStyle: '',
    fill(): void {
      for (const column of path) painted.set(column, this.fillStyle)
    },
  }
  const palette = { ramp: () => ['0', '1', '2', '3', '4', '5', '6'] }
  const count = sums.length
  const grid = { scale: 0, offset: 0, width: 1, group: 1, first: 0, count }
  const columns = { ...grid, sums: Float64Array.from(sums), most: Math.max(...sums) }
  const box = { left: 0, right: count * 10, top: 0, bottom: 20, from: 0, to: count }
  const y = (value: number): number => 20 - value * 10
  drawHeat({ context, palette } as unknown as Painter, columns, 'heat', y, box)
  return sums.map((_, column) => painted.get(column))
}

test('a step is the square root of the share; the smallest count is painted too', () => {
  assert.deepEqual(colorsOf([1, 0, 100_000]), ['0', undefined, '6'])
  assert.deepEqual(colorsOf([25, 100]), ['3', '6'])
})
