import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHashKey, keyedHash } from './keyed-hash.ts'

/** Of the reference implementation: inputs 00, 00 01, … under the key 00 01 … 07. */
const REFERENCE = [
  'a9359f5b 27475ab8 fa62a603 8afee704 2a6e4689 c5fab669 5863fc23 8bcf63c5',
  'd0b8848f f806e779 94b07934 08083050 57f0872f 77e663ff d6fff87c 74fe2b97',
]
  .join(' ')
  .split(' ')

test('the hash is that of the reference implementation', () => {
  const bytes = Uint8Array.from({ length: 20 }, (_, i) => i - 2)
  for (const [length, expected] of REFERENCE.entries()) {
    const hash = Buffer.alloc(4)
    hash.writeInt32LE(keyedHash(bytes, 2, 2 + length, [0x03020100, 0x07060504]))
    assert.equal(hash.toString('hex'), expected, `${length} bytes`)
  }
})

test('names that meet under one key are scattered by another', () => {
  const known = createHashKey()
  const names = Array.from({ length: 200_000 }, (_, i) => Buffer.from(`name.${i}`))
  const chosen = names.filter((name) => (keyedHash(name, 0, name.length, known) & 0xff) === 0)
  assert.ok(chosen.length > 600)
  const places = chosen.map((name) => keyedHash(name, 0, name.length) & 0xff)
  // 256 (1 - e^(-781 / 256)) = 244 places
  assert.ok(new Set(places).size > 200)
})
