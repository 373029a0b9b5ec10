/** Samples into the model: what of them is new, and what is refused. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { runNow } from '../../../hub/tasks/task.ts'
import { openingRequest } from '../codec/request-scan.ts'
import { packSnappy, unpackingSnappy } from '../codec/snappy.ts'
import { PART_BYTES_LIMIT } from '../spec.ts'
import { TestHub } from '../test/hub.ts'
import { type Json, labels, NATIVE, STALE, series, TIME_MS } from '../test/requests.ts'

/** Time of a sample, seconds after the first. */
const at = (seconds: number): number => TIME_MS + 1000 * seconds

suite('a counter', () => {
  test('counts from its first sample on', () => {
    const hub = new TestHub()
    assert.deepEqual(hub.take([series('orders_total', 100, at(0))]), [])
    assert.deepEqual(hub.take([series('orders_total', 107.5, at(10))]), [])
    assert.deepEqual(hub.totals, { 'counter orders_total': 7.5 })
  })

  test('that falls has begun anew', () => {
    const hub = new TestHub()
    for (const [i, value] of [5, 7, 3].entries()) hub.take([series('a_total', value, at(i))])
    assert.deepEqual(hub.totals, { 'counter a_total': 5 })
    assert.equal(hub.ingest.counted.unannounced_reset, 1)
  })

  test('goes on where it was once it comes back from a stale marker', () => {
    const hub = new TestHub()
    for (const [i, value] of [5, STALE, 8].entries()) hub.take([series('a_total', value, at(i))])
    assert.deepEqual(hub.totals, { 'counter a_total': 3 })
    assert.equal(hub.ingest.counted.stale, 1)
  })

  test('takes nothing that is no count', () => {
    const hub = new TestHub()
    const values = [-1, 'NaN', 'Infinity']
    const all = values.map((value, i) => series('a_total', value, at(i)))
    assert.deepEqual(hub.take(all), ['3 bad_value'])
    assert.equal(hub.reports.errors.length, 3)
  })
})

suite('a gauge', () => {
  test('has the last value, and ends with a stale marker', () => {
    const hub = new TestHub()
    hub.take([series('depth', -7, at(0))])
    assert.deepEqual(hub.totals, { 'gauge depth': -7 })
    hub.take([series('depth', STALE, at(1))])
    assert.ok(!Number.isFinite(hub.ingest.series[0]!.value ?? Number.NaN))
    hub.take([series('depth', 3, at(2))])
    assert.deepEqual(hub.totals, { 'gauge depth': 3 })
  })

  test('without a time is of now', () => {
    const hub = new TestHub()
    hub.take([series('depth', 1, 0)])
    hub.nowMs += 1
    assert.deepEqual(hub.take([series('depth', 2, 0)]), [])
    assert.deepEqual(hub.totals, { 'gauge depth': 2 })
  })
})

suite('kinds', () => {
  test('are found by the name where nothing is said', () => {
    const hub = new TestHub()
    hub.take([
      series('a_bucket', 1, at(0), { le: '5' }),
      ...['a_sum', 'a_count', 'b_total', 'b_bucket', 'b', 'c_created'].map((name) => {
        return series(name, 1)
      }),
    ])
    assert.deepEqual(Object.keys(hub.totals), [
      ...['counter a_bucket', 'counter a_sum', 'counter a_count', 'counter b_total'],
      ...['gauge b_bucket', 'gauge b', 'gauge c_created'],
    ])
  })

  test('are those that are said, with unit and description', () => {
    const hub = new TestHub()
    const said = [
      { type: 1, metricFamilyName: 'hits', help: 'Of all', unit: 'hits' },
      { type: 2, metricFamilyName: 'people_total' },
      { type: 4, metricFamilyName: 'queue' },
      { type: 5, metricFamilyName: 'gc', unit: 'seconds' },
    ]
    const names = ['hits', 'people_total', 'queue_count', 'gc_count', 'gc_sum', 'gc']
    hub.take(
      names.map((name) => series(name, 1)),
      said,
    )
    assert.deepEqual(Object.keys(hub.totals), [
      ...['counter hits', 'gauge people_total', 'gauge queue_count', 'counter gc_count'],
      ...['counter gc_sum', 'gauge gc'],
    ])
    const { unit, description, rateTimeScaleS } = hub.ingest.series[0]!.metadata
    assert.deepEqual([unit, description, rateTimeScaleS], ['hits', 'Of all', 1])
    assert.deepEqual(
      hub.ingest.series.slice(3).map(({ metadata }) => metadata.unit),
      [undefined, 'seconds', 'seconds'],
    )
  })

  test('change with what is said later, and words with them', () => {
    const hub = new TestHub()
    hub.take([series('people_total', 5, at(0)), series('hits_total', 5, at(0))])
    const gauge = { type: 2, metricFamilyName: 'people_total' }
    const counter = { type: 1, metricFamilyName: 'hits_total', help: 'Of all' }
    hub.take([series('people_total', 4, at(1)), series('hits_total', 7, at(1))], [gauge, counter])
    assert.deepEqual(hub.totals, { 'counter hits_total': 2, 'gauge people_total': 4 })
    assert.equal(hub.ingest.series[1]!.metadata.description, 'Of all')
  })
})

