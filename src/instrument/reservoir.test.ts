import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { holds } from '../../test/support/property.ts'
import { loadVectors } from '../dialects/statshero/test/golden.ts'
import {
  forwardWeight,
  Reservoir,
  type Snapshot,
  uniformSnapshot,
  weightedSnapshot,
} from './reservoir.ts'

/** Gives 99.9 % confidence with 5 % margin of error. */
const RESERVOIR_SIZE = 1028

function assertSnapshot(actual: Snapshot, expected: Readonly<Record<string, number>>): void {
  for (const [field, value] of Object.entries(expected)) {
    const got = actual[field as keyof Snapshot]
    const tolerance = 1e-9 * Math.max(1, Math.abs(value))
    assert.ok(Math.abs(got - value) <= tolerance, `${field}: ${got} is not ${value}`)
  }
}

suite('vectors: snapshots', () => {
  const { aggregation } = loadVectors()

  for (const vector of aggregation.filter(({ reservoir }) => reservoir !== undefined)) {
    const { id, reservoir, expect, weights } = vector
    const [from, to] = vector.valuesFromTo ?? [1, 0]
    const range = Array.from({ length: to - from + 1 }, (_, i) => from + i)
    const values: number[] = vector.values ?? range
    test(`gives the statistics of ${id}`, () => {
      const snapshot =
        reservoir === 'uniform'
          ? uniformSnapshot(values)
          : weightedSnapshot(values.map((value, i) => ({ value, weight: weights[i] })))
      assertSnapshot(snapshot, expect)
    })
  }

  test('weights grow with the seconds since the landmark', () => {
    const { expect } = aggregation.find(({ id }) => id === 'forward-decay-weights')!
    for (const [seconds, weight] of Object.entries(expect as Record<string, number>)) {
      const ratio = forwardWeight(Number(seconds)) / weight
      assert.ok(Math.abs(ratio - 1) < 1e-9, `after ${seconds} s: ${ratio}`)
    }
  })
})

suite('snapshots', () => {
  const zeros = Object.fromEntries(Object.keys(uniformSnapshot([])).map((field) => [field, 0]))

  test('an empty set is all zeros', () => {
    assert.deepEqual(uniformSnapshot([]), zeros)
    assert.deepEqual(weightedSnapshot([]), zeros)
  })

  test('a percentile lies between the neighbours of its position', () => {
    const { stddev, p75, p95 } = uniformSnapshot([5, 3, 1, 4, 2])
    assert.deepEqual({ stddev, p75, p95 }, { stddev: 1.5811388300841898, p75: 4.5, p95: 5 })
  })

  test('equal weights place the median of an odd count in the middle', () => {
    const set = [9, 1, 5].map((value) => ({ value, weight: 2.5 }))
    assert.equal(weightedSnapshot(set).median, 5)
  })

  test('percentiles rise, stay within the extremes and are never NaN', () => {
    const value = fc.double({ min: -1e6, max: 1e6, noNaN: true })
    const weight = fc.double({ min: 0, max: 1e6, noNaN: true })
    holds(
      fc.property(fc.array(fc.record({ value, weight }), { minLength: 1 }), (set) => {
        for (const snapshot of [weightedSnapshot(set), uniformSnapshot(set.map((x) => x.value))]) {
          const { min, median, p75, p95, p98, p99, p999, max } = snapshot
          const rising = [min, median, p75, p95, p98, p99, p999, max]
          for (let i = 1; i < rising.length; i++) assert.ok(rising[i]! >= rising[i - 1]!)
          assert.ok(Object.values(snapshot).every(Number.isFinite))
        }
      }),
    )
  })
})

