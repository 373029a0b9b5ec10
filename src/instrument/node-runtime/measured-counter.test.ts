import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pass } from '../sessions/served-counter.ts'
import { growth, MeasuredCounter, oncePerPass, state } from './measured-counter.ts'

const DESCRIPTION = {
  ...{ provider: 'P', name: 'n', displayName: '', units: '', rateScaleSec: 0, metaData: [] },
}

const pass = (number: number): Pass => ({ number, nowNs: BigInt(number) * 1_000_000_000n })

test('a state is read at the end of each window, with the statistics of one sample', () => {
  let level = 5
  const counter = new MeasuredCounter(
    DESCRIPTION,
    state(
      () => level,
      (value) => value * 2,
    ),
  )
  const window = counter.open(pass(0))
  level = 7
  assert.deepEqual(window.close(pass(1)), {
    statistics: { kind: 'mean', count: 1, mean: 14, deviation: 0, min: 14, max: 14 },
    sinceNs: 0n,
  })
  assert.equal(window.close(pass(2))?.sinceNs, 1_000_000_000n)
})

test('windows of different lengths each get the growth of their own time', () => {
  let total = 100
  const read = oncePerPass(() => total)
  const counter = new MeasuredCounter(
    DESCRIPTION,
    growth(read, (before, after) => after - before),
  )
  const value = (window: ReturnType<typeof counter.open>, number: number) => {
    const closed = window.close(pass(number))
    return closed?.statistics.kind === 'mean' ? closed.statistics.mean : undefined
  }
  const long = counter.open(pass(0))
  total = 103
  const short = counter.open(pass(1))
  total = 110
  assert.equal(value(short, 2), 7)
  total = 111
  assert.equal(value(short, 3), 1)
  assert.equal(value(long, 3), 11)
})

test('a window without a value goes on, and says later when it began', () => {
  const values = [undefined, Number.NaN, 3]
  const counter = new MeasuredCounter(DESCRIPTION, () => ({ take: () => values.shift() }))
  const window = counter.open(pass(4))
  assert.equal(window.close(pass(5)), undefined)
  assert.equal(window.close(pass(6)), undefined)
  assert.equal(window.close(pass(7))?.sinceNs, 4_000_000_000n)
})

test('a reading is taken once in a pass, whoever asks', () => {
  let reads = 0
  const read = oncePerPass(() => ++reads)
  assert.deepEqual([read(pass(1)), read(pass(1)), read(pass(2)), read(pass(2))], [1, 1, 2, 2])
})

test('the end of a window ends its measurement', () => {
  let ended = 0
  const counter = new MeasuredCounter(DESCRIPTION, () => ({ take: () => 1, end: () => ended++ }))
  counter.open(pass(0)).end()
  assert.equal(ended, 1)
})
