import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import type { MeanStatistics, Statistics } from '../../dialects/eventcounters/window.ts'
import type { OpenWindow } from '../sessions/served-counter.ts'
import { RecordedCounter } from './recorded-counter.ts'

const description = {
  ...{ provider: 'p', name: 'c', displayName: '', units: '' },
  ...{ rateScaleSec: 0, metaData: [] },
}

function make(kind: 'mean' | 'sum' = 'mean') {
  const refused: number[] = []
  const onRefused = () => refused.push(1)
  const counter = new RecordedCounter({ kind, describe: () => description, onRefused })
  return { counter, refused }
}

function close(window: OpenWindow): Statistics {
  return window.close({ number: 1, nowNs: 1n })!.statistics
}

function closeMean(window: OpenWindow): MeanStatistics {
  const statistics = close(window)
  assert.ok(statistics.kind === 'mean')
  return statistics
}

function statisticsOf(samples: readonly number[]): MeanStatistics {
  const { counter } = make()
  const window = counter.open()
  for (const sample of samples) counter.record(sample)
  return closeMean(window)
}

/** Mean and population deviation of integers, in exact arithmetic up to the last step. */
function exactly(samples: readonly number[]): { mean: number; deviation: number } {
  const n = BigInt(samples.length)
  const sum = samples.reduce((total, x) => total + BigInt(x), 0n)
  // n * Σx² - (Σx)² = n² * variance
  const squares = samples.reduce((total, x) => total + BigInt(x) ** 2n, 0n)
  const variance = Number(n * squares - sum * sum) / Number(n * n)
  return { mean: Number(sum) / Number(n), deviation: Math.sqrt(variance) }
}

function assertNear(actual: number, expected: number, what: string): void {
  const isNear = Math.abs(actual - expected) <= 1e-9 * Math.abs(expected)
  assert.ok(isNear, `${what}: ${actual} is not ${expected}`)
}

const EMPTY: MeanStatistics = {
  ...{ kind: 'mean', count: 0, mean: 0, deviation: 0 },
  ...{ min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY },
}

