import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../../test/support/property.ts'
import { hashKey } from '../../../dialects/statshero/codec/key-hash.ts'
import { keyedHash } from '../../../model/index.ts'
import { KeyTable } from './key-table.ts'

const encoder = new TextEncoder()

/** A table in a buffer of its own, and one in memory that WebAssembly addresses. */
const TABLES: Readonly<Record<string, () => KeyTable>> = {
  'its own buffer': () => new KeyTable(),
  'shared memory': () => {
    const table = new KeyTable()
    assert.ok(table.share(64))
    return table
  },
}

/** As the ingest looks up. */
function find(table: KeyTable, bytes: Uint8Array, start: number, end: number, hash: number) {
  const slot = table.find(bytes, start, end, 0, hash)
  return slot >= 0 ? slot : table.findRehashed(bytes, start, end, 0)
}

for (const [where, create] of Object.entries(TABLES)) {
  test(`finds what was added and nothing else, through growth and removal, in ${where}`, () => {
    findsWhatWasAdded(create)
  })
}

function findsWhatWasAdded(create: () => KeyTable): void {
  const step = fc.record({
    key: fc.string({ maxLength: 3 }),
    type: fc.integer({ min: 0, max: 3 }),
    isRemoval: fc.boolean(),
  })
  holds(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const table = create()
      const model = new Map<string, number>()
      for (const { key, type, isRemoval } of steps) {
        const bytes = encoder.encode(key)
        const hash = keyedHash(bytes, 0, bytes.length)
        const name = `${type} ${key}`
        const known = model.get(name) ?? -1
        const found = table.isRehashed
          ? table.findRehashed(bytes, 0, bytes.length, type)
          : table.find(bytes, 0, bytes.length, type, hash)
        assert.equal(found, known)
        if (isRemoval && known >= 0) {
          table.remove(known)
          model.delete(name)
        } else if (known < 0) {
          const slot = table.add(bytes, 0, bytes.length, type, hash)
          assert.equal([...model.values()].includes(slot), false)
          model.set(name, slot)
        }
      }
      for (const [name, slot] of model) {
        assert.deepEqual(table.key(slot), encoder.encode(name.slice(2)))
      }
    }),
  )
}

test('keeps what stays of many thousand keys, however it grows and is cleared', () => {
  const phase = fc.record({
    keys: fc.integer({ min: 0, max: 4000 }),
    bytes: fc.constantFrom(1, 9, 40, 700),
    stays: fc.constantFrom(0, 0.1, 0.7, 1),
    removesOthers: fc.boolean(),
  })
  const phases = fc.array(phase, { minLength: 1, maxLength: 5 })
  holds(
    fc.property(fc.constantFrom(...Object.values(TABLES)), phases, (create, all) => {
      const table = create()
      const held = new Map<string, number>()
      let number = 0
      for (const { keys, bytes, stays, removesOthers } of all) {
        for (let i = 0; i < keys; i++) {
          const name = `${number++}${'.'.repeat(bytes)}`
          const key = encoder.encode(name)
          const slot = table.add(key, 0, key.length, 0, keyedHash(key, 0, key.length))
          const isKept = ((number * 7919) % 100) / 100 < stays
          if (isKept) held.set(name, slot)
          else table.remove(slot)
        }
        if (!removesOthers) continue
        for (const [name, slot] of [...held].filter((_, i) => i % 3 === 0)) {
          table.remove(slot)
          held.delete(name)
        }
      }
      assert.equal(new Set(held.values()).size, held.size)
      for (const [name, slot] of held) {
        const key = encoder.encode(name)
        assert.equal(find(table, key, 0, key.length, keyedHash(key, 0, key.length)), slot)
        assert.deepEqual(table.key(slot), key)
      }
      for (let i = 0; i < number; i += 97) {
        const key = encoder.encode(`${i}!`)
        assert.equal(find(table, key, 0, key.length, keyedHash(key, 0, key.length)), -1)
      }
    }),
    60,
  )
})

test('in shared memory one more key moves a few others at most, whatever has become full', () => {
  const table = new KeyTable()
  const { memory, headAt } = table.share(64)!
  const wordsBefore = new Int32Array(2 ** 18)
  const layouts = new Set<string>()
  for (let i = 0; i < 3000; i++) {
    const key = encoder.encode(`app.service.m${i}.requests`)
    table.add(key, 0, key.length, 0, 0)
    const words = new Int32Array(memory.buffer)
    let changed = 0
    for (let at = 0; at < words.length; at++) {
      if (words[at] === wordsBefore[at]) continue
      wordsBefore[at] = words[at]!
      changed++
    }
    // the first look finds all of the head
    if (i > 0) assert.ok(changed <= 80, `key ${i} has changed ${changed} words`)
    layouts.add(words.subarray(headAt >> 2, (headAt >> 2) + 2).join())
  }
  assert.equal(layouts.size, 3)
})

