import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { ModelIngest } from '../../../test/support/model-ingest.ts'
import { holds } from '../../../test/support/property.ts'
import {
  boundedHistogram,
  type Cell,
  type Exact,
  Histogram,
  type Identity,
} from '../../model/index.ts'
import { encodePackets, type Line } from './codec/encode.ts'
import { cellLines, type EmitMapping, emitKey } from './emit.ts'
import { EMIT_DEFAULTS } from './options.ts'
import { feedSemantics } from './test/golden.ts'

const DEFAULT: EmitMapping = { profile: 'peer', counterAs: 'm', histogramAs: 'rate' }

function emit(cell: Cell, mapping: Partial<EmitMapping> = {}, total?: Exact) {
  const lines: Line[] = []
  const notes: Record<string, number> = {}
  cellLines(
    'k',
    cell,
    total,
    { ...DEFAULT, ...mapping },
    {
      line: (line) => lines.push(line),
      note: (code, count) => {
        notes[code] = (notes[code] ?? 0) + count
      },
    },
  )
  return { lines, notes }
}

function histogramOf(values: readonly Exact[], scale = 0): Histogram {
  const histogram = new Histogram(scale)
  for (const value of values) histogram.record(value)
  return histogram
}

/** The lines as a receiver understands them. */
function received(lines: readonly Line[]) {
  const ingest = new ModelIngest()
  const datagrams_text = encodePackets(lines, EMIT_DEFAULTS).map((p) => Buffer.from(p).toString())
  const expect = { points: [], counted: {} }
  const errors = feedSemantics({ id: '', datagrams_text, expect }, ingest)
  assert.deepEqual({ ...errors, ...ingest.counted }, {})
  return ingest.series[0]
}

suite('cells to lines', () => {
  test('a counter sends its increment, and nothing for none', () => {
    assert.deepEqual(emit({ kind: 'counter', delta: 5 }).lines, [{ key: 'k', value: 5, type: 'm' }])
    assert.deepEqual(emit({ kind: 'counter', delta: 0 }).lines, [])
    assert.deepEqual(emit({ kind: 'counter', delta: 2n ** 60n }).lines[0]?.value, 2n ** 60n)
  })

  test('a counter as meter reader sends its total, also when it stood still', () => {
    const { lines } = emit({ kind: 'counter', delta: 0 }, { counterAs: 'mr' }, 42)
    assert.deepEqual(lines, [{ key: 'k', value: 42, type: 'mr' }])
    assert.deepEqual(emit({ kind: 'counter', delta: 1 }, { counterAs: 'mr' }).lines, [])
  })

  test('totals survive lost datagrams, short of the first and last reading', () => {
    const totals = [10, 25, 25, 100, 180, 181]
    const lines = totals.flatMap(
      (total) => emit({ kind: 'counter', delta: 1 }, { counterAs: 'mr' }, total).lines,
    )
    assert.equal(received(lines.filter((_, i) => i !== 2 && i !== 3))?.total, 181 - 10)
  })

  test('a gauge is rounded half away from zero, and that is counted', () => {
    const send = (value: Exact) => emit({ kind: 'gauge', value, at: 0 })
    assert.deepEqual(send(2.5), {
      lines: [{ key: 'k', value: 3, type: 'g' }],
      notes: { rounded: 1 },
    })
    assert.equal(send(-2.5).lines[0]?.value, -3)
    assert.equal(send(2.4999).lines[0]?.value, 2)
    assert.deepEqual(send(-7).notes, {})
    assert.equal(send(2 ** 60).lines[0]?.value, 2n ** 60n)
    assert.equal(send(-(2n ** 63n)).lines[0]?.value, -(2n ** 63n))
  })

  test('what is no number is not sent, and counted', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      const sent = emit({ kind: 'gauge', value, at: 0 })
      assert.deepEqual(sent, { lines: [], notes: { not_finite: 1 } })
    }
  })

  test('a summary sends its mean as a gauge under a name of its own', () => {
    const summary = { count: 4, mean: 12.5, squares: 0, min: 1, max: 20 }
    assert.deepEqual(emit({ kind: 'summary', summary }).lines, [
      { key: 'k.mean', value: 13, type: 'g' },
    ])
  })

  test('the document knows no negative values: they are counted, not sent', () => {
    const mapping = { profile: 'document' } as const
    const gauge = emit({ kind: 'gauge', value: -1, at: 0 }, mapping)
    assert.deepEqual(gauge, { lines: [], notes: { negative: 1 } })
    const histogram = histogramOf([-5, -6, 0, 7])
    const { lines, notes } = emit({ kind: 'histogram', histogram }, mapping)
    assert.deepEqual(
      lines.map(({ value }) => value),
      [0, 7],
    )
    assert.deepEqual(notes, { negative: 2 })
  })
})

