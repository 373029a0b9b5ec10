import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { Histogram } from '../index.ts'
import { BucketSums } from './bucket-sums.ts'
import { HistogramPacker } from './packed-histogram.ts'

const sums = new BucketSums()

function add(histograms: readonly Histogram[]): void {
  const packer = new HistogramPacker()
  const places = histograms.map((histogram) => packer.add(histogram))
  const packed = packer.packed()
  sums.clear()
  for (const place of places) packed.addTo(sums, place)
}

function merged(histograms: readonly Histogram[]): Histogram {
  const all = new Histogram()
  for (const histogram of histograms) all.mergeFrom(histogram)
  return all
}

function histogramOf(values: readonly number[], scale?: number): Histogram {
  const histogram = new Histogram(scale)
  for (const value of values) histogram.record(value)
  return histogram
}

test('quantiles of all are those of a merged histogram, within the width of its buckets', () => {
  const value = fc.oneof(
    fc.constant(0),
    fc.double({ min: 1e-3, max: 1e4, noNaN: true }),
    fc.double({ min: 1e-300, max: 1e300, noNaN: true }),
  )
  const scale = fc.integer({ min: -2, max: 8 })
  const one = fc.tuple(fc.array(value, { minLength: 1, maxLength: 20 }), scale)
  holds(
    fc.property(fc.array(one, { minLength: 1, maxLength: 6 }), (all) => {
      const histograms = all.map(([values, of]) => histogramOf(values, of))
      const whole = merged(histograms)
      add(histograms)
      assert.equal(sums.count, Number(whole.count))
      const width = 2 ** (2 ** -whole.scale)
      for (const q of [0, 0.5, 0.9, 0.99, 1]) {
        const [ours, theirs] = [sums.quantile(q), whole.quantile(q)]
        const isNear = ours === theirs || (ours <= theirs * width && ours >= theirs / width)
        assert.ok(isNear, `${q}: ${ours} and ${theirs}, ${width}`)
      }
    }),
  )
})

test('what is in no bucket counts: zeros, overflow, and values below zero', () => {
  const open = histogramOf([1, 2])
  open.overflow = 97n
  open.overflowFrom = 4
  open.count += 97n
  open.max = 9
  add([open, histogramOf([0, 0, 0])])
  assert.equal(sums.count, 102)
  assert.equal(sums.quantile(0.02), 0)
  assert.equal(sums.quantile(0.99), 4)
  add([histogramOf([-5, -4, 3])])
  assert.equal(sums.quantile(0.5), Number.NaN)
  assert.equal(sums.quantile(1).toFixed(1), '3.0')
  sums.clear()
  assert.equal(sums.quantile(0.5), Number.NaN)
})

test('extremes that a sender does not tell limit nothing', () => {
  const open = histogramOf([100, 200, 300])
  open.min = open.max = Number.NaN
  add([open])
  assert.equal(sums.quantile(0.5), open.quantile(0.5))
  add([open, histogramOf([150])])
  assert.equal(sums.quantile(0.99), merged([open, histogramOf([150])]).quantile(0.99))
})

test('a histogram with bounds of its own is not added', () => {
  const bounded = new Histogram()
  bounded.bounds = [1, 10]
  bounded.record(5)
  const packer = new HistogramPacker()
  const place = packer.add(bounded)
  sums.clear()
  assert.equal(packer.packed().addTo(sums, place), false)
  assert.equal(sums.count, 0)
})
