import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { addExact, type Exact, exact, multiplyExact } from '../exact.ts'
import { bucketIndex, lowerBound, SCALE_MAX } from './buckets.ts'
import { BUCKETS_LIMIT, Histogram, mergeHistograms } from './histogram.ts'

type Entry = readonly [value: Exact, count: number]

const integer = fc
  .oneof(
    fc.bigInt({ min: -10n, max: 10n }),
    fc.bigInt({ min: 0n, max: 1_000_000n }),
    fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
  )
  .map(exact)
const entry = (value: fc.Arbitrary<Exact>): fc.Arbitrary<Entry> =>
  fc.tuple(value, fc.integer({ min: 1, max: 1000 }))
const integers = fc.array(entry(integer), { maxLength: 20 })
const positives = fc.array(fc.double({ min: 1e-9, max: 1e9, noNaN: true }), {
  minLength: 1,
  maxLength: 50,
})

test('merging is commutative and associative on integers, to the last digit', () => {
  holds(
    fc.property(integers, integers, integers, (a, b, c) => {
      const [x, y, z] = [recorded(a), recorded(b), recorded(c)] as const
      assert.deepEqual(facts(mergeHistograms(x, y)), facts(mergeHistograms(y, x)))
      const left = mergeHistograms(mergeHistograms(x, y), z)
      assert.deepEqual(facts(left), facts(mergeHistograms(x, mergeHistograms(y, z))))
    }),
  )
})

test('merging two histograms is recording both lists into one, in any order', () => {
  holds(
    fc.property(integers, integers, (a, b) => {
      const merged = facts(mergeHistograms(recorded(a), recorded(b)))
      assert.deepEqual(merged, facts(recorded([...a, ...b])))
      assert.deepEqual(merged, facts(recorded([...b, ...a].reverse())))
    }),
  )
})

test('an empty histogram of the finest scale changes nothing', () => {
  holds(
    fc.property(integers, (list) => {
      const whole = recorded(list)
      assert.deepEqual(facts(mergeHistograms(whole, new Histogram())), facts(whole))
      assert.deepEqual(facts(mergeHistograms(new Histogram(), whole)), facts(whole))
    }),
  )
})

test('merging leaves its operands as they were', () => {
  holds(
    fc.property(integers, integers, fc.integer({ min: 0, max: 8 }), (a, b, scale) => {
      const [x, y] = [recorded(a), recorded(b, scale)]
      const before = [facts(x), facts(y)]
      mergeHistograms(x, y).record(1e30, 3)
      assert.deepEqual([facts(x), facts(y)], before)
    }),
  )
})

test('downscaling commutes with recording and with merging', () => {
  const scale = fc.integer({ min: -4, max: SCALE_MAX })
  holds(
    fc.property(integers, integers, scale, (a, b, s) => {
      const coarse = facts(recorded(a).atScale(s))
      const direct = recorded(a, s)
      assert.deepEqual(coarse, facts(direct))
      const merged = mergeHistograms(recorded(a), recorded(b)).atScale(s)
      const late = mergeHistograms(recorded(a).atScale(s), recorded(b))
      assert.deepEqual(facts(merged), facts(late.atScale(s)))
    }),
  )
})

test('count, sum, min and max are those of exact arithmetic over the list', () => {
  holds(
    fc.property(integers, (list) => {
      const histogram = recorded(list)
      let sum: Exact = 0
      let count = 0n
      for (const [value, times] of list) {
        sum = addExact(sum, multiplyExact(value, times))
        count += BigInt(times)
      }
      const sorted = list.map(([value]) => BigInt(value)).sort((a, b) => (a < b ? -1 : 1))
      assert.equal(histogram.count, count)
      assert.equal(Number(histogram.sum) === 0 ? 0 : histogram.sum, Number(sum) === 0 ? 0 : sum)
      assert.equal(histogram.min, sorted.length === 0 ? Number.NaN : exact(sorted[0]!))
      assert.equal(histogram.max, sorted.length === 0 ? Number.NaN : exact(sorted.at(-1)!))
      assert.equal(bucketTotal(histogram), count)
    }),
  )
})

