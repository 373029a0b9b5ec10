import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { HistoryError } from '../../../history/store.ts'
import { Questions } from './questions.ts'

test('so many are asked at once, the others in their order, none beyond the bound', async () => {
  const questions = new Questions({ atOnce: 2, waiting: 3 })
  const asked: number[] = []
  const ends: (() => void)[] = []
  const answers = Array.from({ length: 5 }, (_, i) =>
    questions.ask(async () => {
      asked.push(i)
      await new Promise<void>((resolve) => ends.push(resolve))
      if (i === 1) throw new Error('no answer')
      return i
    }),
  )
  const settled = Promise.allSettled(answers)
  assert.deepEqual(asked, [0, 1])
  await assert.rejects(
    questions.ask(async () => 0),
    (error) => error instanceof HistoryError && error.code === 'busy',
  )
  for (let i = 0; i < 5; i++) {
    ends[i]!()
    await setImmediate()
    assert.equal(asked.length, Math.min(5, i + 3))
  }
  const outcomes = await settled
  assert.deepEqual(
    outcomes.map(({ status }) => status === 'fulfilled'),
    [true, false, true, true, true],
  )
  assert.equal(await questions.ask(async () => 7), 7)
})
