import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { Steps } from './task.ts'
import { Pass } from './task-queue.ts'

/** Steps that take so long each, and say when they are done. */
function* steps(clock: FakeClock, count: number, eachMs: number, done: number[]): Steps {
  for (let i = 0; i < count; i++) {
    clock.pass(eachMs)
    done.push(i)
    yield
  }
}

test('what fits into a turn is done at once', () => {
  const clock = new FakeClock()
  const pass = new Pass(clock)
  const done: number[] = []
  pass.start(steps(clock, 7, 1, done))
  assert.equal(done.length, 7)
  assert.equal(pass.isRunning, false)
  assert.equal(clock.pending, 0)
})

test('what does not fit gives the loop back after a turn, and goes on until it is done', () => {
  const clock = new FakeClock()
  const turns: (() => void)[] = []
  const pass = new Pass({
    monotonicNs: () => clock.monotonicNs(),
    wallMs: () => clock.wallMs(),
    after: (_delayMs, turn) => {
      turns.push(turn)
      return () => {}
    },
  })
  const done: number[] = []
  pass.start(steps(clock, 20, 2, done))
  const counts = [done.length]
  for (let turn = turns.shift(); turn !== undefined; turn = turns.shift()) {
    turn()
    counts.push(done.length)
  }
  assert.equal(pass.isRunning, false)
  assert.deepEqual(counts, [4, 8, 12, 16, 20, 20])
  assert.equal(pass.turns, counts.length)
})

test('a pass can be finished at once, and nothing of it is left', () => {
  const clock = new FakeClock()
  const pass = new Pass(clock)
  const done: number[] = []
  pass.start(steps(clock, 20, 2, done))
  pass.finish()
  assert.equal(done.length, 20)
  assert.equal(clock.pending, 0)
  pass.finish()
})

test('a step that throws ends its pass, and the next one runs', () => {
  const clock = new FakeClock()
  const pass = new Pass(clock)
  // biome-ignore lint/correctness/useYield: it throws before it would
  function* broken(): Steps {
    throw new Error('broken')
  }
  assert.throws(() => pass.start(broken()), /broken/)
  const done: number[] = []
  pass.start(steps(clock, 1, 1, done))
  assert.deepEqual(done, [0])
})