suite('native histograms', () => {
  const native = (seconds: number, rest: Json = {}): Json => {
    const histogram = { ...NATIVE, timestamp: String(at(seconds)), ...rest }
    return { labels: labels('latency'), histograms: [histogram] }
  }
  const grown = { countInt: '9', sum: 30, positiveDeltas: ['2', '2'] }

  test('gain what is new, bucket by bucket', () => {
    const hub = new TestHub()
    hub.take([native(0)])
    assert.deepEqual(hub.take([native(1, grown)]), [])
    const { histogram } = hub.ingest.series[0]!
    assert.deepEqual([histogram.count, histogram.sum, histogram.scale], [3n, 17.5, -1])
    const seen: [number, bigint][] = []
    histogram.positive.forEach((index, count) => void seen.push([index, count]))
    assert.deepEqual(seen, [
      [0, 1n],
      [1, 2n],
    ])
    assert.equal(histogram.negative.total(), 0n)
  })

  test('that fall, or say so, have begun anew', () => {
    const hub = new TestHub()
    hub.take([native(0, grown)])
    hub.take([native(1)])
    assert.deepEqual(hub.totals, { 'histogram latency': 6n })
    hub.take([native(2, { ...grown, resetHint: 1 })])
    assert.deepEqual(hub.totals, { 'histogram latency': 15n })
  })

  test('of bounds of their own keep these, and whole counts may be doubles', () => {
    const hub = new TestHub()
    const bounded = (seconds: number, counts: number[]): Json => {
      const count = counts.reduce((all, each) => all + each, 0)
      return native(seconds, {
        ...{ schema: -53, customValues: [5, 50], countInt: undefined, countFloat: count },
        ...{ negativeSpans: [], negativeDeltas: [], positiveDeltas: [], zeroCountInt: undefined },
        ...{ positiveSpans: [{ length: 3 }], positiveCounts: counts },
      })
    }
    hub.take([bounded(0, [1, 2, 0])])
    assert.deepEqual(hub.take([bounded(1, [1, 4, 1])]), [])
    const { histogram, metadata } = hub.ingest.series[0]!
    assert.deepEqual(
      [histogram.bounds, metadata.bounds],
      [
        [5, 50],
        [5, 50],
      ],
    )
    assert.deepEqual([histogram.count, histogram.positive.counts.at(-1)], [3n, 1n])
    assert.deepEqual(hub.take([bounded(2, [1.5, 4, 1])]), ['1 float_counts'])
  })

  test('refuse what does not fit, by reason', () => {
    const hub = new TestHub()
    const wrong: readonly (readonly [Json, string])[] = [
      [{ schema: 9 }, 'bad_schema'],
      [{ countInt: '7' }, 'bad_buckets'],
      [{ positiveDeltas: ['1'] }, 'bad_buckets'],
      [{ positiveDeltas: ['1', '-2'] }, 'bad_buckets'],
      [{ positiveSpans: [{ length: 4_000_000_000 }] }, 'buckets_limit'],
      [{ positiveSpans: [{ offset: 2_000_000_000, length: 2 }] }, 'bad_buckets'],
      [{ resetHint: 3 }, 'gauge_histogram'],
      [{ zeroThreshold: 'NaN' }, 'bad_buckets'],
    ]
    for (const [i, [rest, code]] of wrong.entries()) {
      assert.deepEqual(hub.take([native(i, rest)]), [`1 ${code}`], JSON.stringify(rest))
    }
    assert.deepEqual(hub.totals, {})
  })

  test('end with a stale marker, and stand beside samples of the same name', () => {
    const hub = new TestHub()
    hub.take([native(0), series('latency', 5)])
    assert.deepEqual(hub.take([native(1, { sum: STALE })]), [])
    assert.deepEqual(hub.take([native(2, grown)]), [])
    assert.deepEqual(hub.totals, { 'histogram latency': 3n, 'gauge latency': 5 })
  })
})

