import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { hashBytes } from '../../model/index.ts'
import { KeyTable } from './key-table.ts'

const encoder = new TextEncoder()

test('finds what was added and nothing else, through growth and removal', () => {
  const step = fc.record({
    key: fc.string({ maxLength: 3 }),
    type: fc.integer({ min: 0, max: 3 }),
    isRemoval: fc.boolean(),
  })
  holds(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const table = new KeyTable()
      const model = new Map<string, number>()
      for (const { key, type, isRemoval } of steps) {
        const bytes = encoder.encode(key)
        const hash = hashBytes(bytes, 0, bytes.length)
        const name = `${type} ${key}`
        const known = model.get(name) ?? -1
        assert.equal(table.find(bytes, 0, bytes.length, type, hash), known)
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
      const found = table.find(read, at, at + key.length, 0, 7)
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
  const hash = hashBytes(bytes, 2, 6)
  const slot = table.add(bytes, 2, 6, 1, hash)
  assert.deepEqual(table.key(slot), encoder.encode('name'))
  assert.equal(table.find(encoder.encode('name'), 0, 4, 1, hash), slot)
})

test('a hundred thousand keys that come and go leave no more memory than those that stay', () => {
  const table = new KeyTable()
  for (let i = 0; i < 100_000; i++) {
    const key = encoder.encode(`churn.${i}`)
    const slot = table.add(key, 0, key.length, 0, hashBytes(key, 0, key.length))
    table.remove(slot)
  }
  assert.equal(table.bytes < 200_000, true, `${table.bytes} bytes`)
})
