import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NO_PLACE } from './address.ts'
import { placeOfKey, viewAddress } from './requests.ts'

const LIVE = { window: 60, at: null }

function queryOf(address: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(address.slice(address.indexOf('?'))))
}

test('a view asks for what its place names, and leaves out what it adds up', () => {
  const place = { ...NO_PLACE, application: 'a&b', pipeline: 'Orders', name: 'Check Order' }
  assert.deepEqual(queryOf(viewAddress(place, LIVE)), {
    application: 'a&b',
    category: 'computation',
    pipeline: 'Orders',
    name: 'Check Order',
    seconds: '60',
  })
})

test('an empty name is asked for as such', () => {
  const place = { ...NO_PLACE, application: '', worker: '' }
  const query = queryOf(viewAddress(place, LIVE))
  assert.deepEqual([query.application, query.worker], ['', ''])
  assert.equal(query.category, 'node-ingress-egress')
})

test('a held picture asks for the window that ends there', () => {
  const address = viewAddress({ ...NO_PLACE, application: 'a' }, { window: 300, at: 1_700_000_000 })
  assert.equal(queryOf(address).to, '1700000000000')
  assert.equal(queryOf(address).seconds, '300')
})

test('the place of a row names a category only where its levels do not tell it', () => {
  const place = placeOfKey('a', { category: 'start-to-end', pipeline: 'p', worker: 'w' })
  assert.equal(place.category, '')
  assert.deepEqual([place.pipeline, place.worker, place.name], ['p', 'w', null])
  const other = placeOfKey('a', { category: 'node-ingress-egress', pipeline: 'p', worker: 'w' })
  assert.equal(other.category, 'node-ingress-egress')
  const odd = { category: 'queueing', pipeline: 'p', worker: 'w', name: 'n' }
  assert.equal(queryOf(viewAddress(placeOfKey('a', odd), LIVE)).category, 'queueing')
})
