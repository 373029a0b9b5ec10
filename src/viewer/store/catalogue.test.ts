import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeSeries } from '../../../test/support/series-info.ts'
import type { SeriesInfo, SeriesPage } from '../../http/api.ts'
import { Catalogue, type Entry, renumber } from './catalogue.ts'

function info(id: number, name: string, part: Partial<SeriesInfo> = {}): SeriesInfo {
  return fakeSeries({ id, name, ...part })
}

const page = (...series: SeriesInfo[]): SeriesPage => ({
  series,
  total: series.length,
  revision: 1,
})

function entryOf(info: SeriesInfo): Entry {
  const catalogue = new Catalogue()
  catalogue.replace(page(info))
  return catalogue.entries[0]!
}

test('an entry is named as in its URL, and grouped by the first part of its name', () => {
  const labels = [
    ['route', '/pay'],
    ['status', '200'],
  ] as const
  const entry = entryOf(info(1, 'checkout.latency', { labels }))
  assert.equal(entry.text, 'checkout.latency{route=/pay,status=200}')
  assert.equal(entry.labels, 'route=/pay status=200')
  assert.equal(entry.group, 'checkout')
  assert.equal(entryOf(info(2, 'System/cpu-usage')).group, 'System')
  assert.equal(entryOf(info(3, 'uptime')).group, 'uptime')
  const shop = { namespace: 'Shop.Checkout' } as const
  assert.equal(entryOf(info(4, 'request-time', shop)).group, 'Shop.Checkout')
  assert.equal(entryOf(info(5, 'cart.items')).group, 'cart')
})

test('ids that mean another series, or are gone, are told; newcomers are not', () => {
  const catalogue = new Catalogue()
  const gone = (...series: SeriesInfo[]): number[] => [...catalogue.replace(page(...series)).gone]
  assert.deepEqual(gone(info(1, 'a'), info(2, 'b')), [])
  assert.deepEqual(gone(info(1, 'a', { lastDataMs: 9 }), info(3, 'c')), [2])
  assert.equal(catalogue.numbering, 1)
  assert.deepEqual(gone(info(1, 'a', { kind: 'gauge' }), info(3, 'c')), [1])
})

test('series that changed places keep what is theirs', () => {
  const catalogue = new Catalogue()
  catalogue.replace(page(info(1, 'a'), info(2, 'b'), info(3, 'c')))
  const kept = new Map([1, 2, 3].map((id) => [id, catalogue.get(id)!.info.name]))
  const change = catalogue.replace(page(info(1, 'b'), info(2, 'a'), info(3, 'd')))
  renumber(kept, change)
  assert.deepEqual([...kept].sort(), [
    [1, 'b'],
    [2, 'a'],
  ])
})

test('a series that stays without being listed is found again under its new id', () => {
  const catalogue = new Catalogue()
  catalogue.replace(page(info(1, 'a'), info(2, 'b')))
  const left = catalogue.replace(page(), ({ info }) => info.name === 'a')
  assert.deepEqual([[...left.moved], [...left.gone]], [[[1, -1]], [2]])
  assert.equal(catalogue.find('a')?.id, -1)
  const still = catalogue.replace(page(info(1, 'b')), () => true)
  assert.deepEqual([still.moved.size, still.gone.size], [0, 0])
  const back = catalogue.replace(page(info(1, 'b'), info(7, 'a')))
  assert.deepEqual([...back.moved], [[-1, 7]])
  assert.equal(catalogue.entries.length, 2)
})

test('namesakes of other kinds or types are told apart', () => {
  const catalogue = new Catalogue()
  catalogue.replace(
    page(
      info(1, 'api', { type: 'm' }),
      info(2, 'api', { type: 'mr' }),
      info(3, 'api', { kind: 'histogram', type: 'h' }),
      info(4, 'alone'),
    ),
  )
  assert.ok(catalogue.isAmbiguous('api'))
  assert.ok(!catalogue.isAmbiguous('alone'))
  assert.equal(catalogue.find('api', 'counter', 'mr')?.id, 2)
  assert.equal(catalogue.find('api', 'histogram')?.id, 3)
  assert.equal(catalogue.find('api')?.id, 1)
  assert.equal(catalogue.find('elsewhere'), undefined)
})