suite('samples of one thread', () => {
  test('an empty window has no samples, no mean, and extremes that any sample replaces', () => {
    const { counter } = make()
    assert.deepEqual(closeMean(counter.open()), EMPTY)
  })

  test('a window begins empty after it was closed', () => {
    const { counter } = make()
    const window = counter.open()
    counter.record(7)
    assert.equal(closeMean(window).count, 1)
    assert.deepEqual(closeMean(window), EMPTY)
  })

  test('constant samples have a deviation of exactly 0, where sums of squares give NaN', () => {
    const constants = [0.1, 0.3, 0.7, 1234.567, 1e9 + 1 / 3, -1e-300, 1e308, -0]
    for (const value of constants) {
      for (const n of [1, 3, 6, 7, 16, 64, 65, 1000]) {
        const { mean, deviation } = statisticsOf(Array(n).fill(value))
        assert.deepEqual({ mean: mean + 0, deviation }, { mean: value + 0, deviation: 0 })
      }
    }
  })

  test('the deviation stays exact to nine digits at an offset of a million', () => {
    const sample = fc.integer({ min: 1_000_000, max: 1_000_100 })
    holds(
      fc.property(fc.array(sample, { minLength: 1, maxLength: 500, size: 'max' }), (samples) => {
        const { mean, deviation, count } = statisticsOf(samples)
        const exact = exactly(samples)
        assert.equal(count, samples.length)
        assertNear(mean, exact.mean, 'mean')
        assertNear(deviation, exact.deviation, 'deviation')
      }),
    )
  })

  test('no finite samples give statistics that are not finite', () => {
    const sample = fc.double({ noNaN: true, noDefaultInfinity: true })
    const huge = fc.constantFrom(1.7e308, -1.7e308, Number.MAX_VALUE, -Number.MAX_VALUE, 1e160)
    holds(
      fc.property(
        fc.array(fc.oneof(sample, huge), { minLength: 1, maxLength: 200, size: 'max' }),
        (samples) => {
          const { kind, ...numbers } = statisticsOf(samples)
          assert.ok(Object.values(numbers).every(Number.isFinite), JSON.stringify(numbers))
          assert.ok(numbers.min <= numbers.mean && numbers.mean <= numbers.max)
          assert.ok(numbers.deviation >= 0)
          assert.equal(numbers.min, Math.min(...samples))
          assert.equal(numbers.max, Math.max(...samples))
        },
      ),
    )
  })

  test('a sum that leaves the doubles stops at the largest', () => {
    const { counter } = make('sum')
    const window = counter.open()
    for (let i = 0; i < 3; i++) counter.record(Number.MAX_VALUE)
    assert.deepEqual(close(window), { kind: 'sum', increment: Number.MAX_VALUE })
    assert.deepEqual(close(window), { kind: 'sum', increment: 0 })
  })

  test('what is no finite number is told and changes nothing, whatever its type', () => {
    const { counter, refused } = make()
    const window = counter.open()
    const hostile: unknown[] = [Number.NaN, Infinity, -Infinity, '5', null, undefined, 5n, {}]
    hostile.push(Symbol('s'), { valueOf: () => assert.fail('must not be called') })
    for (const value of hostile) counter.record(value as number)
    counter.record(4)
    assert.equal(refused.length, hostile.length)
    assert.deepEqual(closeMean(window), { ...statisticsOf([4]) })
  })

  test('with nobody listening nothing is looked at, and nothing is kept for the next', () => {
    const { counter, refused } = make()
    counter.record(Number.NaN)
    counter.record(1)
    const first = counter.open()
    counter.record(2)
    first.end()
    counter.record(3)
    assert.deepEqual(closeMean(counter.open()), EMPTY)
    assert.equal(refused.length, 0)
  })

  test('another window that begins, closes or ends anywhere changes no bit of this one', () => {
    const value = fc.double({ noNaN: true, noDefaultInfinity: true })
    const step = fc.record({ value, act: fc.constantFrom('none', 'open', 'close', 'end') })
    for (const kind of ['mean', 'sum'] as const) {
      holds(
        fc.property(fc.array(step, { maxLength: 300, size: 'max' }), (steps) => {
          const [alone, crowd] = [make(kind).counter, make(kind).counter]
          const [lone, one] = [alone.open(), crowd.open()]
          const others: OpenWindow[] = []
          for (const { value, act } of steps) {
            if (act === 'open') others.push(crowd.open())
            if (act === 'close') for (const other of others) close(other)
            if (act === 'end') others.pop()?.end()
            alone.record(value)
            crowd.record(value)
          }
          assert.deepEqual(close(one), close(lone))
        }),
      )
    }
  })

  test('windows that began together are told the same, for as long as they close together', () => {
    const { counter } = make()
    const windows = [counter.open(), counter.open(), counter.open()]
    const [one, two, three] = windows as [OpenWindow, OpenWindow, OpenWindow]
    for (let i = 1; i <= 100; i++) counter.record(i)
    const first = closeMean(one)
    assert.deepEqual(first, statisticsOf(Array.from({ length: 100 }, (_, i) => i + 1)))
    assert.equal(closeMean(two), first)
    counter.record(7)
    const later = [closeMean(one), closeMean(two), closeMean(three)].map(({ count }) => count)
    assert.deepEqual(later, [1, 1, 101])
    counter.record(8)
    assert.deepEqual(closeMean(three), statisticsOf([8]))
    assert.equal(closeMean(two).count, 1)
    one.end()
    counter.absorb({ count: 2, mean: 3, squares: 0, min: 3, max: 3 })
    assert.equal(closeMean(two).count, 2)
    assert.equal(closeMean(three).count, 2)
    assert.deepEqual([closeMean(two), closeMean(three)], [EMPTY, EMPTY])
  })

  test('every window gets the samples written while it was open, in whole rounds and not', () => {
    const { counter } = make('sum')
    const windows: { window: OpenWindow; from: number }[] = []
    for (let i = 1; i <= 200; i++) {
      if (i % 13 === 0) windows.push({ window: counter.open(), from: i })
      counter.record(i)
    }
    for (const { window, from } of windows) {
      const increment = ((from + 200) * (201 - from)) / 2
      assert.deepEqual(close(window), { kind: 'sum', increment })
    }
  })

  test('a taker that wants samples at once gets each as it is written, and so do all', () => {
    const { counter } = make()
    const rounds: number[] = []
    const stop = counter.listen({ take: (_, from, to) => rounds.push(to - from) }, true)
    const window = counter.open()
    for (let i = 0; i < 3; i++) counter.record(i)
    assert.deepEqual(rounds, [1, 1, 1])
    stop()
    stop()
    counter.record(3)
    assert.equal(rounds.length, 3)
    assert.equal(closeMean(window).count, 4)
  })

  test('the closed window of another thread is merged into every open one', () => {
    const samples = [3, 1, 4, 1, 5, 9, 2, 6]
    const { counter } = make()
    const windows = [counter.open(), counter.open()]
    for (const sample of samples.slice(0, 3)) counter.record(sample)
    const theirs = make().counter
    const window = theirs.open()
    for (const sample of samples.slice(3)) theirs.record(sample)
    const { kind, deviation, ...part } = closeMean(window)
    counter.absorb({ ...part, squares: deviation ** 2 * part.count })
    const all = statisticsOf(samples)
    for (const each of windows) {
      const merged = closeMean(each)
      assert.equal(merged.count, 8)
      assertNear(merged.mean, all.mean, 'mean')
      assertNear(merged.deviation, all.deviation, 'deviation')
      assert.deepEqual([merged.min, merged.max], [1, 9])
    }
  })

  test('the sum of another thread is added to every open window', () => {
    const { counter } = make('sum')
    const window = counter.open()
    counter.record(1.5)
    counter.absorb(2)
    assert.deepEqual(close(window), { kind: 'sum', increment: 3.5 })
  })
})

