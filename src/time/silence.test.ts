import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { SilenceWatch } from './silence.ts'

test('silence is told once the limit has passed since the last sign', () => {
  const clock = new FakeClock()
  let told = 0
  const watch = new SilenceWatch(clock, 1000, () => told++)
  clock.advance(700)
  watch.sign()
  clock.advance(999)
  assert.equal(told, 0)
  clock.advance(1)
  assert.equal(told, 1)
  watch.stop()
  assert.equal(clock.pending, 0)
})

test('as long as it lasts, silence is told again and again', () => {
  const clock = new FakeClock()
  let told = 0
  const watch = new SilenceWatch(clock, 1000, () => told++)
  clock.advance(3500)
  assert.equal(told, 3)
  assert.equal(clock.pending, 1, 'one timer, however many signs')
  watch.stop()
})

test('who stops it when told is not told again', () => {
  const clock = new FakeClock()
  let told = 0
  const watch = new SilenceWatch(clock, 10, () => {
    told++
    watch.stop()
  })
  clock.advance(100)
  assert.deepEqual([told, clock.pending], [1, 0])
})
