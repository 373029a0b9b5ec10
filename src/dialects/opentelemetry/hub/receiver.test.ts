/** Points into the model: what of them is new, and what is refused. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { ModelIngest } from '../../../../test/support/model-ingest.ts'
import { holds } from '../../../../test/support/property.ts'
import { RecordedReports } from '../../../../test/support/recorded-reports.ts'
import { runNow } from '../../../hub/tasks/task.ts'
import { encodeOpenTelemetry } from '../codec.ts'
import { attributes, type Json, resourceOf } from '../test/requests.ts'
import { Receiver } from './receiver.ts'
import { Streams } from './streams.ts'

const PEER = { transport: 'tcp', address: '10.0.0.9', port: 4000 } as const
const SECOND = 1_000_000_000n
/** Start of the hub, Unix ns. */
const HUB = 1_700_000_000n * SECOND

/** Text of a time, seconds after the hub's start. */
const at = (seconds: number): string => String(HUB + BigInt(seconds) * SECOND)

class Hub {
  readonly ingest: ModelIngest
  readonly reports = new RecordedReports()
  readonly streams: Streams
  nowMs = 1_700_000_000_000
  readonly #receiver: Receiver

  constructor(streamsLimit = 1000, seriesLimit = 1000) {
    this.ingest = new ModelIngest({ seriesLimit })
    this.streams = new Streams(streamsLimit)
    this.#receiver = new Receiver({
      ...{ ingest: this.ingest, streams: this.streams, reports: this.reports },
      ...{ sinceNs: Number(HUB), nowMs: () => this.nowMs },
    })
  }

  /** Takes metrics. @returns reasons of those points that were not taken */
  take(metrics: readonly Json[], resource: Readonly<Record<string, string>> = {}): string[] {
    return this.bytes(encodeOpenTelemetry([resourceOf(metrics, resource, {})])[0]!)
  }

  bytes(bytes: Uint8Array): string[] {
    return [...runNow(this.#receiver.take(bytes, PEER)).reasons].map(([code, n]) => `${n} ${code}`)
  }

  get totals(): unknown[] {
    return this.ingest.series.map(({ identity, total, value }) => {
      return identity.kind === 'gauge' ? value : total
    })
  }

  get only() {
    assert.equal(this.ingest.series.length, 1)
    return this.ingest.series[0]!
  }
}

function sum(asInt: number | string, start: number, time: number, rest: Json = {}): Json {
  const point = { startTimeUnixNano: at(start), timeUnixNano: at(time), asInt }
  const facts = { aggregationTemporality: 2, isMonotonic: true, ...rest }
  return { name: 'orders', sum: { ...facts, dataPoints: [point] } }
}

const delta = (asInt: number, start: number, time: number, rest: Json = {}): Json =>
  sum(asInt, start, time, { aggregationTemporality: 1, ...rest })

suite('a cumulative sum', () => {
  test('that began after the hub counts from its start', () => {
    const hub = new Hub()
    assert.deepEqual(hub.take([sum('9007199254740993', 1, 10)]), [])
    assert.deepEqual(hub.take([sum('9007199254740995', 1, 20)]), [])
    assert.deepEqual(hub.totals, [9007199254740995n])
    assert.equal(hub.only.windowSec, 19)
  })

  test('that was there before only says where it stands, and is seen at once', () => {
    const hub = new Hub()
    hub.take([sum(100, -50, 10)])
    assert.deepEqual(hub.totals, [0])
    hub.take([sum(107, -50, 20)])
    assert.deepEqual(hub.totals, [7])
  })

  test('of an unknown start counts from its first point on', () => {
    const hub = new Hub()
    hub.take([sum(100, 10, 10)])
    hub.take([sum(103, 10, 20)])
    assert.deepEqual(hub.totals, [3])
  })

  test('that starts anew adds all since then', () => {
    const hub = new Hub()
    hub.take([sum(5, 1, 10)])
    hub.take([sum(7, 15, 20)])
    assert.deepEqual([hub.totals, hub.ingest.counted.reset], [[12], 1])
  })

  test('that falls without saying why counts as a new one', () => {
    const hub = new Hub()
    hub.take([sum(5, 1, 10)])
    hub.take([sum(2, 1, 20)])
    assert.deepEqual([hub.totals, hub.ingest.counted.unannounced_reset], [[7], 1])
  })

  test('is taken once however often it comes, and never from the past', () => {
    const hub = new Hub()
    hub.take([sum(5, 2, 10)])
    assert.deepEqual(hub.take([sum(5, 2, 10)]), [])
    assert.deepEqual(hub.take([sum(4, 2, 9)]), ['1 out_of_order'])
    assert.deepEqual(hub.take([sum(9, 1, 12)]), ['1 out_of_order'])
    assert.deepEqual([hub.totals, hub.ingest.counted.duplicate], [[5], 1])
  })

  test('that does not only grow is a gauge', () => {
    const hub = new Hub()
    hub.take([sum(5, 1, 10, { isMonotonic: false })])
    hub.take([sum(-3, 1, 20, { isMonotonic: false })])
    assert.deepEqual([hub.only.identity.kind, hub.totals], ['gauge', [-3]])
  })
})

suite('a sum of deltas', () => {
  test('adds each once, gaps are noted', () => {
    const hub = new Hub()
    hub.take([delta(5, -10, 10), delta(5, -10, 10)])
    hub.take([delta(2, 15, 20)])
    assert.deepEqual(hub.totals, [7])
    assert.deepEqual([hub.ingest.counted.duplicate, hub.ingest.counted.gap], [1, 1])
    assert.equal(hub.only.windowSec, 25)
  })

  test('that goes up and down is a gauge of all of them', () => {
    const hub = new Hub()
    hub.take([delta(5, 0, 10, { isMonotonic: false })])
    hub.take([delta(-2, 10, 20, { isMonotonic: false })])
    assert.deepEqual([hub.only.identity.kind, hub.totals], ['gauge', [3]])
  })

  test('refuses what is no growth, and says for which reason', () => {
    const hub = new Hub()
    const double = (asDouble: unknown) => ({
      name: 'orders',
      sum: { aggregationTemporality: 1, isMonotonic: true, dataPoints: [{ asDouble }] },
    })
    const bad = [delta(-1, 0, 10), double('NaN'), double('Infinity')]
    assert.deepEqual(hub.take([...bad, double(0.5)]), ['3 bad_value'])
    assert.deepEqual(hub.totals, [0.5])
    assert.equal(hub.reports.errors.filter(({ code }) => code === 'bad_value').length, 3)
  })
})

suite('histograms', () => {
  const bounded = (counts: number[], time: number, rest: Json = {}): Json => {
    const count = counts.reduce((all, each) => all + each, 0)
    const point = {
      ...{ startTimeUnixNano: at(1), timeUnixNano: at(time), count, sum: 10 * count },
      ...{ bucketCounts: counts, explicitBounds: [5, 50], min: 1, max: 60 },
      ...rest,
    }
    const facts = { aggregationTemporality: 2, dataPoints: [point] }
    return { name: 'latency', unit: 'ms', description: 'Time of all', histogram: facts }
  }

  test('keep their bounds, and gain what is new', () => {
    const hub = new Hub()
    hub.take([bounded([1, 2, 0], 10)])
    hub.take([bounded([1, 4, 1], 20)])
    const { histogram, metadata } = hub.only
    assert.deepEqual([histogram.count, histogram.sum, histogram.bounds], [6n, 60, [5, 50]])
    assert.deepEqual([...histogram.positive.counts], [1n, 4n, 1n])
    assert.deepEqual([metadata.unit, metadata.description], ['ms', 'Time of all'])
    assert.deepEqual(metadata.bounds, [5, 50])
    assert.ok(Number.isNaN(histogram.max), 'that of all since the start says nothing of a window')
  })

  test('of any bounds keep their own counts, whichever come between', () => {
    const kinds = [[5, 50], [5], [6, 50], [1, 2, 3, 4]]
    const bounds = fc.constantFrom(...kinds)
    const point = fc.record({ stream: fc.nat(3), bounds, isRepeated: fc.boolean() })
    holds(
      fc.property(fc.array(point, { maxLength: 30 }), (points) => {
        const hub = new Hub()
        const sent = new Map<number, { counts: number[]; bounds: number[]; total: number }>()
        for (const [i, { stream, bounds: explicitBounds, isRepeated }] of points.entries()) {
          const earlier = sent.get(stream)
          const hasChanged = earlier !== undefined && earlier.bounds !== explicitBounds
          const known = hasChanged ? undefined : earlier?.counts
          const counts = Array.from({ length: explicitBounds.length + 1 }, (_, bucket) => {
            return (known?.[bucket] ?? 0) + ((i + bucket) % 3)
          })
          const count = counts.reduce((all, each) => all + each, 0)
          const before = known?.reduce((all, each) => all + each, 0) ?? 0
          const total = (earlier?.total ?? 0) + count - before
          sent.set(stream, { counts, bounds: explicitBounds, total })
          const rest = { explicitBounds, attributes: attributes({ stream: String(stream) }) }
          hub.take([bounded(counts, 10 + i, rest)])
          if (isRepeated) hub.take([bounded(counts, 10 + i, rest)])
        }
        const totals = hub.ingest.series.map(({ identity, histogram }) => {
          return [Number(identity.labels[0]![1]), histogram.count, histogram.positive.total()]
        })
        const wanted = [...sent].map(([stream, { total }]) => {
          return [stream, BigInt(total), BigInt(total)]
        })
        assert.deepEqual(totals, wanted)
      }),
    )
  })

  test('refuse counts and bounds that do not fit', () => {
    const hub = new Hub()
    const wrong = [{ count: 4 }, { explicitBounds: [5] }, { explicitBounds: [50, 5] }]
    const metrics = wrong.map((rest, i) => bounded([1, 2, 0], 10 + i, rest))
    assert.deepEqual(hub.take(metrics), ['3 bad_buckets'])
    assert.deepEqual(hub.take([bounded([1, 2, 0], 20, { sum: 'Infinity' })]), ['1 bad_value'])
  })

  test('without buckets say count and sum', () => {
    const hub = new Hub()
    const none = { count: 3, sum: 12, bucketCounts: [], explicitBounds: [] }
    assert.deepEqual(hub.take([bounded([], 10, none)]), [])
    assert.deepEqual([hub.only.histogram.count, hub.only.histogram.mean()], [3n, 4])
  })

  const scaled = (scale: number, offset: number, counts: number[], time: number): Json => {
    const count = counts.reduce((all, each) => all + each, 0)
    const point = {
      ...{ startTimeUnixNano: at(1), timeUnixNano: at(time), count, sum: count, scale },
      positive: { offset, bucketCounts: counts },
    }
    const facts = { aggregationTemporality: 2, dataPoints: [point] }
    return { name: 'size', exponentialHistogram: facts }
  }

  test('of any scale lose no count: finer ones are merged down', () => {
    const hub = new Hub()
    hub.take([scaled(20, 2 ** 20, [1, 1], 10)])
    assert.deepEqual([hub.only.histogram.scale, hub.only.histogram.positive.offset], [8, 256])
    hub.take([scaled(3, 8, [4], 20)])
    assert.deepEqual([hub.only.histogram.scale, hub.only.histogram.count], [3, 4n])
    hub.take([scaled(-2, 0, [9], 30)])
    assert.deepEqual([hub.only.histogram.scale, hub.only.histogram.count], [-2, 9n])
    assert.deepEqual(hub.take([scaled(21, 0, [1], 40)]), ['1 bad_buckets'])
    assert.deepEqual(hub.take([scaled(0, 1024, [1], 40)]), ['1 bad_buckets'])
  })
})

test('a summary is one, with a gauge for each quantile', () => {
  const hub = new Hub()
  const summary = (count: number, sum: number, time: number): Json => {
    const quantileValues = [{ quantile: 0.99, value: time }]
    const times = { startTimeUnixNano: at(1), timeUnixNano: at(time) }
    return { name: 'gc', summary: { dataPoints: [{ ...times, count, sum, quantileValues }] } }
  }
  hub.take([summary(2, 10, 10)])
  hub.take([summary(5, 40, 20)])
  const [series, quantile] = hub.ingest.series
  assert.deepEqual([series!.summary.count, series!.summary.mean], [5, 8])
  assert.deepEqual([quantile!.identity.name, quantile!.value], ['gc.p99', 20])
})

test('a point without a value ends a gauge, and costs a sum nothing', () => {
  const hub = new Hub()
  const gauge = (rest: Json): Json => ({ name: 'depth', gauge: { dataPoints: [rest] } })
  hub.take([gauge({ asInt: 7 }), sum(5, 1, 10)])
  assert.deepEqual(hub.take([gauge({ flags: 1 })]), [])
  assert.deepEqual(hub.take([gauge({})]), ['1 no_value'])
  assert.deepEqual(hub.ingest.counted.no_recorded_value, 1)
  assert.equal(hub.totals[1], 5)
})

suite('identity', () => {
  test('is name, attributes, service and scope; the rest of the resource is not', () => {
    const hub = new Hub()
    const resource = { 'service.name': 'shop', 'service.instance.id': '7', 'host.name': 'web' }
    const point = { asInt: 1, attributes: attributes({ lang: 'en', 'service.name': 'fake' }) }
    const metric = { name: 'depth', gauge: { dataPoints: [point] } }
    const scope = { name: 'lib', version: '2', attributes: attributes({ tier: 'a' }) }
    const [bytes] = encodeOpenTelemetry([resourceOf([metric], resource, scope)])
    hub.bytes(bytes!)
    assert.deepEqual(hub.only.identity.labels, [
      ['exported_service.name', 'fake'],
      ['lang', 'en'],
      ['otel.scope.name', 'lib'],
      ['otel.scope.tier', 'a'],
      ['service.instance.id', '7'],
      ['service.name', 'shop'],
    ])
  })

  test('is the same in whatever order attributes come', () => {
    const hub = new Hub()
    const inOrder = (
      pairs: Readonly<Record<string, string>>,
      asInt: number,
      time: number,
    ): Json => {
      const times = { startTimeUnixNano: at(1), timeUnixNano: at(time) }
      const dataPoints = [{ ...times, asInt, attributes: attributes(pairs) }]
      return { name: 'n', sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints } }
    }
    hub.take([inOrder({ a: '1', b: '2' }, 5, 10)], { x: '1', y: '2' })
    hub.take([inOrder({ b: '2', a: '1' }, 7, 20)], { y: '2', x: '1' })
    assert.deepEqual(hub.totals, [7])
  })

  test('values of every type are texts', () => {
    const hub = new Hub()
    const values = [{ intValue: '5' }, { arrayValue: { values: [{ boolValue: true }] } }, {}]
    const dataPoints = values.map((value) => ({ asInt: 1, attributes: [{ key: 'k', value }] }))
    hub.take([{ name: 'depth', gauge: { dataPoints } }])
    const labels = hub.ingest.series.map(({ identity }) => identity.labels[0]![1])
    assert.deepEqual(labels, ['5', '[true]', ''])
  })
})