test('a newer reading replaces one entry, unless its id means another series by now', () => {
  const catalogue = new Catalogue()
  catalogue.replace(page(info(1, 'a'), info(2, 'b')))
  catalogue.update([info(1, 'a', { current: 7 })])
  assert.equal(catalogue.get(1)?.info.current, 7)
  assert.equal(catalogue.entries[0]?.info.current, 7)
  catalogue.update([info(2, 'other', { current: 7 })])
  assert.equal(catalogue.get(2)?.info.name, 'b')
})

test('a list that is read again leaves what only the single answer of a series says', () => {
  const catalogue = new Catalogue()
  const rates = { mean: 1, m1: 2, m5: 3, m15: 4 }
  catalogue.replace(page(info(1, 'a', { current: 1 })))
  catalogue.update([info(1, 'a', { current: 2, rates })])
  catalogue.replace(page(info(1, 'a', { current: 3 })))
  assert.deepEqual(catalogue.get(1)!.info, info(1, 'a', { current: 3, rates }))
  // another hub's series of the same number is another one
  catalogue.replace(page(info(1, 'a', { current: 1, firstSeenMs: 99 })))
  assert.equal(catalogue.get(1)!.info.rates, undefined)
})

test('entries stand in the order of their texts, those that come later, too', () => {
  const catalogue = new Catalogue()
  const texts = (): readonly string[] => catalogue.entries.map(({ text }) => text)
  catalogue.replace(page(info(1, 'b'), info(2, 'a.10'), info(3, 'B')))
  assert.deepEqual(texts(), ['a.10', 'B', 'b'])
  const { version } = catalogue
  const before = version.value
  catalogue.add([info(4, 'a.9'), info(5, 'b', { kind: 'gauge' })])
  assert.deepEqual(texts(), ['a.9', 'a.10', 'B', 'b', 'b'])
  assert.equal(version.value, before + 1)
  assert.deepEqual([catalogue.lastId, catalogue.isAmbiguous('b')], [5, true])
  catalogue.add([info(5, 'b', { kind: 'gauge' })])
  assert.equal(version.value, before + 1, 'what is known already is no news')
})

test('a series that is read again stays the same entry, unless it is shown otherwise', () => {
  const catalogue = new Catalogue()
  catalogue.replace(page(info(1, 'a'), info(2, 'b')))
  const [a, b] = [catalogue.get(1), catalogue.get(2)]
  catalogue.replace(page(info(1, 'a', { current: 7 }), info(2, 'b', { displayName: 'Bees' })))
  assert.equal(catalogue.get(1), a)
  assert.equal(a?.info.current, 7)
  assert.notEqual(catalogue.get(2), b)
  assert.equal(catalogue.get(2)?.search, 'b bees')
})

test('series of the past stand among the others until the next ones come, or they do', () => {
  const catalogue = new Catalogue()
  const past = (id: number, name: string): SeriesInfo => info(id, name, { isPast: true })
  const names = (): string[] => catalogue.entries.map(({ text }) => text)
  catalogue.replace(page(info(1, 'b')))
  catalogue.setPast([past(2 ** 31, 'a'), past(2 ** 31 + 1, 'c')])
  assert.deepEqual([names(), catalogue.lastId], [['a', 'b', 'c'], 1])
  const { gone } = catalogue.replace(page(info(1, 'b'), info(2, 'c')))
  assert.deepEqual([names(), [...gone]], [['a', 'b', 'c'], []])
  assert.equal(catalogue.find('c')!.id, 2)
  catalogue.add([info(3, 'd')])
  const { version } = catalogue
  catalogue.setPast([past(2 ** 31 + 2, 'e')])
  assert.deepEqual([names(), catalogue.lastId], [['b', 'c', 'd', 'e'], 3])
  catalogue.setPast([])
  const told = version.peek()
  catalogue.setPast([])
  assert.deepEqual([names(), version.peek()], [['b', 'c', 'd'], told])
})
