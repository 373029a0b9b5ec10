import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { sha256Start } from './sha256.ts'

test('the hash is that of the standard, for messages of every length up to several blocks', () => {
  // FIPS 180-4, example of one block: 'abc'
  assert.equal(sha256Start(Buffer.from('abc')), 0xba7816bf8f01)
  for (let size = 0; size <= 200; size++) {
    const bytes = Uint8Array.from({ length: size }, (_, i) => (i * 151 + size) & 0xff)
    assert.equal(sha256Start(bytes), hash('sha256', bytes, 'buffer').readUIntBE(0, 6), `${size}`)
  }
})
