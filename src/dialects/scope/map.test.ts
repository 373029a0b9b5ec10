import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import {
  canonicalMean,
  Histogram,
  type Identity,
  incrementRate,
  type Kind,
  type Metadata,
  readingRate,
  sortLabels,
} from '../../model/index.ts'
import type { CanonicalSeries } from '../snapshot-source.ts'
import { exposeSeries, metricMetadata } from './map.ts'
import { foldName, splitName, unfoldName } from './names.ts'
import { SERVER_DEFAULTS } from './options.ts'
import { readNumber, VECTORS } from './test/golden.ts'

type ExposeOptions = Parameters<typeof exposeSeries>[1]

type Labels = Readonly<Record<string, string>>

function series(
  name: string,
  about: { kind?: Kind; labels?: Labels; qualifier?: [string, string] } & Partial<Metadata> & {
      isEstimated?: boolean
      statistic?: string
    } = {},
): CanonicalSeries {
  const { kind = 'gauge', labels = {}, qualifier, isEstimated = false, statistic, ...rest } = about
  const identity: Identity = {
    name,
    kind,
    labels: sortLabels(Object.entries(labels)),
    ...(qualifier === undefined ? {} : { qualifier }),
  }
  return {
    identity,
    metadata: { dialect: 'test', ...rest },
    isEstimated,
    ...(statistic === undefined ? {} : { statistic }),
  }
}

function expose(list: readonly CanonicalSeries[], options: Partial<ExposeOptions> = {}) {
  const { series: exposed, omissions } = exposeSeries(list, { ...SERVER_DEFAULTS, ...options })
  return {
    names: exposed.map(({ wireName }) => wireName),
    order: exposed.map(({ index }) => index),
    labels: exposed.map(({ labels }) => Object.fromEntries(labels)),
    omissions: [...omissions].map(([reason, { name }]) => ({ reason, name })),
  }
}

describe('names', () => {
  for (const each of VECTORS.names) {
    it(`${each.name} gives ${JSON.stringify(each.wire)}, and back`, () => {
      assert.equal(foldName(each.base, each.labels), each.wire)
      const labels = sortLabels(each.labels)
      assert.deepEqual(splitName(each.wire, new Map(labels)), { base: each.base, labels })
    })
  }

  it('come back from the wire as they were, whatever they contain', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('%', '7', 'B', '2', '5', '{', '}', ':', ',', '=', 'é') }),
    )
    const pairs = fc.uniqueArray(fc.tuple(text, text), { selector: ([key]) => key, maxLength: 4 })
    holds(
      fc.property(text, pairs, (base, labels) => {
        const wire = foldName(base, labels)
        assert.deepEqual(unfoldName(wire), { base, labels: sortLabels(labels) })
        const folded = wire.slice(base.length)
        if (labels.length > 0) assert.ok(!wire.slice(wire.indexOf('{')).includes('='), folded)
      }),
      500,
    )
  })

  it('of different series never meet on the wire', () => {
    const text = fc.string({ unit: fc.constantFrom('%', '7', 'B', '2', '5', '{', '}', ':') })
    holds(
      fc.property(text, text, (a, b) => {
        if (a !== b) assert.notEqual(foldName(a, []), foldName(b, []))
        assert.notEqual(foldName(a, []), foldName(b, [['k', 'v']]))
      }),
      500,
    )
  })

  it('stay whole unless Info confirms every folded pair', () => {
    const wire = 'req{method:GET,route:/a%3Ab}'
    const all = new Map([
      ['method', 'GET'],
      ['route', '/a:b'],
      ['other', 'x'],
    ])
    assert.equal(splitName(wire, all).base, 'req')
    assert.deepEqual(splitName(wire, new Map([['method', 'GET']])), { base: wire, labels: [] })
    assert.deepEqual(splitName(wire, new Map(all).set('route', '/')), { base: wire, labels: [] })
  })

  it('that nobody folded stay as they are', () => {
    for (const name of ['a{}', 'a{b}', 'a{b:c:d}', 'a{k:v} x', 'a{z:1,b:2}', 'x{k:%zz}', 'x%25']) {
      assert.equal(unfoldName(name), undefined, name)
      assert.equal(splitName(name, new Map([['k', 'v']])).base, name)
    }
  })
})

