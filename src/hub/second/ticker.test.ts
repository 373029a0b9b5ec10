import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { Ticker } from './ticker.ts'

const START_MS = 1_700_000_000_000
const HOUR_MS = 3_600_000

function watched(startMs = START_MS) {
  const clock = new FakeClock(startMs)
  const ticker = new Ticker(clock)
  const told: string[] = []
  ticker.start({
    boundary: (endMs, seconds) => told.push(`${(endMs - START_MS) / 1000} after ${seconds}`),
    step: (stepMs) => told.push(`step ${stepMs / 1000}`),
  })
  /** What was told since the last time. */
  const since = (): string[] => told.splice(0)
  return { clock, ticker, since }
}

test('seconds end on the whole seconds of the wall clock', () => {
  const { clock, ticker, since } = watched(START_MS + 300)
  clock.advance(699)
  assert.deepEqual(since(), [])
  clock.advance(2001)
  assert.deepEqual(since(), ['1 after 1', '2 after 1', '3 after 1'])
  ticker.stop()
  clock.advance(5000)
  assert.deepEqual([since(), clock.pending], [[], 0])
})

test('a standstill is one longer interval on the grid', () => {
  const { clock, since } = watched()
  clock.advance(1000)
  clock.stall(3400)
  clock.advance(600)
  assert.deepEqual(since(), ['1 after 1', '4 after 3', '5 after 1'])
})

test('a clock set ahead: the step is told, and the interval is as long as it really was', () => {
  const { clock, since } = watched()
  clock.advance(1500)
  clock.setWall(HOUR_MS)
  clock.advance(2000)
  assert.deepEqual(since(), ['1 after 1', 'step 3600', '3602 after 1', '3603 after 1'])
})

test('a clock set back: seconds go on from the new time', () => {
  const { clock, since } = watched()
  clock.advance(1500)
  clock.setWall(-HOUR_MS - 250)
  clock.advance(2000)
  assert.deepEqual(since(), [
    '1 after 1',
    'step -3600.25',
    '-3599 after 1',
    '-3598 after 1',
    '-3597 after 1',
  ])
})

test('a clock that is slewed is followed without a step', () => {
  const { clock, since } = watched()
  for (let i = 0; i < 10; i++) {
    clock.advance(1000)
    clock.setWall(-100)
  }
  assert.deepEqual(
    since(),
    Array.from({ length: 9 }, (_, i) => `${i + 1} after 1`),
  )
})
