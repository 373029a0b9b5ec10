import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../../test/support/property.ts'
import { OVERVIEW } from '../../../web/overview/address.ts'
import { formatRoute, parseLocation } from '../../../web/shell/route.ts'
import type { Route } from '../../../web/shell/view.ts'
import {
  latencyText,
  NO_PLACE,
  type Place,
  parseLatency,
  WALLAROO,
  type WallarooState,
} from './address.ts'

function shown(state: Partial<WallarooState>): Route {
  const all = { ...WALLAROO.standard, ...state }
  return { address: WALLAROO, state: all, window: 60, at: null, per: '', tables: false }
}

/** What a browser makes of a link. */
function visit(link: string): Route {
  const url = new URL(link, 'http://127.0.0.1:4000')
  return parseLocation([{ address: OVERVIEW }, { address: WALLAROO }], url).route
}

test('the link of a place in a pipeline names its levels, and - those it skips', () => {
  const link = (place: Partial<Place>): string =>
    formatRoute(shown({ place: { ...NO_PLACE, ...place } }))
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
  holds(
    fc.property(place, (place) => {
      assert.deepEqual((visit(formatRoute(shown({ place }))).state as WallarooState).place, place)
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

test('mode, order and limit are part of the links', () => {
  const place: Place = { ...NO_PLACE, application: 'a' }
  const route = shown({ place, mode: 'compatible', order: 'p99', aboveNs: 10_000_000 })
  const link = formatRoute(route)
  assert.equal(link, '/wallaroo/a?mode=compatible&order=p99&above=10ms')
  assert.deepEqual(visit(link), route)
})
