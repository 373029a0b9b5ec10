import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { defined, keyOf } from '../../../test/support/threads/shm.ts'
import { Zone } from '../index.ts'
import { ZoneMemory } from '../memory/memory.ts'
import { Definitions } from './definitions.ts'
import { Descriptors } from './descriptors.ts'

const PAGE_BYTES = 65_536
/** Entries of a page that may be in use. */
const PAGE_LIMIT = 6144
const OPTIONS = { zoneBytesLimit: 67_108_864, metricsLimit: 200_000 }

const name = (i: number) => `metric ${i}`

function fill(zone: Zone, from: number, to: number): void {
  for (let i = from; i < to; i++) assert.equal(defined(zone, name(i), 'counter'), i)
}

function checkAll(zone: Zone, count: number): void {
  for (let i = 0; i < count; i++) assert.equal(zone.find(keyOf(name(i))), i)
  assert.equal(zone.find(keyOf('none')), -1)
}

test('one definition never lays out more than a page anew, however many metrics there are', (t) => {
  const zone = Zone.create(OPTIONS)
  const stores = t.mock.method(Atomics, 'store')
  let most = 0
  for (let i = 0; i < 60_000; i++) {
    const before = stores.mock.callCount()
    defined(zone, name(i), 'counter')
    most = Math.max(most, stores.mock.callCount() - before)
    if (before > 100_000) stores.mock.resetCalls()
  }
  stores.mock.restore()
  // its entries, and half of the directory
  assert.ok(most > PAGE_LIMIT && most < PAGE_LIMIT + 8192 + 16, `${most} stores`)
  checkAll(zone, 60_000)
  const pages = zone.usage().bytes.index / PAGE_BYTES
  assert.ok(pages > 60_000 / PAGE_LIMIT && pages <= 17, `${pages} pages`)
})

test('tombstones are swept out of a page before it is split', () => {
  const zone = Zone.create(OPTIONS)
  for (let i = 0; i < 50_000; i++) assert.ok(zone.retire(defined(zone, name(i), 'counter')))
  assert.equal(zone.usage().bytes.index, PAGE_BYTES)
  for (let i = 0; i < 2000; i++) defined(zone, name(i), 'counter')
  assert.equal(zone.usage().bytes.index, PAGE_BYTES)
})

class Death extends Error {}

/** Defines metrics as a thread that dies at one of its stores; the lock is free afterwards. */
function defineUntilDeath(t: TestContext, zone: Zone, from: number, stores: number): void {
  const memory = ZoneMemory.open(zone.shared)
  const definitions = new Definitions(memory, new Descriptors(memory))
  const store = Atomics.store
  let left = Number.POSITIVE_INFINITY
  const reserved = memory.allocatePage.bind(memory)
  memory.allocatePage = (part) => {
    // the page of a split: from here on stores are counted
    if (part === 'index') left = Math.min(left, stores)
    return reserved(part)
  }
  const mocked = t.mock.method(Atomics, 'store', (ints: Int32Array, at: number, value: number) => {
    if (--left < 0) throw new Death()
    return store(ints, at, value)
  })
  assert.throws(() => {
    for (let i = from; ; i++) definitions.define(keyOf(name(i)), 'counter')
  }, Death)
  mocked.mock.restore()
}

for (const [count, what] of [
  [5000, 'the first page'],
  [11_000, 'a page of several'],
] as const) {
  for (const stores of [0, 1, 2000, 3100, 4000, 7000, 9000, 11_260, 11_300, 12_500, 13_500]) {
    test(`a thread that dies splitting ${what}, after ${stores} stores, loses no name`, (t) => {
      const zone = Zone.create(OPTIONS)
      fill(zone, 0, count)
      defineUntilDeath(t, zone, count, stores)
      const memory = ZoneMemory.open(zone.shared)
      const definitions = new Definitions(memory, new Descriptors(memory))
      assert.ok(memory.lock())
      memory.generation.begin()
      definitions.rebuild()
      memory.generation.end()
      memory.unlock()
      const survived = zone.metrics
      assert.ok(survived >= count)
      checkAll(zone, survived)
      fill(zone, survived, 40_000)
      checkAll(zone, 40_000)
    })
  }
}
