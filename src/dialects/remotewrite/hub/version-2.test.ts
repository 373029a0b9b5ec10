/** Requests of 2.0 into the model: what they say beyond 1.0, and what is refused of them. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { runNow } from '../../../hub/tasks/task.ts'
import { openingRequest } from '../codec/request-scan.ts'
import { SYMBOLS_LIMIT } from '../spec.ts'
import { bytesOf, TestHub } from '../test/hub.ts'
import {
  type Json,
  KINDS,
  labels,
  NATIVE,
  request2Of,
  requestOf,
  series,
  TIME_MS,
} from '../test/requests.ts'

/** Time of a sample, seconds after the first. */
const at = (seconds: number): number => TIME_MS + 1000 * seconds

/** Makes a series with a sample that says since when it counts. */
function started(name: string, value: number, timeMs: number, startMs: number): Json {
  const sample = { value, timestamp: String(timeMs), startTimestamp: String(startMs) }
  return { labels: labels(name), samples: [sample] }
}

suite('2.0 says beside a series', () => {
  test('its kind, unit and description', () => {
    const hub = new TestHub()
    const said = (name: string, type: number, help = '', unit = ''): Json => {
      return { ...series(name, 1), metadata: { type, help, unit } }
    }
    const all = [
      ...[said('hits', 1, 'Of all', 'hits'), said('people_total', 2), said('queue_count', 4)],
      ...[said('gc_count', 5, 'Pauses', 'seconds'), said('gc_sum', 5, 'Pauses', 'seconds')],
      ...[said('t_bucket', 3), said('x_total', 0)],
    ]
    assert.deepEqual(hub.take2(all), [])
    assert.deepEqual(Object.keys(hub.totals), [
      ...['counter hits', 'gauge people_total', 'gauge queue_count', 'counter gc_count'],
      ...['counter gc_sum', 'counter t_bucket', 'counter x_total'],
    ])
    const words = hub.ingest.series.map(({ metadata }) => [metadata.unit, metadata.description])
    assert.deepEqual(words[0], ['hits', 'Of all'])
    assert.deepEqual(words[3], [undefined, 'Pauses'])
    assert.deepEqual(words[4], ['seconds', 'Pauses'])
  })

  test('another kind or other words later', () => {
    const hub = new TestHub()
    const hits = (value: number, seconds: number, metadata: Json): Json => {
      return { ...series('hits', value, at(seconds)), metadata }
    }
    hub.take2([hits(5, 0, { type: 2 })])
    hub.take2([hits(6, 1, { type: 1, help: 'Of all' })])
    hub.take2([hits(8, 2, { type: 1, help: 'Of some' })])
    assert.deepEqual(hub.totals, { 'counter hits': 2 })
    assert.equal(hub.ingest.series.at(-1)!.metadata.description, 'Of some')
  })

  test('the same whether it comes by 1.0 or 2.0', () => {
    const [one, two] = [new TestHub(), new TestHub()]
    const kinds = KINDS.map(({ exemplars: _, ...rest }) => rest)
    assert.deepEqual(two.take2(kinds), one.take(kinds))
    assert.deepEqual(two.totals, one.totals)
    assert.deepEqual(
      two.ingest.series.map(({ identity }) => identity),
      one.ingest.series.map(({ identity }) => identity),
    )
    // and a series that came by one of them goes on by the other
    one.take2([series('orders_total', 9_007_199_254_740_994, at(1))])
    assert.equal(one.totals['counter orders_total'], 2)
  })
})

suite('a start timestamp', () => {
  test('since the hub is there makes all of the first sample new', () => {
    const hub = new TestHub()
    hub.nowMs = at(20)
    hub.take2([started('new_total', 7, at(10), at(5)), started('old_total', 7, at(10), at(-5))])
    hub.take2([started('new_total', 9, at(11), at(5)), started('old_total', 9, at(11), at(-5))])
    assert.deepEqual(hub.totals, { 'counter new_total': 9, 'counter old_total': 2 })
    assert.equal(hub.ingest.counted.unannounced_reset, undefined)
  })

  test('behind the last sample is a reset, be the value larger', () => {
    const hub = new TestHub()
    hub.nowMs = at(20)
    hub.take2([started('a_total', 5, at(1), at(-9))])
    hub.take2([started('a_total', 8, at(3), at(2))])
    hub.take2([started('a_total', 9, at(4), at(2))])
    assert.deepEqual(hub.totals, { 'counter a_total': 9 })
    assert.equal(hub.ingest.counted.unannounced_reset, undefined)
  })

  test('behind its own sample says nothing', () => {
    const hub = new TestHub()
    hub.take2([started('a_total', 5, at(1), at(2))])
    assert.deepEqual(hub.totals, { 'counter a_total': 0 })
  })

  test('of a series that was forgotten counts nothing twice', () => {
    const hub = new TestHub(1)
    hub.nowMs = at(10)
    hub.take2([started('a_total', 5, at(10), at(1))])
    hub.nowMs = at(200)
    hub.take2([started('b_total', 5, at(200), at(150))])
    hub.nowMs = at(400)
    hub.take2([started('a_total', 6, at(400), at(1))])
    assert.equal(hub.totals['counter a_total'], 5)
    assert.equal(hub.totals['counter b_total'], 5)
  })

  test('of a native histogram, and of drafts that say it of the series, hold as well', () => {
    const hub = new TestHub()
    hub.nowMs = at(20)
    const native = { ...NATIVE, timestamp: String(at(10)), startTimestamp: String(at(5)) }
    hub.take2([{ labels: labels('latency'), histograms: [native] }])
    const created = { ...series('a_total', 4, at(10)), createdTimestamp: String(at(5)) }
    hub.take2([created])
    assert.deepEqual(hub.totals, { 'histogram latency': 6n, 'counter a_total': 4 })
  })
})