describe('canonical values', () => {
  for (const { name, series: each, wire_name, value } of VECTORS.canonical) {
    it(`${name}: ${wire_name}`, () => {
      const kind = each.kind === 'sum' || each.kind === 'counter' ? 'counter' : 'gauge'
      assert.deepEqual(expose([series(String(each.base), { kind })]).names, [wire_name])
      const found = canonicalValue(each)
      const expected = readNumber(value)
      if (Number.isNaN(expected)) assert.equal(found, expected)
      else assert.ok(Math.abs(found - expected) <= Math.abs(expected) * 1e-12, `${found}`)
    })
  }

  function canonicalValue(each: Readonly<Record<string, unknown>>): number {
    const number = (key: string): number => readNumber(each[key])
    switch (each.kind) {
      case 'sum':
        return incrementRate(number('increment'), number('interval_s'))
      case 'counter':
        return readingRate(
          each.from === null ? undefined : number('from'),
          number('to'),
          number('elapsed_s'),
        )
      case 'gauge':
        return number('value')
      case 'mean':
        return number('mean')
      default:
        return canonicalMean(histogramOf(each))
    }
  }

  function histogramOf(each: Readonly<Record<string, unknown>>): Histogram {
    const histogram = new Histogram(0)
    if (each.bins === undefined) {
      histogram.count = BigInt(readNumber(each.count))
      histogram.sum = readNumber(each.sum)
      return histogram
    }
    // Bin i ends at 2^i, which is bucket i - 1; bin 0 holds what counts as zero.
    for (const [index, count] of each.bins as [number, number][]) {
      if (index > 0) histogram.addBucket(index - 1, BigInt(count))
      else histogram.zeroCount += BigInt(count)
    }
    histogram.count += histogram.zeroCount
    histogram.sum = undefined
    histogram.min = readNumber(each.min)
    histogram.max = readNumber(each.max)
    return histogram
  }
})

describe('metadata of a metric of another server', () => {
  it('leave out texts that are longer than a hub would show', () => {
    const labels = new Map([
      ['unit', 'm'.repeat(512)],
      ['display_name', 'n'.repeat(513)],
      ['plot', 'p'],
    ])
    const metadata = { dialect: 'scope', unit: 'm'.repeat(512), plot: 'p' }
    assert.deepEqual(metricMetadata(labels), metadata)
  })
})

