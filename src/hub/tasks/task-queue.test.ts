import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { LOOP_BUDGET_NS } from './loop-budget.ts'
import type { Task } from './task.ts'
import { TaskQueue } from './task-queue.ts'

/** Task that take so long each, and say when they are done. */
function* steps(clock: FakeClock, count: number, eachMs: number, done: number[]): Task {
  for (let i = 0; i < count; i++) {
    clock.pass(eachMs)
    done.push(i)
    yield
  }
}

function queueOn(clock: FakeClock): TaskQueue {
  const nextLoop = (callback: () => void): void => void clock.after(0, callback)
  return new TaskQueue(clock, { budgetNs: LOOP_BUDGET_NS, nextLoop })
}

test('what fits into a slice is done at once', () => {
  const clock = new FakeClock()
  const queue = queueOn(clock)
  const done: number[] = []
  void queue.run(steps(clock, 7, 1, done))
  assert.equal(done.length, 7)
  assert.equal(queue.isRunning, false)
  assert.equal(clock.pending, 0)
})

test('what does not fit gives the loop back after a slice, and goes on until it is done', () => {
  const clock = new FakeClock()
  const slices: (() => void)[] = []
  const queue = new TaskQueue(clock, {
    budgetNs: LOOP_BUDGET_NS,
    nextLoop: (callback) => slices.push(callback),
  })
  const done: number[] = []
  void queue.run(steps(clock, 20, 2, done))
  const counts = [done.length]
  for (let slice = slices.shift(); slice !== undefined; slice = slices.shift()) {
    slice()
    counts.push(done.length)
  }
  assert.equal(queue.isRunning, false)
  assert.deepEqual(counts, [4, 8, 12, 16, 20, 20])
  assert.equal(queue.slices, counts.length)
})

test('a queue can be finished at once, and nothing is left of it', () => {
  const clock = new FakeClock()
  const queue = queueOn(clock)
  const done: number[] = []
  void queue.run(steps(clock, 20, 2, done))
  queue.finish()
  assert.equal(done.length, 20)
  clock.advance(1)
  assert.deepEqual([queue.slices, queue.isRunning], [1, false])
  queue.finish()
})

test('a step that throws ends its task, and the next one runs', async () => {
  const clock = new FakeClock()
  const queue = queueOn(clock)
  // biome-ignore lint/correctness/useYield: it throws before it would
  function* broken(): Task {
    throw new Error('broken')
  }
  await assert.rejects(queue.run(broken()), /broken/)
  const done: number[] = []
  void queue.run(steps(clock, 1, 1, done))
  assert.deepEqual(done, [0])
})
