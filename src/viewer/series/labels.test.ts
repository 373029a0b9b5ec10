import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeSeries } from '../../../test/support/series-info.ts'
import { Catalogue, type Entry } from '../store/catalogue.ts'
import { groupLabels, prefixGroups, shortNames } from './labels.ts'

function entriesOf(
  ...all: readonly (readonly [name: string, labels: Record<string, string>])[]
): readonly Entry[] {
  const series = all.map(([name, labels], i) =>
    fakeSeries({ id: i + 1, name, labels: Object.entries(labels) }),
  )
  const catalogue = new Catalogue()
  catalogue.replace({ series, total: series.length, revision: 1 })
  return series.map(({ id }) => catalogue.get(id)!)
}

function texts(entries: readonly Entry[]): readonly string[] {
  return entries.map((entry) => groupLabels({ key: 'all', entries }).of(entry))
}

test('what all of a group share is left out, and said once', () => {
  const entries = entriesOf(
    ['latency', { application: 'shop', pipeline: 'orders', worker: 'one' }],
    ['latency', { application: 'shop', pipeline: 'orders', worker: 'two' }],
    ['decode', { application: 'shop', worker: 'one' }],
  )
  assert.deepEqual(texts(entries), [
    'worker=one pipeline=orders',
    'worker=two pipeline=orders',
    'worker=one',
  ])
  assert.equal(groupLabels({ key: 'all', entries }).shared, 'application=shop')
})

test('the label with most values comes first', () => {
  const entries = entriesOf(
    ['events', { shard: '1', user: 'a' }],
    ['events', { shard: '1', user: 'b' }],
    ['events', { shard: '2', user: 'c' }],
  )
  assert.deepEqual(texts(entries), ['user=a shard=1', 'user=b shard=1', 'user=c shard=2'])
})

test('a series alone keeps its labels, and so does a label that some lack', () => {
  assert.deepEqual(texts(entriesOf(['one', { host: 'a' }])), ['host=a'])
  assert.equal(groupLabels({ key: 'one', entries: entriesOf(['one', { host: 'a' }]) }).shared, '')
  assert.deepEqual(texts(entriesOf(['one', { host: 'a' }], ['two', {}])), ['host=a', ''])
})

test('a name that other groups have keeps all labels, so that no two look alike', () => {
  const entries = entriesOf(
    ['shop.hits', { zone: 'a', host: 'x' }],
    ['shop.hits', { zone: 'a', host: 'y' }],
  )
  const nameOf = shortNames(prefixGroups(entries))
  assert.deepEqual(entries.map(nameOf), ['shop.hits{host=x}', 'shop.hits{host=y}'])
  const apart = entriesOf(['hits', { zone: 'a' }], ['hits', { zone: 'b' }])
  const groups = apart.map((entry) => ({ key: entry.labels, entries: [entry, entry] }))
  assert.deepEqual(apart.map(shortNames(groups)), ['hits{zone=a}', 'hits{zone=b}'])
  assert.equal(shortNames(groups)(entries[0]!), 'shop.hits{zone=a,host=x}')
})