test('no side ever holds more than 160 buckets, and the scale is the finest that fits', () => {
  const wide = fc.array(fc.oneof(integer, fc.double({ noNaN: true, noDefaultInfinity: true })), {
    minLength: 1,
    maxLength: 40,
  })
  holds(
    fc.property(wide, wide, (a, b) => {
      const histogram = new Histogram()
      for (const value of a) histogram.record(value)
      const other = new Histogram()
      for (const value of b) other.record(value)
      histogram.mergeFrom(other)
      for (const side of [histogram.positive, histogram.negative]) {
        assert.ok(side.counts.length <= BUCKETS_LIMIT, `${side.counts.length} buckets`)
      }
      assert.equal(histogram.scale, finestScale([...a, ...b]))
    }),
  )
})

test('overflow adds up in any order, and above all buckets a quantile is its least value', () => {
  const part = (bucket: bigint, overflow: bigint): Histogram => {
    const histogram = new Histogram(0)
    histogram.addBucket(4, bucket)
    histogram.overflow = overflow
    histogram.overflowFrom = 1000
    histogram.count += overflow
    return histogram
  }
  const merged = mergeHistograms(part(6n, 1n), part(1n, 2n))
  assert.deepEqual([merged.count, merged.overflow, merged.overflowFrom], [10n, 3n, 1000])
  assert.deepEqual(merged.atScale(-2).overflow, 3n)
  assert.deepEqual([merged.quantile(0.7) <= 32, merged.quantile(0.71)], [true, 1000])
  assert.deepEqual(
    mergeHistograms(new Histogram(), merged),
    mergeHistograms(merged, new Histogram(0)),
  )
  assert.ok(merged.deviation() > 400)
})

test('a quantile is within 2^(2^-scale) - 1 of the observation of its rank', () => {
  holds(
    fc.property(positives, fc.double({ min: 0, max: 1, noNaN: true }), (values, q) => {
      const histogram = new Histogram()
      for (const value of values) histogram.record(value)
      const sorted = values.toSorted((a, b) => a - b)
      const rank = Math.min(Math.max(Math.ceil(q * sorted.length), 1), sorted.length)
      const real = sorted[rank - 1]!
      const bound = 2 ** (2 ** -histogram.scale) - 1
      const error = Math.abs(histogram.quantile(q) - real) / real
      assert.ok(error <= bound * (1 + 1e-9), `relative error ${error}, bound ${bound}`)
      const mirrored = new Histogram()
      for (const value of values) mirrored.record(-value)
      const low = Math.abs(mirrored.quantile(q) + sorted[sorted.length - rank]!)
      assert.ok(low <= sorted[sorted.length - rank]! * bound * (1 + 1e-9))
    }),
    500,
  )
})

test('quantiles rise with q and stay between min and max', () => {
  holds(
    fc.property(
      integers.filter((list) => list.length > 0),
      (list) => {
        const histogram = recorded(list)
        let last = Number(histogram.min)
        for (let q = 0; q <= 1; q += 1 / 16) {
          const value = histogram.quantile(q)
          assert.ok(value >= last && value <= Number(histogram.max), `q ${q}: ${value}`)
          last = value
        }
      },
    ),
  )
})

test('a single value is every quantile, and its deviation is 0', () => {
  const histogram = recorded([[42, 1]])
  for (const q of [0, 0.5, 1]) assert.equal(histogram.quantile(q), 42)
  assert.equal(histogram.deviation(), 0)
  assert.equal(histogram.mean(), 42)
})

test('an empty histogram has no quantile, mean or deviation', () => {
  const empty = new Histogram()
  assert.deepEqual([empty.quantile(0.5), empty.mean(), empty.deviation()], [NaN, NaN, NaN])
  assert.equal(empty.isEmpty, true)
})

test('the deviation is within the buckets’ relative error of the two-pass one', () => {
  holds(
    fc.property(
      positives.filter((list) => list.length > 1),
      (values) => {
        const histogram = new Histogram()
        for (const value of values) histogram.record(value)
        const mean = values.reduce((sum, value) => sum + value, 0) / values.length
        const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
        const real = Math.sqrt(squares / (values.length - 1))
        const bound = 2 ** (2 ** -histogram.scale) - 1
        const norm = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0))
        const slack = (2 * bound * norm) / Math.sqrt(values.length - 1) + 1e-9 * norm
        assert.ok(Math.abs(histogram.deviation() - real) <= slack)
      },
    ),
  )
})

