import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { Steps } from './task.ts'
import { inTurns, Turn } from './loop-budget.ts'

function turnOf(clock: FakeClock): { turn: Turn; waits: number[] } {
  const waits: number[] = []
  const nextTurn = (callback: () => void): void => {
    waits.push(clock.wallMs())
    clock.pass(100)
    callback()
  }
  return { turn: new Turn(clock, { budgetNs: 3_000_000n, nextTurn }), waits }
}

test('a turn is over when its budget is spent, and the next one has it anew', async () => {
  const clock = new FakeClock()
  const { turn } = turnOf(clock)
  clock.pass(2)
  assert.equal(turn.isOver, false)
  clock.pass(1)
  assert.equal(turn.isOver, true)
  await turn.next()
  assert.equal(turn.isOver, false)
})

test('steps wait only where a turn is over, and pauses are no part of their work', async () => {
  const clock = new FakeClock()
  const { turn, waits } = turnOf(clock)
  const startMs = clock.wallMs()
  const done: number[] = []
  function* steps(): Steps<string> {
    for (let i = 0; i < 7; i++) {
      clock.pass(1)
      done.push(i)
      yield
    }
    return 'done'
  }
  assert.equal(await inTurns(steps(), turn), 'done')
  assert.equal(done.length, 7)
  assert.deepEqual(
    waits.map((atMs) => atMs - startMs),
    [3, 106],
  )
  assert.equal(turn.workMs, 7)
})
