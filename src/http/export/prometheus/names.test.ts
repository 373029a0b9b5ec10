import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { FakeHubView } from '../../../../test/support/hub/fake-hub-view.ts'
import type { NameStyle } from '../../../exposition/names.ts'
import { type PrometheusName, prometheusNames } from '../../../exposition/series-names.ts'
import { runNow } from '../../../hub/tasks/task.ts'
import { type Identity, type Kind, type Metadata, sortLabels } from '../../../model/index.ts'
import { layoutTask } from '../otlp/layout.ts'

interface NamingVector {
  readonly id: string
  readonly key: string
  readonly type: 'm' | 'mr' | 'g' | 'h'
  readonly unit?: string
  readonly prometheus: {
    readonly sample: string
    readonly decrementSample?: string
    readonly type: string
    readonly labels: Record<string, string>
  }
  readonly otlp: {
    readonly name: string
    readonly decrementName?: string
    readonly kind: string
    readonly attributes: Record<string, string>
  }
}

const vectorsUrl = new URL('../../../dialects/statshero/vectors/statshero.json', import.meta.url)
const vectors: { naming: NamingVector[] } = JSON.parse(readFileSync(vectorsUrl, 'utf8'))
const KINDS: Record<string, Kind> = { m: 'counter', mr: 'counter', g: 'gauge', h: 'histogram' }

const HUB = new FakeHubView()

function prometheusName(
  identity: Identity,
  metadata: Metadata,
  style: NameStyle = 'legacy',
  hub = HUB,
): PrometheusName {
  return prometheusNames(identity, metadata, hub.exportRules(metadata.dialect), style)[0]!
}

function otlpMetric({ name, kind, labels, qualifier }: Identity, metadata: Metadata) {
  const hub = new FakeHubView()
  const id = hub.add({ name, kind, labels, ...(qualifier ? { qualifier } : {}), metadata })
  const forms = { temporality: 'dialect', histogram: 'dialect' } as const
  const [group] = runNow(layoutTask([hub.series.get(id)!], forms, hub))
  const { head, kind: form, rows } = group!
  return { ...head, kind: form, attributes: Object.fromEntries(rows[0]!.attributes) }
}

function exportNames(identity: Identity, metadata: Metadata) {
  return { prometheus: prometheusName(identity, metadata), otlp: otlpMetric(identity, metadata) }
}

/** A Stats Hero key in the model, as statshero.md §7.1 says. */
function statshero(key: string, type: string, unit?: string): [Identity, Metadata] {
  const kind = KINDS[type]!
  const identity: Identity =
    kind === 'counter'
      ? { name: key, kind, labels: [], qualifier: ['shp.type', type] }
      : { name: key, kind, labels: [] }
  const suffix = type === 'h' ? { exportSuffix: 'hist' } : {}
  return [identity, { dialect: 'statshero', type, ...suffix, ...(unit ? { unit } : {}) }]
}

function gauge(name: string, labels: readonly (readonly [string, string])[] = []): Identity {
  return { name, kind: 'gauge', labels: sortLabels(labels) }
}

for (const { id, key, type, unit, prometheus, otlp } of vectors.naming) {
  test(`naming vector ${id}`, () => {
    const [identity, metadata] = statshero(key, type, unit)
    const named = exportNames(identity, metadata)
    assert.equal(named.prometheus.sample, prometheus.sample)
    assert.equal(named.prometheus.type, prometheus.type)
    assert.deepEqual(Object.fromEntries(named.prometheus.labels), prometheus.labels)
    assert.equal(named.otlp.name, otlp.name)
    assert.equal(named.otlp.kind, otlp.kind)
    assert.deepEqual(named.otlp.attributes, otlp.attributes)
    if (prometheus.decrementSample === undefined) return
    const decrements = exportNames({ ...identity, name: `${key}.decrement` }, metadata)
    assert.equal(decrements.prometheus.sample, prometheus.decrementSample)
    assert.equal(decrements.otlp.name, otlp.decrementName)
  })
}

test('a counter named total gets no second ending, one named only that keeps it', () => {
  const [identity, metadata] = statshero('a.b_total', 'm')
  assert.equal(prometheusName(identity, metadata).sample, 'a_b_total')
  assert.equal(prometheusName(identity, metadata).family, 'a_b')
  const [bare] = statshero('_total', 'm')
  assert.equal(prometheusName(bare, metadata).sample, '_total_total')
})

test('a distribution in milliseconds is named in seconds and divided by 1000', () => {
  const named = prometheusName(...statshero('api.time', 'h', 'ms'))
  assert.equal(named.sample, 'api_time_hist_seconds')
  assert.equal(named.shift, 3)
  assert.equal(named.unit, 'seconds')
})

test('a gauge in milliseconds keeps name and value', () => {
  const named = prometheusName(...statshero('api.time', 'g', 'ms'))
  assert.deepEqual([named.sample, named.shift, named.unit], ['api_time', 0, undefined])
})

test('every code point becomes one underscore, and so does every byte that is no UTF-8', () => {
  const metadata = { dialect: 'statshero' }
  assert.equal(prometheusName(gauge('a😀é-b:c'), metadata).sample, 'a___b_c')
  const identity = { ...gauge('a\ufffdb'), nameBytes: Uint8Array.of(0x61, 0xe2, 0x82, 0x62) }
  assert.equal(prometheusName(identity, metadata).sample, 'a__b')
  assert.equal(prometheusName(gauge(''), metadata).sample, '_')
})

