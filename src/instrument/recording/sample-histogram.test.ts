import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { Histogram } from '../../model/index.ts'
import { SampleHistogram } from './sample-histogram.ts'

function bothOf(samples: readonly number[], readEvery = Infinity) {
  const [cheap, model] = [new SampleHistogram(), new Histogram()]
  samples.forEach((sample, i) => {
    cheap.take(Float64Array.of(sample, Number.NaN), 0, 1)
    model.record(sample)
    if (i % readEvery === 0) cheap.read()
  })
  return { read: cheap.read(), model }
}

function assertSame(actual: Histogram, expected: Histogram): void {
  const { sum, ...rest } = plain(actual)
  const { sum: expectedSum, ...expectedRest } = plain(expected)
  assert.deepEqual(rest, expectedRest)
  const largest = Math.max(Math.abs(rest.min), Math.abs(rest.max)) || 0
  const tolerance = 1e-12 * largest * Number(rest.count)
  assert.ok(Math.abs(sum - expectedSum) <= tolerance, `sum ${sum} is not ${expectedSum}`)
}

function plain(histogram: Histogram) {
  const { scale, count, zeroCount, positive, negative } = histogram
  const buckets: [number, bigint][][] = [positive, negative].map((side) => {
    const list: [number, bigint][] = []
    side.forEach((index, n) => {
      if (n > 0n) list.push([index, n])
    })
    return list
  })
  const [min, max, sum] = [histogram.min, histogram.max, histogram.sum].map(Number)
  return { scale, count, zeroCount, buckets, min: min!, max: max!, sum: sum! }
}

suite('histogram of samples', () => {
  test('is the same as the model records, whatever the samples and whenever it is read', () => {
    const near = fc.double({ min: 1, max: 100, noNaN: true })
    const small = fc.integer({ min: -10, max: 1_000_000 })
    const any = fc.double({ min: -1e15, max: 1e15, noNaN: true })
    const anywhere = fc.oneof(near, small, any)
    const samples = fc.oneof(
      ...[near, anywhere].map((each) => fc.array(each, { maxLength: 300, size: 'max' })),
    )
    holds(
      fc.property(samples, fc.integer({ min: 1, max: 300 }), (list, readEvery) => {
        const { read, model } = bothOf(list, readEvery)
        assertSame(read, model)
      }),
    )
  })

  test('keeps sums of integers beyond 2^53 to the last digit', () => {
    const { read, model } = bothOf(Array.from({ length: 100 }, (_, i) => 2 ** 52 + i))
    assert.equal(read.sum, model.sum)
    assert.equal(typeof read.sum, 'bigint')
  })

  test('what was read does not change when more is recorded', () => {
    const histogram = new SampleHistogram()
    histogram.take(Float64Array.of(1, 2), 0, 2)
    const first = histogram.read()
    histogram.take(Float64Array.of(4), 0, 1)
    assert.deepEqual([first.count, histogram.read().count], [2n, 3n])
  })

  test('an empty one is the empty histogram', () => {
    assertSame(new SampleHistogram().read(), new Histogram())
  })
})