suite('histograms to lines', () => {
  const lines = (histogram: Histogram, mapping: Partial<EmitMapping> = {}) =>
    emit({ kind: 'histogram', histogram }, mapping).lines

  test('one line per bucket: its largest integer within the extremes, the count as rate', () => {
    assert.deepEqual(lines(histogramOf([3, 4, 4, 0, 70, 85, -3])), [
      { key: 'k', value: -3, type: 'h', sampleRate: 1 },
      { key: 'k', value: 0, type: 'h', sampleRate: 1 },
      { key: 'k', value: 4, type: 'h', sampleRate: 1 / 3 },
      { key: 'k', value: 85, type: 'h', sampleRate: 0.5 },
    ])
  })

  test('bucket counts of integers at scale 0 arrive exactly, of finer ones too', () => {
    const value = fc.oneof(
      fc.integer({ min: -300, max: 300 }),
      fc.integer(),
      fc.maxSafeInteger(),
      fc.bigInt({ min: -(2n ** 66n), max: 2n ** 66n }),
    )
    const scale = fc.integer({ min: 0, max: 8 })
    holds(
      fc.property(fc.array(value, { minLength: 1 }), scale, (values, s) => {
        const sent = histogramOf(values, s)
        const got = received(lines(sent))!.histogram
        assert.equal(got.count, sent.count)
        assert.equal(got.zeroCount, sent.zeroCount)
        for (const side of ['positive', 'negative'] as const) {
          assert.deepEqual(counts(got.atScale(0)[side]), counts(sent.atScale(0)[side]))
        }
        assert.ok(got.min >= sent.min && got.max <= sent.max)
      }),
      1000,
    )
  })

  function counts(run: { forEach(visit: (index: number, count: bigint) => void): void }) {
    const found: Record<number, bigint> = {}
    run.forEach((index, count) => {
      found[index] = count
    })
    return found
  }

  test('between bounds of their own, buckets send the largest integer, or the nearest', () => {
    const counts = BigUint64Array.of(1n, 1n, 1n, 1n, 1n)
    const histogram = boundedHistogram({ bounds: [0.5, 10, 10.5, 50], counts, sum: 0n })
    assert.deepEqual(
      lines(histogram).map(({ value }) => value),
      [0, 10, 10, 50, 51],
    )
  })

  test('a bucket without an integer sends the nearest one', () => {
    assert.deepEqual(
      lines(histogramOf([0.3, 0.6], 0)).map(({ value }) => value),
      [0, 1],
    )
    for (const [value, nearest] of [
      [2.4, 2],
      [2.6, 3],
      [-2.6, -3],
    ] as const) {
      assert.deepEqual(lines(histogramOf([value], 8))[0]?.value, nearest)
    }
  })

  test('the nearest integer stays within the extremes where these leave one', () => {
    const values = lines(histogramOf([-2.6, 2.4], 8)).map(({ value }) => value)
    assert.deepEqual(values, [-2, 2])
  })

  test('more than a thousand million observations make several lines, none of them lost', () => {
    const histogram = new Histogram(0)
    histogram.record(4, 2_500_000_000n)
    const sent = lines(histogram)
    assert.equal(sent.length, 3)
    assert.equal(received(sent)!.histogram.count, 2_500_000_000n)
  })

  test('plain lines for receivers that drop rates: every observation one line', () => {
    const sent = lines(histogramOf([3, 4, 4, 9]), { histogramAs: 'repeat' })
    assert.deepEqual(
      sent.map(({ value, sampleRate }) => [value, sampleRate]),
      [
        [4, undefined],
        [4, undefined],
        [4, undefined],
        [9, undefined],
      ],
    )
  })

  test('more than a thousand plain lines are thinned out evenly, and that is counted', () => {
    const histogram = new Histogram(0)
    histogram.record(4, 3000)
    histogram.record(100, 1000)
    const { lines: sent, notes } = emit({ kind: 'histogram', histogram }, { histogramAs: 'repeat' })
    assert.deepEqual(notes, { repeat_limit: 3000 })
    assert.equal(sent.filter(({ value }) => value === 4).length, 750)
    assert.equal(sent.filter(({ value }) => value === 100).length, 250)
  })

  test('an empty histogram sends nothing', () => {
    for (const histogramAs of ['rate', 'repeat'] as const) {
      assert.deepEqual(lines(new Histogram(), { histogramAs }), [])
    }
  })
})

suite('keys from identities', () => {
  const identity = (name: string, labels: Identity['labels'] = []): Identity => ({
    name,
    kind: 'gauge',
    labels,
  })

  test('labels follow the name', () => {
    const labels = [
      ['code', '200'],
      ['host', 'web-1'],
    ] as const
    assert.equal(emitKey(identity('app.hits', labels), 'peer'), 'app.hits.code.200.host.web-1')
  })

  test('a cleaned key carries a hash of what it was: no two series share one', () => {
    const [slash, space] = [emitKey(identity('a/b'), 'peer'), emitKey(identity('a b'), 'peer')]
    assert.match(slash, /^a_b\.[0-9a-f]{8}$/)
    assert.match(space, /^a_b\.[0-9a-f]{8}$/)
    assert.notEqual(slash, space)
    assert.match(emitKey(identity('a', [['l', 'x.y']]), 'peer'), /^a\.l\.x_y\.[0-9a-f]{8}$/)
    assert.match(emitKey(identity('a', [['l', '']]), 'peer'), /^a\.l\._\.[0-9a-f]{8}$/)
    const bytes = { ...identity('a'), nameBytes: Uint8Array.of(0xff) }
    assert.match(emitKey(bytes, 'peer'), /^a\.[0-9a-f]{8}$/)
  })

  test('the document leaves letters and digits only', () => {
    assert.match(emitKey(identity('a_b-c.é'), 'document'), /^abc\.x\.[0-9a-f]{8}$/)
  })

  test('every key can be sent under its profile', () => {
    const label = fc.tuple(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }))
    holds(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.array(label, { maxLength: 3 }),
        (name, labels) => {
          for (const profile of ['peer', 'document'] as const) {
            const key = emitKey(identity(name, labels), profile)
            encodePackets([{ key, value: 1, type: 'm' }], { ...EMIT_DEFAULTS, profile })
          }
        },
      ),
    )
  })
})
