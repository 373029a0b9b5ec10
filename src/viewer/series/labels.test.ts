import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeSeries } from '../../../test/support/series-info.ts'
import { Catalogue, type Entry } from '../store/catalogue.ts'
import { groupLabels } from './labels.ts'

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
