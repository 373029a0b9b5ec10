import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeSeries } from '../../../test/support/series-info.ts'
import type { SeriesInfo } from '../../http/api.ts'
import { seriesFilter } from '../../model/text/series-filter.ts'
import { Catalogue, type Entry } from '../store/catalogue.ts'
import {
  crowdedLabel,
  groupEntries,
  hubWords,
  labelNames,
  selectEntries,
  sortEntries,
} from './select.ts'

type Choice = Parameters<typeof selectEntries>[1]
type Measures = Parameters<typeof sortEntries>[2]

let nextId = 1
function entry(
  name: string,
  labels: Record<string, string> = {},
  part: Partial<SeriesInfo> = {},
): Entry {
  const id = nextId++
  const info = fakeSeries({ id, name, labels: Object.entries(labels), ...part })
  const catalogue = new Catalogue()
  catalogue.replace({ series: [info], total: 1, revision: 1 })
  return catalogue.entries[0]!
}

const REQUESTS = entry('api.requests', { method: 'GET', status: '200' })
const LATENCY = entry('api.latency', { route: '/pay' }, { kind: 'histogram' })
const DEPTH = entry('queue.depth', { queue: 'email' }, { kind: 'gauge', dialect: 'scope' })
const OWN = entry('pentameter.lines', {}, { dialect: 'hub' })
const ALL = [REQUESTS, LATENCY, DEPTH, OWN]
const NONE: Choice = { q: '', kind: '', source: '' }

const never = (): boolean => false
const texts = (entries: readonly Entry[]): string[] => entries.map((each) => each.text)
const select = (part: Partial<Choice>, isStale: (id: number) => boolean = never): string[] =>
  texts(selectEntries(ALL, { ...NONE, ...part }, isStale))

test('without a filter everything is shown but the hub itself', () => {
  assert.deepEqual(select({}), texts([REQUESTS, LATENCY, DEPTH]))
})

test('the hub’s own series come when the filter asks for them', () => {
  assert.deepEqual(select({ q: 'dialect=hub' }), [OWN.text])
  assert.deepEqual(select({ q: 'Pentameter' }), [OWN.text])
  assert.deepEqual(select({ source: 'hub' }), [OWN.text])
})

test('every word has to match the name or a label, in any order and case', () => {
  assert.deepEqual(select({ q: 'API' }), texts([REQUESTS, LATENCY]))
  assert.deepEqual(select({ q: 'get api' }), [REQUESTS.text])
  assert.deepEqual(select({ q: 'api email' }), [])
})

test('a star stands for any run of characters, in names and labels', () => {
  assert.deepEqual(select({ q: 'api.*y' }), [LATENCY.text])
  assert.deepEqual(select({ q: 'a*quests status=2*0' }), [REQUESTS.text])
  assert.deepEqual(select({ q: '*nothing*' }), [])
})

test('label=value matches that label alone', () => {
  assert.deepEqual(select({ q: 'method=get' }), [REQUESTS.text])
  assert.deepEqual(select({ q: 'status=get' }), [])
  assert.deepEqual(select({ q: 'route=/p' }), [LATENCY.text])
})

test('kind, type, dialect and source can be asked for like labels', () => {
  assert.deepEqual(select({ q: 'kind=gauge' }), [DEPTH.text])
  assert.deepEqual(select({ q: 'dialect=scope' }), [DEPTH.text])
  assert.deepEqual(select({ q: 'source=127.0.0.1 queue' }), [DEPTH.text])
})

test('the buttons of kind and source narrow the same list', () => {
  assert.deepEqual(select({ kind: 'histogram' }), [LATENCY.text])
  assert.deepEqual(select({ source: 'scope' }), [DEPTH.text])
})

test('a stale series leaves the overview and stays in search', () => {
  const isStale = (id: number): boolean => id === DEPTH.id
  assert.deepEqual(select({}, isStale), texts([REQUESTS, LATENCY]))
  assert.deepEqual(select({ q: 'queue' }, isStale), [DEPTH.text])
})

const MEASURES: Measures = {
  score: (id) => (id === DEPTH.id ? 9 : 0),
  ratio: (id) => ({ [REQUESTS.id]: 1.1, [LATENCY.id]: 0.25 })[id] ?? Number.NaN,
  rate: (id) => ({ [REQUESTS.id]: 500, [LATENCY.id]: 90 })[id] ?? Number.NaN,
  p99: (id) => (id === LATENCY.id ? 0.2 : Number.NaN),
}

test('orders put the largest first and names where nothing else decides', () => {
  const sorted = (sort: string): string[] =>
    texts(sortEntries([LATENCY, REQUESTS, DEPTH], sort, MEASURES))
  assert.deepEqual(sorted('name'), texts([LATENCY, REQUESTS, DEPTH]))
  assert.deepEqual(sorted('unusual'), texts([DEPTH, LATENCY, REQUESTS]))
  assert.deepEqual(sorted('rate'), texts([REQUESTS, LATENCY, DEPTH]))
  assert.deepEqual(sorted('change'), texts([LATENCY, REQUESTS, DEPTH]))
  assert.deepEqual(sorted('p99'), texts([LATENCY, REQUESTS, DEPTH]))
})

test('groups are made by prefix, dialect, kind, or any label', () => {
  const keys = (by: string): string[] =>
    groupEntries([REQUESTS, LATENCY, DEPTH], by, (name) => name.toUpperCase()).map((g) => g.key)
  assert.deepEqual(keys('prefix'), ['api', 'queue'])
  assert.deepEqual(keys('source'), ['SCOPE', 'STATSHERO'])
  assert.deepEqual(keys('kind'), ['counter', 'gauge', 'histogram'])
  assert.deepEqual(keys('none'), ['All series'])
  assert.deepEqual(keys('label:queue'), ['email', 'without queue'])
})

test('a label with more than 200 values is named', () => {
  const crowd = Array.from({ length: 201 }, (_, i) => entry('session', { user: `${i}`, app: 'a' }))
  assert.deepEqual(crowdedLabel({ key: 'session', entries: crowd }), { key: 'user', count: 201 })
  assert.equal(crowdedLabel({ key: 'session', entries: crowd.slice(1) }), undefined)
})

test('labels to group by are offered by frequency', () => {
  assert.deepEqual(labelNames([REQUESTS, REQUESTS, LATENCY]), ['method', 'status', 'route'])
})

test('the hub finds by its words all that a filter matches here', () => {
  const filters = [
    'api',
    'api.*s',
    'METHOD=get',
    'method=E*',
    'route=ay',
    'kind=hist',
    'api{route=/pay}',
  ]
  for (const q of [...filters, 'dialect=sco', 'type=m', 'source=scope', 'status=200 re*ts', '  ']) {
    const isMatch = seriesFilter({ filter: hubWords(q) })
    const found = ALL.filter(({ info: { name, labels, kind, dialect } }) =>
      isMatch({ kind, identity: { name, labels, kind }, metadata: { dialect } }),
    )
    for (const text of select({ q })) assert.ok(texts(found).includes(text), `${q}: ${text}`)
  }
  assert.equal(hubWords('api.* route=/a*b type=m'), 'api. route= /a b')
})
