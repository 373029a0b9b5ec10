import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { boundedHistogram, type Exact, Histogram } from '../index.ts'
import { HistogramPacker, packHistogram, unpackHistogram } from './packed-histogram.ts'

const value: fc.Arbitrary<Exact> = fc.oneof(
  fc.integer({ min: -1000, max: 100_000 }),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e200, max: 1e200 }),
  fc.bigInt({ min: -(10n ** 40n), max: 10n ** 100n }),
)
const count = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.bigInt({ min: 1n, max: 1n << 62n }))

function bucketsOf(histogram: Histogram): unknown {
  const buckets: unknown[] = []
  histogram.negative.forEach((index, n) => {
    buckets.push(['-', index, n])
  })
  histogram.positive.forEach((index, n) => {
    buckets.push(['+', index, n])
  })
  return buckets
}

test('what was packed comes back: buckets, exact sums, minimum and maximum', () => {
  const list = fc.array(fc.array(fc.tuple(value, count), { maxLength: 12 }), { maxLength: 4 })
  holds(
    fc.property(list, (all) => {
      const packer = new HistogramPacker()
      const packed = all.map((recorded) => {
        const histogram = new Histogram()
        for (const [each, times] of recorded) {
          if (histogram.count + BigInt(times) < 1n << 63n) histogram.record(each, times)
        }
        return { histogram, offset: packer.add(histogram) }
      })
      const kept = packer.packed()
      for (const { histogram, offset } of packed) {
        const back = kept.read(offset)
        assert.deepEqual(bucketsOf(back), bucketsOf(histogram))
        assert.deepEqual(unpackHistogram(kept.bytesAt(offset)), back)
        for (const field of ['scale', 'count', 'sum', 'min', 'max', 'zeroCount'] as const) {
          assert.deepEqual(back[field], histogram[field], field)
        }
      }
    }),
  )
})

test('bounds of one’s own come back beside powers, and once however many share them', () => {
  const packer = new HistogramPacker()
  const bounds = [1, 5, 1000]
  const plain = new Histogram()
  plain.record(7)
  const all = Array.from({ length: 500 }, (_, i) => {
    const counts = BigUint64Array.of(0n, BigInt(i), 0n, 2n ** 60n)
    return boundedHistogram({ bounds: i === 7 ? [2] : bounds, counts, sum: 10n ** 20n })
  })
  const places = [plain, ...all].map((histogram) => packer.add(histogram))
  const kept = packer.packed()
  assert.deepEqual(bucketsOf(kept.read(places[0]!)), bucketsOf(plain))
  assert.equal(kept.read(places[0]!).bounds, undefined)
  all.forEach((histogram, i) => {
    const back = kept.read(places[1 + i]!)
    assert.equal(back.bounds, histogram.bounds, 'the same object, which merges fast')
    assert.deepEqual(bucketsOf(back), bucketsOf(histogram))
    assert.deepEqual([back.count, back.sum, back.scale], [histogram.count, histogram.sum, 0])
    assert.deepEqual(unpackHistogram(kept.bytesAt(places[1 + i]!)), back)
    assert.deepEqual(unpackHistogram(packHistogram(histogram)), back)
  })
})

test('many histograms of many buckets come back from several chunks', () => {
  const packer = new HistogramPacker()
  const histograms = Array.from({ length: 300 }, (_, i) => {
    const histogram = new Histogram()
    for (let value = 1; value < 400; value++) histogram.record(value, (i + 1) * value)
    return histogram
  })
  const offsets = histograms.map((histogram) => packer.add(histogram))
  const kept = packer.packed()
  assert.ok(kept.size > 3 * 16_384, 'several times the first room')
  histograms.forEach((histogram, i) => {
    const back = kept.read(offsets[i]!)
    assert.deepEqual(bucketsOf(back), bucketsOf(histogram))
    assert.equal(back.sum, histogram.sum)
  })
})

test('overflow comes back with its bound, beside whatever is packed behind it', () => {
  const histogram = new Histogram(0)
  histogram.addBucket(3, 2n)
  histogram.overflow = 1n << 40n
  histogram.overflowFrom = 2_147_483_648
  histogram.count += histogram.overflow
  const packer = new HistogramPacker()
  const offsets = [histogram, new Histogram(), histogram].map((each) => packer.add(each))
  const back = offsets.map((offset) => packer.packed().read(offset))
  assert.deepEqual([back[0], back[2]], [histogram, histogram])
  assert.deepEqual([back[1]?.overflow, back[1]?.overflowFrom], [0n, Number.POSITIVE_INFINITY])
})

test('a histogram without a known sum stays without one', () => {
  const histogram = new Histogram(0)
  histogram.addBucket(20, 18446744073709551615n)
  histogram.sum = undefined
  const packer = new HistogramPacker()
  packer.add(histogram)
  const back = packer.packed().read(0)
  assert.equal(back.sum, undefined)
  assert.equal(back.count, 18446744073709551615n)
})
