import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../../test/support/property.ts'
import { addWord, hashKey, mayEndKey } from './key-hash.ts'

const encoder = new TextEncoder()

function wordOf(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getInt32(0, true)
}

test('no word that ends a key is taken for another one', () => {
  const byte = fc.oneof(
    fc.constantFrom(...encoder.encode('\n:|\v9;{}'), 0, 0x7f, 0x80, 0xff),
    fc.integer({ min: 0, max: 255 }),
  )
  holds(
    fc.property(fc.array(byte, { minLength: 4, maxLength: 4 }), (bytes) => {
      const isEnd = bytes.some((each) => [0x0a, 0x3a, 0x7c].includes(each))
      const isTakenForOne = bytes.some((each) => [0x1a, 0x2a].includes(each))
      const word = wordOf(new Uint8Array(bytes))
      assert.equal(mayEndKey(word), isEnd || isTakenForOne)
    }),
    2000,
  )
})

test('a hash is that of the little-endian words, the last one filled up with zeros', () => {
  const key = encoder.encode('requests.x')
  const words = [0, 4].map((at) => wordOf(key.subarray(at)))
  const expected = [...words, 0x782e].reduce(addWord, 7)
  assert.equal(hashKey(key, 0, key.length, 7), expected)
})

const NAMES: Record<string, (i: number) => string> = {
  'number in the middle': (i) => `app.service.m${String(i).padStart(6, '0')}.requests`,
  'number at the end': (i) => `requests.${i}`,
  'number in front': (i) => `${i}.app`,
  'two numbers': (i) => `svc${i % 100}.m${Math.floor(i / 100)}`,
}

for (const [shape, name] of Object.entries(NAMES)) {
  test(`a hundred thousand usual names spread as by chance: ${shape}`, () => {
    const hashes = Array.from({ length: 100_000 }, (_, i) => {
      const key = encoder.encode(name(i))
      return hashKey(key, 0, key.length, 7)
    })
    // 100,000^2 / 2^33 = 1.2 pairs with one hash; 2^17 (1 - e^(-100,000 / 2^17)) = 69,950 places
    assert.ok(new Set(hashes).size >= 99_990)
    const places = new Set(hashes.map((hash) => hash & 0x1ffff))
    assert.ok(Math.abs(places.size - 69_950) < 700, `${places.size} places`)
  })
}
