import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeSeries } from '../../../test/support/series-info.ts'
import type { SeriesInfo } from '../../http/api.ts'
import type { ReadingContext } from '../../viewer/series/reading.ts'
import { SeriesData } from '../../viewer/store/series-data.ts'
import { pastOf, tablesOf } from './columns.ts'
import { figuresOf } from './figures.ts'

const NOW = 1_800_000_000
const USUAL = { recent: 1, usual: 1, ratio: 1, score: 0, since: 0 }
const ODD = { recent: 19, usual: 1, ratio: 19.2, score: 9, since: NOW - 30 }

function read(data: SeriesData, info: Partial<SeriesInfo>, part: Partial<ReadingContext> = {}) {
  const { kind, rate, now, last, mark } = figuresOf(data, {
    info: fakeSeries({ kind: data.kind, lastDataMs: NOW * 1000, ...info }),
    ...{ second: NOW, hasCursor: false, isStale: false, per: '', finding: USUAL },
    ...{ lastDataMs: NOW * 1000, nowMs: NOW * 1000 + 300 },
    ...part,
  })
  return [mark, kind, rate.text, now.text, last.text]
}

const CELL = {
  ...{ count: 177, sum: 1, min: 1, max: 9, p50: 16.8, p90: 60, p99: 115 },
  ...{ scale: 0, offset: 1, counts: [2, 1], zero: 0, negative: 0 },
}

test('a counter is its rate, a gauge its value, a histogram has both and its p99', () => {
  const counter = new SeriesData('counter')
  counter.write(NOW, 17_800, 1)
  assert.deepEqual(read(counter, {}), [' ', 'c', '17.8k/s', '', ''])
  assert.deepEqual(read(counter, { rateTimeScaleS: 60, unit: 'B' })[2], '1.02 MiB/min')
  counter.write(NOW, 4_561_306, 1)
  assert.deepEqual(read(counter, { unit: 'B' })[2], '4.35 MiB/s')
  counter.write(NOW, 17_800, 1)
  const gauge = new SeriesData('gauge')
  gauge.write(NOW, 1900, 1)
  assert.deepEqual(read(gauge, {}), [' ', 'g', '', '1.90 k', ''])
  counter.write(NOW, 100_000, 1)
  assert.deepEqual(read(counter, { unit: 'requests' })[2], '100k/s')
  counter.write(NOW, 12, 1)
  assert.deepEqual(read(counter, { unit: 'jobs' })[2], '12.0 jobs/s')
  assert.deepEqual(read(gauge, { unit: 'requests' })[3], '1.90 k')
  const histogram = new SeriesData('histogram')
  histogram.write(NOW, CELL, 1)
  const figures = [' ', 'h', '177/s', '16.8 ms', '115 ms']
  assert.deepEqual(read(histogram, { unit: 'ms' }), figures)
})

test('what is unusual has a mark, and how far it is where there is no p99', () => {
  const counter = new SeriesData('counter')
  counter.write(NOW, 19, 1)
  assert.deepEqual(read(counter, {}, { finding: ODD }), ['◆', 'c', '19.0/s', '', '19×'])
  assert.deepEqual(read(counter, {}, { finding: ODD, hasCursor: true })[0], ' ')
})

test('percentiles of a quiet second are the last ones, a rate is nothing', () => {
  const histogram = new SeriesData('histogram')
  histogram.write(NOW - 20, CELL, 1)
  histogram.writeQuiet(NOW, false)
  assert.deepEqual(read(histogram, { unit: 'ms' }), [' ', 'h', '0/s', '16.8 ms', '115 ms'])
  histogram.writeQuiet(NOW + 100, false)
  assert.deepEqual(read(histogram, {}, { second: NOW + 100 })[3], '–')
})

test('a silent series says for how long, one without data nothing', () => {
  const counter = new SeriesData('counter')
  const silent = { lastDataMs: (NOW - 240) * 1000 }
  assert.deepEqual(read(counter, {}, silent), ['–', 'c', '–', '4 min ago', ''])
  assert.deepEqual(read(counter, {}), [' ', 'c', '–', '', ''])
})

test('columns never overlap, whatever the width', () => {
  for (let width = 60; width <= 400; width += 7) {
    for (const layout of tablesOf(width, 90, { count: 100, room: 20 }, 60)) {
      const { left, name, kind, rate, now, last, spark, sparkWidth } = layout
      assert.ok(left + 3 + name < kind && kind < rate - 8 && rate < now - 8 && now < last - 8)
      assert.ok(last < spark && spark + sparkWidth <= width, `width ${width}`)
    }
  }
})

test('tables stand side by side where there are rows for them', () => {
  assert.equal(tablesOf(200, 30, { count: 100, room: 20 }, 60).length, 2)
  assert.equal(tablesOf(200, 30, { count: 20, room: 20 }, 60).length, 1)
  assert.equal(tablesOf(120, 30, { count: 100, room: 20 }, 60).length, 1)
})

const isKnown = (value: number): boolean => !Number.isNaN(value)

function greatestOf(...asked: Parameters<typeof pastOf>): number[] {
  return Array.from(pastOf(...asked).greatest)
}

test('a small picture of a gauge has what it went through within a second', () => {
  const data = new SeriesData('gauge')
  for (let second = NOW - 59; second <= NOW; second++) {
    data.write(second, 5, 1, second === NOW - 31 ? { min: -70, max: 1000 } : undefined)
  }
  const { greatest, least } = pastOf(data, NOW, 60, 16)
  const [most, fewest] = [Array.from(greatest), Array.from(least!)]
  assert.deepEqual(
    [Math.max(...most.filter(isKnown)), Math.min(...fewest.filter(isKnown))],
    [1000, -70],
  )
  assert.equal(most.indexOf(1000), fewest.indexOf(-70))
})

test('a small picture keeps the peak of each column, on the grid of time', () => {
  const data = new SeriesData('gauge')
  for (let second = NOW - 59; second <= NOW; second++) {
    data.write(second, second === NOW - 31 ? 50 : 1, 1)
  }
  const past = greatestOf(data, NOW, 60, 16)
  assert.equal(past.filter((value) => value === 50).length, 1)
  data.write(NOW + 1, 1, 1)
  const later = greatestOf(data, NOW + 1, 60, 16)
  assert.ok(Math.abs(later.indexOf(50) - past.indexOf(50)) <= 1)
})

test('a small picture of days is made of the steps that were read, not of seconds', () => {
  const step = 600
  const data = new SeriesData('gauge', step)
  const value = Array.from({ length: 144 }, (_, i) => (i === 71 ? 50 : 1))
  const column = { id: 1, kind: 'gauge', value, min: value, max: value } as const
  data.writeColumn(NOW - 143 * step, column, 0)
  const past = greatestOf(data, NOW, 86_400, 48)
  assert.equal(past.filter((value) => Number.isNaN(value)).length, 0)
  assert.equal(past.indexOf(50), 23)
  assert.equal(past.at(-1), 1)
})
