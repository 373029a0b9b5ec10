import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PeerCounts } from './peer-counts.ts'

test('addresses that share a place in one hub do not in another', () => {
  const [one, other] = [PeerCounts.create(1), PeerCounts.create(1)]
  const addresses = Array.from({ length: 65_536 }, (_, i) => `10.1.${i >> 8}.${i & 255}`)
  const places = (counts: PeerCounts) => addresses.map((address) => counts.placeOf(address))
  const [first, second] = [places(one), places(other)]
  assert.ok(new Set(first).size > 4000)
  // of n addresses n^2 / 2^25 pairs, 128 of them, meet in both by chance
  const both = new Set(first.map((place, i) => `${place} ${second[i]}`))
  assert.ok(both.size > 65_000, `${both.size}`)
})

test('all threads of a hub give an address the same place', () => {
  const counts = PeerCounts.create(2)
  const ofThread = new PeerCounts(counts.shared, 1)
  for (const address of ['192.0.2.1', '2001:db8::1', 'fe80::1%eth0', '']) {
    assert.equal(ofThread.placeOf(address), counts.placeOf(address))
  }
})

test('the largest counts are found while anyone holds anything, in whatever thread', () => {
  const counts = PeerCounts.create(2)
  const other = new PeerCounts(counts.shared, 1)
  assert.deepEqual(counts.largest(), { connections: 0, bytes: 0 })
  other.addConnection(17, 1)
  other.addConnection(17, 1)
  counts.addConnection(3, 1)
  assert.deepEqual(counts.largest(), { connections: 2, bytes: 0 })
  other.addPages(5, 2)
  assert.deepEqual(counts.largest(), { connections: 2, bytes: 8192 })
  assert.equal(counts.release(1), 8192)
  assert.deepEqual(counts.largest(), { connections: 1, bytes: 0 })
  counts.addConnection(3, -1)
  assert.deepEqual(counts.largest(), { connections: 0, bytes: 0 })
})
