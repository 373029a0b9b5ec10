import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SharedTask } from './shared-task.ts'
import { runNow, type Task } from './task.ts'

interface Work {
  steps: number
  isLetGo: boolean
}

function* count(work: Work, steps: number): Task<number> {
  try {
    for (; work.steps < steps; work.steps++) yield
    return work.steps
  } finally {
    work.isLetGo = true
  }
}

function start(steps: number) {
  const work: Work = { steps: 0, isLetGo: false }
  return { work, shared: new SharedTask(count(work, steps)) }
}

test('what several callers want is done once, by all of them', () => {
  const { work, shared } = start(10)
  const callers = [shared.join(), shared.join(), shared.join()]
  const results = new Set<number>()
  for (let rounds = 0; results.size === 0; rounds++) {
    assert.ok(rounds <= 4)
    for (const caller of callers) {
      const step = caller.next()
      if (step.done === true) results.add(step.value)
    }
  }
  for (const caller of callers) {
    const step = caller.next()
    if (step.done === true && step.value !== undefined) results.add(step.value)
  }
  assert.deepEqual([...results], [10])
  assert.equal(work.steps, 10)
  assert.equal(shared.isRunning, false)
})

test('who goes away leaves the work to the others; the last one ends it', () => {
  const { work, shared } = start(10)
  const [first, second] = [shared.join(), shared.join()]
  first.next()
  second.next()
  first.return(0)
  assert.deepEqual([shared.isRunning, work.isLetGo], [true, false])
  second.return(0)
  assert.deepEqual([shared.isRunning, work.isLetGo], [false, true])
})

test('what the work throws, every caller gets', () => {
  // biome-ignore lint/correctness/useYield: it throws before it would
  function* broken(): Task<number> {
    throw new Error('broken')
  }
  const shared = new SharedTask(broken())
  const callers = [shared.join(), shared.join()]
  for (const caller of callers) assert.throws(() => runNow(caller), /broken/)
})
