import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keyedHash } from './keyed-hash.ts'
import { createWordSecrets, hashWords, type WordSecrets } from './word-hash.ts'

/** Secrets that are none, so that every run tries the same. */
function secretsOf(seed: number): WordSecrets {
  return Int32Array.from({ length: 16_384 }, (_, i) => {
    const text = Buffer.from(`${i}`)
    return keyedHash(text, 0, text.length, [seed, 0])
  })
}

function hashesOf(keys: readonly Buffer[], secrets: WordSecrets): number[] {
  return keys.map((key) => hashWords(key, 0, key.length, secrets))
}

/** What such a chain gives, from a beginning that is a secret or none. */
function chained(key: Buffer, seed: number): number {
  return new Int32Array(key.buffer, key.byteOffset, key.length / 4).reduce((hash, word) => {
    const product = Math.imul(hash ^ word, 0x9e3779b1)
    return product ^ (product >>> 15)
  }, seed)
}

/** How many there are of the most frequent one. */
function mostOf(hashes: readonly number[]): number {
  const groups = Map.groupBy(hashes, (hash) => hash)
  return Math.max(...Array.from(groups.values(), ({ length }) => length))
}

test('differences that cancel each other in a chain of multiplications do not do so here', () => {
  const keys = Array.from({ length: 4096 }, (_, flips) => {
    const words = Array.from({ length: 24 }, (_, i) => {
      if (((flips >>> (i >>> 1)) & 1) === 0) return 0x61616161
      return 0x61616161 ^ (i % 2 === 0 ? 0x80000000 : 0x80010000)
    })
    return Buffer.from(Int32Array.from(words).buffer)
  })
  for (const seed of [0, 1, 0x12345678]) {
    assert.equal(mostOf(keys.map((key) => chained(key, seed))), keys.length)
    assert.ok(mostOf(hashesOf(keys, secretsOf(seed))) <= 4)
  }
})

test('who knows the secrets makes keys of one hash, and they are scattered by others', () => {
  const known = createWordSecrets()
  // a low half that its secret makes zero hides the high one
  const low = -known[0]! & 0xffff
  const keys = Array.from({ length: 1000 }, (_, i) => {
    return Buffer.from(Int32Array.of((i << 16) | low, 0x61626364).buffer)
  })
  assert.equal(mostOf(hashesOf(keys, known)), keys.length)
  const other = createWordSecrets()
  other[0] = known[0]! + 1
  assert.equal(mostOf(hashesOf(keys, other)), 1)
})

test('keys that differ in zeros at their end have hashes of their own', () => {
  const keys = [0, 1, 2, 3, 4, 5, 8, 12, 16].map((length) => Buffer.alloc(length))
  assert.equal(mostOf(hashesOf(keys, secretsOf(1))), 1)
})

test('usual names meet seldom', () => {
  for (const name of [(i: number) => `m${i}.requests`, (i: number) => `svc${i % 100}.m${i}`]) {
    const keys = Array.from({ length: 100_000 }, (_, i) => Buffer.from(name(i)))
    for (const seed of [1, 2, 3]) {
      const hashes = hashesOf(keys, secretsOf(seed))
      assert.ok(mostOf(hashes) <= 4)
      // 2^17 (1 - e^(-100,000 / 2^17)) = 69,950
      const places = new Set(hashes.map((hash) => hash & 0x1ffff)).size
      assert.ok(Math.abs(places - 69_950) < 2500, `${places} places`)
    }
  }
})
