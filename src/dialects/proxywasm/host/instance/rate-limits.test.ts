import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { FakeClock } from '../../../../../test/support/fake-clock.ts'
import { TimeoutPauses } from './rate-limits.ts'

test('calls that take too long make longer and longer pauses, up to a minute', () => {
  const clock = new FakeClock()
  const pauses = new TimeoutPauses(clock, () => 0.5)
  const given = Array.from({ length: 12 }, () => {
    const startedNs = clock.monotonicNs()
    clock.advance(1000)
    const pauseMs = pauses.timedOut(startedNs)
    assert.equal(pauses.restMs, pauseMs)
    clock.advance(pauseMs)
    assert.equal(pauses.restMs, 0)
    return pauseMs / 1000
  })
  assert.deepEqual(given, [0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60])
})

test('a filter that has lived for a minute without one begins anew', () => {
  const clock = new FakeClock()
  const pauses = new TimeoutPauses(clock, () => 0.5)
  for (let i = 0; i < 5; i++) pauses.timedOut(clock.monotonicNs())
  const startedNs = clock.monotonicNs()
  clock.advance(59_999)
  assert.equal(pauses.timedOut(startedNs), 4000)
  clock.advance(1)
  assert.deepEqual([pauses.timedOut(startedNs), pauses.timedOut(clock.monotonicNs())], [0, 0])
})