test('scope names keep colons, lose a leading digit and stay readable in a label', () => {
  const named = prometheusName(gauge('2x:y z'), { dialect: 'scope' })
  assert.equal(named.sample, '_x:y_z')
  assert.deepEqual(named.labels, [['metric', '2x:y z']])
  assert.deepEqual(prometheusName(gauge('a:b'), { dialect: 'scope' }).labels, [])
})

test('the utf8 style keeps names and label keys as sent', () => {
  const [identity, metadata] = statshero('a.b/c', 'm')
  const named = prometheusName(identity, metadata, 'utf8')
  assert.equal(named.sample, 'a.b/c_total')
  assert.deepEqual(named.labels, [['shp.type', 'm']])
})

test('label keys that become equal join their values, reserved ones step aside', () => {
  const labels: [string, string][] = [
    ['a-b', '1'],
    ['a.b', '2'],
    ['__name__', 'x'],
    ['2', 'digit'],
    ['', 'none'],
    ['gone', ''],
    ['le', '7'],
  ]
  const identity: Identity = { name: 'n', kind: 'histogram', labels: sortLabels(labels) }
  assert.deepEqual(prometheusName(identity, { dialect: 'statshero' }).labels, [
    ['_', 'none'],
    ['_2', 'digit'],
    ['_name__', 'x'],
    ['a_b', '1;2'],
    ['exported_le', '7'],
  ])
})

test("the hub's own metrics end in their unit", () => {
  const named = prometheusName(
    { name: 'pentameter.udp.receive_buffer', kind: 'gauge', labels: [] },
    { dialect: 'hub', unit: 'bytes' },
  )
  assert.equal(named.sample, 'pentameter_udp_receive_buffer_bytes')
  assert.equal(named.unit, 'bytes')
})

test('names of Proxy-Wasm filters are cleaned byte by byte, and no value is scaled', () => {
  const metadata = { dialect: 'proxywasm', unit: 'ms' }
  const labels = [['filter', 'auth']] as const
  const named = prometheusName({ name: 'a.é:b-c', kind: 'histogram', labels }, metadata)
  assert.equal(named.sample, 'a___:b_c')
  assert.deepEqual([named.shift, named.labels], [0, [['filter', 'auth']]])
  const bytes = Uint8Array.of(0x61, 0xe2, 0x82, 0x62)
  const invalid: Identity = { name: 'a\ufffdb', nameBytes: bytes, kind: 'counter', labels }
  assert.equal(prometheusName(invalid, metadata).sample, 'a__b_total')
})

test('flat names of filters hold what the labels say otherwise', () => {
  const metadata = { dialect: 'proxywasm' }
  const labels = sortLabels([
    ['filter', 'my-filter'],
    ['upstream', 'x'],
  ])
  const hub = new FakeHubView(undefined, undefined, {
    proxywasm: { prometheusNames: 'flat' },
  })
  const flat = (identity: Identity): unknown => {
    const { sample, labels } = prometheusName(identity, metadata, 'legacy', hub)
    return [sample, labels]
  }
  const own = [['upstream', 'x']]
  assert.deepEqual(flat({ name: 'a.b', kind: 'counter', labels }), ['pw_my_filter_a_b_total', own])
  assert.deepEqual(flat({ name: 'n', kind: 'gauge', labels: [['origin', 'lua']] }), ['lua_n', []])
  const bytes = Uint8Array.of(0xff)
  const invalid: Identity = { name: '\ufffd', nameBytes: bytes, kind: 'gauge', labels }
  assert.deepEqual(flat(invalid), ['pw_my_filter__', own])
  const other = prometheusName(gauge('n', labels), { dialect: 'scope' }, 'legacy', hub)
  assert.equal(other.sample, 'n')
})

test('an EventCounter in OTLP has its provider as scope and its unit in UCUM', () => {
  const labels = [
    ['provider', 'System.Runtime'],
    ['route', '/'],
  ] as const
  const otlp = (unit: string) => {
    const identity: Identity = { name: 'alloc-rate', kind: 'counter', labels }
    return exportNames(identity, { dialect: 'eventcounters', unit }).otlp
  }
  const { name, kind, scope, attributes } = otlp('B')
  assert.deepEqual([name, kind, scope.name], ['alloc-rate', 'sum', 'System.Runtime'])
  assert.deepEqual(attributes, { route: '/' })
  const units = ['B', 'KB', 'MB', 'GB', '%', 'ms', 'Count', 'items']
  assert.deepEqual(
    units.map((unit) => otlp(unit).unit),
    ['By', 'kBy', 'MBy', 'GBy', '%', 'ms', '1', 'items'],
  )
})

test('units have the words that rules say, and their own without one', () => {
  const prometheus = { appendsUnit: true, units: { By: 'bytes' } }
  const named = (unit: string, name = 'sent') => {
    const identity = { name, kind: 'gauge' as const, labels: [] }
    const [first] = prometheusNames(identity, { dialect: 'any', unit }, { prometheus })
    return [first!.family, first!.unit]
  }
  assert.deepEqual(named('By'), ['sent_bytes', 'bytes'])
  assert.deepEqual(named('By', 'sent.bytes'), ['sent_bytes', 'bytes'])
  assert.deepEqual(named('kg'), ['sent_kg', 'kg'])
  assert.deepEqual(named('{x}'), ['sent', undefined])
})
