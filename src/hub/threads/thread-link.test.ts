import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { ToThread } from './messages.ts'
import { ThreadLink } from './thread-link.ts'

/** A worker that does what the test says. */
class FakeWorker extends EventEmitter {
  readonly asked: ToThread[] = []
  isTerminated = false

  postMessage(message: ToThread): void {
    this.asked.push(message)
  }

  answer(number: number): void {
    this.emit('message', { kind: 'answer', number })
  }

  async terminate(): Promise<number> {
    this.isTerminated = true
    this.emit('exit', 1)
    return 1
  }
}

function startLink() {
  const clock = new FakeClock()
  const workers: FakeWorker[] = []
  const crashes: string[] = []
  let restarts = 0
  const link = new ThreadLink({
    clock,
    createWorker: () => workers[workers.push(new FakeWorker()) - 1]!,
    onMessage() {},
    onCrash: (reason, waitMs) => crashes.push(`${reason} ${waitMs}`),
    onRestart: () => restarts++,
  })
  link.start()
  return { clock, workers, crashes, link, restarts: () => restarts }
}

test('a thread that ends is started again at once, and ever later while it keeps ending', () => {
  const { clock, workers, crashes, link } = startLink()
  for (let i = 0; i < 9; i++) {
    workers.at(-1)!.emit('exit', 1)
    clock.advance(5000)
  }
  const waits = crashes.map((text) => Number(text.split(' ').at(-1)))
  assert.deepEqual(waits, [0, 100, 200, 400, 800, 1600, 3200, 5000, 5000])
  assert.equal(link.restarts, 9)
})

test('a machine without room for a thread is asked again, and the hub goes on', () => {
  const clock = new FakeClock()
  const crashes: string[] = []
  let tries = 0
  const link = new ThreadLink({
    clock,
    createWorker: () => {
      tries++
      if (tries <= 3) throw new Error('no threads left')
      return new FakeWorker()
    },
    onMessage() {},
    onCrash: (reason) => crashes.push(reason),
    onRestart() {},
  })
  link.start()
  assert.deepEqual([tries, link.isRunning], [2, false])
  clock.advance(100)
  clock.advance(200)
  assert.deepEqual([tries, link.isRunning], [4, true])
  assert.deepEqual(crashes, Array(3).fill('Error: no threads left'))
})

test('after it has run for a while, the next end is answered at once', () => {
  const { clock, workers, crashes } = startLink()
  workers[0]!.emit('exit', 1)
  workers[1]!.emit('exit', 1)
  clock.advance(100)
  clock.advance(10_000)
  workers[2]!.emit('error', new RangeError('odd'))
  workers[2]!.emit('exit', 1)
  assert.equal(workers.length, 4)
  assert.match(crashes[2]!, /RangeError: odd.* 0$/s)
})

test('who waits for a thread that ends has its answer; the next answers itself', async () => {
  const { workers, link } = startLink()
  const first = link.ask({ kind: 'settle' })
  workers[0]!.emit('exit', 1)
  await first
  const second = link.ask({ kind: 'settle' })
  workers[1]!.answer(workers[1]!.asked[0]!.number)
  await second
})

test('a stop waits for the end, is no crash, and starts nothing', async () => {
  const { clock, workers, crashes, link } = startLink()
  const stopped = link.stop(60_000)
  const [question] = workers[0]!.asked
  assert.equal(question?.kind, 'stop')
  workers[0]!.answer(question!.number)
  workers[0]!.emit('exit', 0)
  await stopped
  assert.deepEqual(crashes, [])
  assert.equal(workers.length, 1)
  assert.equal(clock.pending, 0)
  await link.ask({ kind: 'settle' })
})

test('a stop while a restart is waited for cancels it', async () => {
  const { clock, workers, link } = startLink()
  workers[0]!.emit('exit', 1)
  workers[1]!.emit('exit', 1)
  assert.equal(clock.pending, 1)
  await link.stop(60_000)
  assert.equal(clock.pending, 0)
  assert.equal(workers.length, 2)
})

test('once restarts are over a thread that ends has ended for good', async () => {
  const { clock, workers, crashes, link } = startLink()
  link.endRestarts()
  workers[0]!.emit('exit', 1)
  assert.deepEqual([workers.length, crashes.length, clock.pending], [1, 0, 0])
  await link.stop(60_000)
})