suite('what was written', () => {
  test('is counted by samples, histograms and exemplars', () => {
    const hub = new TestHub()
    const traced = { labels: [{ name: 'trace_id', value: '7f' }], value: 0.5 }
    const timeseries = [
      series('a', 1),
      series('a', 2, at(-1)),
      { labels: labels('latency'), histograms: [NATIVE], exemplars: [traced, { value: 'NaN' }] },
      { labels: labels('unseen'), exemplars: [traced] },
    ]
    const reasons = ['1 out_of_order', '1 bad_exemplar', '1 exemplar_of_no_series']
    assert.deepEqual(hub.take2(timeseries), reasons)
    const { accepted, histograms, rejected, exemplars } = hub.taken!
    assert.deepEqual([accepted, histograms, rejected], [2, 1, 1])
    assert.deepEqual(exemplars, { accepted: 1, rejected: 2 })
    assert.deepEqual(hub.ingest.exemplars[0]?.[1].labels, [['trace_id', '7f']])
  })
})

suite('references', () => {
  const good = series('good', 1)
  const take = (hub: TestHub, first: Json, symbols: readonly string[]): string[] => {
    const request = request2Of([good])
    const own = request.symbols as string[]
    const timeseries = [first, ...(request.timeseries as readonly Json[])]
    return hub.bytes(bytesOf({ symbols: [...own, ...symbols], timeseries }), 2)
  }
  const samples = [{ value: 1 }]

  test('cost their series, not its neighbours', async (t) => {
    for (const [title, refs, code] of [
      ['that lead to nothing', [1, 99], '1 bad_reference'],
      ['that are odd in number', [1, 2, 1], '1 bad_labels'],
      ['to a name twice', [1, 2, 1, 2], '1 bad_labels'],
      ['to an empty name', [1, 2, 0, 2], '1 bad_labels'],
      ['of none', [], '1 bad_name'],
      ['to 129 labels', Array.from({ length: 258 }, () => 1), '1 labels_limit'],
      ['to a long text', [1, 3], '1 labels_limit'],
    ] as const) {
      await t.test(title, () => {
        const hub = new TestHub()
        const long = 'x'.repeat(16_385)
        assert.deepEqual(take(hub, { labelsRefs: [...refs], samples }, [long]), [code])
        assert.deepEqual(hub.totals, { 'gauge good': 1 })
      })
    }
  })

  test('to a text that is no UTF-8 cost their series, whether known texts do or not', () => {
    const hub = new TestHub()
    const request = request2Of([series('a', 1, at(0), { k: 'ZZ' }), good])
    const bytes = Buffer.from(bytesOf(request))
    bytes.fill(0xff, bytes.indexOf('ZZ'), bytes.indexOf('ZZ') + 2)
    for (let i = 0; i < 2; i++) assert.deepEqual(hub.bytes(bytes, 2), ['1 bad_labels'])
    assert.deepEqual(hub.totals, { 'gauge good': 1 })
  })

  test('may stand before the symbols, and one by one', () => {
    const hub = new TestHub()
    const one = [0x2a, 0x0f, 0x08, 1, 0x08, 2, 0x12, 9, 0x09, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f]
    const symbols = ['', '__name__', 'd'].flatMap((text) => {
      return [0x22, text.length, ...Buffer.from(text)]
    })
    assert.deepEqual(hub.bytes(Uint8Array.from([...one, ...symbols]), 2), [])
    assert.deepEqual(hub.totals, { 'gauge d': 1 })
  })

  test('that say 64 MiB by a few bytes each are taken no further', () => {
    const hub = new TestHub()
    const request = request2Of([series('a', 1, at(0), { k: 'x'.repeat(16_000) })])
    const [only] = request.timeseries as [Json]
    const all = { ...request, timeseries: Array.from({ length: 5000 }, () => only) }
    hub.bytes(bytesOf(all), 2)
    assert.equal(hub.taken!.accepted + hub.taken!.rejected, 5000)
    assert.ok(hub.taken!.reasons.get('labels_limit')! > 800)
    assert.ok(hub.taken!.accepted > 4000)
  })
})

suite('a request of 2.0', () => {
  const open = (bytes: Uint8Array, version: 1 | 2) => {
    return runNow(openingRequest(bytes, version, () => {}))
  }

  test('is none of 1.0, nor the other way round', () => {
    assert.equal(open(bytesOf(request2Of([series('a', 1)])), 1), 'other_version')
    assert.equal(open(bytesOf(requestOf([series('a', 1)])), 2), 'other_version')
  })

  test('has the empty text as its first symbol', () => {
    assert.equal(open(Uint8Array.of(0x22, 1, 0x61), 2), 'bad_symbols')
    assert.equal(typeof open(Uint8Array.of(0x22, 0, 0x22, 1, 0x61), 2), 'object')
  })

  test('may have so many symbols', () => {
    const bytes = Buffer.alloc(2 * (SYMBOLS_LIMIT + 1), Uint8Array.of(0x22, 0))
    assert.equal(open(bytes, 2), 'too_large')
    assert.equal(typeof open(bytes.subarray(2), 2), 'object')
  })
})
