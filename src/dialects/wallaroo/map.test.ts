import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Histogram, identityKey } from '../../model/index.ts'
import { histogramOf, mappingOf, namesOf, type SeriesMapping, windowOf } from './map.ts'
import { LatencyTotals } from './rollup/latency-totals.ts'
import { withFrame } from './test/frames.ts'

const NAMES = {
  application: 'shop',
  category: 'computation',
  pipeline: 'P',
  worker: 'w',
  name: 'C',
}

function texts({ messages, latency, skew, id }: SeriesMapping): (string | undefined)[] {
  return [messages, latency, skew, id].map((described) => {
    if (described === undefined) return undefined
    const { name, labels } = described.identity
    return `${name} ${labels.map((pair) => pair.join('=')).join(' ')}`
  })
}

describe('a series', () => {
  it('of a computation is messages, latencies, skew and an id', () => {
    const own = 'application=shop computation=C pipeline=P worker=w'
    assert.deepEqual(texts(mappingOf(NAMES)), [
      `wallaroo_computation_messages_total ${own}`,
      `wallaroo_computation_latency ${own}`,
      `wallaroo_clock_skew_samples_total ${own.replace('comp', 'category=computation comp')}`,
      `wallaroo_computation_id ${own}`,
    ])
  })

  it('of a pipeline or worker has no name beside theirs, unless it differs', () => {
    const [, latency] = texts(mappingOf({ ...NAMES, category: 'start-to-end', name: 'P' }))
    assert.equal(latency, 'wallaroo_pipeline_latency application=shop pipeline=P worker=w')
    const [, other] = texts(mappingOf({ ...NAMES, category: 'node-ingress-egress', name: 'v' }))
    assert.equal(other, 'wallaroo_worker_latency application=shop name=v pipeline=P worker=w')
  })

  it('of a source is a counter only', () => {
    const { messages, latency, id } = mappingOf({ ...NAMES, category: 'pipeline-ingestion' })
    assert.equal(messages.identity.name, 'wallaroo_pipeline_ingested_messages_total')
    assert.ok(messages.identity.labels.some(([key, value]) => key === 'source' && value === 'C'))
    assert.deepEqual([latency, id], [undefined, undefined])
  })

  it('of any other category keeps its category and name', () => {
    for (const category of ['queue-depth', '', 'constructor', '__proto__']) {
      const { messages } = mappingOf({ ...NAMES, category }, 'x_')
      assert.equal(messages.identity.name, 'x_messages_total')
      assert.ok(messages.identity.labels.some((pair) => pair.join('=') === `category=${category}`))
    }
  })

  it('has an identity of its own for every tuple of names, whatever is in them', () => {
    const odd = ['a', 'a@b', 'a*b', 'a:b', 'a||b', 'a b', 'a"b', 'a\nb', 'a\0b', '\u{1f600}', '']
    const tuples = odd.flatMap((pipeline) =>
      odd.flatMap((worker) => odd.map((name) => ({ ...NAMES, pipeline, worker, name }))),
    )
    for (const part of ['messages', 'latency', 'skew'] as const) {
      const keys = tuples.map((names) => identityKey(mappingOf(names)[part]!.identity).join())
      assert.equal(new Set(keys).size, tuples.length)
    }
  })

  it('is read from a frame’s bytes', () => {
    withFrame(NAMES, (frame) => assert.deepEqual(namesOf(frame), NAMES))
  })
})

/** The bins of a series' latencies as they go on the wire, or why they don't. */
function binsOf(histogram: Histogram): readonly bigint[] | string {
  const window = windowOf(mappingOf(NAMES).latency!.identity, { kind: 'histogram', histogram })
  return typeof window === 'string' ? window : window.bins
}

describe('bins', () => {
  const bins = { 0: '4', 1: '1', 10: '9007199254740993', 63: '2', 64: '5' }

  function totals(): LatencyTotals {
    const found = new LatencyTotals()
    withFrame({ bins, min_ns: '0', max_ns: `${2n ** 64n - 1n}` }, (frame) => found.add(frame))
    return found
  }

  it('become a histogram of scale 0 with the zero bucket up to 1', () => {
    const { zeroCount, zeroThreshold, positive, count, min, max, sum } = histogramOf(totals())
    assert.deepEqual([zeroCount, zeroThreshold, count], [4n, 1, 4n + 1n + 9007199254740993n + 2n])
    assert.deepEqual([min, max, sum], [0, Number.NaN, undefined])
    const filled: [number, bigint][] = []
    positive.forEach((index, n) => {
      filled.push([index, n])
    })
    assert.deepEqual(filled, [
      [0, 1n],
      [9, 9007199254740993n],
      [62, 2n],
    ])
    assert.equal(histogramOf(totals(), true).count, count + 5n)
  })

  it('come back from it as they were, but for the skewed ones, which have a counter', () => {
    const { 64: skewed, ...latencies } = bins
    const found = binsOf(histogramOf(totals(), true))
    assert.ok(Array.isArray(found))
    const filled = found.flatMap((count, bin) => (count === 0n ? [] : [[`${bin}`, `${count}`]]))
    assert.deepEqual(Object.fromEntries(filled), latencies)
    const cell = { kind: 'counter', delta: BigInt(skewed), isCumulative: false } as const
    const counted = windowOf(mappingOf(NAMES).skew!.identity, cell)
    assert.ok(typeof counted !== 'string')
    assert.equal(counted.bins[64], 5n)
  })

  it('are made from finer histograms, bucket by bucket', () => {
    const fine = new Histogram(3)
    for (const value of [0, 0.3, 1, 1.5, 2, 3, 1000, 1024, 1025]) fine.record(value)
    const found = binsOf(fine)
    assert.ok(Array.isArray(found))
    assert.deepEqual(
      found.flatMap((count, bin) => (count === 0n ? [] : [[bin, count]])),
      [
        [0, 3n],
        [1, 2n],
        [2, 1n],
        [10, 2n],
        [11, 1n],
      ],
    )
  })

  it('are not made from what would have to be re-binned', () => {
    const coarse = new Histogram(-1)
    coarse.record(5)
    const negative = new Histogram(0)
    negative.record(-5)
    const wide = new Histogram(0)
    wide.zeroThreshold = 4
    wide.record(2)
    const large = new Histogram(0)
    large.record(2 ** 70)
    assert.deepEqual([coarse, negative, wide, large].map(binsOf), [
      ...['coarse_scale', 'negative_values', 'wide_zero', 'too_large'],
    ])
  })
})
