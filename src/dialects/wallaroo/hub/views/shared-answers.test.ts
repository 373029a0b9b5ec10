import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FakeClock } from '../../../../../test/support/fake-clock.ts'
import { ANSWER_BUDGET_NS } from '../../../../hub/tasks/loop-budget.ts'
import type { Task } from '../../../../hub/tasks/task.ts'
import { TaskQueue } from '../../../../hub/tasks/task-queue.ts'
import { type Asker, SharedAnswers } from './shared-answers.ts'

/** A task that takes 1 ms a step and says which one it is at. */
function* steps(clock: FakeClock, count: number, log: string[], name = ''): Task<string> {
  for (let i = 1; i <= count; i++) {
    clock.pass(1)
    log.push(`${name}${i}`)
    yield
  }
  return `${name} is done`
}

/** Iterations of the loop as the test gives them. */
class Turns {
  readonly #waiting: (() => void)[] = []
  readonly nextLoop = (callback: () => void): void => {
    this.#waiting.push(callback)
  }

  get waiting(): number {
    return this.#waiting.length
  }

  async next(): Promise<void> {
    this.#waiting.shift()?.()
    await settled()
  }
}

/** All promises that can be kept now have been. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

describe('a task of the queue', () => {
  it('gives the loop back after 4 ms, and says what it took without its pauses', async () => {
    const [clock, turns, log] = [new FakeClock(), new Turns(), [] as string[]]
    const queue = new TaskQueue(clock, { budgetNs: ANSWER_BUDGET_NS, nextLoop: turns.nextLoop })
    const result = queue.run(steps(clock, 10, log))
    const seen: number[] = []
    await settled()
    while (turns.waiting > 0) {
      seen.push(log.length)
      clock.pass(100)
      await turns.next()
    }
    assert.deepEqual(seen, [4, 8])
    assert.deepEqual(await result, { value: ' is done', workMs: 10 })
  })

  it('waits for those that came before, also where they fail', async () => {
    const [clock, turns, log] = [new FakeClock(), new Turns(), [] as string[]]
    const queue = new TaskQueue(clock, { budgetNs: ANSWER_BUDGET_NS, nextLoop: turns.nextLoop })
    const first = queue.run(
      (function* (): Task {
        yield* steps(clock, 5, log, 'a')
        throw new Error('broken')
      })(),
    )
    const second = queue.run(steps(clock, 1, log, 'b'))
    const failed = assert.rejects(first, /broken/)
    await settled()
    assert.deepEqual([log.length, turns.waiting], [4, 1])
    await turns.next()
    await failed
    assert.equal((await second).value, 'b is done')
    assert.deepEqual(log, ['a1', 'a2', 'a3', 'a4', 'a5', 'b1'])
  })
})

interface Answering {
  readonly clock: FakeClock
  readonly answers: SharedAnswers
  /** How often an answer was made. */
  readonly made: string[]
  readonly ask: (
    key: string,
    takesMs: number,
    rows?: number,
    asker?: Asker,
  ) => Promise<object | undefined>
}

function asker(): Answering {
  const clock = new FakeClock()
  const answers = new SharedAnswers(clock, new TaskQueue(clock, { budgetNs: ANSWER_BUDGET_NS }))
  const made: string[] = []
  return {
    ...{ clock, answers, made },
    ask(key, takesMs, rows = 1, client) {
      const make = function* (): Task<object> {
        made.push(key)
        clock.pass(takesMs)
        yield
        return {}
      }
      return answers.ask(key, make, () => rows, client)
    },
  }
}

describe('an answer', () => {
  it('is made once for all who ask while it is made and while it is fresh', async () => {
    const { clock, made, ask } = asker()
    const [first, second] = [ask('a', 100), ask('a', 100)]
    assert.equal(await first, await second)
    clock.advance(1999)
    assert.equal(await ask('a', 100), await first)
    assert.equal(made.length, 1)
    clock.advance(1)
    assert.notEqual(await ask('a', 100), await first)
    assert.equal(made.length, 2)
  })

  it('that costs little is always of this moment', async () => {
    const { made, ask } = asker()
    await ask('a', 9)
    await ask('a', 9)
    assert.equal(made.length, 2)
  })

  it('that took long stays so long that it takes a fifth of the time', async () => {
    const { clock, made, ask } = asker()
    await ask('a', 3000)
    clock.advance(11_999)
    await ask('a', 3000)
    assert.equal(made.length, 1)
    clock.advance(1)
    await ask('a', 3000)
    assert.equal(made.length, 2)
  })

  it('that failed is made again, and fails for everyone who waited', async () => {
    const { answers } = asker()
    const broken = function* (): Task<object> {
      yield
      throw new Error('broken')
    }
    const both = [1, 2].map(() => answers.ask('a', broken, () => 1))
    for (const each of both) await assert.rejects(each, /broken/)
    const again = function* (): Task<object> {
      yield
      return {}
    }
    assert.deepEqual(await answers.ask('a', again, () => 1), {})
  })

  it('is made no further once all who asked are gone', async () => {
    const { answers, made, ask } = asker()
    const [gone, other] = [{ isGone: false }, { isGone: false }]
    const [begun, shared] = [ask('begun', 100, 1, gone), ask('shared', 100, 1, gone)]
    assert.equal(answers.pending, 2)
    const waited = ask('shared', 100, 1, other)
    const left = Array.from({ length: 100 }, (_, i) => ask(`${i}`, 100, 1, gone))
    gone.isGone = true
    // who comes now does not wait for what is about to be left
    const again = ask('begun', 100)
    assert.equal(await begun, undefined)
    assert.notEqual(await again, undefined)
    assert.equal(await shared, await waited)
    assert.notEqual(await waited, undefined)
    assert.deepEqual(new Set(await Promise.all(left)), new Set([undefined]))
    assert.deepEqual(made, ['begun', 'shared', 'begun'])
    assert.equal(answers.pending, 0)
  })

  it('leaves early for newer ones, where there are too many or too large ones', async () => {
    const { made, ask } = asker()
    for (let i = 0; i < 65; i++) await ask(`${i}`, 10)
    await ask('64', 10)
    assert.equal(made.length, 65)
    await ask('0', 10)
    assert.equal(made.length, 66)
    await ask('large', 10, 100_001)
    await ask('large', 10, 100_001)
    assert.equal(made.filter((key) => key === 'large').length, 1)
    await ask('next', 10)
    await ask('large', 10, 100_001)
    assert.equal(made.filter((key) => key === 'large').length, 2)
  })
})
