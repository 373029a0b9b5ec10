/** What the document's names and bins are in the model, and in the formats of exports. */

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { type Bins, binsHistogram } from '../../model/index.ts'
import { LabelPatterns } from './label-patterns.ts'
import {
  classicBuckets,
  describePrefixed,
  explicitPoint,
  exponentialPoint,
  nativeBuckets,
  peerBinDelta,
} from './map.ts'

const counts = fc.array(fc.bigInt({ min: 0n, max: 1000n }), { minLength: 33, maxLength: 33 })
const readings = fc.record({ counts, sum: fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }) })

const binsOf = (entries: Readonly<Record<number, bigint>>, sum = 0n): Bins => {
  const counts = new BigUint64Array(33)
  for (const [bin, count] of Object.entries(entries)) counts[Number(bin)] = count
  return { counts, sum }
}

suite('identity', () => {
  const identify = (name: string, options = {}) =>
    describePrefixed(Buffer.from(name, 'latin1'), 'counter', options)

  test('a filter’s metric has the label filter and no origin', () => {
    const { identity, metadata } = identify('pw.f.hits', { unit: 'ms' })
    assert.deepEqual(identity, { name: 'hits', kind: 'counter', labels: [['filter', 'f']] })
    assert.deepEqual(metadata, { dialect: 'proxywasm', type: 'counter', unit: 'ms' })
  })

  test('other origins are a label, an application’s own metrics have neither', () => {
    assert.deepEqual(identify('lua:x').identity.labels, [['origin', 'lua']])
    assert.deepEqual(identify('wasmcustom.x').identity.labels, [['origin', 'wasmcustom']])
    assert.deepEqual(identify('x').identity, { name: 'x', kind: 'counter', labels: [] })
  })

  test('a filter’s name that had to be assumed is told', () => {
    assert.match(identify('pw.a.b.c').metadata.description!, /assumed: a/)
    assert.equal(identify('pw.a.b.c', { filters: ['a.b'] }).metadata.description, undefined)
  })

  test('label patterns take the labels out of the name', () => {
    const labelPatterns = new LabelPatterns([{ label: 'src', pattern: '(_s=(\\w+))' }])
    const { identity } = identify('pw:f:hits_s=edge', { labelPatterns })
    assert.equal(identity.name, 'hits')
    assert.deepEqual(identity.labels, [
      ['filter', 'f'],
      ['src', 'edge'],
    ])
  })

  test('bytes that are no UTF-8 identify the series, and keep their labels in the name', () => {
    const labelPatterns = new LabelPatterns([{ label: 'src', pattern: '(_s=(\\w+))' }])
    const { identity } = identify('pw:f:\xff_s=edge', { labelPatterns })
    assert.deepEqual(Buffer.from(identity.nameBytes!).toString('latin1'), '\xff_s=edge')
    assert.deepEqual(identity.labels, [['filter', 'f']])
  })
})

suite('bins', () => {
  test('the model’s histogram holds every observation once, and the same sum', () => {
    holds(
      fc.property(readings, ({ counts, sum }) => {
        const histogram = binsHistogram({ counts: BigUint64Array.from(counts), sum })
        const total = counts.reduce((all, count) => all + count, 0n)
        assert.equal(histogram.count, total)
        assert.equal(histogram.zeroCount + histogram.positive.total() + histogram.overflow, total)
        assert.equal(BigInt(histogram.sum!), sum)
      }),
    )
  })

  test('bin k is the bucket up to 2^k, and what is above 2^31 - 1 is in none', () => {
    const { zeroCount, zeroThreshold, positive, overflow, overflowFrom } = binsHistogram(
      binsOf({ 0: 1n, 1: 2n, 31: 3n, 32: 4n }),
    )
    assert.deepEqual([zeroCount, zeroThreshold, overflow, overflowFrom], [1n, 1, 4n, 2 ** 31])
    assert.deepEqual(positive.span(), [0, 30])
    assert.deepEqual([positive.counts[0], positive.counts[30]], [2n, 3n])
  })

  test('explicit, classic and native buckets and the exponential point say the same counts', () => {
    holds(
      fc.property(readings, ({ counts, sum }) => {
        const reading = { counts: BigUint64Array.from(counts), sum }
        const total = counts.reduce((all, count) => all + count, 0n)
        const { bounds, counts: explicit } = explicitPoint(reading)
        assert.deepEqual([bounds.length, explicit], [32, counts])
        assert.deepEqual(classicBuckets(reading).at(-1), ['+Inf', total])
        const native = nativeBuckets(reading).reduce((all, [, count]) => all + count, 0n)
        assert.equal(native + counts[0]!, total)
        const { positive, zeroCount, overflow } = exponentialPoint(reading)
        const exponential = positive.counts.reduce((all, count) => all + count, zeroCount)
        assert.equal(exponential, total)
        assert.equal(overflow, counts[32])
      }),
    )
  })

  test('overflow goes to the bucket above the last power', () => {
    const reading = binsOf({ 32: 5n })
    assert.deepEqual(exponentialPoint(reading).positive, { offset: 31, counts: [5n] })
    assert.deepEqual(nativeBuckets(reading), [[32, 5n]])
  })
})

for (const [what, before, after, delta] of [
  ['an increase counts', 5n, 7n, 2n],
  ['a small decrease is a reset', 7n, 5n, undefined],
  ['a decrease of 2^31 is a wrap', 2n ** 31n, 0n, 2n ** 31n],
  ['a wrap counts on', 2n ** 32n - 1n, 1n, 2n],
  ['one less than 2^31 is none', 2n ** 31n, 1n, undefined],
] as const) {
  test(`32-bit bins of a peer: ${what}`, () => assert.equal(peerBinDelta(before, after), delta))
}
