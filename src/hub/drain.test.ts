import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { drain } from './drain.ts'

test('a short pause in what arrives is not its end', async () => {
  let taken = 0
  for (const ms of [8, 16, 24]) setTimeout(() => taken++, ms)
  await drain(new FakeClock(), () => taken)
  assert.equal(taken, 3)
})

test('who goes on sending is cut off after a second', async () => {
  const clock = new FakeClock()
  let looks = 0
  await drain(clock, () => {
    clock.advance(100)
    return looks++
  })
  assert.equal(looks, 10)
})