suite('order and clocks', () => {
  test('a sample is taken once however often it comes, and never from the past', () => {
    const hub = new TestHub()
    hub.take([series('depth', 5, at(10))])
    assert.deepEqual(hub.take([series('depth', 5, at(10))]), [])
    assert.equal(hub.ingest.counted.duplicate, 1)
    assert.deepEqual(hub.take([series('depth', 6, at(10))]), ['1 duplicate_timestamp'])
    assert.deepEqual(hub.take([series('depth', 6, at(9))]), ['1 out_of_order'])
    assert.deepEqual(hub.totals, { 'gauge depth': 5 })
    assert.equal(hub.ingest.counted.out_of_order, 1)
  })

  test('one of the far future is refused, one of long ago is noted', () => {
    const hub = new TestHub()
    assert.deepEqual(hub.take([series('depth', 1, at(601))]), ['1 clock_ahead'])
    assert.deepEqual(hub.take([series('depth', 1, at(-301))]), [])
    assert.equal(hub.ingest.counted.late, 1)
    const before1970 = { labels: labels('x'), samples: [{ value: 1, timestamp: '-5' }] }
    assert.deepEqual(hub.take([before1970]), ['1 bad_sample'])
  })
})

suite('labels', () => {
  test('are the same in whatever order they come, and empty ones are none', () => {
    const hub = new TestHub()
    hub.take([series('a_total', 1, at(0), { b: '1', c: '2', d: '' })])
    hub.take([series('a_total', 3, at(1), { c: '2', b: '1' })])
    assert.deepEqual(hub.totals, { 'counter a_total': 2 })
    assert.deepEqual(hub.ingest.series[0]!.identity.labels, [
      ['b', '1'],
      ['c', '2'],
    ])
  })

  test('that can’t be read cost their series', () => {
    const hub = new TestHub()
    const many = Object.fromEntries(Array.from({ length: 128 }, (_, i) => [`k${i}`, 'v']))
    const timeseries = [
      { labels: [{ name: 'a', value: 'b' }], samples: [{ value: 1 }, { value: 2 }] },
      { labels: [...labels('x'), { name: 'k' }, { name: 'k' }], samples: [{ value: 1 }] },
      { labels: [...labels('x'), { value: 'v' }], samples: [{ value: 1 }] },
      series('many', 1, at(0), many),
      series('long', 1, at(0), { k: 'x'.repeat(16_384) }),
      series('n'.repeat(1025), 1),
      series('good', 1),
    ]
    assert.deepEqual(hub.take(timeseries), ['3 bad_name', '2 bad_labels', '2 labels_limit'])
    assert.deepEqual(hub.totals, { 'gauge good': 1 })
  })

  test('10^6 of them cost their series, not its neighbours', () => {
    const hub = new TestHub()
    const flood = { labels: Array.from({ length: 1_000_000 }, () => ({})), samples: [{}] }
    assert.deepEqual(hub.take([flood, series('good', 1)]), ['1 series_too_large'])
    assert.deepEqual(hub.totals, { 'gauge good': 1 })
  })
})

