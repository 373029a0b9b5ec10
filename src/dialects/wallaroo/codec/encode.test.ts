import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../../test/support/property.ts'
import { EncodeError } from '../../../wire/encode-error.ts'
import { createDecoder, encodeWallaroo, type MetricsMessage } from '../codec.ts'
import { encodeMessage } from '../test/frames.ts'
import { binOf } from './binning.ts'
import { encodeConnect, encodeJoin, encodeMetrics, type Metrics } from './encode.ts'

const WINDOW: Metrics = {
  application: 'golden-app',
  category: 'computation',
  name: 'Check Limit',
  worker: 'initializer',
  pipeline: 'Orders',
  id: 3,
  bins: new Float64Array(65),
  minNs: 2n ** 64n - 1n,
  maxNs: 0,
  periodNs: 2_000_000_000n,
  endNs: 1_700_000_002_000_000_000n,
}

function decodeOne(bytes: Uint8Array): MetricsMessage {
  const decoder = createDecoder({ transport: 'udp' })
  decoder.push(bytes)
  assert.deepEqual(decoder.errors, [])
  return decoder.messages[0] as MetricsMessage
}

describe('frames', () => {
  it('have the sizes that the format states', () => {
    const frame = Buffer.from(encodeMetrics(WINDOW, 'peer'))
    assert.equal(frame.length, 655)
    assert.equal(frame.readUInt32BE(0), 651)
    const { payload_size, payload_header } = decodeOne(frame)
    assert.deepEqual([payload_size, payload_header], [613, 761])
    assert.equal(decodeOne(encodeMetrics(WINDOW, 'document')).payload_header, 609)
    assert.equal(Buffer.from(encodeConnect()).toString('hex'), '0000000101')
    assert.equal(encodeJoin('a', 'w').length, 4 + 1 + 4 + 9 + 4 + 1)
  })

  it('have the number of bins in front of them where sizes of arrays are asked for', () => {
    const frame = Buffer.from(encodeMetrics(WINDOW, 'document', true))
    const plain = Buffer.from(encodeMetrics(WINDOW, 'document'))
    assert.deepEqual([frame.length, frame.readUInt32BE(0)], [659, 655])
    const binsAt = plain.length - 8 * (65 + 4)
    assert.equal(frame.readUInt32BE(binsAt), 65)
    assert.deepEqual(frame.subarray(binsAt + 4), plain.subarray(binsAt))
    const { payload_size, payload_header, notes } = decodeOne(frame)
    assert.deepEqual([payload_size, payload_header], [617, 613])
    assert.deepEqual(notes.toSorted(), ['array_count_prefix', 'empty_window'])
    const messages = [decodeOne(plain)]
    const options = { profile: 'document', arraySizes: true } as const
    assert.deepEqual(encodeWallaroo(messages, options), [new Uint8Array(frame)])
    assert.throws(() => encodeWallaroo(messages, { arraySizes: true }), RangeError)
  })

  it('cannot be made of ids, bins, times or names out of their range', () => {
    const refused: readonly Partial<Metrics>[] = [
      { id: -1 },
      { id: 65_536 },
      { id: 1.5 },
      { bins: Float64Array.from({ length: 65 }, (_, i) => (i === 3 ? -1 : 0)) },
      { bins: Float64Array.from({ length: 65 }, (_, i) => (i === 3 ? 0.5 : 0)) },
      { bins: new Float64Array(64) },
      { minNs: 2n ** 64n },
      { maxNs: -1 },
      { periodNs: Number.NaN },
      { endNs: -1n },
      { name: 'n'.repeat(65_536) },
      { application: 'ä'.repeat(32_768) },
    ]
    for (const fields of refused) {
      const attempt = () => encodeMetrics({ ...WINDOW, ...fields }, 'peer')
      assert.throws(attempt, EncodeError, Object.keys(fields)[0])
      assert.throws(attempt, RangeError)
    }
    const longest = { name: 'n'.repeat(65_535), worker: 'ä'.repeat(32_767) }
    assert.equal(decodeOne(encodeMetrics({ ...WINDOW, ...longest }, 'peer')).name, longest.name)
  })
})

describe('messages', () => {
  const u64 = fc.oneof(
    fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    fc.integer({ min: 0, max: 64 }).map((k) => 2n ** BigInt(k) - (k === 64 ? 1n : 0n)),
  )
  const name = fc.string({ unit: 'grapheme', maxLength: 12 })
  const samples = fc.array(u64, { maxLength: 5 })
  const message = fc.record({
    ...{ application: name, category: name, name, worker: name, pipeline: name },
    ...{ id: fc.nat(65_535), latencies: samples, weight: u64, period: u64, end: u64 },
    ...{
      profile: fc.constantFrom('peer', 'document'),
      binning: fc.constantFrom('peer', 'document'),
    },
  })

  it('come back as they were, in both orders and with both rules of binning', () => {
    const check = (given: typeof message extends fc.Arbitrary<infer T> ? T : never) => {
      const { latencies, weight, period, end, profile, binning, ...names } = given
      const bins: Record<string, string> = {}
      for (const value of latencies) bins[binOf(value, binning)] = `${weight > 0n ? weight : 1n}`
      const sorted = latencies.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
      const [min, max] = [sorted[0], sorted.at(-1)]
      const extremes = { min_ns: text(min), max_ns: text(max) }
      const times = { period_ns: `${period}`, end_ns: `${end}` }
      const fields = { type: 'metrics', ...names, bins, ...extremes, ...times }
      const found = decodeOne(encodeMessage(fields, profile))
      const { total: _, order, payload_size: __, payload_header: ___, notes, ...decoded } = found
      const known = (value: bigint | undefined) =>
        value === undefined || value >= 2n ** 63n ? null : `${value}`
      assert.deepEqual(decoded, { ...fields, min_ns: known(min), max_ns: known(max) })
      assert.equal(order, min === undefined ? 'empty' : min === max ? 'same' : profile)
      assert.equal(notes.includes('document_order'), order === 'document')
      assert.equal(notes.includes('clock_skew'), max !== undefined && max >= 2n ** 63n)
    }
    holds(fc.property(message, check), 10_000)
  })

  it('of which min and max are not known are written so that nobody believes them', () => {
    const unknown = { min_ns: null, max_ns: null, period_ns: '1', end_ns: '2', id: 0 }
    const names = { application: 'a', category: 'c', name: 'n', worker: 'w', pipeline: 'p' }
    for (const bins of [{}, { 3: '1', 9: '2' }, { 64: '5' }, { 4: '1', 64: '5' }]) {
      for (const profile of ['peer', 'document'] as const) {
        const fields = { type: 'metrics', ...names, ...unknown, bins }
        const { min_ns, max_ns } = decodeOne(encodeMessage(fields, profile))
        assert.deepEqual([min_ns, max_ns], [null, null], JSON.stringify(bins))
      }
    }
  })

  it('that are none are refused with a code', () => {
    for (const nonsense of [null, 1, 'text', {}, { type: 'nothing' }, { type: 'metrics' }]) {
      assert.throws(() => encodeMessage(nonsense, 'peer'), { code: 'bad_message' })
    }
    assert.throws(() => encodeMessage({ type: 'join', application: 'a', worker: null }, 'peer'))
  })

  const text = (value: bigint | undefined) => (value === undefined ? null : `${value}`)
})
