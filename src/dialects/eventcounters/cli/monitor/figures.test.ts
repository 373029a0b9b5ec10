import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FeedWindow } from '../../../command-line.ts'
import { figuresOf, labelOf, numberText, scaleText } from './figures.ts'

const counter = {
  provider: 'P',
  name: 'c',
  displayName: 'Jobs',
  units: '',
  rateScaleSec: 0,
  metaData: [],
}

function sum(increment: number, intervalSec: number | undefined, rateScaleSec = 0): FeedWindow {
  return {
    counter: { ...counter, rateScaleSec },
    statistics: { kind: 'sum', increment },
    ...{ timeMs: 0, seriesMs: 1000, intervalSec },
  }
}

test('an increment is raw, a rate by its own scale, per minute, and adds to the total', () => {
  assert.deepEqual(figuresOf(sum(2, 1.01), 5), {
    ...{ raw: 2, rate: 2 / 1.01, second: 2 / 1.01, total: 7 },
    ...{ minute: (2 * 60) / 1.01, hour: (2 * 3600) / 1.01 },
  })
  assert.equal(figuresOf(sum(30, 10, 60)).rate, 180)
})

test('without a measured length there is no rate', () => {
  const figures = figuresOf(sum(2, undefined), 5)
  const { raw, total, ...rates } = figures
  assert.deepEqual([raw, total], [2, 7])
  assert.deepEqual(Object.values(rates), [undefined, undefined, undefined, undefined])
})

test('a negative increment is a reset: the total stays', () => {
  assert.equal(figuresOf(sum(-3, 1), 5).total, 5)
  assert.equal(figuresOf(sum(-3, 1), 5).raw, -3)
  assert.equal(figuresOf(sum(Number.NaN, 1), 5).total, 5)
})

test('a mean is one value in every view, and none when the sender had none', () => {
  const mean = (value: number): FeedWindow => ({
    ...sum(0, 1),
    statistics: { kind: 'mean', count: 1, mean: value, deviation: 0, min: value, max: value },
  })
  assert.deepEqual(new Set(Object.values(figuresOf(mean(12)))), new Set([12]))
  assert.equal(figuresOf(mean(Number.NaN)).raw, undefined)
})

test('labels say what stands in the column', () => {
  const series = {
    counter: { ...counter, rateScaleSec: 60 },
    isSum: true,
    seriesMs: 5000,
  }
  assert.equal(labelOf(series, 'raw'), 'Jobs (Count / 5 sec)')
  assert.equal(labelOf(series, 'rate'), 'Jobs (Count / 60 sec)')
  assert.equal(labelOf(series, 'second'), 'Jobs / sec')
  assert.equal(labelOf(series, 'minute'), 'Jobs / Min')
  assert.equal(labelOf(series, 'hour'), 'Jobs / hr')
  assert.equal(labelOf(series, 'total'), 'Jobs (Count)')
  const mean = { ...series, isSum: false, counter: { ...counter, units: 'MB' } }
  assert.equal(labelOf(mean, 'minute'), 'Jobs (MB)')
})

test('the time scale of a rate has the shortest name', () => {
  assert.deepEqual([0, 1, 60, 3600, 90, 0.1].map(scaleText), [
    ...['/s', '/s', '/min', '/h', '/90s', '/0.1s'],
  ])
})

test('points stand below each other; what is too wide is abbreviated', () => {
  const style = { isAbbreviated: false, width: 15 }
  const texts = [7, 0.123, -675430.9, undefined, 99_999_999_999].map((v) => numberText(v, style))
  assert.deepEqual(texts, ['7    ', '0.123', '-675,430.9  ', '–    ', '99,999,999,999'])
  assert.equal(numberText(4.9012e25, style), '4.9012e+25   ')
  assert.equal(numberText(123_456_789, { ...style, isAbbreviated: true }), '1.2346e+08   ')
})
