import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Idleness, Shares } from './shares.ts'

interface Peer {
  readonly address: string
  readonly idleness: Idleness
  readonly silence: number
}

const shares = (): Shares<Peer> =>
  new Shares({ idleness: (peer) => peer.idleness, silence: (peer) => peer.silence })

/** Places that one address holds. */
function hold(
  pool: Shares<Peer>,
  address: string,
  count: number,
  { idleness = Idleness.working, silence = 0 }: Partial<Peer> = {},
): Peer[] {
  return Array.from({ length: count }, () => {
    const peer = { address, idleness, silence }
    pool.add(peer, address)
    return peer
  })
}

suite('a newcomer, where all places are taken', () => {
  test('gets that of the address which has most, whatever is done in it', () => {
    const pool = shares()
    hold(pool, 'few', 2)
    const [first] = hold(pool, 'most', 4)
    assert.equal(pool.yielding('new'), first)
    assert.equal(pool.yielding('few'), first)
    assert.equal(pool.yielding('most'), undefined)
  })

  test('gets the least deserving one: without a message, idle, then longest silent', () => {
    const pool = shares()
    hold(pool, 'most', 2, { silence: 3 })
    const [silent] = hold(pool, 'most', 1, { silence: 9 })
    assert.equal(pool.yielding('new'), silent)
    const [idle] = hold(pool, 'most', 1, { idleness: Idleness.idle, silence: 5 })
    assert.equal(pool.yielding('new'), idle)
    hold(pool, 'most', 1, { idleness: Idleness.unproven, silence: 1 })
    const [stranger] = hold(pool, 'most', 1, { idleness: Idleness.unproven, silence: 2 })
    assert.equal(pool.yielding('new'), stranger)
    hold(pool, 'few', 1, { idleness: Idleness.unproven, silence: 100 })
    assert.equal(pool.yielding('new'), stranger)
  })

  test('gets none of an address that would then have fewer than its own', () => {
    const pool = shares()
    hold(pool, 'a', 3, { idleness: Idleness.working })
    hold(pool, 'b', 2)
    assert.equal(pool.yielding('b'), undefined)
    const [idle] = hold(pool, 'c', 2, { idleness: Idleness.idle })
    assert.equal(pool.yielding('b'), undefined)
    hold(pool, 'c', 1)
    assert.equal(pool.yielding('b'), idle)
  })

  test('gets that of an idle one of its own address', () => {
    const pool = shares()
    hold(pool, 'own', 3)
    const [idle] = hold(pool, 'own', 1, { idleness: Idleness.idle })
    hold(pool, 'other', 3, { idleness: Idleness.idle, silence: 100 })
    assert.equal(pool.yielding('own'), idle)
    assert.equal(pool.idleOf('own'), idle)
    assert.equal(pool.idleOf('new'), undefined)
  })

  test('gets only that of an idle one, where it has to wait for others', () => {
    const pool = shares()
    hold(pool, 'most', 5)
    const [idle] = hold(pool, 'few', 2, { idleness: Idleness.idle })
    assert.equal(pool.yielding('new', true), idle)
    pool.delete(idle!)
    pool.delete([...pool.membersOf('few')][0]!)
    assert.equal(pool.yielding('new', true), undefined)
  })
})

test('those who lost a place and come back take none again: equal shares are stable', () => {
  const pool = shares()
  const limit = 100
  const addresses = Array.from({ length: 8 }, (_, i) => `a${i}`)
  let given = 0
  const come = (address: string): void => {
    if (pool.size === limit) {
      const found = pool.yielding(address)
      if (found === undefined) return
      pool.delete(found)
    }
    given++
    hold(pool, address, 1)
  }
  for (const address of addresses) for (let i = 0; i < 100; i++) come(address)
  for (let round = 0; round < 100; round++) addresses.forEach(come)
  const counts = addresses.map((address) => pool.count(address))
  assert.ok(Math.max(...counts) - Math.min(...counts) <= 1, counts.join())
  assert.equal(pool.size, limit)
  assert.equal(pool.most, Math.max(...counts))
  given = 0
  for (let round = 0; round < 100; round++) addresses.forEach(come)
  assert.equal(given, 0)
})

test('where others hold places too, all of an address count', () => {
  const elsewhere = new Map([
    ['spread', 100],
    ['here', 3],
    ['new', 4],
  ])
  const pool = new Shares<Peer>({
    idleness: () => Idleness.working,
    silence: () => 0,
    count: (address) => elsewhere.get(address) ?? 0,
  })
  hold(pool, 'here', 3)
  const [spread] = hold(pool, 'spread', 1)
  assert.equal(pool.yielding('new'), spread)
  pool.delete(spread!)
  assert.equal(pool.yielding('new'), undefined)
})

test('a newcomer costs a bounded number of looks, however many places there are', () => {
  let looks = 0
  const pool = new Shares<Peer>({
    idleness: (peer) => {
      looks++
      return peer.idleness
    },
    silence: () => 0,
  })
  for (let i = 0; i < 10_000; i++) hold(pool, `a${i % 5000}`, 1)
  hold(pool, 'most', 10_000)
  for (const address of ['new', 'a1', 'most']) {
    looks = 0
    pool.yielding(address)
    assert.ok(looks <= 5000, `${looks} looks`)
  }
})
