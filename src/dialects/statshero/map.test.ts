import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ModelIngest, type ModelSeries } from '../../../test/support/model-ingest.ts'
import type { Description } from '../ingest.ts'
import { LineMapper } from './map.ts'
import { RECEIVE_DEFAULTS } from './options.ts'
import { GAUGE, HISTOGRAM, METER, METER_READER } from './spec.ts'
import { feedSemantics } from './test/golden.ts'

/** Feeds bodies, one per datagram; returns the series by `key type` and what was counted. */
function feed(bodies: readonly string[], options: Record<string, unknown> = {}) {
  const ingest = new ModelIngest(options)
  const datagrams_text = bodies.map((body) => `1|${Buffer.byteLength(body)}\n${body}`)
  const expect = { points: [], counted: {} }
  const errors = feedSemantics({ id: '', datagrams_text, options, expect }, ingest)
  const series: Record<string, ModelSeries> = {}
  for (const each of ingest.series) {
    series[`${each.identity.name} ${each.metadata.type}`] = each
  }
  return { series, counted: { ...errors, ...ingest.counted } }
}

function describeKey(key: string | Uint8Array, type: number, counterBits = {}) {
  const bytes = Buffer.from(key)
  const found: Description[] = []
  const ingest = new ModelIngest({})
  ingest.slot = (all, start, end, word, _hash, describe) =>
    found.push(describe(all.subarray(start, end), word))
  ingest.count = ingest.read = ingest.set = ingest.observe = () => {}
  new LineMapper(ingest, { ...RECEIVE_DEFAULTS, counterBits }).line(
    ...[bytes, 0, bytes.length, 0, type, 1, Number.NaN],
  )
  return found[0]!
}

suite('what a key and a type name', () => {
  test('meter and meter reader are counters told apart by the type word', () => {
    assert.deepEqual(describeKey('a.b', METER), {
      identity: { name: 'a.b', kind: 'counter', labels: [], qualifier: ['shp.type', 'm'] },
      metadata: { dialect: 'statshero', type: 'm' },
      isCumulative: false,
    })
    const reader = describeKey('a.b', METER_READER)
    assert.deepEqual(reader.identity.qualifier, ['shp.type', 'mr'])
    assert.equal(reader.isCumulative, true)
  })

  test('a gauge is a gauge, a histogram asks for an export name of its own', () => {
    const { identity, metadata } = describeKey('a', GAUGE)
    assert.deepEqual(identity, { name: 'a', kind: 'gauge', labels: [] })
    assert.equal(metadata.exportSuffix, undefined)
    assert.equal(describeKey('a', HISTOGRAM).identity.kind, 'histogram')
    assert.equal(describeKey('a', HISTOGRAM).metadata.exportSuffix, 'hist')
  })

  test('bytes that are no UTF-8 are shown as U+FFFD and stay the identity', () => {
    const key = Uint8Array.of(0x61, 0xff, 0x62)
    const { identity } = describeKey(key, METER)
    assert.equal(identity.name, 'a\ufffdb')
    assert.deepEqual(identity.nameBytes, key)
    assert.equal(describeKey('a\ufffdb', METER).identity.nameBytes, undefined)
    const withMark = Buffer.from('\ufeffa')
    assert.equal(describeKey(withMark, METER).identity.name, '\ufeffa')
    assert.equal(describeKey(withMark, METER).identity.nameBytes, undefined)
  })

  test('the width of a meter reader comes from the first pattern that fits its whole key', () => {
    const bits = { 'net.*.bytes': 32, 'net.*': 64 }
    const width = (key: string, type = METER_READER) => describeKey(key, type, bits).counterBits
    assert.equal(width('net.eth0.bytes'), 32)
    assert.equal(width('net.eth0.packets'), 64)
    assert.equal(width('my.net.eth0.bytes'), undefined)
    assert.equal(width('netXeth0'), undefined, 'a dot in a pattern is a dot')
    assert.equal(width('net.eth0.bytes', METER), undefined)
  })
})

