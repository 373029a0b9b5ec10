/** Lists of counters, and what they let through. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../../test/support/property.ts'
import { FILTER_FAULTS } from '../test/filter-faults.ts'
import { FilterError, matchesCounter, matchesProvider, parseFilter } from './filter.ts'

function refused(text: string): string {
  try {
    return JSON.stringify(parseFilter(text))
  } catch (error) {
    assert.ok(error instanceof FilterError)
    return error.message
  }
}

test('spaces before a provider are skipped, all others are part of names', () => {
  assert.deepEqual(parseFilter('  A , B[ x, y ]'), [
    { provider: 'A ', counters: [], type: 'All' },
    { provider: 'B', counters: [' x', ' y '], type: 'All' },
  ])
})

test('every fault has the words of dotnet-counters', () => {
  for (const text of ['', ' ', ',', 'A,,B', 'A, ,B', '[x]', 'A,[x]', 'EventCounters\\']) {
    assert.equal(refused(text), FILTER_FAULTS.empty, text)
  }
  for (const text of ['A[', 'A[x', 'A[x,B', 'A[x][y']) {
    assert.equal(refused(text), FILTER_FAULTS.open, text)
  }
  for (const text of ['A[x]y', 'A[x] ', 'A[]x,B']) {
    assert.equal(refused(text), FILTER_FAULTS.trailing, text)
  }
  for (const text of ['A[x][y]', 'A[[]', 'System.Runtime[cpu-usage][working-set],B']) {
    assert.equal(refused(text), FILTER_FAULTS.twice, text)
  }
  for (const text of ['A,EventCounters\\A', 'EventCounters\\A[x],B,A[y]']) {
    assert.equal(refused(text), FILTER_FAULTS.prefix, text)
  }
})

test('the same provider again is united, and all once it had no list', () => {
  assert.deepEqual(parseFilter('A[x,x],B,A[y],A[x,z]')[0]?.counters, ['x', 'y', 'z'])
  assert.deepEqual(parseFilter('A[x],A,A[y]')[0]?.counters, [])
  assert.deepEqual(parseFilter('A[,],A[y]')[0]?.counters, [])
  assert.equal(parseFilter('EventCounters\\A,EventCounters\\A[x]')[0]?.type, 'EventCounter')
})

test('a provider is matched without regard to case, a counter exactly', () => {
  const filter = parseFilter('Shop[orders],shop[carts],Other')
  assert.ok(matchesCounter(filter, 'SHOP', 'orders'))
  assert.ok(matchesCounter(filter, 'shop', 'carts'))
  assert.ok(!matchesCounter(filter, 'Shop', 'Orders'))
  assert.ok(matchesCounter(filter, 'other', 'anything'))
  assert.ok(!matchesCounter(filter, 'Others', 'anything'))
  assert.ok(matchesProvider(filter, 'oTHER') && !matchesProvider(filter, ''))
})

test('without a filter everything passes', () => {
  assert.ok(matchesProvider(undefined, 'any') && matchesCounter(undefined, 'any', 'any'))
})

test('a list of a million providers is read in one pass', () => {
  const many = 1_000_000
  assert.equal(parseFilter(`${'A[x],'.repeat(many)}A[y]`).length, 1)
  assert.equal(refused('['.repeat(many)), FILTER_FAULTS.empty)
  assert.equal(refused(`A${'['.repeat(many)}`), FILTER_FAULTS.open)
})

test('every list that is taken, written again in one order, is taken as the same', () => {
  const letters = fc.string({ unit: fc.constantFrom(...'AaxE, []\\'), maxLength: 24 })
  const prefixed = letters.map((text) => text.replaceAll('E', 'EventCounters\\'))
  holds(
    fc.property(prefixed, (text) => {
      const parsed = refused(text)
      if (Object.values<string>(FILTER_FAULTS).includes(parsed)) return
      const groups = parseFilter(text)
      const written = groups.map(({ provider, counters, type }) => {
        const list = counters.length === 0 ? '' : `[${counters.join(',')}]`
        return `${type === 'All' ? '' : 'EventCounters\\'}${provider}${list}`
      })
      // A name that a second prefix hides, or one with ] inside, cannot be told from the grammar.
      if (written.some((each) => /\\.*\\|\].*\]/.test(each))) return
      assert.deepEqual(parseFilter(written.join(',')), groups)
    }),
    3000,
  )
})

test('a counter is let through where one group has its provider, and its name or none', () => {
  const name = fc.constantFrom('a', 'A', 'b', 'toString', '__proto__')
  const group = fc.record({
    provider: name,
    counters: fc.array(name, { maxLength: 3 }),
    type: fc.constant('All' as const),
  })
  holds(
    fc.property(fc.array(group, { maxLength: 5 }), name, name, (filter, provider, counter) => {
      const groups = filter.filter((each) => each.provider.toLowerCase() === provider.toLowerCase())
      assert.equal(matchesProvider(filter, provider), groups.length > 0)
      assert.equal(
        matchesCounter(filter, provider, counter),
        groups.some(({ counters }) => counters.length === 0 || counters.includes(counter)),
      )
    }),
    1000,
  )
})
