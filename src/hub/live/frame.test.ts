import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { type Cell, type Exact, Histogram, mergeCells, type Summary } from '../../model/index.ts'
import { runNow } from '../tasks/task.ts'
import { type Frame, FrameBuilder } from './frame.ts'
import { mergeSteps } from './merge-frames.ts'

const START_MS = 1_700_000_000_000

/** What happened in one second to series 1 (counter), 2 (gauge), 3 (histogram), 4 (summary). */
interface Second {
  readonly delta: Exact | undefined
  readonly value: number | undefined
  /** Values that the gauge had before in this second. */
  readonly earlier: readonly number[]
  readonly observations: readonly number[]
  readonly summary: Summary | undefined
}

const summary: fc.Arbitrary<Summary> = fc
  .record({
    count: fc.integer({ min: 1, max: 1000 }),
    mean: fc.integer({ min: -1000, max: 1000 }),
    squares: fc.integer({ min: 0, max: 1000 }),
    reach: fc.integer({ min: 0, max: 100 }),
  })
  .map(({ reach, ...rest }) => ({ ...rest, min: rest.mean - reach, max: rest.mean + reach }))

const second: fc.Arbitrary<Second> = fc.record({
  delta: fc.oneof(
    fc.constant(undefined),
    fc.bigInt({ min: 1n, max: 1n << 60n }),
    fc.double({ min: 0.001, max: 1e6, noNaN: true }),
  ),
  value: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }), { nil: undefined }),
  earlier: fc.array(fc.integer(), { maxLength: 3 }),
  observations: fc.array(fc.integer({ min: -1000, max: 1_000_000 }), { maxLength: 5 }),
  summary: fc.option(summary, { nil: undefined }),
})

function frameOf(each: Second, index: number): Frame {
  const { delta, value, earlier, observations, summary } = each
  const builder = new FrameBuilder()
  if (delta !== undefined) builder.counter(1, delta)
  if (value !== undefined) {
    const values = [...earlier, value]
    const [min, max] = [Math.min(...values), Math.max(...values)]
    const spread = { first: values[0]!, min, max, count: values.length }
    builder.gauge(2, value, earlier.length > 0 ? spread : undefined)
  }
  if (observations.length > 0) {
    const histogram = new Histogram()
    for (const observation of observations) histogram.record(observation)
    builder.histogram(3, histogram)
  }
  if (summary !== undefined) builder.summary(4, summary)
  return builder.build(START_MS + (index + 1) * 1000, 1)
}

test('merging frames is merging the cells of every series', () => {
  holds(
    fc.property(fc.array(second, { minLength: 1, maxLength: 8 }), (seconds) => {
      const frames = seconds.map(frameOf)
      const merged = runNow(mergeSteps(frames))
      assert.equal(merged.seconds, frames.length)
      assert.equal(merged.endMs, frames.at(-1)!.endMs)
      for (const [id, kind] of [
        [1, 'counter'],
        [2, 'gauge'],
        [3, 'histogram'],
        [4, 'summary'],
      ] as const) {
        const cells = frames.flatMap((frame) => frame.cell(id, kind) ?? [])
        const expected = cells.length === 0 ? undefined : cells.reduce(mergeCells)
        assert.deepEqual(comparable(merged.cell(id, kind)), comparable(expected))
      }
    }),
  )
})

/** A gauge's order is the end of its frame, which merging moves. */
function comparable(cell: Cell | undefined): unknown {
  if (cell?.kind === 'gauge') {
    const { first, min, max, count } = cell.spread ?? {}
    return [cell.value, ...(min === max ? [] : [first, min, max, count])]
  }
  if (cell?.kind !== 'histogram') return cell
  const { scale, count, sum, min, max, positive, negative, zeroCount } = cell.histogram
  const runs = [positive, negative].map((run) => {
    const buckets: [number, bigint][] = []
    run.forEach((index, n) => {
      buckets.push([index, n])
    })
    return buckets
  })
  return { scale, count, sum, min, max, zeroCount, runs }
}

