import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PartedWork } from './parts.ts'
import { inOnePart, runNow, type Task } from './task.ts'

/** Budget for so many parts; what is done is noted. */
function bench(partsOfTurn: number) {
  const done: string[] = []
  let left = partsOfTurn
  const budget = {
    get isSpent() {
      return --left <= 0
    },
  }
  function* piece(name: string, count: number): Task {
    for (let i = 0; i < count; i++) {
      done.push(`${name}${i}`)
      yield
    }
  }
  const renew = () => {
    left = partsOfTurn
    return done.splice(0).join(' ')
  }
  return { budget, piece, renew }
}

test('work stops where the budget is spent, and goes on from there', () => {
  const { budget, piece, renew } = bench(2)
  let waits = 0
  const work = new PartedWork(budget, () => waits++)
  work.begin(piece('a', 3))
  assert.deepEqual([renew(), work.hasRest, waits], ['a0 a1', true, 0])
  work.goOn()
  assert.deepEqual([renew(), work.hasRest, waits], ['a2', false, 1])
  work.begin(piece('b', 1))
  assert.deepEqual([renew(), work.hasRest, waits], ['b0', false, 1])
})

test('what begins meanwhile comes behind what waits', () => {
  const { budget, piece, renew } = bench(2)
  const work = new PartedWork(budget)
  work.begin(piece('a', 3))
  work.begin(piece('b', 1))
  assert.equal(renew(), 'a0 a1')
  work.goOn()
  assert.deepEqual([renew(), work.hasRest], ['a2 b0', true])
  work.goOn()
  assert.equal(work.hasRest, false)
})

test('without a budget everything is done at once', () => {
  const { piece, renew } = bench(2)
  const work = new PartedWork(undefined)
  work.begin(piece('a', 4))
  assert.deepEqual([renew(), work.hasRest], ['a0 a1 a2 a3', false])
})

test('work that is given up while it runs ends with its part', () => {
  const { budget, piece, renew } = bench(9)
  const work = new PartedWork(budget)
  function* givingUp(): Task {
    yield* piece('a', 1)
    work.drop()
    yield* piece('b', 3)
  }
  work.begin(givingUp())
  assert.deepEqual([renew(), work.hasRest], ['a0 b0', false])
})

test('parts give a result', () => {
  assert.equal(runNow(inOnePart(() => 7)), 7)
})