suite('what a line does', () => {
  test('a meter adds, with its sample rate; four at 0.43 give nine', () => {
    const { series, counted } = feed([
      'a:1|m|@0.1\nb:1|m|@0.43\n',
      ...Array(3).fill('b:1|m|@0.43\n'),
    ])
    assert.equal(series['a m']!.total, 10)
    assert.equal(series['b m']!.total, 9)
    assert.deepEqual(counted, {})
  })

  test('a negative meter counts in a part of its own, or is refused', () => {
    const bodies = ['a:5|m\na:-2|m\na:-1|m|@0.1\n']
    const split = feed(bodies)
    assert.deepEqual([split.series['a m']!.total, split.series['a m']!.down], [5, 12])
    const refused = feed(bodies, { negativeMeter: 'refuse' })
    assert.deepEqual([refused.series['a m']!.total, refused.series['a m']!.down], [5, 0])
    assert.deepEqual(refused.counted, { negative_meter: 2 })
  })

  test('a meter reader counts differences, a fall is a reset', () => {
    const { series } = feed(['r:1000|mr\n', 'r:1010|mr\nr:1025|mr\n', 'r:5|mr\n'])
    assert.deepEqual([series['r mr']!.total, series['r mr']!.resets], [30, 1])
  })

  test('readings around 2^53 and 2^64 are exact', () => {
    const around = (base: bigint) => {
      const bodies = [-2n, -1n, 0n, 1n, 2n].map((d) => `r:${base + d}|mr\n`)
      const { series } = feed(bodies)
      return [series['r mr']!.total, BigInt(series['r mr']!.last!) - base]
    }
    assert.deepEqual(around(2n ** 53n), [4, 2n])
    assert.deepEqual(around(2n ** 64n), [4, 2n])
  })

  test('a negative reading is refused, makes no series, and the last one stays', () => {
    const { series, counted } = feed([
      'r:10|mr\nr:-1|mr\nr:12|mr\n',
      'new:-99999999999999999999|mr\n',
    ])
    assert.equal(series['r mr']!.total, 2)
    assert.deepEqual(Object.keys(series), ['r mr'])
    assert.deepEqual(counted, { negative_reading: 2 })
  })

  test('a gauge takes the last value, signs are absolute, rates do not matter', () => {
    const { series, counted } = feed([
      'q:3|g\nq:-9|g\n',
      'q:4|g|@7.5\n',
      `big:1${'0'.repeat(30)}|g\n`,
    ])
    assert.equal(series['q g']!.value, 4)
    assert.equal(series['big g']!.value, 1e30)
    assert.deepEqual(counted, { inexact: 1 })
  })

  test('a rate that says nothing sensible counts as none, and is counted where it applies', () => {
    const rates = ['0.0', '-0.5', '1.0000001', '0.0000000001']
    const { series, counted } = feed([
      rates.map((rate) => `a:1|m|@${rate}\nb:7|h|@${rate}\n`).join(''),
    ])
    assert.equal(series['a m']!.total, 4)
    assert.equal(series['b h']!.histogram.count, 4n)
    assert.deepEqual(counted, { odd_sample_rate: 8 })
    assert.deepEqual(feed(['r:1|mr|@0.0\nq:1|g|@-1.0\n']).counted, {})
  })

  test('the smallest rate that applies stands for a thousand million', () => {
    assert.equal(feed(['a:3|m|@0.000000001\n']).series['a m']!.total, 3_000_000_000)
  })

  test('a key above the limit is refused, one at the limit is not', () => {
    const [fits, long] = ['k'.repeat(10), 'k'.repeat(11)]
    const { series, counted } = feed([`${fits}:1|m\n${long}:1|m\n`], { maxKeyBytes: 10 })
    assert.deepEqual(Object.keys(series), [`${fits} m`])
    assert.deepEqual(counted, { key_too_long: 1 })
  })

  test('one key under four types is four series', () => {
    assert.deepEqual(Object.keys(feed(['k:1|m\nk:2|mr\nk:3|g\nk:4|h\n']).series), [
      'k m',
      'k mr',
      'k g',
      'k h',
    ])
  })

  test('a request of the real client: requests as counter and as histogram, times in ms', () => {
    const start = [
      'application.allRequests',
      'host.allRequests',
      'application.byRequestType.nodes.PUT',
    ]
    const codes = ['application.byStatusCode.200', 'host.byStatusCode.200']
    const calls = ['upstreamRequests.rdbms', 'upstreamRequests.rdbms.nodes.fetch']
    const line = (value: number, type: string) => (key: string) =>
      `my_app.${key}:${value}|${type}\n`
    const first = start.map(line(1, 'm')).join('')
    const report =
      codes.map(line(1, 'm')).join('') +
      start.map(line(29, 'h')).join('') +
      calls.map(line(12, 'h')).join('')
    const { series, counted } = feed([first, report])
    assert.deepEqual(counted, {})
    assert.equal(Object.keys(series).length, 10)
    assert.equal(series['my_app.application.allRequests m']!.total, 1)
    assert.equal(series['my_app.application.allRequests h']!.histogram.sum, 29)
    assert.equal(series['my_app.upstreamRequests.rdbms h']!.histogram.sum, 12)
  })
})