test('mean and deviation of the largest and smallest doubles are finite and to scale', () => {
  for (const unit of [1e300, 1e-300]) {
    const histogram = recorded([
      [unit, 1],
      [3 * unit, 1],
    ])
    const real = Math.SQRT2 * unit
    assert.ok(Math.abs(histogram.deviation() - real) < 0.02 * real, String(histogram.deviation()))
    assert.ok(Math.abs(histogram.mean() - 2 * unit) <= 1e-9 * unit)
  }
  const widest = recorded([
    [-Number.MAX_VALUE, 1],
    [Number.MAX_VALUE, 2],
  ])
  assert.ok(Number.isFinite(widest.deviation()) && widest.deviation() > 1e308)
  const equal = recorded([[Number.MAX_VALUE, 5]])
  assert.equal(equal.mean(), Number.MAX_VALUE)
  assert.ok(equal.deviation() < 1e-9 * Number.MAX_VALUE, 'rounding alone')
})

test('a value that is not finite and a count that is no positive integer add nothing', () => {
  const histogram = new Histogram()
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
    histogram.record(value)
  }
  for (const count of [0, -3n, -1, 1.5, NaN, Infinity, -Infinity]) histogram.record(5, count)
  assert.deepEqual(facts(histogram), facts(new Histogram()))
})

test('minus zero is zero, so that the order of recording leaves no trace', () => {
  const histogram = recorded([[-0, 1]])
  assert.ok(Object.is(histogram.min, 0) && Object.is(histogram.sum, 0))
  assert.equal(histogram.zeroCount, 1n)
})

test('raising the zero threshold keeps every count and never splits a bucket', () => {
  const threshold = fc.double({ min: 0, max: 1e7, noNaN: true })
  holds(
    fc.property(integers, threshold, fc.integer({ min: 0, max: 8 }), (list, limit, scale) => {
      const histogram = recorded(list, scale)
      const before = histogram.clone()
      histogram.foldZero(limit)
      assert.equal(bucketTotal(histogram), before.count)
      assert.ok(histogram.zeroThreshold >= limit)
      for (const side of ['positive', 'negative'] as const) {
        histogram[side].forEach((index, count) => {
          assert.ok(lowerBound(index, histogram.scale) >= histogram.zeroThreshold)
          assert.equal(count, before[side].counts[index - before[side].offset])
        })
      }
    }),
  )
})

test('merging histograms of different zero thresholds is commutative and keeps every count', () => {
  const threshold = fc.double({ min: 0, max: 1e6, noNaN: true })
  holds(
    fc.property(integers, threshold, integers, threshold, (a, low, b, high) => {
      const [x, y] = [recorded(a, 3), recorded(b, 2)]
      x.foldZero(low)
      y.foldZero(high)
      const merged = mergeHistograms(x, y)
      assert.deepEqual(facts(merged), facts(mergeHistograms(y, x)))
      assert.equal(bucketTotal(merged), x.count + y.count)
      assert.ok(merged.zeroThreshold >= Math.max(x.zeroThreshold, y.zeroThreshold))
    }),
  )
})

test('merging is associative among histograms of one zero threshold, whatever it is', () => {
  const threshold = fc.double({ min: 0, max: 1e6, noNaN: true })
  holds(
    fc.property(integers, integers, integers, threshold, (a, b, c, limit) => {
      const [x, y, z] = [a, b, c].map((list) => withThreshold(list, limit)) as Three
      const left = mergeHistograms(mergeHistograms(x, y), z)
      assert.deepEqual(facts(left), facts(mergeHistograms(x, mergeHistograms(y, z))))
    }),
  )
})

test('an empty histogram of the finest scale is neutral beside any zero threshold', () => {
  holds(
    fc.property(integers, fc.double({ min: 0, max: 1e6, noNaN: true }), (list, limit) => {
      const whole = withThreshold(list, limit)
      assert.deepEqual(facts(mergeHistograms(whole, new Histogram())), facts(whole))
      assert.deepEqual(facts(mergeHistograms(new Histogram(), whole)), facts(whole))
    }),
  )
})