suite('reservoir', () => {
  /** Numbers in [0, 1) that repeat. */
  function seeded(): () => number {
    let state = 1
    return () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0
      return state / 2 ** 32
    }
  }

  test('keeps every value until it is full, and never more than its size', () => {
    const reservoir = new Reservoir({ clock: new FakeClock(), random: seeded() })
    for (let i = 1; i <= RESERVOIR_SIZE; i++) reservoir.update(i)
    assert.equal(reservoir.length, RESERVOIR_SIZE)
    const values = reservoir.sample().map(({ value }) => value)
    assert.deepEqual(new Set(values).size, RESERVOIR_SIZE)
    for (let i = 0; i < 5000; i++) reservoir.update(i)
    assert.equal(reservoir.length, RESERVOIR_SIZE)
    assert.equal(reservoir.count, RESERVOIR_SIZE + 5000)
  })

  test('keeps the values of the largest priorities', () => {
    const draws = Array.from({ length: 500 }, seeded())
    let next = 0
    const options = { clock: new FakeClock(), size: 20, random: () => draws[next++]! }
    const reservoir = new Reservoir(options)
    for (let i = 0; i < draws.length; i++) reservoir.update(i)
    // one weight for all at one instant: the priority is 1 / (1 - draw)
    const byPriority = draws.map((draw, i) => ({ draw, i })).sort((a, b) => b.draw - a.draw)
    const expected = byPriority.slice(0, 20).map(({ i }) => i)
    const kept = reservoir.sample().map(({ value }) => value)
    assert.deepEqual(
      kept.sort((a, b) => a - b),
      expected.sort((a, b) => a - b),
    )
  })

  test('recent values push out old ones', () => {
    const clock = new FakeClock()
    const reservoir = new Reservoir({ clock, size: 100, random: seeded() })
    for (let i = 0; i < 1000; i++) reservoir.update(1)
    clock.advance(600_000)
    for (let i = 0; i < 1000; i++) reservoir.update(1000)
    assert.equal(reservoir.snapshot().median, 1000)
    assert.ok(reservoir.sample().filter(({ value }) => value === 1000).length > 95)
  })

  test('moving the landmark after an hour keeps the proportions of the weights', () => {
    const clock = new FakeClock()
    const reservoir = new Reservoir({ clock, size: 10, random: seeded() })
    reservoir.update(1)
    clock.advance(3_599_000)
    reservoir.update(2)
    const before = reservoir.sample().find(({ value }) => value === 2)!.weight
    clock.advance(1000)
    reservoir.snapshot()
    const [old, young] = reservoir.sample().sort((a, b) => a.value - b.value)
    assert.ok(before > 1e23, 'the landmark has not moved before the hour is over')
    assert.ok(Math.abs(young!.weight / Math.exp(-0.015) - 1) < 1e-9)
    assert.ok(Math.abs(old!.weight / Math.exp(-0.015 * 3600) - 1) < 1e-9)
    reservoir.update(3)
    assert.equal(reservoir.sample().find(({ value }) => value === 3)!.weight, 1)
  })

  test('values whose weight decays to nothing leave, and an empty reservoir goes on', () => {
    const clock = new FakeClock()
    const reservoir = new Reservoir({ clock, random: seeded() })
    for (let i = 0; i < 50; i++) reservoir.update(7)
    clock.advance(24 * 3_600_000)
    assert.deepEqual(reservoir.snapshot(), uniformSnapshot([]))
    assert.equal(reservoir.length, 0)
    reservoir.update(9)
    assert.equal(reservoir.snapshot().median, 9)
  })

  test('a sampled line enters once with its weight', () => {
    const reservoir = new Reservoir({ clock: new FakeClock(), random: seeded() })
    reservoir.update(1)
    reservoir.update(5, 10)
    assert.equal(reservoir.length, 2)
    assert.equal(reservoir.count, 11)
    assert.ok(Math.abs(reservoir.snapshot().mean - (1 + 50) / 11) < 1e-12)
  })

  test('what is no number or stands for nothing is ignored', () => {
    const reservoir = new Reservoir({ clock: new FakeClock() })
    reservoir.update(Number.NaN)
    reservoir.update(Number.NEGATIVE_INFINITY)
    reservoir.update(1, 0)
    reservoir.update(1, Number.NaN)
    assert.equal(reservoir.count, 0)
    assert.throws(() => new Reservoir({ clock: new FakeClock(), size: 0 }), RangeError)
  })
})
