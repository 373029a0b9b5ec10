import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { find } from './search.ts'

const items = (...texts: string[]) => texts.map((text) => ({ search: text.toLowerCase(), text }))
const texts = (query: string, all: readonly { search: string; text: string }[], limit = 9) =>
  find(query, all, limit).shown.map(({ text }) => text)

test('all words have to stand in a text, in any order and case', () => {
  const all = items('checkout.latency{route=/pay}', 'checkout.errors', 'api.latency')
  assert.deepEqual(texts('PAY checkout', all), ['checkout.latency{route=/pay}'])
  assert.deepEqual(texts('checkout none', all), [])
})

test('texts that begin with it come first, then parts, then the short ones', () => {
  const all = items('xqueue', 'my.queue.depth', 'a.queue', 'queue.long.name', 'queue.depth')
  assert.deepEqual(texts('queue', all), [
    ...['queue.depth', 'queue.long.name', 'a.queue', 'my.queue.depth', 'xqueue'],
  ])
})

test('without words all stand in their order, no more than asked for, and all are counted', () => {
  const all = items('c', 'b', 'a')
  assert.deepEqual(find('  ', all, 2), { shown: all.slice(0, 2), count: 3 })
})

test('what is listed is the beginning of the whole order', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', '.', '='), maxLength: 6 })
  holds(
    fc.property(fc.array(word, { maxLength: 40 }), word, (list, query) => {
      const all = items(...list)
      const whole = find(query, all, 1000)
      const some = find(query, all, 5)
      assert.deepEqual(some.shown, whole.shown.slice(0, 5))
      assert.equal(some.count, whole.count)
      assert.equal(whole.count, all.filter(({ search }) => search.includes(query)).length)
    }),
  )
})