test('with thresholds that are powers of two any order gives one distribution, up to scale', () => {
  const threshold = fc.oneof(
    fc.constant(0),
    fc.integer({ min: -20, max: 40 }).map((exponent) => 2 ** exponent),
  )
  const part = fc.tuple(integers, threshold)
  holds(
    fc.property(part, part, part, (...parts) => {
      const [x, y, z] = parts.map(([list, limit]) => withThreshold(list, limit)) as Three
      const left = mergeHistograms(mergeHistograms(x, y), z)
      const right = mergeHistograms(x, mergeHistograms(y, z))
      assert.ok(left.scale >= 0 && right.scale >= 0, 'integers of 71 bits fit at scale 0')
      const scale = Math.min(left.scale, right.scale)
      assert.deepEqual(facts(left.atScale(scale)), facts(right.atScale(scale)))
    }),
    500,
  )
})

test('values within the threshold count as zero from then on', () => {
  const histogram = new Histogram(0)
  histogram.foldZero(4)
  for (const value of [4, -4, 0.5, 0, 5, -5n]) histogram.record(value)
  assert.equal(histogram.zeroCount, 4n)
  assert.equal(histogram.positive.total(), 1n)
  assert.equal(histogram.negative.total(), 1n)
})

test('a sum that one part does not know is not known of the whole', () => {
  const unknown = new Histogram(0)
  unknown.sum = undefined
  unknown.addBucket(3, 2n)
  assert.equal(mergeHistograms(unknown, recorded([[1, 1]])).sum, undefined)
  assert.equal(mergeHistograms(recorded([[1, 1]]), unknown).sum, undefined)
})

test('bounds that one part does not know are not known of the whole, whichever comes first', () => {
  const unknown = new Histogram(0)
  unknown.addBucket(0, 1n)
  const known = recorded([[100, 1]], 0)
  for (const merged of [mergeHistograms(unknown, known), mergeHistograms(known, unknown)]) {
    assert.deepEqual([merged.min, merged.max], [Number.NaN, Number.NaN])
    assert.ok(merged.quantile(0) <= 2, 'the quantile is not pushed up to the known part’s min')
  }
  unknown.record(100)
  assert.deepEqual([unknown.min, unknown.max], [Number.NaN, Number.NaN])
})

test('buckets that a peer sends count like recorded ones, and empty ones not at all', () => {
  const sent = new Histogram(0)
  sent.addBucket(1_000_000, 0n)
  sent.addBucket(1, 3n)
  sent.addBucket(2, 4n, true)
  const same = recorded(
    [
      [3, 3],
      [-5, 4],
    ],
    0,
  )
  assert.equal(sent.count, 7n)
  assert.deepEqual(facts(sent).positive, facts(same).positive)
  assert.deepEqual(facts(sent).negative, facts(same).negative)
  sent.addBucket(400, 1n)
  assert.ok(sent.scale < 0, 'a range beyond the limit lowers the scale')
  assert.equal(bucketTotal(sent), 8n)
})

function recorded(list: readonly Entry[], scale = SCALE_MAX): Histogram {
  const histogram = new Histogram(scale)
  for (const [value, count] of list) histogram.record(value, count)
  return histogram
}

type Three = [Histogram, Histogram, Histogram]

/** Recorded with a zero threshold from the start: what any merge with such ones finds. */
function withThreshold(list: readonly Entry[], threshold: number): Histogram {
  const histogram = new Histogram()
  histogram.foldZero(threshold)
  for (const [value, count] of list) histogram.record(value, count)
  return histogram
}

/** Everything that can be seen of a histogram; empty buckets make no difference. */
function facts(histogram: Histogram) {
  const { scale, count, sum, min, max, zeroCount, zeroThreshold } = histogram
  return {
    ...{ scale, count, sum, min, max, zeroCount, zeroThreshold },
    positive: buckets(histogram, 'positive'),
    negative: buckets(histogram, 'negative'),
  }
}

function buckets(histogram: Histogram, side: 'positive' | 'negative'): [number, bigint][] {
  const list: [number, bigint][] = []
  histogram[side].forEach((index, count) => {
    list.push([index, count])
  })
  return list
}

function bucketTotal(histogram: Histogram): bigint {
  return histogram.zeroCount + histogram.positive.total() + histogram.negative.total()
}

function finestScale(values: readonly Exact[]): number {
  for (let scale = SCALE_MAX; ; scale--) {
    const sides = [values.filter((v) => v > 0), values.filter((v) => v < 0)]
    const fits = sides.every((side) => {
      const indices = side.map((v) => bucketIndex(v < 0 ? -v : v, scale))
      return side.length === 0 || Math.max(...indices) - Math.min(...indices) < BUCKETS_LIMIT
    })
    if (fits) return scale
  }
}
