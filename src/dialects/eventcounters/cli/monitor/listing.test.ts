import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Series } from './board.ts'
import { type Line, Listing } from './listing.ts'

interface NamedRow {
  readonly provider?: string
  readonly tags?: readonly (readonly [string, string])[]
  readonly value?: number
  readonly delta?: number
}

function series(
  name: string,
  { provider = 'P', tags = [], value = 0, delta }: NamedRow = {},
): Series {
  return {
    counter: { provider, name, displayName: '', units: '', rateScaleSec: 0, metaData: tags },
    ...{ isSum: false, seriesMs: 1000, delta, past: [], seenNs: 0n },
    figures: {
      ...{ raw: value, rate: value, total: value },
      ...{ second: value, minute: value, hour: value },
    },
    ...{ isOver: false, hasCrossed: false },
  }
}

function text(line: Line): string {
  if (line.kind === 'provider') return `[${line.provider}]${line.shared}`
  if (line.kind === 'counter') return line.label.text + (line.series === undefined ? ':' : '')
  if (line.kind === 'keys') return line.columns.map(({ key }) => key).join(' ')
  return line.series.counter.metaData.map(([, value]) => value).join(' ')
}

test('providers by name, counters by label in any case, tags under their counter', () => {
  const all = [
    series('b', { provider: 'zoo' }),
    series('Beta', { provider: 'App' }),
    series('alpha', { provider: 'App', tags: [['k', '2']] }),
    series('alpha', { provider: 'App', tags: [['k', '1']] }),
    series('% time', { provider: 'App' }),
  ]
  assert.deepEqual(new Listing('raw').lines('1', all, 'name').map(text), [
    ...['[App]', '% time', 'alpha:', 'k', '1', '2', 'Beta', '[zoo]', 'b'],
  ])
})

test('a series without tags stands on the line of its counter, those with tags below', () => {
  const all = [series('a', { tags: [['k', 'v']] }), series('a')]
  assert.deepEqual(new Listing('raw').lines('1', all, 'name').map(text), ['[P]', 'a', 'k', 'v'])
})

test('labels that all series of a provider have alike stand beside its name alone', () => {
  const at = ['endpoint', '127.0.0.1:5000'] as const
  const all = [
    series('a', { tags: [at] }),
    series('b', { tags: [['chute', 'north'], at] }),
    series('b', { tags: [['chute', 'south'], at] }),
  ]
  const lines = new Listing('raw').lines('1', all, 'name')
  assert.deepEqual(lines.slice(0, 4).map(text), ['[P]endpoint=127.0.0.1:5000', 'a', 'b:', 'chute'])
  assert.equal(lines.length, 6)
  const alone = new Listing('raw').lines('1', [series('a', { tags: [at] })], 'name')
  assert.deepEqual(alone.map(text), ['[P]', 'a:', 'endpoint', '127.0.0.1:5000'])
})

test('columns are the keys of all, as wide as the widest value is on a terminal', () => {
  const all = [
    series('a', { tags: [['country', 'DE']] }),
    series('a', { tags: [['city', '東京都庁']] }),
    series('a', { tags: [['country', 'FR']] }),
  ]
  const keys = new Listing('raw').lines('1', all, 'name').find(({ kind }) => kind === 'keys')
  assert.ok(keys?.kind === 'keys')
  const columns = new Map(keys.columns.map(({ key, width }) => [key, width]))
  assert.deepEqual([columns.get('country'), columns.get('city')], [7, 8])
})

test('sorting by value keeps tags with their counter, the one with the highest first', () => {
  const all = [
    series('a', { value: 5 }),
    series('b', { tags: [['k', 'low']], value: 1 }),
    series('b', { tags: [['k', 'high']], value: 9 }),
    series('c', { value: 7 }),
  ]
  const order = new Listing('raw').lines('1', all, 'value').map(text)
  assert.deepEqual(order, ['[P]', 'b:', 'k', 'high', 'low', 'c', 'a'])
})

test('sorting by change takes its size, and what has none comes last', () => {
  const all = [series('a'), series('b', { delta: 1 }), series('c', { delta: -3 })]
  assert.deepEqual(new Listing('raw').lines('1', all, 'change').map(text), ['[P]', 'c', 'b', 'a'])
})

test('names are sorted anew only for another version, values every time', () => {
  const listing = new Listing('raw')
  const first = series('a', { value: 1 })
  const later: Series[] = [first]
  assert.equal(listing.lines('1', later, 'name').length, 2)
  later.push(series('b', { value: 2 }))
  assert.equal(listing.lines('1', later, 'name').length, 2)
  assert.equal(listing.lines('2', later, 'name').length, 3)
})