suite('a long request', () => {
  const stepsOf = (task: Iterator<unknown>): number => {
    for (let steps = 1; ; steps++) if (task.next().done === true) return steps
  }
  const repeated = (bytes: readonly number[]): Uint8Array => {
    return Buffer.alloc(200_000, Uint8Array.from(bytes))
  }

  test('is unpacked and gone through in steps, whatever it is made of', () => {
    for (const bytes of [repeated([0x0a, 0]), repeated([0x1a, 0]), repeated([0x78, 0])]) {
      assert.ok(stepsOf(openingRequest(bytes, 1, () => {})) > 100)
      assert.ok(stepsOf(unpackingSnappy(packSnappy(bytes), bytes.length)) > 2)
    }
  })

  test('may have a megabyte besides series and metadata', () => {
    const long = Buffer.alloc(PART_BYTES_LIMIT + 2, Uint8Array.of(0x78, 0))
    assert.equal(runNow(openingRequest(long, 1, () => {})), 'too_large')
  })
})

suite('limits', () => {
  test('series beyond theirs are refused until others were silent for 2 minutes', () => {
    const hub = new TestHub(2)
    const named = (names: string, seconds: number): Json[] => {
      return [...names].map((name) => series(name, seconds, at(seconds)))
    }
    assert.deepEqual(hub.take(named('abc', 0)), ['1 streams_limit'])
    hub.nowMs += 120_000
    hub.take(named('b', 120))
    assert.deepEqual(hub.take(named('c', 120)), [])
    assert.equal(hub.streams.size, 2)
    assert.equal(hub.streams.refused, 1)
  })

  test('a broken sample costs itself', () => {
    const hub = new TestHub()
    const label = [0x0a, 0x0d, 0x0a, 8, ...Buffer.from('__name__'), 0x12, 1, 0x64]
    const sample = (...bytes: number[]) => [0x12, bytes.length, ...bytes]
    const good = sample(0x09, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f)
    const body = [...label, ...sample(0x09, 7), ...sample(0x0b), 0x10, 5, ...good]
    assert.deepEqual(hub.bytes(Uint8Array.from([0x0a, body.length, ...body])), ['3 bad_sample'])
    assert.deepEqual(hub.totals, { 'gauge d': 1 })
  })
})

suite('exemplars', () => {
  const one = (value: Json[string], id = '7f'): Json => ({
    labels: [
      { name: 'trace_id', value: id },
      { name: 'a', value: 'b' },
    ],
    ...{ value, timestamp: String(at(3)) },
  })

  test('are kept beside the series that their samples made, which come first', () => {
    const hub = new TestHub()
    const exemplars = [one(0.5)]
    hub.take([{ labels: labels('sent_total'), exemplars }])
    assert.deepEqual([hub.ingest.exemplars, hub.totals], [[], {}])
    assert.equal(hub.ingest.counted.exemplar_of_no_series, 1)
    hub.take([series('sent_total', 5, at(1))])
    hub.take([{ labels: labels('sent_total'), exemplars }])
    hub.take([{ labels: labels('latency'), histograms: [NATIVE], exemplars: [{ value: 3 }] }])
    assert.deepEqual(hub.ingest.exemplars, [
      [
        'sent_total',
        {
          value: 0.5,
          timeMs: at(3),
          labels: [
            ['a', 'b'],
            ['trace_id', '7f'],
          ],
        },
      ],
      ['latency', { value: 3, timeMs: TIME_MS, labels: [] }],
    ])
  })

  test('that are none, or too many, cost themselves', () => {
    const hub = new TestHub()
    const twice = { labels: [one(1), one(1)].flatMap(({ labels }) => labels), value: 1 }
    const wrong = [one('NaN'), one(1, 'x'.repeat(200)), twice as Json]
    const many = Array.from({ length: 50 }, (_, i) => one(i))
    const sample = series('orders_total', 5, at(1))
    assert.deepEqual(hub.take([{ ...sample, exemplars: [...wrong, ...many] }]), [])
    assert.equal(hub.ingest.counted.bad_exemplar, 3)
    assert.equal(hub.ingest.exemplars.length, 32 - 3)
    assert.deepEqual(hub.totals, { 'counter orders_total': 0 })
  })
})
