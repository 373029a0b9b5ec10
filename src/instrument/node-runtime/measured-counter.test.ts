import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Collection } from '../sessions/served-counter.ts'
import { growth, MeasuredCounter, oncePerCollection, state } from './measured-counter.ts'

const DESCRIPTION = {
  ...{ provider: 'P', name: 'n', displayName: '', units: '', rateScaleSec: 0, metaData: [] },
}

const collection = (number: number): Collection => ({
  number,
  nowNs: BigInt(number) * 1_000_000_000n,
})

test('a state is read at the end of each window, with the statistics of one sample', () => {
  let level = 5
  const counter = new MeasuredCounter(
    DESCRIPTION,
    state(
      () => level,
      (value) => value * 2,
    ),
  )
  const window = counter.open(collection(0))
  level = 7
  assert.deepEqual(window.close(collection(1)), {
    statistics: { kind: 'mean', count: 1, mean: 14, deviation: 0, min: 14, max: 14 },
    sinceNs: 0n,
  })
  assert.equal(window.close(collection(2))?.sinceNs, 1_000_000_000n)
})

test('windows of different lengths each get the growth of their own time', () => {
  let total = 100
  const read = oncePerCollection(() => total)
  const counter = new MeasuredCounter(
    DESCRIPTION,
    growth(read, (before, after) => after - before),
  )
  const value = (window: ReturnType<typeof counter.open>, number: number) => {
    const closed = window.close(collection(number))
    return closed?.statistics.kind === 'mean' ? closed.statistics.mean : undefined
  }
  const long = counter.open(collection(0))
  total = 103
  const short = counter.open(collection(1))
  total = 110
  assert.equal(value(short, 2), 7)
  total = 111
  assert.equal(value(short, 3), 1)
  assert.equal(value(long, 3), 11)
})

test('a window without a value goes on, and says later when it began', () => {
  const values = [undefined, Number.NaN, 3]
  const counter = new MeasuredCounter(DESCRIPTION, () => ({ take: () => values.shift() }))
  const window = counter.open(collection(4))
  assert.equal(window.close(collection(5)), undefined)
  assert.equal(window.close(collection(6)), undefined)
  assert.equal(window.close(collection(7))?.sinceNs, 4_000_000_000n)
})

test('a reading is taken once in a collection, whoever asks', () => {
  let reads = 0
  const read = oncePerCollection(() => ++reads)
  assert.deepEqual(
    [read(collection(1)), read(collection(1)), read(collection(2)), read(collection(2))],
    [1, 1, 2, 2],
  )
})

test('the end of a window ends its measurement', () => {
  let ended = 0
  const counter = new MeasuredCounter(DESCRIPTION, () => ({ take: () => 1, end: () => ended++ }))
  counter.open(collection(0)).end()
  assert.equal(ended, 1)
})
