import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { FakeHubView } from '../../../../test/support/hub/fake-hub-view.ts'
import { parseExposition, sampleTexts } from '../../../../test/support/outputs/exposition-parser.ts'
import { holds } from '../../../../test/support/property.ts'
import type { NameStyle } from '../../../exposition/names.ts'
import type { TextFormat } from '../../../exposition/negotiation.ts'
import { Histogram } from '../../../model/index.ts'
import { Exposition, type PrometheusOptions } from './exposition.ts'

const FORMATS: readonly TextFormat[] = ['text', 'openmetrics']
const TOTALS_ALONE: PrometheusOptions = { createdSamples: false }

function textOf(exposition: Exposition, format: TextFormat, style?: NameStyle): string {
  return [...exposition.pieces(format, style)].join('')
}

function scrape(hub: FakeHubView, format: TextFormat, options: PrometheusOptions = {}) {
  const counted: string[] = []
  const reports = { count: (name: string, reason: string) => counted.push(`${name} ${reason}`) }
  const exposition = new Exposition(hub, options, reports)
  const text = textOf(exposition, format, options.names)
  const families = parseExposition(text, format, options.names)
  return { text, families, samples: sampleTexts(families), counted, exposition }
}

/** One Stats Hero key with its type word. */
function addKey(hub: FakeHubView, name: string, type: 'm' | 'mr' | 'g' | 'h', unit?: string) {
  const metadata = { type, ...(unit === undefined ? {} : { unit }) }
  if (type === 'g') return hub.add({ name, kind: 'gauge', metadata })
  if (type === 'h') {
    return hub.add({ name, kind: 'histogram', metadata: { ...metadata, exportSuffix: 'hist' } })
  }
  return hub.add({ name, kind: 'counter', qualifier: ['shp.type', type], metadata })
}

