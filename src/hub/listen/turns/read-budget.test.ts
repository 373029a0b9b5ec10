import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, Socket } from 'node:net'
import { PassThrough, type Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextLoop } from 'node:timers/promises'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { until } from '../../../../test/support/hub/hub.ts'
import { readInPlace } from '../../../arena/read-in-place.ts'
import type { ConnectionProgress } from '../../../dialects/endpoints.ts'
import { ReadBudget } from './read-budget.ts'

const BYTES = 1_000_000
const GREEDY = '127.0.0.2'

/** Peers that send a lot at once to one budget; taking a read in lasts so long. */
async function busyPeers(context: TestContext, count: number, readMs: number, isInPlace = false) {
  const clock = new FakeClock()
  const budget = new ReadBudget(clock)
  const taken = new Map<Socket, number>()
  /** Reads between two turns' ends; the next turn begins a little before the end of one is seen. */
  const reads: number[] = []
  /** Bytes that each connection had, whenever one was read. */
  const progress: number[][] = []
  let isCounting = false
  const buffer = new Uint8Array(65_536)
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    budget.admit(socket, () => {
      taken.set(socket, 0)
      socket.on('data', (chunk: Uint8Array) => {
        taken.set(socket, taken.get(socket)! + chunk.length)
        progress.push([...taken.values()])
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
  await until(() => taken.size === count)
  for (const peer of peers) peer.write(new Uint8Array(BYTES))
  return { taken, reads, progress, peers }
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

for (const isInPlace of [false, true]) {
  const how = isInPlace ? 'in place' : 'by streams'
  test(`past the budget connections of one address take turns, read ${how}`, async (t) => {
    const { taken, progress } = await busyPeers(t, 5, 8, isInPlace)
    await until(() => [...taken.values()].every((bytes) => bytes === BYTES))
    const atEnd = progress.find((bytes) => bytes.includes(BYTES))!
    const least = Math.min(...atEnd)
    assert.ok(least > BYTES / 2, `one is done, another has ${least} of ${BYTES}`)
  })
}

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

test('however many connections an address has, another one is read every few turns', async (t) => {
  const clock = new FakeClock()
  const budget = new ReadBudget(clock)
  const reads: string[] = []
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    budget.admit(socket, () => {
      const { remoteAddress = '' } = socket
      socket.on('data', () => {
        reads.push(remoteAddress)
        clock.pass(remoteAddress === GREEDY ? 8 : 0.1)
      })
      socket.resume()
      return undefined
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const from = (localAddress: string) => connect({ port, host: '127.0.0.1', localAddress })
  const greedy = Array.from({ length: 20 }, () => from(GREEDY))
  const modest = from('127.0.0.1')
  t.after(() => {
    for (const peer of [...greedy, modest]) peer.destroy()
    server.close()
  })
  for (const peer of greedy) peer.write(new Uint8Array(4 * BYTES))
  await until(() => reads.length >= 20)
  modest.write(new Uint8Array(BYTES))
  const isModest = (address: string): boolean => address !== GREEDY
  await until(() => reads.filter(isModest).length >= 12)
  const begun = reads.slice(reads.findIndex(isModest))
  const ofGreedy = begun.filter((address) => address === GREEDY).length
  const ofModest = begun.length - ofGreedy
  assert.ok(ofGreedy <= 3 * ofModest, `${ofGreedy} reads beside ${ofModest}`)
})

/** A connection that takes what it has read in parts. */
class Parts implements ConnectionProgress {
  readonly messages = 1
  readonly isInsideMessage = false
  readonly bytesHeld = 0
  readonly isTimed = false
  left = 0
  readonly #work: () => void

  constructor(work: () => void) {
    this.#work = work
  }

  get hasRest(): boolean {
    return this.left > 0
  }

  goOn(): void {
    this.left--
    this.#work()
  }
}

test('what one read brought is gone on with before anything else of its address', async () => {
  const clock = new FakeClock()
  const told: Socket[] = []
  const budget = new ReadBudget(clock, (socket) => told.push(socket))
  const order: string[] = []
  const admit = (name: string): { socket: Socket; parts: Parts } => {
    const socket = new Socket()
    const parts = new Parts(() => {
      order.push(name)
      clock.pass(8)
    })
    budget.admit(socket, () => {
      socket.on('data', () => {
        parts.left = 3
        order.push(`${name} reads`)
        clock.pass(8)
      })
      return parts
    })
    return { socket, parts }
  }
  const first = admit('first')
  const second = admit('second')
  first.socket.emit('data', new Uint8Array(1))
  assert.ok(first.socket.isPaused() && second.socket.isPaused())
  admit('third')
  await until(() => !first.parts.hasRest && !second.socket.isPaused())
  assert.deepEqual(order, ['first reads', 'first', 'first', 'first'])
  assert.equal(told.length, 3)
  await until(() => !first.socket.isPaused())
})

test('a turn is over when its budget is, and the next one is not', async () => {
  const clock = new FakeClock()
  const budget = new ReadBudget(clock)
  assert.equal(budget.isSpent, false)
  clock.pass(8)
  assert.equal(budget.isSpent, true)
  await nextLoop()
  assert.equal(budget.isSpent, false)
})

test('a turn waits as it is told to behind one that was spent, and behind no other', async () => {
  const clock = new FakeClock()
  const turns: (() => void)[] = []
  const budget = new ReadBudget(clock, undefined, (turn) => turns.push(turn))
  assert.equal(budget.isSpent, false)
  await nextLoop()
  assert.equal(turns.length, 0)
  assert.equal(budget.isSpent, false)
  clock.pass(8)
  await nextLoop()
  assert.equal(budget.isSpent, true)
  turns.pop()!()
  assert.equal(budget.isSpent, false)
})

test('arrivals without end, each of them slow, do not keep the others waiting', async () => {
  const clock = new FakeClock()
  const budget = new ReadBudget(clock)
  const known = new Socket()
  budget.admit(known, () => {
    known.on('data', () => clock.pass(8))
    return undefined
  })
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

test('streams that are no sockets are shared out by the names they come under', async () => {
  const clock = new FakeClock()
  const budget = new ReadBudget<Readable>(clock)
  const order: string[] = []
  const rests = new Map<string, number>()
  /** A stream whose every chunk is work of so many budgets. */
  const streamOf = (name: string, budgets: number) => {
    const stream = new PassThrough()
    const spend = () => {
      order.push(name)
      rests.set(name, (rests.get(name) ?? 0) - 1)
      clock.pass(8)
    }
    budget.share(stream, name, () => {
      stream.on('data', () => {
        rests.set(name, budgets)
        spend()
      })
      return {
        get hasRest() {
          return (rests.get(name) ?? 0) > 0
        },
        goOn: spend,
      }
    })
    return stream
  }
  const greedy = streamOf('greedy', 6)
  const modest = streamOf('modest', 1)
  greedy.write('x')
  modest.write('x')
  await until(() => order.length === 7)
  assert.ok(order.indexOf('modest') <= 2, order.join(' '))
  assert.equal(order.filter((name) => name === 'greedy').length, 6)
})
