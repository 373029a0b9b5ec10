/** Metadata: what a counter takes, how it is written and read. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../../test/support/property.ts'
import type { Profile } from '../../decoder.ts'
import type { MetaData } from '../window.ts'
import { buildMetaData, checkPair, parseMetaData } from './metadata.ts'

const PROFILES: readonly Profile[] = ['document', 'peer']

test('a null value is the empty text, and a key that is there already is refused', () => {
  for (const profile of PROFILES) {
    assert.deepEqual(checkPair([], 'k', null, profile), ['k', ''])
    assert.deepEqual(checkPair([['K', '']], 'k', 'v', profile), ['k', 'v'])
    assert.throws(() => checkPair([['k', '']], 'k', 'v', profile), TypeError)
  }
})

test('the document refuses what its spelling could not give back, the peer nothing of it', () => {
  const refused = [
    ['', 'v'],
    ['DisplayUnits', 'B'],
    ['a,b', ''],
    ['a=b', ''],
    ['a:b', ''],
    ['k', 'a,b'],
    ['k', 'a=b'],
  ] as const
  for (const [key, value] of refused) {
    assert.throws(() => checkPair([], key, value, 'document'), TypeError, key)
    assert.deepEqual(checkPair([], key, value, 'peer'), [key, value])
  }
  assert.deepEqual(checkPair([], 'k', 'a:b', 'document'), ['k', 'a:b'])
})

test('keys and values are texts of at most 512 units without U+0000, 8192 bytes in all', () => {
  const long = 'x'.repeat(512)
  for (const profile of PROFILES) {
    assert.deepEqual(checkPair([], long, long, profile), [long, long])
    assert.throws(() => checkPair([], `${long}x`, '', profile), RangeError)
    assert.throws(() => checkPair([], 'k', `${long}x`, profile), RangeError)
    assert.throws(() => checkPair([], 'k\0', '', profile), RangeError)
    assert.throws(() => checkPair([], 5 as unknown as string, '', profile), TypeError)
    assert.throws(() => checkPair([], 'k', 5 as unknown as string, profile), TypeError)
    // 15 pairs of [1 + "=" + 509 bytes of UTF-8] and 14 commas are 7679 bytes.
    const pairs = Array.from({ length: 15 }, (_, i): [string, string] => {
      return [i.toString(16), `x${'é'.repeat(254)}`]
    })
    const room = 8192 - 7680
    assert.ok(checkPair(pairs, 'k', 'x'.repeat(room - 2), profile))
    assert.throws(() => checkPair(pairs, 'k', 'x'.repeat(room - 1), profile), RangeError)
  }
})

test('the document carries the unit as its last pair, the peer in a field of its own', () => {
  assert.equal(buildMetaData([['a', '1']], 'MB', 'document'), 'a=1,DisplayUnits=MB')
  assert.equal(buildMetaData([], 'MB', 'document'), 'DisplayUnits=MB')
  assert.equal(buildMetaData([['a', '1']], 'MB', 'peer'), 'a:1')
  assert.deepEqual(parseMetaData('DisplayUnits=MB,a=1', 'document'), {
    pairs: [['a', '1']],
    units: 'MB',
    malformed: 0,
  })
  const { pairs, units } = parseMetaData('DisplayUnits:MB', 'peer')
  assert.deepEqual([pairs, units], [[['DisplayUnits', 'MB']], undefined])
})

test('a piece without a separator continues the value before it, comma included', () => {
  const read = (text: string) => parseMetaData(text, 'peer')
  assert.deepEqual(read('k:a,b,,c,l:d,').pairs, [
    ['k', 'a,b,,c'],
    ['l', 'd,'],
  ])
  assert.deepEqual(read('k:a:b:c,l::').pairs, [
    ['k', 'a:b:c'],
    ['l', ':'],
  ])
})

test('what has no key is dropped and counted with what continues it', () => {
  const counts = (text: string) => {
    const { pairs, malformed } = parseMetaData(text, 'document')
    return [Object.fromEntries(pairs), malformed]
  }
  assert.deepEqual(counts('plain'), [{}, 1])
  assert.deepEqual(counts(','), [{}, 1])
  assert.deepEqual(counts('plain,text,k=v'), [{ k: 'v' }, 1])
  assert.deepEqual(counts('=v,x,k=w,=,l=z'), [{ k: 'w', l: 'z' }, 2])
  assert.deepEqual(counts(`${'k'.repeat(513)}=v,l=w`), [{ l: 'w' }, 1])
  assert.deepEqual(counts('k=\0,l=w'), [{ l: 'w' }, 1])
})

test('of a repeated key the last value stays, where the first was, and the others count', () => {
  const { pairs, malformed } = parseMetaData('k:a,l:b,k:c,d,k:', 'peer')
  assert.deepEqual(pairs, [
    ['k', ''],
    ['l', 'b'],
  ])
  assert.equal(malformed, 2)
})

test('a text of a million pieces is read in one pass', () => {
  const many = 1_000_000
  assert.equal(parseMetaData(`k:${','.repeat(many)}`, 'peer').malformed, 1)
  assert.equal(parseMetaData(','.repeat(many), 'peer').malformed, 1)
  assert.equal(parseMetaData('k:,'.repeat(many), 'peer').malformed, many - 1)
  assert.equal(parseMetaData(`${','.repeat(many)}k:${','.repeat(100)}`, 'peer').pairs.length, 1)
})

test('what a counter of the document’s profile takes is read back in both spellings', () => {
  const text = fc.string({ unit: fc.constantFrom(...'ab:=, DisplayUnits'), maxLength: 12 })
  holds(
    fc.property(fc.array(fc.tuple(text, text)), fc.constantFrom(...PROFILES), (all, profile) => {
      const pairs = takenBy('document', all)
      const written = buildMetaData(pairs, '', profile)
      assert.deepEqual(parseMetaData(written, profile).pairs, pairs)
    }),
    1000,
  )
})

test('whatever text is read, what was read is written and read the same', () => {
  const text = fc.string({ unit: fc.constantFrom(...'abc=:,'), maxLength: 30 })
  holds(
    fc.property(text, fc.constantFrom(...PROFILES), (written, profile) => {
      const { pairs, units = '' } = parseMetaData(written, profile)
      const again = parseMetaData(buildMetaData(pairs, units, profile), profile)
      assert.deepEqual(again.pairs, pairs)
      assert.equal(again.malformed, 0)
    }),
    2000,
  )
})

/** The pairs that a counter has after all were offered. */
function takenBy(profile: Profile, offered: MetaData): MetaData {
  const pairs: (readonly [string, string])[] = []
  for (const [key, value] of offered) {
    try {
      pairs.push(checkPair(pairs, key, value, profile))
    } catch (error) {
      assert.ok(error instanceof TypeError)
    }
  }
  return pairs
}