describe('counters and gauges', () => {
  test('integers beyond 2^53 keep all their digits', () => {
    const hub = new FakeHubView()
    hub.count(addKey(hub, 'big', 'm'), 18446744073709551615n)
    hub.set(addKey(hub, 'low', 'g'), -9223372036854775808n)
    for (const format of FORMATS) {
      const { samples } = scrape(hub, format)
      assert.equal(samples.get('big_total{shp_type="m"}'), '18446744073709551615')
      assert.equal(samples.get('low{}'), '-9223372036854775808')
    }
  })

  test('HELP is the description, else the display name, else name and dialect', () => {
    const hub = new FakeHubView()
    const add = (name: string, metadata: object) =>
      hub.set(hub.add({ name, kind: 'gauge', metadata }), 1)
    add('both', { description: 'Carts that are open.', displayName: 'Carts' })
    add('shown', { displayName: 'CPU Usage' })
    add('bare', {})
    for (const format of FORMATS) {
      const help = scrape(hub, format).text.match(/(?<=# HELP ).*/g)
      assert.deepEqual(help?.toSorted(), [
        'bare bare (statshero)',
        'both Carts that are open.',
        'shown CPU Usage',
      ])
    }
  })

  test('the text format names the family with _total, OpenMetrics without', () => {
    const hub = new FakeHubView()
    addKey(hub, 'a.b', 'm')
    assert.match(scrape(hub, 'text').text, /^# TYPE a_b_total counter$/m)
    assert.match(scrape(hub, 'openmetrics').text, /^# TYPE a_b counter$/m)
    assert.match(scrape(hub, 'openmetrics').text, /\n# EOF\n$/)
  })

  test('decrements are a second counter that exists once it is not 0', () => {
    const hub = new FakeHubView()
    const id = addKey(hub, 'n', 'm')
    hub.count(id, 5)
    hub.countDown(id, 0)
    assert.deepEqual([...scrape(hub, 'text').samples], [['n_total{shp_type="m"}', '5']])
    hub.countDown(id, 3)
    const { samples } = scrape(hub, 'text')
    assert.equal(samples.get('n_decrement_total{shp_type="m"}'), '3')
    assert.equal(samples.get('n_total{shp_type="m"}'), '5')
  })

  test('a gauge without a value is not there, an infinite one is', () => {
    const hub = new FakeHubView()
    addKey(hub, 'never', 'g')
    hub.set(addKey(hub, 'nan', 'g'), Number.NaN)
    hub.set(addKey(hub, 'up', 'g'), Number.POSITIVE_INFINITY)
    hub.set(addKey(hub, 'small', 'g'), 1.5e-9)
    assert.deepEqual(Object.fromEntries(scrape(hub, 'text').samples), {
      'up{}': '+Inf',
      'small{}': '1.5e-9',
    })
  })

  test('moving averages are gauges when asked for', () => {
    const hub = new FakeHubView()
    const id = addKey(hub, 'n', 'm')
    hub.movingAverages.set(id, { mean: 9, m1: 0.5, m5: 1, m15: 2 })
    const { samples } = scrape(hub, 'openmetrics', { exportRates: true })
    assert.equal(samples.get('n_m1_rate{shp_type="m"}'), '0.5')
    assert.equal(samples.get('n_m15_rate{shp_type="m"}'), '2')
    assert.equal(samples.get('n_total{shp_type="m"}'), '0')
  })
})

describe('when totals began', () => {
  test('is said by OpenMetrics behind the samples of each total, not by the text format', () => {
    const hub = new FakeHubView()
    addKey(hub, 'n', 'm')
    addKey(hub, 'g', 'g')
    hub.clock.advance(1500)
    addKey(hub, 'later', 'm')
    hub.observe(addKey(hub, 'h', 'h'), 3)
    hub.sample(hub.add({ name: 's', kind: 'summary', labels: [['a', 'b']] }), 1)
    assert.deepEqual(scrape(hub, 'openmetrics').text.match(/^[^#].*$/gm), [
      'n_total{shp_type="m"} 0',
      'n_created{shp_type="m"} 1700000000',
      'later_total{shp_type="m"} 0',
      'later_created{shp_type="m"} 1700000001.5',
      'h_hist_bucket{le="4"} 1',
      'h_hist_bucket{le="+Inf"} 1',
      'h_hist_sum 3',
      'h_hist_count 1',
      'h_hist_created 1700000001.5',
      's_sum{a="b"} 1',
      's_count{a="b"} 1',
      's_created{a="b"} 1700000001.5',
    ])
    assert.doesNotMatch(scrape(hub, 'text').text, /_created/)
  })

  test('is that of the last reset of a counter that its sender has begun anew', () => {
    const hub = new FakeHubView()
    const record = hub.series.get(addKey(hub, 'n', 'mr'))!
    assert.ok(record.kind === 'counter')
    scrape(hub, 'openmetrics')
    record.falls = { count: 1, lastMs: 1_700_000_060_000, lost: 0n }
    const { samples } = scrape(hub, 'openmetrics')
    assert.equal(samples.get('n_created{shp_type="mr"}'), '1700000060')
  })

  test('is left out where nobody wants a series more for it', () => {
    const hub = new FakeHubView()
    addKey(hub, 'n', 'm')
    const { samples } = scrape(hub, 'openmetrics', TOTALS_ALONE)
    assert.deepEqual([...samples.keys()], ['n_total{shp_type="m"}'])
  })
})

describe('distributions', () => {
  test('buckets are cumulative at scale 0 under powers of two, also below zero', () => {
    const hub = new FakeHubView()
    const id = addKey(hub, 'h', 'h')
    for (const value of [-5, -4, -1, 0, 0, 1, 2, 3, 100]) hub.observe(id, value)
    const { samples } = scrape(hub, 'text')
    assert.deepEqual(Object.fromEntries(samples), {
      // -5 is in [-8, -4), -4 in [-4, -2), -1 in [-1, -0.5).
      'h_hist_bucket{le="-5"}': '1',
      'h_hist_bucket{le="-3"}': '2',
      'h_hist_bucket{le="-1"}': '3',
      'h_hist_bucket{le="0"}': '5',
      'h_hist_bucket{le="1"}': '6',
      'h_hist_bucket{le="2"}': '7',
      'h_hist_bucket{le="4"}': '8',
      'h_hist_bucket{le="128"}': '9',
      'h_hist_bucket{le="+Inf"}': '9',
      'h_hist_sum{}': '96',
      'h_hist_count{}': '9',
    })
  })

  test('OpenMetrics has neither sum nor count beside negative bounds', () => {
    const hub = new FakeHubView()
    const id = addKey(hub, 'h', 'h')
    hub.observe(id, -1)
    const { samples } = scrape(hub, 'openmetrics', TOTALS_ALONE)
    assert.deepEqual([...samples.keys()], ['h_hist_bucket{le="-1"}', 'h_hist_bucket{le="+Inf"}'])
  })

  test('milliseconds become seconds in bounds and sum, with every digit', () => {
    const hub = new FakeHubView()
    const id = addKey(hub, 'h', 'h', 'ms')
    hub.observe(id, 1000)
    hub.observe(id, 9007199254740993n)
    const { samples, text } = scrape(hub, 'openmetrics')
    assert.equal(samples.get('h_hist_seconds_bucket{le="1.024"}'), '1')
    assert.equal(samples.get('h_hist_seconds_bucket{le="18014398509481.984"}'), '2')
    assert.equal(samples.get('h_hist_seconds_sum{}'), '9007199254741.993')
    assert.match(text, /^# UNIT h_hist_seconds seconds$/m)
  })

  test('a range too wide for scale 0 keeps its coarser buckets', () => {
    const hub = new FakeHubView()
    const id = addKey(hub, 'h', 'h')
    for (const value of [1e-300, 1, 1e300]) hub.observe(id, value)
    const { samples } = scrape(hub, 'text')
    assert.equal(samples.get('h_hist_count{}'), '3')
    assert.equal(samples.get('h_hist_bucket{le="+Inf"}'), '3')
    assert.ok(samples.size < 12)
  })

  test('what lies above the last bin of a filter is in +Inf alone', () => {
    const histogram = new Histogram(0)
    histogram.zeroThreshold = 1
    histogram.zeroCount = 2n
    histogram.overflow = 3n
    histogram.overflowFrom = 2 ** 31
    histogram.count = 5n
    histogram.addBucket(1, 1n)
    histogram.addBucket(30, 4n)
    histogram.sum = 99
    const filled = (options = {}): FakeHubView => {
      const hub = new FakeHubView(undefined, undefined, options)
      const labels = [['filter', 'f']] as const
      const metadata = { dialect: 'proxywasm', unit: 'ms' }
      hub.replace(hub.add({ name: 'took', kind: 'histogram', labels, metadata }), histogram)
      return hub
    }
    const hub = filled()
    const expected = {
      'took_bucket{filter="f",le="1"}': '2',
      'took_bucket{filter="f",le="4"}': '3',
      'took_bucket{filter="f",le="2147483648"}': '7',
      'took_bucket{filter="f",le="+Inf"}': '10',
      'took_sum{filter="f"}': '99',
      'took_count{filter="f"}': '10',
    }
    for (const format of FORMATS) {
      assert.deepEqual(Object.fromEntries(scrape(hub, format, TOTALS_ALONE).samples), expected)
    }
    const { samples: quantiles } = scrape(hub, 'text', { observer: 'summary' })
    assert.equal(quantiles.get('took{filter="f",quantile="0.5"}'), '2147483648')
    assert.equal(quantiles.get('took{filter="f",quantile="0.99"}'), '+Inf')
    const flat = filled({ proxywasm: { prometheusNames: 'flat' } })
    const { samples } = scrape(flat, 'text')
    assert.equal(samples.get('pw_f_took_bucket{le="1"}'), '2')
  })

  test('a sum the sender does not know is estimated', () => {
    const hub = new FakeHubView()
    const id = addKey(hub, 'h', 'h')
    const histogram = new Histogram(0)
    histogram.addBucket(3, 2n)
    histogram.sum = undefined
    histogram.min = 9
    histogram.max = 16
    hub.replace(id, histogram)
    assert.equal(scrape(hub, 'openmetrics').samples.get('h_hist_sum{}'), '25')
  })

  test('as summaries they show six quantiles', () => {
    const hub = new FakeHubView()
    const id = addKey(hub, 'h', 'h')
    hub.observe(id, 7, 10)
    for (const format of FORMATS) {
      const { samples } = scrape(hub, format, { ...TOTALS_ALONE, observer: 'summary' })
      assert.equal(samples.get('h_hist{quantile="0.999"}'), '7')
      assert.equal(samples.get('h_hist_sum{}'), '70')
      assert.equal(samples.size, 8)
    }
  })

  test('a summary shows sum and count', () => {
    const hub = new FakeHubView()
    const id = hub.add({ name: 's', kind: 'summary' })
    hub.sample(id, 2)
    hub.sample(id, 4)
    assert.deepEqual([...scrape(hub, 'openmetrics', TOTALS_ALONE).samples.values()], ['6', '2'])
  })
})

describe('collisions', () => {
  test('one key as all four types is four series in both formats', () => {
    const hub = new FakeHubView()
    hub.count(addKey(hub, 'k', 'm'), 1)
    hub.count(addKey(hub, 'k', 'mr'), 2)
    hub.set(addKey(hub, 'k', 'g'), 3)
    hub.observe(addKey(hub, 'k', 'h'), 4)
    for (const format of FORMATS) {
      const { samples } = scrape(hub, format)
      assert.equal(samples.get('k_total{shp_type="m"}'), '1')
      assert.equal(samples.get('k_total{shp_type="mr"}'), '2')
      assert.equal(samples.get('k_gauge{}'), '3')
      assert.equal(samples.get('k_hist_count{}'), '1')
    }
  })

  test('series whose names become equal carry their raw names, and count once', () => {
    const hub = new FakeHubView()
    hub.set(addKey(hub, 'a.b', 'g'), 1)
    hub.set(addKey(hub, 'a-b', 'g'), 2)
    const { samples, counted, exposition } = scrape(hub, 'text')
    assert.equal(samples.get('a_b{metric="a.b"}'), '1')
    assert.equal(samples.get('a_b{metric="a-b"}'), '2')
    assert.deepEqual(counted, ['name_conflicts label', 'name_conflicts label'])
    textOf(exposition, 'openmetrics')
    addKey(hub, 'other', 'g')
    textOf(exposition, 'text')
    assert.equal(counted.length, 2)
  })

  test('series whose raw names are equal too carry their numbers', () => {
    const hub = new FakeHubView()
    hub.set(hub.add({ name: 'a', kind: 'gauge', labels: [['x.y', '1']] }), 1)
    hub.set(hub.add({ name: 'a', kind: 'gauge', labels: [['x-y', '1']] }), 2)
    const { samples } = scrape(hub, 'text')
    assert.deepEqual(
      [...samples.keys()],
      ['a{metric="a",series="0",x_y="1"}', 'a{metric="a",series="1",x_y="1"}'],
    )
  })

  test('a gauge named like a sample of a histogram steps aside, whatever came first', () => {
    const build = (names: readonly ['g' | 'h', string][]) => {
      const hub = new FakeHubView()
      for (const [type, name] of names) {
        const id = addKey(hub, name, type)
        if (type === 'g') hub.set(id, 1)
      }
      const { samples, counted } = scrape(hub, 'text')
      assert.deepEqual(counted, ['name_conflicts family', 'name_conflicts family'])
      return [...samples.keys()].sort()
    }
    const one = build([
      ['g', 'a.hist.count'],
      ['h', 'a'],
    ])
    const other = build([
      ['h', 'a'],
      ['g', 'a.hist.count'],
    ])
    assert.deepEqual(one, other)
    assert.ok(one.includes('a_hist_count_gauge{}'))
    assert.ok(one.includes('a_hist_hist_count{}'))
  })

  test('a layout pauses every few dozen series, whether families are many or large', () => {
    for (const isOneFamily of [true, false]) {
      for (const clash of ['', '.', '../..']) {
        const hub = new FakeHubView()
        let reads = 0
        for (let i = 0; i < 3000; i++) {
          const name = isOneFamily ? `n${'.-'[i % 2]}` : `n${'.-'[i % 2]}${i >> 1}`
          const labels = isOneFamily ? ([['i', `${i >> 1}`]] as const) : []
          const kind = clash === '../..' && i % 2 === 0 ? 'gauge' : 'counter'
          const id = hub.add({ name: clash === '' ? `n${i}` : name, kind, labels })
          const record = hub.series.get(id)!
          const { identity } = record
          const read = () => {
            reads++
            return identity
          }
          Object.defineProperty(record, 'identity', { get: read })
        }
        let most = 0
        for (const _ of new Exposition(hub, {}, { count() {} }).pieces('text')) {
          most = Math.max(most, reads)
          reads = 0
        }
        assert.ok(most <= 256, `${most} series without a pause`)
      }
    }
  })

  test('a series that appears or leaves changes the next scrape', () => {
    const hub = new FakeHubView()
    const id = addKey(hub, 'a', 'g')
    hub.set(id, 1)
    const { exposition } = scrape(hub, 'text')
    hub.series.remove(id)
    assert.equal(textOf(exposition, 'text'), '')
    hub.set(addKey(hub, 'b', 'g'), 2)
    assert.match(textOf(exposition, 'text'), /^b 2$/m)
  })
})

test('names in UTF-8 are quoted, names that need no quotes are not', () => {
  const hub = new FakeHubView()
  hub.count(addKey(hub, 'a.b "c"', 'm'), 1)
  hub.observe(addKey(hub, 'd.e', 'h'), 3)
  hub.set(addKey(hub, 'plain', 'g'), 2)
  const { text, samples } = scrape(hub, 'openmetrics', { names: 'utf8' })
  assert.match(text, /^\{"a\.b \\"c\\"_total","shp\.type"="m"\} 1$/m)
  assert.match(text, /^\{"d\.e_hist_bucket",le="4"\} 1$/m)
  assert.match(text, /^plain 2$/m)
  assert.equal(samples.get('d.e_hist_sum{}'), '3')
})

test('negative observations whose bounds read as 0 have a sum and a count of their own', () => {
  for (const shown of FORMATS) {
    const hub = new FakeHubView()
    const id = hub.add({ name: 'n', kind: 'histogram', metadata: { unit: 'ms' } })
    hub.observe(id, -5e-324, 1000)
    hub.observe(id, 0)
    const { samples } = scrape(hub, shown)
    assert.equal(samples.get('n_seconds_bucket{le="0"}'), '1001')
    assert.equal(samples.get('n_seconds_count{}'), '1001')
    assert.ok(samples.has('n_seconds_sum{}'))
  }
})

test('hostile names, labels and values always give what a strict reader accepts', () => {
  const word = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 6 }),
    fc.constantFrom('a', 'a.b', 'a-b', 'a_total', 'a_hist', 'a_sum', 'a_bucket', 'a_created'),
    fc.constantFrom('', '_', '__name__', 'le', 'quantile', 'metric', 'series', '1', '"\\\n'),
    fc.constant('\ud800'),
  )
  const series = fc.record({
    name: word,
    kind: fc.constantFrom('counter', 'gauge', 'histogram', 'summary'),
    labels: fc.array(fc.tuple(word, word), { maxLength: 4 }),
    qualifier: fc.option(fc.tuple(word, word), { nil: undefined }),
    dialect: fc.constantFrom('statshero', 'scope', 'hub'),
    suffix: fc.option(fc.constantFrom('hist', 'sum'), { nil: undefined }),
    unit: fc.option(fc.constantFrom('ms', 'b', 'bytes', 'a b'), { nil: undefined }),
    description: fc.option(word, { nil: undefined }),
    values: fc.array(fc.oneof(fc.double(), fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n - 1n })), {
      maxLength: 4,
    }),
  })
  const property = fc.property(
    fc.array(series, { maxLength: 12 }),
    fc.constantFrom<TextFormat>(...FORMATS),
    fc.constantFrom<'legacy' | 'utf8'>('legacy', 'utf8'),
    fc.boolean(),
    fc.constantFrom<'histogram' | 'summary'>('histogram', 'summary'),
    (all, format, names, exportRates, observer) => {
      const hub = new FakeHubView()
      let expected = 0
      for (const {
        name,
        kind,
        labels,
        qualifier,
        dialect,
        suffix,
        unit,
        description,
        values,
      } of all) {
        const id = hub.add({
          name,
          kind: kind as 'counter',
          labels,
          ...(qualifier === undefined ? {} : { qualifier }),
          metadata: {
            dialect,
            ...(suffix === undefined ? {} : { exportSuffix: suffix }),
            ...(unit === undefined ? {} : { unit }),
            ...(description === undefined ? {} : { description }),
          },
        })
        hub.movingAverages.set(id, { mean: 0, m1: 0, m5: 0, m15: 0 })
        const isShown = feed(hub, id, kind, values)
        if (isShown) expected += 1
        if (kind === 'counter' && exportRates) expected += 3
      }
      const { families } = scrape(hub, format, { names, exportRates, observer })
      assert.equal(countSeries(families), expected, 'series merged or dropped')
    },
  )
  holds(property, 400)
})

function feed(
  hub: FakeHubView,
  id: number,
  kind: string,
  values: readonly (number | bigint)[],
): boolean {
  for (const value of values) {
    if (kind === 'gauge') hub.set(id, value)
    else if (kind === 'histogram') hub.observe(id, value)
    else if (kind === 'summary') hub.sample(id, Number(value) % 1e100)
    else if (typeof value === 'bigint') hub.count(id, value < 0n ? -value : value)
  }
  const last = values.at(-1)
  return kind !== 'gauge' || (last !== undefined && !Number.isNaN(last))
}

/** Distributions by their label sets, everything else by sample. */
function countSeries(families: ReturnType<typeof parseExposition>): number {
  let count = 0
  for (const { name, type, samples } of families) {
    const isTold = (sample: { name: string; labels: ReadonlyMap<string, string> }) =>
      type === 'gauge' ||
      (type === 'counter' && sample.name !== `${name}_created`) ||
      (type === 'histogram' ? sample.labels.get('le') === '+Inf' : sample.name === `${name}_count`)
    count += samples.filter(isTold).length
  }
  return count
}
