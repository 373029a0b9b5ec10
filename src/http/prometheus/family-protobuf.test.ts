import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { serve } from '../../../test/support/http-client.ts'
import { FakeHubView, START_MS } from '../../../test/support/hub/fake-hub-view.ts'
import { type ReadMetric, readFamilies } from '../../../test/support/outputs/metric-families.ts'
import { holds } from '../../../test/support/property.ts'
import { Histogram } from '../../model/index.ts'
import { Exposition, type PrometheusOptions } from './exposition.ts'

const NATIVE: PrometheusOptions = { nativeHistograms: true }

function scrape(hub: FakeHubView, options: PrometheusOptions = {}) {
  const exposition = new Exposition(hub, options, { count: () => {} })
  const pieces = [...exposition.pieces('protobuf')].filter((piece) => piece !== undefined)
  return readFamilies(Buffer.concat(pieces as Uint8Array[]))
}

function only(families: ReturnType<typeof scrape>, name: string): ReadMetric {
  const { metrics } = families.get(name)!
  assert.equal(metrics.length, 1)
  return metrics[0]!
}

test('counters, gauges and summaries have their values, labels and the time they began', () => {
  const hub = new FakeHubView()
  const labels = [['host', 'ä"\n']] as const
  hub.count(hub.add({ name: 'requests', kind: 'counter', labels }), 41)
  hub.set(hub.add({ name: 'temperature', kind: 'gauge' }), -1.5)
  hub.add({ name: 'silent', kind: 'gauge' })
  const times = hub.add({ name: 'times', kind: 'summary' })
  for (const value of [1, 2, 6]) hub.sample(times, value)
  const families = scrape(hub)
  assert.deepEqual([...families.keys()], ['requests_total', 'temperature', 'times'])
  assert.deepEqual(only(families, 'requests_total'), {
    labels: { host: 'ä"\n' },
    value: 41,
    createdMs: START_MS,
  })
  assert.deepEqual(only(families, 'temperature'), { labels: {}, value: -1.5 })
  const { type, help } = families.get('times')!
  assert.deepEqual([type, help], ['summary', 'times (statshero)'])
  const { count, sum } = only(families, 'times')
  assert.deepEqual([count, sum], ['3', 9])
})

test('a histogram has the buckets of the text format, and native ones only when asked for', () => {
  const hub = new FakeHubView()
  const id = hub.add({ name: 'h', kind: 'histogram' })
  for (const value of [-5, 0, 1, 3, 3, 100]) hub.observe(id, value)
  const { buckets, count, sum, native } = only(scrape(hub), 'h')
  assert.deepEqual(buckets, [
    [-5, '1'],
    [0, '2'],
    [1, '3'],
    [4, '5'],
    [128, '6'],
  ])
  assert.deepEqual([count, sum, native], ['6', 102, undefined])
  const both = only(scrape(hub, NATIVE), 'h')
  assert.deepEqual(both.buckets, buckets)
  // the finest at which 1 to 100 takes at most 160 buckets
  assert.equal(both.native!.schema, 4)
  assert.deepEqual(both.native!.zeroCount, '1')
})

test('milliseconds are seconds in classic buckets, and stay what they are in native ones', () => {
  const hub = new FakeHubView()
  const histogram = new Histogram(0)
  for (const [index, count] of [
    [0, 1n],
    [1, 3n],
    [4, 2n],
  ] as const)
    histogram.addBucket(index, count)
  histogram.sum = 70
  const id = hub.add({ name: 'h', kind: 'histogram', metadata: { unit: 'ms' } })
  hub.replace(id, histogram)
  const families = scrape(hub, NATIVE)
  assert.deepEqual([...families.keys()], ['h_milliseconds', 'h_seconds'])
  const classic = only(families, 'h_seconds')
  assert.deepEqual(classic.buckets, [
    [0.002, '1'],
    [0.004, '4'],
    [0.032, '6'],
  ])
  assert.deepEqual([classic.sum, classic.native], [0.07, undefined])
  assert.equal(families.get('h_milliseconds')!.unit, 'milliseconds')
  const native = only(families, 'h_milliseconds')
  assert.deepEqual([native.buckets, native.count, native.sum], [[], '6', 70])
  assert.deepEqual(native.native, {
    schema: 0,
    zeroThreshold: 0,
    zeroCount: '0',
    positive: {
      spans: [
        [1, 2],
        [2, 1],
      ],
      deltas: ['1', '2', '-1'],
    },
    negative: { spans: [], deltas: [] },
  })
})

test('the text formats have no family for native histograms alone', () => {
  const hub = new FakeHubView()
  hub.observe(hub.add({ name: 'h', kind: 'histogram', metadata: { unit: 'ms' } }), 5)
  const exposition = new Exposition(hub, NATIVE, { count: () => {} })
  assert.doesNotMatch([...exposition.pieces('text')].join(''), /milliseconds/)
})

