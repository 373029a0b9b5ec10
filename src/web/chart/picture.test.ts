import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SteadyRange } from '../../viewer/chart/scale.ts'
import { SeriesData } from '../../viewer/store/series-data.ts'
import { deviationPicture, pictureOf, rangePicture } from './picture.ts'

const NOW = 1_800_000_000

function pictureWith(p50: number, p99: number) {
  const data = new SeriesData('histogram')
  const cell = { p50, p90: p99, p99, min: p50, max: p99, sum: 0, scale: 0 }
  data.write(NOW, { ...cell, count: 2, zero: 0, negative: 0, offset: 0, counts: [2] })
  const options = { unit: '', size: 'large', steady: new SteadyRange() } as const
  return pictureOf(data, { from: NOW - 60, to: NOW, cursor: null }, options)
}

test('a distribution above zero is drawn over its heat map on a logarithmic axis', () => {
  const picture = pictureWith(1, 4)
  assert.equal(picture.axis, 'log')
  assert.notEqual(picture.heat, undefined)
})

test('percentiles at or below zero are drawn on a linear axis, each line with its values', () => {
  for (const [p50, p99] of [
    [-4, -1],
    [-4, 3],
    [0, 2],
  ] as const) {
    const picture = pictureWith(p50, p99)
    assert.equal(picture.axis, 'around')
    assert.equal(picture.heat, undefined)
    assert.deepEqual(
      picture.lines.map(({ values }) => values.at(-1)),
      [p50, p99, p99],
    )
  }
})

test('a summary is its mean within what it reaches, or within its deviation', () => {
  const data = new SeriesData('summary')
  data.write(NOW, { count: 4, mean: 10, deviation: 3, min: 5, max: 20 })
  const view = { from: NOW - 1, to: NOW, cursor: null }
  const options = { unit: 'ms', size: 'large', steady: new SteadyRange() } as const
  const last = (values: Float64Array | undefined): number | undefined => values?.at(-1)
  const whole = pictureOf(data, view, options)
  assert.deepEqual([last(whole.band?.low), last(whole.band?.high)], [5, 20])
  const deviation = deviationPicture(data, view, options)
  assert.deepEqual([last(deviation.band?.low), last(deviation.band?.high)], [7, 13])
  assert.deepEqual(
    deviation.lines.map(({ name, values }) => [name, last(values)]),
    [['mean', 10]],
  )
  const range = rangePicture(data, view, options)
  assert.deepEqual(
    range.lines.map(({ name, values }) => [name, last(values)]),
    [
      ['min', 5],
      ['max', 20],
    ],
  )
  assert.ok(Number.isNaN(deviation.band?.low[0]))
})
