import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { DENSITIES, KINDS, OVERVIEW, type OverviewState } from '../overview/address.ts'
import { SERIES, type SeriesState } from '../series/address.ts'
import { SOURCES } from '../sources/address.ts'
import { formatRoute, parseLocation } from './route.ts'
import type { Route } from './view.ts'

const SCREENS = [{ address: OVERVIEW }, { address: SERIES }, { address: SOURCES }]
const SHARED = { window: 60, at: null, per: '', tables: false } as const
const STANDARD: Route = { address: OVERVIEW, state: OVERVIEW.standard, ...SHARED }

function overview(state: Partial<OverviewState>, shared = {}): Route {
  return { ...STANDARD, state: { ...OVERVIEW.standard, ...state }, ...shared }
}

function series(state: Partial<SeriesState>, shared = {}): Route {
  return { ...STANDARD, address: SERIES, state: { ...SERIES.standard, ...state }, ...shared }
}

/** What a browser makes of a link. */
function visit(link: string): Route {
  const url = new URL(link, 'http://127.0.0.1:4000')
  return parseLocation(SCREENS, url).route
}

test('the plain overview has the shortest link', () => {
  assert.equal(formatRoute(STANDARD), '/')
  assert.deepEqual(visit('/'), STANDARD)
})

test('only what differs from the standard is written', () => {
  assert.equal(formatRoute(overview({ density: 'lines', q: 'api' })), '/?q=api&density=lines')
  assert.equal(formatRoute({ ...STANDARD, address: SOURCES, state: { q: 'api' } }), '/sources')
  assert.equal(visit('/sources').address, SOURCES)
})

test('the link of a series is readable', () => {
  const route = series({ series: 'checkout.latency{route=/pay}' }, { window: 300 })
  assert.equal(formatRoute(route), '/series/checkout.latency{route=/pay}?window=300')
  assert.deepEqual(visit(formatRoute(route)), route)
})

test('a held picture carries the end of its window', () => {
  const at = Date.UTC(2026, 5, 11, 14, 3, 22) / 1000
  assert.equal(formatRoute({ ...STANDARD, at }), '/?at=2026-06-11T14%3A03%3A22Z')
  assert.equal(visit('/?at=2026-06-11T14:03:22Z').at, at)
})

test('what rates are stated per is part of the link, unless it is what senders say', () => {
  assert.equal(formatRoute({ ...STANDARD, per: 'min' }), '/?per=min')
  assert.deepEqual(visit('/?per=h'), overview({}, { per: 'h' }))
  assert.deepEqual(visit('/?per=day'), STANDARD)
})

test('a name that looks like an escaped dot is not taken for the dot', () => {
  for (const name of ['%2E', '.', '..', '%2E%2E', '%252E', '.%2E', 'a/./%2E', 'x%2Ey']) {
    const { state } = visit(formatRoute(series({ series: name })))
    assert.equal((state as SeriesState).series, name)
  }
})

test('what a link says wrongly falls back to the standard', () => {
  assert.deepEqual(visit('/?window=soon&kind=metre&sort=up&density=tight&at=never'), STANDARD)
  assert.equal(visit('/?window=3').window, 5)
  assert.equal(visit('/?window=86400').window, 86_400)
  assert.equal(visit('/?window=1e12').window, 157_680_000)
  assert.equal(visit('/elsewhere').address, OVERVIEW)
  assert.equal(visit('/sources/elsewhere').address, OVERVIEW)
  assert.equal(visit('/series/').address, OVERVIEW)
  assert.deepEqual(visit('/series/100%').state, { ...SERIES.standard, series: '100%' })
})

test('every state survives its link', () => {
  const word = fc.string({ unit: 'grapheme', maxLength: 24 })
  const dots = fc.array(fc.constantFrom('.', '%2E', '%25', '/', '2E', 'a'), { minLength: 1 })
  const text = fc.string({ minLength: 1, maxLength: 24 })
  const name = fc.oneof(
    text,
    dots.map((parts) => parts.join('')),
  )
  const shared = fc.record({
    window: fc.integer({ min: 5, max: 3600 }),
    at: fc.option(fc.integer({ min: 1, max: 4_000_000_000 })),
    tables: fc.boolean(),
  })
  const kind = fc.constantFrom('' as const, ...KINDS)
  const before = fc.integer({ min: 0, max: 1200 })
  const one = fc.record({ series: name, kind, type: word, before })
  const all = fc.record({
    q: word,
    kind,
    source: word,
    group: word.filter((text) => text !== ''),
    sort: fc.constantFrom('unusual', 'name', 'rate', 'change', 'p99'),
    density: fc.constantFrom(...DENSITIES),
  })
  holds(
    fc.property(shared, all, one, (shared, all, one) => {
      for (const route of [overview(all, shared), series(one, shared)]) {
        assert.deepEqual(visit(formatRoute(route)), route)
      }
    }),
  )
})