test('a gauge beyond 2^53 stays exact in a frame', () => {
  const builder = new FrameBuilder()
  builder.gauge(7, 18446744073709551615n)
  const cell = builder.build(START_MS, 1).cell(7, 'gauge')
  assert.equal(cell?.kind === 'gauge' && cell.value, 18446744073709551615n)
})

test('spreads of many gauges are found in a frame', () => {
  const builder = new FrameBuilder()
  for (let id = 5000; id > 0; id--) {
    builder.gauge(
      id,
      id,
      id % 3 === 0 ? { first: -id, min: -id, max: 2 * id, count: id } : undefined,
    )
  }
  const frame = builder.build(START_MS, 1)
  for (let row = 0; row < 5000; row++) {
    const id = frame.gaugeIds[row]!
    const spread = { first: -id, min: -id, max: 2 * id, count: id, firstAt: START_MS }
    assert.deepEqual(frame.spreadAt(row), id % 3 === 0 ? spread : undefined)
  }
})

test('a series that did nothing has no cell', () => {
  const builder = new FrameBuilder()
  builder.counter(3, 1n)
  builder.counter(9, 1n)
  const frame = builder.build(START_MS, 1)
  for (const id of [1, 4, 10]) assert.equal(frame.cell(id, 'counter'), undefined)
  assert.equal(frame.cellCount, 2)
})

test('gauges and histograms that come out of order are found all the same', () => {
  const builder = new FrameBuilder()
  const histogram = (value: number): Histogram => {
    const made = new Histogram()
    made.record(value)
    return made
  }
  for (const id of [2, 9, 4, 7]) {
    builder.gauge(id, id * 10)
    builder.histogram(id, histogram(id))
  }
  builder.gauge(5, 2n ** 60n)
  const frame = builder.build(1000, 1)
  assert.deepEqual([...frame.gaugeIds], [2, 4, 5, 7, 9])
  for (const id of [2, 4, 7, 9]) {
    assert.deepEqual(frame.cell(id, 'gauge'), { kind: 'gauge', value: id * 10, at: 1000 })
    assert.equal(frame.histogramAt(frame.row(id, 'histogram')).sum, id)
  }
  assert.deepEqual(frame.cell(5, 'gauge'), { kind: 'gauge', value: 2n ** 60n, at: 1000 })
})

test('a fraction is in the cell, the whole part of its total in the column', () => {
  const second = (delta: Exact, whole?: bigint): Frame => {
    const builder = new FrameBuilder()
    builder.counter(5, delta, whole)
    return builder.build(START_MS, 1)
  }
  // a total of 0.75, 1.5, 4.5
  const frames = [second(0.75, 0n), second(0.75, 1n), second(3, 3n)]
  assert.deepEqual(
    frames.map((frame) => frame.deltaAt(0)),
    [0.75, 0.75, 3],
  )
  const merged = runNow(mergeSteps(frames))
  assert.deepEqual(merged.cell(5, 'counter'), { kind: 'counter', delta: 4.5 })
  assert.deepEqual([...merged.counterDeltas], [4n])
  assert.deepEqual(second(2.5).cell(5, 'counter'), { kind: 'counter', delta: 2.5 })
})

test('a frame accounts for its fractions and summaries', () => {
  const size = (fill: (builder: FrameBuilder) => void): number => {
    const builder = new FrameBuilder()
    fill(builder)
    return builder.build(START_MS, 1).size
  }
  const whole = size((builder) => builder.counter(1, 2))
  assert.ok(size((builder) => builder.counter(1, 2.5)) >= whole + 40)
  const one: Summary = { count: 1, mean: 1, squares: 0, min: 1, max: 1 }
  const empty = size(() => {})
  assert.ok(size((builder) => builder.summary(1, one)) >= empty + 40)
})
