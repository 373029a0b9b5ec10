import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  DENSITIES,
  formatRoute,
  KINDS,
  latencyText,
  NO_PLACE,
  type Place,
  parseLatency,
  parseRoute,
  type Route,
  SORTS,
  STANDARD,
} from './route.ts'

/** What a browser makes of a link. */
function visit(link: string): Route {
  const url = new URL(link, 'http://127.0.0.1:4000')
  return parseRoute(url.pathname, url.search)
}

test('the plain overview has the shortest link', () => {
  assert.equal(formatRoute(STANDARD), '/')
  assert.deepEqual(visit('/'), STANDARD)
})

test('only what differs from the standard is written', () => {
  assert.equal(formatRoute({ ...STANDARD, density: 'lines', q: 'api' }), '/?q=api&density=lines')
  assert.equal(formatRoute({ ...STANDARD, view: 'sources', q: 'api' }), '/sources')
})

test('the link of a series is readable', () => {
  const route: Route = {
    ...STANDARD,
    view: 'series',
    series: 'checkout.latency{route=/pay}',
    window: 300,
  }
  assert.equal(formatRoute(route), '/series/checkout.latency{route=/pay}?window=300')
  assert.deepEqual(visit(formatRoute(route)), route)
})

test('a held picture carries the end of its window', () => {
  const at = Date.UTC(2026, 5, 11, 14, 3, 22) / 1000
  assert.equal(formatRoute({ ...STANDARD, at }), '/?at=2026-06-11T14%3A03%3A22Z')
  assert.equal(visit('/?at=2026-06-11T14:03:22Z').at, at)
})

test('a name that looks like an escaped dot is not taken for the dot', () => {
  for (const series of ['%2E', '.', '..', '%2E%2E', '%252E', '.%2E', 'a/./%2E', 'x%2Ey']) {
    const route: Route = { ...STANDARD, view: 'series', series }
    assert.equal(visit(formatRoute(route)).series, series)
  }
})

test('the link of a place in a pipeline names its levels, and - those it skips', () => {
  const link = (place: Partial<Place>): string =>
    formatRoute({ ...STANDARD, view: 'wallaroo', place: { ...NO_PLACE, ...place } })
  const application = 'market-spread'
  assert.equal(link({}), '/wallaroo')
  assert.equal(link({ application }), '/wallaroo/market-spread')
  assert.equal(
    link({ application, pipeline: 'Orders', name: 'Check Order' }),
    '/wallaroo/market-spread/Orders/-/Check%20Order',
  )
  assert.equal(
    link({ application, worker: 'w', category: 'other' }),
    '/wallaroo/market-spread/-/w?category=other',
  )
})

test('every place survives its link, whatever names are made of', () => {
  const odd = fc.constantFrom('', '-', '~', '~-', '.', '..', '~.', '/', '%', '%2E', '?', '#', 'a b')
  const name = fc.oneof(odd, fc.string({ unit: 'grapheme', maxLength: 12 }))
  const level = fc.option(name)
  const place = fc.record(
    {
      application: level,
      pipeline: level,
      worker: level,
      name: level,
      category: name,
    },
    { noNullPrototype: true },
  )
  fc.assert(
    fc.property(place, (place) => {
      assert.deepEqual(visit(formatRoute({ ...STANDARD, view: 'wallaroo', place })).place, place)
    }),
  )
})

test('what a link says wrongly falls back to the standard', () => {
  assert.deepEqual(visit('/?window=soon&kind=metre&sort=up&density=tight&at=never'), STANDARD)
  assert.equal(visit('/?window=3').window, 10)
  assert.equal(visit('/?window=86400').window, 600)
  assert.equal(visit('/elsewhere').view, 'overview')
  assert.equal(visit('/series/').view, 'overview')
  assert.equal(visit('/series/100%').series, '100%')
})

test('every state survives its link', () => {
  const word = fc.string({ unit: 'grapheme', maxLength: 24 })
  const dots = fc.array(fc.constantFrom('.', '%2E', '%25', '/', '2E', 'a'), { minLength: 1 })
  const text = fc.string({ minLength: 1, maxLength: 24 })
  const name = fc.oneof(
    text,
    dots.map((parts) => parts.join('')),
  )
  const route = fc.record({
    window: fc.integer({ min: 10, max: 600 }),
    at: fc.option(fc.integer({ min: 1, max: 4_000_000_000 })),
    q: word,
    kind: fc.constantFrom('' as const, ...KINDS),
    type: word,
    source: word,
    group: word.filter((text) => text !== ''),
    sort: fc.constantFrom(...SORTS),
    density: fc.constantFrom(...DENSITIES),
  })
  fc.assert(
    fc.property(route, name, (part, series) => {
      const overview: Route = { ...STANDARD, ...part }
      assert.deepEqual(visit(formatRoute(overview)), overview)
      const { window, at, kind, type } = part
      const one: Route = { ...STANDARD, window, at, kind, type, view: 'series', series }
      assert.deepEqual(visit(formatRoute(one)), one)
    }),
  )
})

test('latencies in links have the largest unit that they are a whole number of', () => {
  for (const [ns, words] of [
    [10_000_000, '10ms'],
    [250_000, '250us'],
    [1_000_000_000, '1s'],
    [1_500_000_000, '1500ms'],
    [7, '7ns'],
  ] as const) {
    assert.equal(latencyText(ns), words)
    assert.equal(parseLatency(words), ns)
  }
  for (const words of ['', '0ms', '-1ms', '10', '1h', '1.5ms', '999999999999s']) {
    assert.equal(parseLatency(words), null, words)
  }
})

test('mode, order and limit are part of the links of Wallaroo alone', () => {
  const place: Place = { ...NO_PLACE, application: 'a' }
  const state = { mode: 'compatible', order: 'p99', aboveNs: 10_000_000 } as const
  const link = formatRoute({ ...STANDARD, view: 'wallaroo', place, ...state })
  assert.equal(link, '/wallaroo/a?mode=compatible&order=p99&above=10ms')
  assert.deepEqual(visit(link), { ...STANDARD, view: 'wallaroo', place, ...state })
  assert.equal(formatRoute({ ...STANDARD, ...state }), '/')
})
