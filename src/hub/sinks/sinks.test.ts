import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { type Frame, FrameBuilder } from '../live/frame.ts'
import { runNow, type Task } from '../tasks/task.ts'
import { TaskQueue } from '../tasks/task-queue.ts'
import { type Sink, SinkQueue } from './sinks.ts'

const frame = (second: number): Frame => new FrameBuilder().build(second * 1000, 1)

function start() {
  const clock = new FakeClock()
  const turns: (() => void)[] = []
  const work = new TaskQueue(clock, {
    budgetNs: 4_000_000n,
    nextLoop: (callback) => turns.push(callback),
  })
  const events: string[] = []
  const reports = {
    dropped: (name: string) => events.push(`dropped ${name}`),
    failed: (name: string, error: unknown) => {
      events.push(`failed ${name} ${(error as Error).message}`)
    },
  }
  /** Runs the event loop until it has nothing to do. */
  const run = async (): Promise<number> => {
    let count = 0
    for (; turns.length > 0; count++) {
      turns.shift()!()
      await new Promise(setImmediate)
    }
    return count
  }
  return { clock, work, events, reports, run }
}

/** A sink that takes so many steps for each frame, of 1 ms each. */
class SteppingSink implements Sink {
  readonly name: string
  readonly seen: number[] = []
  isClosed = false
  readonly #clock: FakeClock
  readonly #steps: number
  readonly #order: string[]

  constructor(name: string, clock: FakeClock, steps: number, order: string[] = []) {
    this.name = name
    this.#clock = clock
    this.#steps = steps
    this.#order = order
  }

  *deliver({ endMs }: Frame): Task {
    for (let i = 0; i < this.#steps; i++) {
      this.#clock.pass(1)
      yield
    }
    if (endMs === 3000) throw new Error('planted')
    this.seen.push(endMs / 1000)
    this.#order.push(`${this.name} ${endMs / 1000}`)
  }

  async close(): Promise<void> {
    this.isClosed = true
  }
}

test('a slow sink loses its oldest waiting frames, which is told, and no more', async () => {
  const { clock, work, events, reports, run } = start()
  const sink = new SteppingSink('slow', clock, 10)
  const queue = new SinkQueue(sink, reports, { clock, work, framesLimit: 3 })
  for (let second = 1; second <= 6; second++) runNow(queue.offer(frame(second)))
  assert.equal(queue.length, 3)
  assert.deepEqual(events, ['dropped slow', 'dropped slow'])
  const closed = queue.close()
  await run()
  await closed
  assert.deepEqual(sink.seen, [1, 4, 5, 6])
  assert.equal(sink.isClosed, true)
})

test('waiting frames have a limit of bytes, and one may always wait', () => {
  const { clock, work, events, reports } = start()
  const sink = new SteppingSink('slow', clock, 10)
  const bytesLimit = 2 * frame(1).size
  const queue = new SinkQueue(sink, reports, { clock, work, bytesLimit })
  for (let second = 1; second <= 4; second++) runNow(queue.offer(frame(second)))
  assert.deepEqual([queue.length, events], [2, ['dropped slow']])
  const narrow = new SinkQueue(sink, reports, { clock, work, bytesLimit: 1 })
  for (let second = 1; second <= 3; second++) runNow(narrow.offer(frame(second)))
  assert.deepEqual([narrow.length, events.length], [1, 2])
})

test('all sinks together have one share of each turn, and take turns by frames', async () => {
  const { clock, work, reports, run } = start()
  const order: string[] = []
  const queues = ['a', 'b', 'c'].map((name) => {
    return new SinkQueue(new SteppingSink(name, clock, 8, order), reports, { clock, work })
  })
  const startNs = clock.monotonicNs()
  for (const second of [1, 2]) for (const queue of queues) runNow(queue.offer(frame(second)))
  assert.equal(clock.monotonicNs() - startNs, 4_000_000n)
  // 6 frames of 8 ms each, 4 ms a turn, one of which is over; the end of the last is a step, too
  assert.equal(await run(), 6 * 2 - 1 + 1)
  assert.deepEqual(order, ['a 1', 'b 1', 'c 1', 'a 2', 'b 2', 'c 2'])
})

test('a frame that a sink refuses is told, and the next one is delivered', async () => {
  const { clock, work, events, reports, run } = start()
  const sink = new SteppingSink('gated', clock, 1)
  const queue = new SinkQueue(sink, reports, { clock, work })
  for (const second of [2, 3, 4]) runNow(queue.offer(frame(second)))
  const closed = queue.close()
  await run()
  await closed
  assert.deepEqual([sink.seen, events], [[2, 4], ['failed gated planted']])
})

test('what a frame is about is taken as its second is closed', () => {
  const { clock, work, events, reports } = start()
  const taken: number[] = []
  const sink = new SteppingSink('slow', clock, 10)
  const taking: Sink = Object.assign(sink, {
    *take({ endMs }: Frame): Task {
      yield
      if (endMs === 2000) throw new Error('planted')
      taken.push(endMs)
    },
  })
  const queue = new SinkQueue(taking, reports, { clock, work })
  for (const second of [1, 2, 4]) runNow(queue.offer(frame(second)))
  assert.deepEqual([taken, queue.length, events], [[1000, 4000], 1, ['failed slow planted']])
})

test('at the end there is some time for what waits, and for the newest frame more', async () => {
  const { clock, work, events, reports, run } = start()
  const sink = new SteppingSink('slow', clock, 1500)
  const queue = new SinkQueue(sink, reports, { clock, work })
  for (const second of [1, 2, 4, 5, 6]) runNow(queue.offer(frame(second)))
  const closed = queue.close()
  await run()
  await closed
  assert.deepEqual([sink.seen, events], [[1, 2, 4, 6], ['dropped slow']])
})

test('a sink that wants them is told of frames that it does not get', async () => {
  const { clock, work, reports, run } = start()
  const skipped: number[] = []
  class Adding extends SteppingSink {
    *skip({ endMs }: Frame): Task {
      yield
      skipped.push(endMs / 1000)
    }
  }
  const sink = new Adding('adding', clock, 10)
  const queue = new SinkQueue(sink, reports, { clock, work, framesLimit: 2 })
  for (let second = 4; second <= 8; second++) runNow(queue.offer(frame(second)))
  await run()
  for (const second of [9, 10]) runNow(queue.offer(frame(second)))
  const closed = queue.close()
  clock.pass(60_000)
  await run()
  await closed
  assert.deepEqual(
    [...sink.seen, ...skipped].sort((a, b) => a - b),
    [4, 5, 6, 7, 8, 9, 10],
  )
  assert.ok(skipped.includes(5), `${skipped}`)
})