test('what overflowed the bins of a filter is a native bucket above them', () => {
  const hub = new FakeHubView()
  const histogram = new Histogram(0)
  histogram.zeroThreshold = 1
  histogram.addBucket(30, 2n)
  histogram.overflow = 3n
  histogram.overflowFrom = 2 ** 31
  histogram.count += 3n
  const metadata = { dialect: 'proxywasm' }
  hub.replace(hub.add({ name: 'h', kind: 'histogram', metadata }), histogram)
  const { buckets, count, native } = only(scrape(hub, NATIVE), 'h')
  assert.deepEqual([buckets, count], [[[2 ** 31, '2']], '5'])
  assert.deepEqual(native!.positive, { spans: [[31, 2]], deltas: ['2', '1'] })
  assert.deepEqual([native!.zeroThreshold, native!.zeroCount], [1, '0'])
})

test('an empty native histogram is known by a span without buckets', () => {
  const hub = new FakeHubView()
  hub.add({ name: 'h', kind: 'histogram' })
  const { native, count } = only(scrape(hub, NATIVE), 'h')
  assert.equal(count, '0')
  assert.deepEqual(native!.positive, { spans: [[0, 0]], deltas: [] })
})

const counts = fc.array(
  fc.tuple(fc.integer({ min: -70, max: 80 }), fc.bigInt({ min: 1n, max: 2n ** 60n })),
  { maxLength: 12 },
)
const scales = fc.integer({ min: -4, max: 8 })

test('native buckets come back as they were, to the last of 64 bits, at any scale', () => {
  holds(
    fc.property(counts, scales, (buckets, scale) => {
      const histogram = new Histogram(scale)
      for (const [index, count] of buckets) histogram.addBucket(index, count)
      const hub = new FakeHubView()
      hub.replace(hub.add({ name: 'h', kind: 'histogram' }), histogram)
      const { native, count } = only(scrape(hub, NATIVE), 'h')
      const back = new Histogram(native!.schema)
      let bucket = 0
      let held = 0n
      const deltas = native!.positive.deltas.values()
      for (const [offset, length] of native!.positive.spans) {
        bucket += offset
        for (let i = 0; i < length; i++, bucket++) {
          held += BigInt(deltas.next().value!)
          back.addBucket(bucket - 1, held)
        }
      }
      assert.equal(count, `${histogram.count}`)
      assert.equal(native!.schema, histogram.scale)
      assert.deepEqual(filled(back), filled(histogram))
    }),
  )
})

function filled({ positive }: Histogram): [number, bigint][] {
  const buckets: [number, bigint][] = []
  positive.forEach((index, count) => {
    buckets.push([index, count])
  })
  return buckets
}

test('a series that leaves while a scrape is under way is left out of it', () => {
  const hub = new FakeHubView()
  const ids = Array.from({ length: 200 }, (_, i) => {
    return hub.add({ name: 'n', kind: 'counter', labels: [['i', `${i}`]] })
  })
  const exposition = new Exposition(hub, {}, { count: () => {} })
  ;[...exposition.pieces('text')].join('')
  const pieces = exposition.pieces('text')
  const first = pieces.next().value as string
  hub.series.remove(ids[199]!)
  const text = first + [...pieces].join('')
  assert.equal(text.match(/^n_total/gm)?.length, 199)
  assert.doesNotMatch(text, /i="199"/)
})

test('a scraper that prefers protobuf gets it, and others do not', async (t) => {
  const hub = new FakeHubView()
  for (let i = 0; i < 3000; i++) {
    hub.count(hub.add({ name: 'n', kind: 'counter', labels: [['i', `${i}`]] }), i)
  }
  const { port } = await serve(t, { view: hub })
  const type = 'application/vnd.google.protobuf'
  const message = 'proto=io.prometheus.client.MetricFamily; encoding=delimited'
  const ask = async (accept: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { accept } })
    return {
      contentType: answer.headers.get('content-type'),
      bytes: Buffer.from(await answer.arrayBuffer()),
    }
  }
  const asked = await ask(`${type};${message.replace('; ', ';')},text/plain;q=0.9`)
  assert.equal(asked.contentType, `${type}; ${message}`)
  const metrics = readFamilies(asked.bytes).get('n_total')!.metrics
  assert.deepEqual(
    metrics.map(({ value }) => value),
    Array.from({ length: 3000 }, (_, i) => i),
  )
  for (const accept of [`${type};${message};q=0.4,text/plain`, `${type};encoding=text`, type]) {
    assert.match((await ask(accept)).contentType!, /^text\/plain/)
  }
})