test('in shared memory it keeps its slots while that grows, and off the room of the codec', () => {
  const table = new KeyTable()
  const add = (i: number): number => {
    const key = encoder.encode(`app.service.m${i}.requests`)
    return table.add(key, 0, key.length, 0, 0)
  }
  const slots = [add(0), add(1)]
  const { memory, headAt } = table.share(70_000)!
  assert.equal(headAt, 70_000)
  assert.equal(table.share(64), undefined, 'it moves once')
  const room = new Uint8Array(memory.buffer, 0, headAt).fill(1)
  const before = memory.buffer.byteLength
  for (let i = 2; i < 20_000; i++) slots.push(add(i))
  assert.ok(memory.buffer.byteLength > before)
  assert.ok(room.every((byte) => byte === 1))
  for (const [i, slot] of slots.entries()) {
    const key = encoder.encode(`app.service.m${i}.requests`)
    assert.equal(table.findRehashed(key, 0, key.length, 0), slot)
  }
})

test('keys of one read are told apart by every byte, whatever their length', () => {
  const table = new KeyTable()
  const lengths = [1, 3, 4, 5, 7, 8, 28]
  const keys = lengths.flatMap((length) =>
    Array.from({ length: length + 1 }, (_, i) => {
      // all bytes the same but one; with i = length, all the same
      const key = new Uint8Array(length).fill(97)
      if (i < length) key[i] = 98
      return key
    }),
  )
  const read = new Uint8Array(keys.flatMap((key) => [...key]))
  const slots: number[] = []
  // the same hash for all, so that only the bytes can tell
  for (let round = 0; round < 2; round++) {
    let at = 0
    for (const [i, key] of keys.entries()) {
      const found = find(table, read, at, at + key.length, 7)
      if (round === 0) {
        assert.equal(found, -1, `key ${i} of ${key.length} bytes before it was added`)
        slots.push(table.add(read, at, at + key.length, 0, 7))
      } else {
        assert.equal(found, slots[i], `key ${i} of ${key.length} bytes`)
      }
      at += key.length
    }
  }
})

test('keys with one hash stay apart', () => {
  const table = new KeyTable()
  const keys = ['a', 'b', 'ab', ''].map((key) => encoder.encode(key))
  const slots = keys.map((key) => table.add(key, 0, key.length, 0, 42))
  keys.forEach((key, i) => {
    assert.equal(table.find(key, 0, key.length, 0, 42), slots[i])
  })
})

test('a key inside a larger buffer is found by its range', () => {
  const table = new KeyTable()
  const bytes = encoder.encode('xxname:1')
  const hash = keyedHash(bytes, 2, 6)
  const slot = table.add(bytes, 2, 6, 1, hash)
  assert.deepEqual(table.key(slot), encoder.encode('name'))
  assert.equal(table.find(encoder.encode('name'), 0, 4, 1, hash), slot)
})

test('a hundred thousand keys that come and go leave no more memory than those that stay', () => {
  const table = new KeyTable()
  for (let i = 0; i < 100_000; i++) {
    const key = encoder.encode(`churn.${i}`)
    const slot = table.add(key, 0, key.length, 0, keyedHash(key, 0, key.length))
    table.remove(slot)
  }
  assert.equal(table.bytes < 200_000, true, `${table.bytes} bytes`)
})

test('keys that a codec gives one hash, or neighbouring ones, are hashed anew by the table', () => {
  for (const hashOf of [() => 42, (i: number) => i & 63, (i: number) => (i << 20) | 7]) {
    const table = new KeyTable()
    const keys = Array.from({ length: 6000 }, (_, i) => encoder.encode(`${i}`))
    const add = (key: Uint8Array, i: number) => table.add(key, 0, key.length, i & 3, hashOf(i))
    const slots = keys.map(add)
    assert.ok(table.isRehashed)
    keys.forEach((key, i) => {
      assert.equal(table.findRehashed(key, 0, key.length, i & 3), slots[i])
      assert.equal(table.findRehashed(key, 0, key.length, 4), -1)
    })
    for (const slot of slots) table.remove(slot)
    keys.forEach((key, i) => {
      assert.equal(table.findRehashed(key, 0, key.length, i & 3), -1)
    })
  }
})

test('keys that meet whatever the seed of the codec are kept apart by the table', () => {
  // in each pair of words, two differences that cancel each other
  const keys = Array.from({ length: 4096 }, (_, flips) => {
    const words = Array.from({ length: 24 }, (_, i) => {
      if (((flips >>> (i >>> 1)) & 1) === 0) return 0x61616161
      return 0x61616161 ^ (i % 2 === 0 ? 0x80000000 : 0x80010000)
    })
    return new Uint8Array(Int32Array.from(words).buffer)
  })
  const hashes = keys.map((key) => hashKey(key, 0, key.length))
  assert.equal(new Set(hashes).size, 1)
  const table = new KeyTable()
  const slots = keys.map((key, i) => table.add(key, 0, key.length, 0, hashes[i]!))
  assert.ok(table.isRehashed)
  assert.deepEqual(
    keys.map((key) => table.findRehashed(key, 0, key.length, 0)),
    slots,
  )
})

test('usual names never have the table hash for itself', () => {
  const table = new KeyTable()
  for (let i = 0; i < 300_000; i++) {
    const key = encoder.encode(`app.service.m${i}.requests`)
    table.add(key, 0, key.length, 0, hashKey(key, 0, key.length))
  }
  assert.equal(table.isRehashed, false)
})
