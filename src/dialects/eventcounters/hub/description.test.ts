import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FakeHubView, type FakeSeries } from '../../../../test/support/hub/fake-hub-view.ts'
import { holds } from '../../../../test/support/property.ts'
import { buildMetaData, parseMetaData } from '../codec/metadata.ts'
import { Descriptions } from './description.ts'

function described(series: Partial<FakeSeries>) {
  const hub = new FakeHubView()
  const id = hub.add({ name: 'c', kind: 'counter', ...series })
  return new Descriptions().of(hub.series.get(id)!)
}

test('the provider is the label of that name, else the dialect; the rest are pairs', () => {
  const labels = [
    ['zone', 'eu'],
    ['provider', 'Shop'],
    ['app', 'cart'],
  ] as const
  const qualifier = ['shp.type', 'mr'] as const
  const metadata = { displayName: 'Carts', unit: 'ms', rateTimeScaleS: 60 }
  assert.deepEqual(described({ name: 'carts', labels, qualifier, metadata }), {
    provider: 'Shop',
    name: 'carts',
    displayName: 'Carts',
    units: 'ms',
    rateScaleSec: 60,
    metaData: [
      ['app', 'cart'],
      ['zone', 'eu'],
      ['shp.type', 'mr'],
    ],
    hasTags: true,
  })
  assert.equal(described({ metadata: { dialect: 'scope' } }).provider, 'scope')
  assert.equal(described({ labels, metadata: { dialect: 'eventcounters' } }).hasTags, undefined)
  const unnamed = described({ labels: [['provider', '']] })
  assert.equal(unnamed.provider, 'statshero')
  assert.deepEqual(unnamed.metaData, [['provider', '']])
})

test('what the spelling has no escape for becomes an underscore, and keys stay apart', () => {
  const { metaData } = described({
    labels: [
      ['', 'empty'],
      ['DisplayUnits', 'taken'],
      ['a,b', '1'],
      ['a=b', '2'],
      ['a:b', '3'],
      ['list', 'x,y'],
      ['address', '[::1]:80'],
      ['formula', 'x,y=z'],
      ['peer', 'x,y:z'],
      ['nul', 'a\0b'],
    ],
  })
  assert.deepEqual(metaData, [
    ['_', 'empty'],
    ['DisplayUnits_2', 'taken'],
    ['a_b', '1'],
    ['a_b_2', '3'],
    ['a_b_3', '2'],
    ['address', '[::1]:80'],
    ['formula', 'x_y=z'],
    ['list', 'x,y'],
    ['nul', 'a_b'],
    ['peer', 'x_y:z'],
  ])
})

test('names are never empty and never too long, and no surrogate pair is cut', () => {
  const long = described({ name: `${'x'.repeat(511)}\u{1f600}`, labels: [['k', 'v'.repeat(600)]] })
  assert.equal(long.name, 'x'.repeat(511))
  assert.equal(long.metaData[0]![1].length, 512)
  assert.equal(described({ name: '' }).name, '_')
})

test('pairs beyond the limit of the text are left out, whole', () => {
  const labels = Array.from({ length: 20 }, (_, i) => [`k${i}`, 'ü'.repeat(400)] as const)
  const { metaData, units } = described({ labels, metadata: { unit: 'ms' } })
  const text = buildMetaData(metaData, units, 'document')
  assert.equal(metaData.length, 10)
  assert.ok(Buffer.byteLength(text) <= 8192)
})

test('a reader of either profile gets back the very pairs and the unit', () => {
  const text = fc.oneof(
    fc.string({ unit: fc.constantFrom('a', ',', '=', ':', '_', '\0', 'ü') }),
    fc.constantFrom('DisplayUnits', 'x'.repeat(600)),
  )
  const labels = fc.array(fc.tuple(text, text), { maxLength: 6 })
  holds(
    fc.property(labels, text, (pairs, unit) => {
      const { metaData, units } = described({ labels: pairs, metadata: { unit } })
      for (const profile of ['document', 'peer'] as const) {
        const read = parseMetaData(buildMetaData(metaData, units, profile), profile)
        assert.deepEqual(read.pairs, metaData)
        assert.equal(read.malformed, 0)
        if (profile === 'document') assert.equal(read.units ?? '', units)
      }
    }),
  )
})
