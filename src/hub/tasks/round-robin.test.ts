import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { RoundRobin } from './round-robin.ts'
import type { Task } from './task.ts'

function start() {
  const clock = new FakeClock()
  const iterations: (() => void)[] = []
  const nextLoop = (callback: () => void): unknown => iterations.push(callback)
  const turns = new RoundRobin(clock, { budgetNs: 8_000_000n, turnNs: 4_000_000n, nextLoop })
  return { clock, turns, iterate: () => iterations.shift()?.() }
}

test('turns come in their order, as many in an iteration as its budget takes', () => {
  const { clock, turns, iterate } = start()
  const seen: number[] = []
  for (let i = 0; i < 7; i++) {
    void turns.turn(() => {
      seen.push(i)
      clock.pass(3)
    })
  }
  assert.deepEqual(seen, [])
  iterate()
  assert.deepEqual(seen, [0, 1, 2])
  iterate()
  assert.deepEqual(seen, [0, 1, 2, 3, 4, 5])
  iterate()
  assert.equal(turns.waiting, 0)
  assert.equal(iterate(), undefined)
})

test('the share of a turn is spent for that turn alone', () => {
  const { clock, turns, iterate } = start()
  const shares: number[] = []
  for (let i = 0; i < 2; i++) {
    void turns.turn((share) => {
      let steps = 0
      for (; !share.isSpent; steps++) clock.pass(1)
      shares.push(steps)
    })
  }
  iterate()
  assert.deepEqual(shares, [4, 4])
})

test('a turn gives what its work returns or throws, and the next one runs', async () => {
  const { turns, iterate } = start()
  const broken = turns.turn(() => {
    throw new Error('broken')
  })
  const whole = turns.turn(() => 7)
  iterate()
  await assert.rejects(broken, /broken/)
  assert.equal(await whole, 7)
})

test('a turn that is asked for in a turn comes in the same iteration at the earliest', () => {
  const { turns, iterate } = start()
  const seen: string[] = []
  void turns.turn(() => {
    void turns.turn(() => seen.push('inner'))
    seen.push('outer')
  })
  void turns.turn(() => seen.push('other'))
  iterate()
  assert.deepEqual(seen, ['outer', 'other', 'inner'])
})

test('a task takes as many turns as it needs, and is given up once it is not wanted', async () => {
  const { clock, turns, iterate } = start()
  let isWanted = true
  let isLetGo = false
  function* work(): Task<string> {
    try {
      for (let i = 0; i < 10; i++) {
        clock.pass(1)
        yield
      }
      return 'done'
    } finally {
      isLetGo = true
    }
  }
  const whole = turns.run(work(), () => true)
  let iterations = 0
  for (; turns.waiting > 0; iterations++) {
    iterate()
    await null
    await null
    await null
  }
  assert.equal(await whole, 'done')
  assert.equal(iterations, 3)
  isLetGo = false
  const given = turns.run(work(), () => isWanted)
  iterate()
  isWanted = false
  iterate()
  assert.equal(await given, undefined)
  assert.equal(isLetGo, true)
})