describe('exported series', () => {
  it('that differ only in labels appear under two names, with all labels in Info', () => {
    const { names, labels } = expose([
      series('temp', { labels: { room: '2' } }),
      series('temp', { labels: { room: '1', plot: 'heat' } }),
    ])
    assert.deepEqual(names, ['temp{room:1}', 'temp{room:2}'])
    assert.deepEqual(labels, [
      { room: '1', plot: 'heat', type: 'gauge' },
      { room: '2', type: 'gauge' },
    ])
  })

  it('are sorted by UTF-8 bytes, whatever order the source has', () => {
    const { names, order } = expose(['\u{1f600}', '\uffff', 'b'].map((name) => series(name)))
    assert.deepEqual(names, ['b', '\uffff', '\u{1f600}'])
    assert.deepEqual(order, [2, 1, 0])
  })

  it('say what a rate is stated per, and which statistic they are', () => {
    const { names } = expose([
      series('hits', { kind: 'counter' }),
      series('reads', { kind: 'counter', rateTimeScaleS: 1 }),
      series('wait', { kind: 'histogram', statistic: 'p99' }),
      series('wait', { kind: 'histogram' }),
    ])
    assert.deepEqual(names, ['hits / Min', 'reads / sec', 'wait', 'wait.p99'])
  })

  it('are a counter under its own name, too: its total', () => {
    const total = { kind: 'counter', statistic: 'total' } as const
    const list = [series('hits', { kind: 'counter' }), series('hits', total)]
    assert.deepEqual(expose(list).names, ['hits', 'hits / Min'])
  })

  it('have the name they were read under; where it is taken, with their source', () => {
    const from = (host: string, name: string, kind: Kind = 'gauge') =>
      series(name, { kind, labels: { 'from.host': host, a: '1' }, sourceLabel: 'from.host' })
    const { names, labels, omissions } = expose([
      from('h1', 'level'),
      from('h1', 'load'),
      from('h2', 'load'),
      from('h2', 'load', 'histogram'),
      from('h2', 'load', 'histogram'),
    ])
    assert.deepEqual(names, [
      'level{a:1}',
      'load{__type:histogram,a:1,from.host:h2}',
      'load{__type:histogram,a:1}',
      'load{a:1,from.host:h2}',
      'load{a:1}',
    ])
    assert.deepEqual(
      labels.map((each) => each['from.host']),
      ['h1', 'h2', 'h2', 'h2', 'h1'],
    )
    assert.equal(omissions.length, 0)
  })

  it('of one name get their kind folded in, and a third is left out', () => {
    const one = (kind: Kind, value: string) =>
      series('x', { kind, qualifier: ['shp.type', value], labels: { a: '1' } })
    const { names, labels, omissions } = expose([
      one('counter', 'm'),
      one('counter', 'mr'),
      one('counter', 'other'),
      one('gauge', 'g'),
      one('histogram', 'h'),
    ])
    assert.deepEqual(names, [
      'x / Min{__type:counter,a:1}',
      'x / Min{a:1}',
      'x{__type:histogram,a:1}',
      'x{a:1}',
    ])
    assert.equal(labels[0]?.__type, 'counter')
    assert.equal(labels[0]?.['shp.type'], 'mr')
    assert.deepEqual(omissions, [{ reason: 'name_taken', name: 'x' }])
  })

  it('never have an empty name, and end at the limit', () => {
    const { names, omissions } = expose([series(''), series('a'), series('b')], { maxSeries: 1 })
    assert.deepEqual(names, ['a'])
    assert.deepEqual(omissions, [
      { reason: 'empty_name', name: '' },
      { reason: 'max_series', name: 'b' },
    ])
  })

  it('end where one Info of all would not fit a buffer, and go on with what does', () => {
    const list = [series('a'.repeat(60)), series('b'.repeat(60)), series('c')]
    const { names, omissions } = expose(list, { maxBufferedBytes: 100 })
    assert.deepEqual(names, ['a'.repeat(60), 'c'])
    assert.deepEqual(omissions, [{ reason: 'max_bytes', name: 'b'.repeat(60) }])
  })

  it('carry plot and colour: the first rule beats metadata, metadata beats labels', () => {
    const list = [
      series('cpu.user', { plot: 'own', color: 'blue', labels: { color: 'label' } }),
      series('cpu.idle', { labels: { color: 'label' } }),
      series('mem', { plot: 'own' }),
    ]
    const hints = [
      { match: { name: 'cpu.user' }, color: 'red' },
      { match: { name: 'cpu.*' }, plot: 'cpu', color: 'green' },
      { match: { labels: { color: 'lab*' } }, plot: 'never' },
    ]
    const { names, labels } = expose(list, { hints })
    assert.deepEqual(names, ['cpu.idle', 'cpu.user', 'mem'])
    assert.deepEqual(
      labels.map(({ plot, color }) => [plot, color]),
      [
        ['cpu', 'green'],
        ['own', 'red'],
        ['own', undefined],
      ],
    )
  })

  it('carry unit, kind, display name and whether they are estimated', () => {
    const about = { kind: 'histogram', unit: 'ms', displayName: 'Wait', isEstimated: true } as const
    assert.deepEqual(expose([series('wait', about)]).labels, [
      { unit: 'ms', type: 'histogram', display_name: 'Wait', estimated: 'true' },
    ])
    const own = expose([series('x', { unit: 'ms', labels: { unit: 'own' } })])
    assert.equal(own.labels[0]?.unit, 'own')
  })

  it('may be shown by their display names', () => {
    const list = [series('a', { displayName: 'Alpha', kind: 'counter' }), series('b')]
    assert.deepEqual(expose(list, { nameStyle: 'display' }).names, ['Alpha / Min', 'b'])
  })

  it('are only those that rules let through', () => {
    const list = ['app.a', 'app.b', 'sys.a'].map((name) => series(name, { labels: { host: name } }))
    const base = (options: Partial<ExposeOptions>) =>
      expose(list, options).names.map((name) => name.slice(0, name.indexOf('{')))
    assert.deepEqual(base({ include: [{ name: 'app.*' }] }), ['app.a', 'app.b'])
    assert.deepEqual(base({ exclude: [{ labels: { host: '*.a' } }] }), ['app.b'])
    assert.deepEqual(base({ include: [{ name: '*.a' }], exclude: [{ name: 'sys.*' }] }), ['app.a'])
    assert.deepEqual(base({ include: [{ name: 'app.(a' }] }), [])
  })
})
