import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Backoff } from './backoff.ts'

const OPTIONS = { reconnectFirstMs: 250, reconnectLimitMs: 10_000, reconnectJitter: 0 }

it('doubles its pauses up to the limit, and begins anew after a success', () => {
  const backoff = new Backoff(OPTIONS, () => 0.9)
  const pauses = Array.from({ length: 8 }, () => backoff.nextMs())
  assert.deepEqual(pauses, [250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000])
  backoff.reset()
  assert.equal(backoff.nextMs(), 250)
})

it('spreads a pause both ways by the jitter', () => {
  const pause = (random: number) =>
    new Backoff({ ...OPTIONS, reconnectJitter: 0.2 }, () => random).nextMs()
  assert.deepEqual([pause(0), pause(0.5)], [200, 250])
  assert.ok(pause(0.999) > 299 && pause(0.999) < 300)
})
