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
