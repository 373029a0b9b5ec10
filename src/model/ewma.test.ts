import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../test/support/property.ts'
import { TICK_NS, tickWeight } from './averages.ts'
import { acceleration, MovingAverages } from './ewma.ts'

const SECOND = 1e9

function close(actual: number, expected: number): void {
  const tolerance = 1e-9 * Math.max(1, Math.abs(expected))
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual} is not ${expected}`)
}

suite('moving averages', () => {
  test('the weights are those of five-second ticks over 1, 5 and 15 minutes', () => {
    close(tickWeight(1), 0.07995558537067671)
    close(tickWeight(5), 0.01652854617838251)
    close(tickWeight(15), 0.005540151995103271)
  })

  test('rates are zero until the first tick, which a full five seconds do not yet make', () => {
    const averages = new MovingAverages(0)
    averages.add(10)
    averages.advance(TICK_NS)
    assert.equal(averages.m1, 0)
    averages.advance(TICK_NS + 1)
    assert.deepEqual([averages.m1, averages.m5, averages.m15], [2, 2, 2])
  })

  test('a constant rate stays what it is', () => {
    const averages = new MovingAverages(0)
    for (let i = 1; i <= 100; i++) {
      averages.add(50)
      averages.advance(i * TICK_NS + 1)
    }
    close(averages.m1, 10)
    close(averages.m15, 10)
  })

  test('idle ticks made up at once decay like ticks one by one', () => {
    holds(
      fc.property(
        fc.integer({ min: 1, max: 3000 }),
        fc.integer({ min: 1, max: 1e9 }),
        (n, count) => {
          const atOnce = new MovingAverages(0)
          const oneByOne = new MovingAverages(0)
          for (const averages of [atOnce, oneByOne]) averages.add(count)
          for (let i = 1; i <= n; i++) oneByOne.advance(i * TICK_NS + 1)
          atOnce.advance(n * TICK_NS + 1)
          for (const key of ['m1', 'm5', 'm15'] as const) {
            const [a, b] = [atOnce[key], oneByOne[key]]
            assert.ok(Math.abs(a - b) <= 1e-9 * Math.max(a, b), `${key} after ${n}: ${a}, ${b}`)
          }
        },
      ),
    )
  })

  test('events off the grid belong to the tick that ends next', () => {
    const averages = new MovingAverages(3 * SECOND)
    averages.advance(4.5 * SECOND)
    averages.add(5)
    averages.advance(7.9 * SECOND)
    averages.add(5)
    averages.advance(8.1 * SECOND)
    close(averages.m1, 2)
    averages.add(20)
    averages.advance(13.1 * SECOND)
    close(averages.m1, 2 + tickWeight(1) * (4 - 2))
  })

  test('12 h 49 min 15 s without a look give the rates up, and what was not counted yet', () => {
    const limit = 9231 * TICK_NS
    const before = new MovingAverages(0)
    before.add(1e12)
    before.advance(limit - 1)
    assert.ok(before.m15 > 0)
    const after = new MovingAverages(0)
    after.add(1e12)
    after.advance(limit)
    assert.deepEqual([after.m1, after.m5, after.m15], [0, 0, 0])
    after.add(10)
    after.advance(limit + TICK_NS + 1)
    assert.equal(after.m1, 2, 'the next tick is a first one')
  })

  test('a clock that stands still or goes back changes nothing', () => {
    const averages = new MovingAverages(10 * SECOND)
    averages.add(5)
    averages.advance(10 * SECOND)
    averages.advance(0)
    assert.equal(averages.m1, 0)
  })

  test('acceleration is the difference of two rates over the time between their ages', () => {
    const { oneToFive, fiveToFifteen, oneToFifteen } = acceleration(0.6, 0.5, 0.4)
    close(oneToFive, 0.00033333333333333327)
    close(fiveToFifteen, 0.00016666666666666663)
    close(oneToFifteen, 0.00022222222222222218)
  })
})