test('what comes from elsewhere meets the same blocks whoever else has a window', () => {
  const samples = Array.from({ length: 150 }, (_, i) => 1e6 + Math.sin(i))
  const part = { count: 7, mean: 17.3, squares: 0.3, min: 17, max: 18 }
  /** A window of all samples but the first ones, for which another window may be there. */
  function run(before: number, isInherited: boolean): MeanStatistics {
    let { counter } = make()
    if (before > 0) counter.open()
    for (const sample of samples.slice(0, before)) counter.record(sample)
    const window = counter.open()
    for (const sample of samples.slice(20, 130)) counter.record(sample)
    if (isInherited) {
      const heir = make().counter
      heir.inherit(counter)
      counter = heir
    } else counter.absorb(part)
    for (const sample of samples.slice(130)) counter.record(sample)
    return closeMean(window)
  }
  for (const isInherited of [true, false]) {
    const alone = run(0, isInherited)
    for (let before = 1; before <= 64; before++) {
      assert.deepEqual(run(before, isInherited), alone, `${before}, inherited: ${isInherited}`)
    }
  }
})

test('an increment from elsewhere is added at the same place whoever else has a window', () => {
  /** 60 ones, and what they cannot change any more once it is there. */
  function run(before: number): Statistics {
    const { counter } = make('sum')
    if (before > 0) counter.open()
    for (let i = 0; i < before; i++) counter.record(1)
    const window = counter.open()
    for (let i = 0; i < 60; i++) counter.record(1)
    counter.absorb(2 ** 54)
    return close(window)
  }
  const alone = run(0)
  for (let before = 1; before <= 64; before++) assert.deepEqual(run(before), alone, `${before}`)
})
