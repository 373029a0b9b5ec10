import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FakeHubView } from '../../../../test/support/hub/fake-hub-view.ts'
import { holds } from '../../../../test/support/property.ts'
import { FrameBuilder } from '../../../hub/live/frame.ts'
import { Histogram } from '../../../model/index.ts'
import { statisticsOf } from './statistics.ts'

/** What a window says in which a distribution was this. */
function statisticsOfHistogram(histogram: Histogram) {
  const hub = new FakeHubView()
  const id = hub.add({ name: 'h', kind: 'histogram' })
  const builder = new FrameBuilder()
  builder.histogram(id, histogram)
  const statistics = statisticsOf(hub.series.get(id)!, builder.build(1000, 1), hub)
  assert.ok(statistics?.kind === 'mean')
  return statistics
}

function recorded(values: readonly number[]): Histogram {
  const histogram = new Histogram()
  for (const value of values) histogram.record(value)
  return histogram
}

test('a distribution has its count, mean, min and max, and an estimated deviation', () => {
  const { deviation, ...known } = statisticsOfHistogram(recorded([100, 104, 96, 100, 108, 92]))
  assert.deepEqual(known, { kind: 'mean', count: 6, mean: 100, min: 92, max: 108 })
  const expected = Math.sqrt((16 + 16 + 64 + 64) / 6)
  // at scale 8 a bucket is 0.27 % wide
  assert.ok(Math.abs(deviation - expected) < 0.3, `${deviation}, want about ${expected}`)
})

test('one observation deviates from nothing', () => {
  const five = { kind: 'mean', count: 1, mean: 5, deviation: 0, min: 5, max: 5 }
  assert.deepEqual(statisticsOfHistogram(recorded([5])), five)
})

test('what a sender of bins does not know is estimated within its buckets', () => {
  const bins = new Histogram(0)
  bins.sum = undefined
  bins.addBucket(3, 4n) // (8, 16]
  const { count, mean, deviation, min, max } = statisticsOfHistogram(bins)
  assert.equal(count, 4)
  assert.equal(deviation, 0)
  for (const value of [mean, min, max]) assert.ok(value > 8 && value <= 16, String(value))
})

test('observations beyond all bins are told as the least that they can be', () => {
  const bins = new Histogram(0)
  bins.sum = undefined
  bins.overflowFrom = 2 ** 31
  bins.overflow = 2n
  bins.count = 2n
  const { count, mean, max } = statisticsOfHistogram(bins)
  assert.deepEqual([count, mean, max], [2, 2 ** 31, 2 ** 31])
})

test('a counter whose peer went in a window has none then, unless it had counted before', () => {
  const hub = new FakeHubView()
  const id = hub.add({ name: 'c', kind: 'counter', source: 'h:1' })
  const record = hub.series.get(id)!
  hub.away.push({ source: 'h:1', fromMs: 1500, toMs: 2500 })
  const windows = [1000, 2000, 3000, 4000].map((endMs) => {
    return statisticsOf(record, new FrameBuilder().build(endMs, 1), hub)
  })
  const still = { kind: 'sum', increment: 0 }
  assert.deepEqual(windows, [still, undefined, undefined, still])
  const builder = new FrameBuilder()
  builder.counter(id, 3, 3n)
  const counted = statisticsOf(record, builder.build(2000, 1), hub)
  assert.deepEqual(counted, { kind: 'sum', increment: 3 })
})

test('whatever finite values come, every number of the window is finite and in its place', () => {
  const values = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), {
    minLength: 1,
    maxLength: 30,
  })
  holds(
    fc.property(values, (each) => {
      const { count, mean, deviation, min, max } = statisticsOfHistogram(recorded(each))
      assert.equal(count, each.length)
      assert.equal(min, Math.min(...each) + 0)
      assert.equal(max, Math.max(...each) + 0)
      assert.ok(Number.isFinite(mean) && Number.isFinite(deviation) && deviation >= 0)
    }),
  )
})