suite('limits', () => {
  test('10^5 and 10^6 attributes cost their point, not its neighbours', () => {
    for (const [length, code] of [
      [100_000, 'attributes_limit'],
      [1_000_000, 'point_too_large'],
    ] as const) {
      const hub = new Hub()
      const attributes = Array.from({ length }, () => ({ key: 'k' }))
      const dataPoints = [{ asInt: 1, attributes }, { asInt: 2 }]
      assert.deepEqual(hub.take([{ name: 'depth', gauge: { dataPoints } }]), [`1 ${code}`])
      assert.deepEqual(hub.totals, [2])
    }
  })

  test('a metric without a name or temporality costs its points', () => {
    const hub = new Hub()
    const gauge = { dataPoints: [{ asInt: 1 }] }
    const metrics = [{ gauge }, { name: 'n'.repeat(1025), gauge }, sum(1, 1, 2)]
    const nameless = [...metrics, sum(1, 1, 2, { aggregationTemporality: 0 })]
    assert.deepEqual(hub.take(nameless), ['2 bad_name', '1 bad_temporality'])
    assert.deepEqual(hub.totals, [1])
    const [none, long, other] = hub.reports.details
    assert.equal(none, 'a point of a metric without a name')
    assert.equal(long, `a point of "${'n'.repeat(64)}…": name of 1025 bytes, limit 1024`)
    assert.match(other!, /^a point of "\w+"$/)
  })

  test('streams beyond theirs are refused until others were silent for 2 minutes', () => {
    const hub = new Hub(2)
    const named = (name: string, value: number, time: number, start = 1): Json => {
      return { ...sum(value, start, time), name }
    }
    assert.deepEqual(hub.take(['a', 'b', 'c'].map((name) => named(name, 5, 10))), [
      '1 streams_limit',
    ])
    hub.nowMs += 120_000
    hub.take([named('b', 6, 20)])
    assert.deepEqual(hub.take([named('c', 7, 20, 12)]), [])
    assert.equal(hub.streams.size, 2)
    // a was forgotten: what it had is not counted again
    hub.nowMs += 120_000
    hub.take([named('a', 9, 30)])
    assert.deepEqual(hub.totals, [5, 6, 7])
  })

  test('points of series without room are refused, of every kind, and counted once', () => {
    const hub = new Hub(1000, 1)
    const dataPoints = [{ startTimeUnixNano: at(1), timeUnixNano: at(10), count: 1, sum: 3 }]
    const bounded = { ...dataPoints[0]!, bucketCounts: [1], explicitBounds: [] }
    const histogram = { aggregationTemporality: 2, dataPoints: [bounded] }
    const metrics = [
      ...[sum(5, 1, 10), { name: 'depth', gauge: { dataPoints: [{ asInt: 1 }] } }],
      ...[
        { name: 'latency', histogram },
        { name: 'gc', summary: { dataPoints } },
      ],
    ]
    assert.deepEqual(hub.take(metrics), ['3 series_refused'])
    assert.deepEqual([hub.totals, hub.ingest.counted], [[5], { series_limit: 3 }])
  })

  test('a broken point costs itself', () => {
    const hub = new Hub()
    const point = (...fields: number[]) => [0x0a, fields.length, ...fields]
    const good = point(0x31, 7, 0, 0, 0, 0, 0, 0, 0)
    const data = [...point(0x31, 7), ...point(0x0b), ...good]
    // Metric { name: 'd', gauge } within ScopeMetrics, ResourceMetrics and the request
    const metric = [0x0a, 1, 0x64, 0x2a, data.length, ...data]
    const scope = [0x12, metric.length, ...metric]
    const resource = [0x12, scope.length, ...scope]
    const request = Uint8Array.from([0x0a, resource.length, ...resource])
    assert.deepEqual(hub.bytes(request), ['2 bad_point'])
    assert.deepEqual(hub.totals, [7])
  })
})
