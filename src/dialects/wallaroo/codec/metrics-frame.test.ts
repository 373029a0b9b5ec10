import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { notesOf } from '../spec.ts'
import { withFrame } from '../test/frames.ts'
import type { MetricsFrame } from './metrics-frame.ts'

const U64_MAX = 2n ** 64n - 1n

/** What a frame with these bins and extremes is read as. */
function reading(bins: Record<string, string>, min: bigint, max: bigint): unknown[] {
  let found: unknown[] = []
  withFrame({ bins, min_ns: `${min}`, max_ns: `${max}` }, (frame) => {
    found = [frame.order, frame.min(), frame.max(), frame.binning(), notesOf(frame.notes)]
  })
  return found
}

describe('min and max', () => {
  it('may lie on either bound of the bins that hold them', () => {
    assert.deepEqual(reading({ 10: '2' }, 512n, 1024n), ['peer', 512, 1024, 'peer', []])
    assert.deepEqual(reading({ 10: '1', 11: '1' }, 600n, 1024n), [
      ...['peer', 600, 1024, 'peer', []],
    ])
    assert.deepEqual(reading({ 9: '1', 10: '1' }, 300n, 1024n), [
      ...['peer', 300, 1024, 'document', []],
    ])
    assert.deepEqual(reading({ 0: '2' }, 0n, 1n), ['peer', 0, 1, 'document', []])
  })

  it('outside of them are not believed, and neither is their order', () => {
    for (const [min, max] of [
      [511n, 1024n],
      [512n, 1025n],
      [0n, 1024n],
      [512n, U64_MAX],
    ] as const) {
      const expected = ['unknown', Number.NaN, Number.NaN, undefined, ['minmax_inconsistent']]
      assert.deepEqual(reading({ 10: '2' }, min, max), expected)
      assert.deepEqual(reading({ 10: '2' }, max, min), expected)
    }
  })

  it('of 2^63 and more are skew and no latencies', () => {
    const skew = ['clock_skew']
    assert.deepEqual(reading({ 4: '1', 64: '1' }, 9n, U64_MAX), [
      ...['peer', 9, Number.NaN, undefined, skew],
    ])
    assert.deepEqual(reading({ 64: '1' }, 2n ** 63n, 2n ** 63n), [
      ...['same', Number.NaN, Number.NaN, 'peer', skew],
    ])
    assert.deepEqual(reading({ 63: '1' }, 2n ** 63n - 1n, 2n ** 63n - 1n), [
      ...['same', 2n ** 63n - 1n, 2n ** 63n - 1n, undefined, []],
    ])
  })

  it('of a window without samples say nothing, whatever they are', () => {
    assert.deepEqual(reading({}, 5n, 3n), [
      ...['empty', Number.NaN, Number.NaN, undefined, ['empty_window']],
    ])
  })

  it('in the document’s order are swapped back', () => {
    assert.deepEqual(reading({ 3: '1', 9: '1' }, 400n, 7n), [
      ...['document', 7, 400, undefined, ['document_order']],
    ])
  })
})

describe('a frame', () => {
  it('is filled again without a trace of the one before', () => {
    let first: MetricsFrame | undefined
    withFrame(
      { bins: { 0: '1', 64: `${U64_MAX}` }, min_ns: '0', max_ns: `${U64_MAX}` },
      (frame) => {
        assert.equal(frame.total(), U64_MAX + 1n)
        first = frame
      },
    )
    withFrame({ bins: { 5: '2' }, min_ns: '20', max_ns: '30' }, (frame) => {
      assert.notEqual(frame, first)
      assert.deepEqual([...frame.filled.subarray(0, frame.filledCount)], [5])
      assert.equal(frame.total(), 2n)
    })
  })

  it('has one hash for one identity, whatever its id, bins and profile', () => {
    const hashes = [
      { id: 1 },
      { id: 2, bins: { 3: '1' }, min_ns: '5', max_ns: '5' },
      { end_ns: '7' },
    ].map(hashOf)
    assert.equal(new Set(hashes).size, 1)
    const others = [{ name: 'x' }, { worker: 'x' }, { pipeline: 'x' }, { application: 'x' }, {}]
    assert.equal(new Set(others.map(hashOf)).size, others.length)
  })

  function hashOf(fields: Record<string, unknown>): number {
    let hash = 0
    withFrame(fields, (frame) => {
      hash = frame.hash
    })
    return hash
  }
})
