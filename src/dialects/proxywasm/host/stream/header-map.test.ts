import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../../../test/support/property.ts'
import { HeaderMap, parsePairs } from './header-map.ts'

const text = fc.string({ unit: 'grapheme' })
const pairs = fc.array(fc.tuple(text, text))

test('a map reads back as it was serialized', () => {
  holds(
    fc.property(pairs, (list) => {
      assert.deepEqual(parsePairs(new HeaderMap(list).serialize()), list)
    }),
  )
})

test('one pair is laid out as the ABI has it', () => {
  const bytes = new HeaderMap([['ab', 'c']]).serialize()
  const expected = [1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0x61, 0x62, 0, 0x63, 0]
  assert.deepEqual([...bytes], expected)
})

test('no bytes are an empty map, and cut or invented sizes are none', () => {
  assert.deepEqual(parsePairs(new Uint8Array(0)), [])
  const whole = new HeaderMap([
    ['name', 'value'],
    ['a', ''],
  ]).serialize()
  for (let size = 1; size < whole.length; size++) {
    assert.equal(parsePairs(whole.subarray(0, size)), undefined, `cut at ${size}`)
  }
  for (const at of [0, 4, 8]) {
    const bad = whole.slice()
    bad.fill(0xff, at, at + 4)
    assert.equal(parsePairs(bad), undefined, `size at ${at}`)
  }
})

test('whatever arrives is read or refused', () => {
  holds(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      const list = parsePairs(bytes)
      if (list !== undefined) assert.ok(list.length * 10 <= bytes.length)
    }),
    1_000,
  )
})

test('names are found without regard to case, repeated values are joined', () => {
  const map = new HeaderMap([
    ['Accept', 'a'],
    ['host', 'h'],
    ['accept', 'b'],
  ])
  assert.equal(map.get('ACCEPT'), 'a, b')
  assert.equal(map.get('missing'), undefined)
  map.remove('accept')
  assert.deepEqual(map.pairs, [['host', 'h']])
})

test('replacing keeps the place of the first and takes the others away', () => {
  const map = new HeaderMap([
    ['A', '1'],
    ['b', '2'],
    ['a', '3'],
  ])
  assert.equal(map.replace('a', 'new'), true)
  assert.equal(map.replace('c', '4'), true)
  assert.deepEqual(map.pairs, [
    ['A', 'new'],
    ['b', '2'],
    ['c', '4'],
  ])
})

test('a map does not grow beyond 16 MiB, and stays as it was', () => {
  const map = new HeaderMap()
  const value = 'v'.repeat(1_000_000)
  let added = 0
  while (map.add('n', value)) added++
  assert.equal(added, 16)
  assert.equal(map.replace('n', 'w'.repeat(17_000_000)), false)
  assert.equal(map.set([['n', 'w'.repeat(17_000_000)]]), false)
  assert.equal(map.count, 16)
  map.remove('n')
  assert.equal(map.add('n', value), true)
})
