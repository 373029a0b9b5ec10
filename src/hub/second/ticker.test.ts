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
    standstill: (seconds) => told.push(`gap of ${seconds}`),
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

test('a look counts for the whole second that it is nearest to', () => {
  const { clock, ticker, since } = watched()
  clock.advance(1000)
  clock.stall(1400)
  assert.deepEqual(since(), ['1 after 1', '2 after 1'])
  clock.advance(600)
  clock.stall(1500)
  assert.deepEqual(since(), ['3 after 1'])
  assert.deepEqual(ticker.open, { endMs: START_MS + 5000, seconds: 2 })
  clock.advance(1500)
  assert.deepEqual(since(), ['5 after 2', '6 after 1'])
})

test('a loop that is always late closes every other look', () => {
  const { clock, since } = watched()
  clock.advance(1000)
  for (let i = 0; i < 6; i++) clock.stall(1700)
  assert.deepEqual(since(), ['1 after 1', '4 after 3', '7 after 3', '11 after 4'])
})

test('seconds in which the process stood still are a gap', () => {
  const { clock, since } = watched()
  clock.advance(1300)
  clock.stall(10_000)
  assert.deepEqual(since(), ['1 after 1', 'gap of 10'])
  clock.advance(1700)
  assert.deepEqual(since(), ['12 after 1', '13 after 1'])
})

test('a standstill while an end was put off already closes the second that has just ended', () => {
  const { clock, since } = watched()
  clock.advance(1000)
  clock.stall(1600)
  clock.stall(10_000)
  assert.deepEqual(since(), ['1 after 1', 'gap of 11', '12 after 1'])
  clock.advance(400)
  assert.deepEqual(since(), ['13 after 1'])
})

test('a clock that is set while the process stands still: its time is no interval', () => {
  const { clock, since } = watched()
  clock.advance(1000)
  clock.setWall(HOUR_MS)
  clock.stall(10_000)
  clock.advance(1000)
  assert.deepEqual(since(), ['1 after 1', 'step 3600', '3611 after 1', '3612 after 1'])
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
