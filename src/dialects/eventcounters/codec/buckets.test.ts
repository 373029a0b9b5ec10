import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { plainHistogram } from '../../../../test/support/plain-histogram.ts'
import { holds } from '../../../../test/support/property.ts'
import { Histogram, U64_MAX } from '../../../model/index.ts'
import { bucketsMember, readBuckets } from './buckets.ts'

const UNKNOWN = { min: Number.NaN, max: Number.NaN }

/** Writes a distribution as a line has it, and reads it again. */
function passedOn(histogram: Histogram): Histogram | undefined {
  return readBuckets(JSON.parse(JSON.stringify(bucketsMember(histogram))), histogram as never)
}

test('buckets are written as runs of neighbours, integers that JSON would round as texts', () => {
  const histogram = new Histogram(0)
  for (const [value, count] of [
    [3, 1],
    [5, 2n ** 60n],
    [100, 1],
    [0, 7],
    [-1.5, 2],
  ] as const) {
    histogram.record(value, count)
  }
  assert.deepEqual(bucketsMember(histogram), {
    scale: 0,
    sum: String(5n * 2n ** 60n + 100n),
    zero: 7,
    positive: [
      [1, 1, String(2n ** 60n)],
      [6, 1],
    ],
    negative: [[0, 2]],
  })
  assert.deepEqual(bucketsMember(new Histogram(8)), { scale: 8, sum: 0 })
})

test('what is written is read, whatever was recorded', () => {
  const value = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer({ min: -1000, max: 1000 }),
  )
  const count = fc.oneof(fc.constant(1n), fc.bigInt({ min: 1n, max: 2n ** 60n }))
  holds(
    fc.property(fc.array(fc.tuple(value, count), { maxLength: 12 }), (samples) => {
      const histogram = new Histogram()
      for (const [each, times] of samples) histogram.record(each, times)
      if (!Number.isFinite(Number(histogram.sum))) return
      const read = passedOn(histogram)
      assert.deepEqual(plainHistogram(read!), plainHistogram(histogram))
      assert.deepEqual([read!.min, read!.max], [histogram.min, histogram.max])
    }),
  )
})

test('a distribution of another form is not said', () => {
  const bounded = new Histogram(0)
  bounded.bounds = [1, 2]
  const flat = new Histogram(0)
  flat.zeroThreshold = 1
  const summed = new Histogram(0)
  summed.sum = undefined
  for (const each of [bounded, flat, summed]) assert.equal(bucketsMember(each), undefined)
})

test('what is no distribution is none, and a range that is too wide gets coarser', () => {
  const good = { scale: 2, sum: 1.5, positive: [[0, 1]] }
  const faults: Readonly<Record<string, unknown>> = {
    'no object': [good],
    'a text': 'buckets',
    'no scale': { ...good, scale: undefined },
    'a scale that is too fine': { ...good, scale: 9 },
    'a scale that is no integer': { ...good, scale: 0.5 },
    'no sum': { ...good, sum: undefined },
    'a sum that is null': { ...good, sum: null },
    'a sum with an exponent as text': { ...good, sum: '1e9' },
    'a sum of too many digits': { ...good, sum: '9'.repeat(331) },
    'a zero count below 0': { ...good, zero: -1 },
    'sides that are no list': { ...good, positive: { 0: [0, 1] } },
    'a run that is no list': { ...good, positive: [0, 1] },
    'a run without counts': { ...good, positive: [[0]] },
    'an index that is a text': { ...good, positive: [['0', 1]] },
    'an index beyond all doubles': { ...good, positive: [[4096, 1]] },
    'a run that goes beyond them': { ...good, positive: [[4095, 1, 1]] },
    'an index below all doubles': { ...good, negative: [[-4298, 1]] },
    'a count of 0': { ...good, positive: [[0, 0]] },
    'a fraction': { ...good, positive: [[0, 1.5]] },
    'a count that JSON has rounded': { ...good, positive: [[0, 2 ** 53]] },
    'a count beyond 64 bits': { ...good, positive: [[0, String(2n ** 64n)]] },
    'counts beyond 64 bits together': { ...good, zero: 1, positive: [[0, String(U64_MAX)]] },
    'more buckets than a side has': { ...good, positive: [[0, ...Array(161).fill(1)]] },
    'more runs than that': { ...good, positive: Array(161).fill([0, 1]) },
  }
  assert.equal(readBuckets(good, UNKNOWN)!.count, 1n)
  for (const [name, fault] of Object.entries(faults)) {
    assert.equal(readBuckets(fault, UNKNOWN), undefined, name)
  }
  const wide = readBuckets(
    {
      ...good,
      scale: 8,
      positive: [
        [-9000, 3],
        [9000, 4],
      ],
    },
    UNKNOWN,
  )!
  assert.equal(wide.count, 7n)
  assert.ok(wide.positive.counts.length <= 160)
})

test('least and most are taken where they are known', () => {
  const good = { scale: 0, sum: 3, positive: [[0, 2]] }
  for (const [min, max, isKnown] of [
    [1.1, 1.9, true],
    [Infinity, -Infinity, false],
    [2, 1, false],
    [NaN, 1, false],
  ] as const) {
    const read = readBuckets(good, { min, max })!
    assert.deepEqual([read.min, read.max], isKnown ? [min, max] : [NaN, NaN])
  }
})
