import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { LoopBudget, nextShare, noteArrival, runSliced } from './loop-budget.ts'
import type { Task } from './task.ts'

function budgetOf(clock: FakeClock): { budget: LoopBudget; waits: number[] } {
  const waits: number[] = []
  const nextLoop = (callback: () => void): void => {
    waits.push(clock.wallMs())
    clock.pass(100)
    callback()
  }
  return { budget: new LoopBudget(clock, { budgetNs: 3_000_000n, nextLoop }), waits }
}

test('a budget is spent once, and whole again after the rest of the loop', async () => {
  const clock = new FakeClock()
  const { budget } = budgetOf(clock)
  clock.pass(2)
  assert.equal(budget.isSpent, false)
  clock.pass(1)
  assert.equal(budget.isSpent, true)
  await budget.yieldLoop()
  assert.equal(budget.isSpent, false)
})

test('a task waits only where its budget is spent; pauses are no part of its work', async () => {
  const clock = new FakeClock()
  const { budget, waits } = budgetOf(clock)
  const startMs = clock.wallMs()
  const done: number[] = []
  function* steps(): Task<string> {
    for (let i = 0; i < 7; i++) {
      clock.pass(1)
      done.push(i)
      yield
    }
    return 'done'
  }
  assert.equal(await runSliced(steps(), budget), 'done')
  assert.equal(done.length, 7)
  assert.deepEqual(
    waits.map((atMs) => atMs - startMs),
    [3, 106],
  )
  assert.equal(budget.workMs, 7)
})

test('work waits while connections come, but not for ever', () => {
  let loops = 0
  let coming = 0
  const nextLoop = (callback: () => void): void => {
    loops++
    if (coming-- > 0) noteArrival()
    callback()
  }
  const loopsWith = (arrivals: number): number => {
    coming = arrivals
    loops = 0
    nextShare(nextLoop, () => {})
    return loops
  }
  assert.deepEqual([0, 1, 10, 1000].map(loopsWith), [1, 2, 11, 64])
})
