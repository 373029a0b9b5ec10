import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { until } from '../../../test/support/hub/hub.ts'
import { readInPlace } from '../../arena/read-in-place.ts'
import { ReadBudget } from './read-budget.ts'

const BYTES = 1_000_000

/** Peers that send a lot at once to one budget; taking a read in lasts so long. */
async function busyPeers(context: TestContext, count: number, readMs: number, isInPlace = false) {
  const clock = new FakeClock()
  const budget = new ReadBudget(clock)
  const taken = new Map<Socket, number>()
  /** Reads between two turns' ends; the next turn begins a little before the end of one is seen. */
  const reads: number[] = []
  let isCounting = false
  const buffer = new Uint8Array(65_536)
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    budget.admit(socket, () => {
      taken.set(socket, 0)
      socket.on('data', (chunk: Uint8Array) => {
        taken.set(socket, taken.get(socket)! + chunk.length)
        clock.pass(readMs)
        if (!isCounting) {
          reads.push(0)
          isCounting = true
          setImmediate(() => {
            isCounting = false
          })
        }
        reads[reads.length - 1]!++
      })
      if (isInPlace) readInPlace(socket, buffer).on('error', () => {})
      socket.resume()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const peers = Array.from({ length: count }, () => connect(port, '127.0.0.1'))
  context.after(() => {
    for (const peer of peers) peer.destroy()
    server.close()
  })
  for (const peer of peers) peer.write(new Uint8Array(BYTES))
  return { taken, reads, peers }
}

test('past the budget all connections wait for the next turn, and nothing is lost', async (t) => {
  const { taken, reads } = await busyPeers(t, 5, 8)
  await until(() => taken.size === 5 && [...taken.values()].every((bytes) => bytes === BYTES))
  assert.ok(Math.max(...reads) <= 2)
})

test('connections that are read in place wait as others do', async (t) => {
  const { taken, reads } = await busyPeers(t, 5, 8, true)
  await until(() => taken.size === 5 && [...taken.values()].every((bytes) => bytes === BYTES))
  assert.ok(Math.max(...reads) <= 2)
})

test('within the budget nobody waits', async (t) => {
  const { taken, reads } = await busyPeers(t, 5, 0)
  await until(() => taken.size === 5 && [...taken.values()].every((bytes) => bytes === BYTES))
  assert.ok(Math.max(...reads) > 2)
})

test('a connection that ends while it waits is let go', async (t) => {
  const { taken, peers } = await busyPeers(t, 3, 8)
  await until(() => taken.size === 3)
  peers[0]!.destroy()
  await until(() => [...taken].every(([socket, bytes]) => socket.destroyed || bytes === BYTES))
})

test('arrivals without end, each of them slow, do not keep the others waiting', async () => {
  const clock = new FakeClock()
  const budget = new ReadBudget(clock)
  const known = new Socket()
  budget.admit(known, () => known.on('data', () => clock.pass(8)))
  let isOver = false
  const arrive = (): void => {
    budget.admit(new Socket(), () => {
      clock.pass(8)
      if (!isOver) arrive()
    })
  }
  for (let reads = 0; reads < 3; reads++) {
    known.emit('data', new Uint8Array(1))
    assert.ok(known.isPaused())
    if (reads === 0) arrive()
    await until(() => !known.isPaused())
  }
  isOver = true
})

test('new connections are taken over as far as a turn goes, and none that is gone', () => {
  const clock = new FakeClock()
  const budget = new ReadBudget(clock)
  const taken: number[] = []
  const sockets = Array.from({ length: 3 }, () => new Socket())
  sockets.forEach((socket, i) => {
    budget.admit(socket, () => {
      taken.push(i)
      clock.pass(8)
    })
  })
  assert.deepEqual(taken, [0])
  sockets[1]!.destroy()
  return until(() => taken.length > 1).then(() => assert.deepEqual(taken, [0, 2]))
})
