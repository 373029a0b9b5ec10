import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { loadVectors } from '../dialects/statshero/test/golden.ts'
import { Meter } from './meter.ts'

interface Step {
  readonly atNs: number
  readonly mark?: number
  readonly read?: Readonly<Record<'count' | 'mean' | 'm1' | 'm5' | 'm15', number>>
}

function near(actual: number, expected: number, what: string): void {
  const tolerance = 1e-9 * Math.max(1, Math.abs(expected))
  assert.ok(Math.abs(actual - expected) <= tolerance, `${what}: ${actual} is not ${expected}`)
}

function moveTo(clock: FakeClock, atNs: number): void {
  clock.advance((atNs - Number(clock.monotonicNs())) / 1e6)
}

suite('vectors: meters', () => {
  const { aggregation } = loadVectors()

  for (const { id, script } of aggregation.filter(({ script }) => script !== undefined)) {
    test(`follows the script ${id}`, () => {
      const clock = new FakeClock()
      const meter = new Meter(clock)
      for (const { atNs, mark, read } of script as Step[]) {
        moveTo(clock, atNs)
        if (mark !== undefined) meter.mark(mark)
        if (read === undefined) continue
        near(meter.count, read.count, 'count')
        near(meter.meanRate, read.mean, 'mean')
        near(meter.m1Rate, read.m1, 'm1')
        near(meter.m5Rate, read.m5, 'm5')
        near(meter.m15Rate, read.m15, 'm15')
      }
    })
  }

  const idle = aggregation.filter(({ expect }) => expect?.after_first_tick !== undefined)
  for (const { id, marks, expect } of idle) {
    test(`decays as ${id} says`, () => {
      const clock = new FakeClock()
      const meter = new Meter(clock)
      for (const mark of marks as number[]) meter.mark(mark)
      const minutes = { after_first_tick: 0, after_1_min: 1, after_2_min: 2, after_5_min: 5 }
      for (const [key, minute] of Object.entries({ ...minutes, after_15_min: 15 })) {
        moveTo(clock, (5 + 60 * minute) * 1e9 + 1)
        near(meter.m1Rate, expect[key].m1, `${key} m1`)
        near(meter.m5Rate, expect[key].m5, `${key} m5`)
        near(meter.m15Rate, expect[key].m15, `${key} m15`)
      }
    })
  }
})

suite('meter', () => {
  test('at birth every rate is zero, with and without marks', () => {
    const meter = new Meter(new FakeClock())
    const rates = () => [meter.meanRate, meter.m1Rate, meter.m5Rate, meter.m15Rate]
    assert.deepEqual(rates(), [0, 0, 0, 0])
    meter.mark(1_000_000)
    assert.deepEqual(rates(), [0, 0, 0, 0])
    assert.equal(meter.count, 1_000_000)
  })

  test('a mark falls into the tick in which it comes, whoever has looked before', () => {
    const clock = new FakeClock()
    const [read, unread] = [new Meter(clock), new Meter(clock)]
    for (let second = 0; second < 60; second++) {
      clock.advance(777)
      for (const meter of [read, unread]) meter.mark(second)
      if (second % 3 === 0) read.m1Rate
    }
    near(read.m1Rate, unread.m1Rate, 'm1')
    near(read.m15Rate, unread.m15Rate, 'm15')
  })

  test('recording what is no number neither throws nor counts', () => {
    const clock = new FakeClock()
    const meter = new Meter(clock)
    for (const count of [Number.NaN, Number.POSITIVE_INFINITY]) meter.mark(count)
    meter.mark()
    clock.advance(5001)
    assert.equal(meter.count, 1)
    near(meter.m1Rate, 0.2, 'm1')
  })

  test('half a day of silence leaves a rate of zero, and the count', () => {
    const clock = new FakeClock()
    const meter = new Meter(clock)
    meter.mark(1000)
    clock.advance(46_155_000)
    assert.equal(meter.m15Rate, 0)
    assert.equal(meter.count, 1000)
    assert.ok(Number.isFinite(meter.meanRate))
  })
})
