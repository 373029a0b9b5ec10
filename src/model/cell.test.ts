import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../test/support/property.ts'
import { type Cell, emptyCell, type GaugeCell, KINDS, type Kind, mergeCells } from './cell.ts'
import { exact } from './exact.ts'
import { Histogram } from './histogram/histogram.ts'
import { addToSummary, EMPTY_SUMMARY } from './summary.ts'

const integer = fc.bigInt({ min: 0n, max: 2n ** 66n }).map(exact)
const list = fc.array(fc.integer({ min: -1000, max: 1000 }), { maxLength: 8 })

/**
 * Cells whose merging is exact, one arbitrary per kind. Summaries hold one repeated value, because
 * their floating-point merging is associative only within rounding (see summary.test.ts).
 */
const CELLS: Readonly<Record<Kind, fc.Arbitrary<Cell>>> = {
  counter: integer.map((delta) => ({ kind: 'counter', delta })),
  gauge: fc
    .tuple(
      fc.oneof(fc.constantFrom(-0, 0, Number.NaN, Number.POSITIVE_INFINITY), fc.integer(), integer),
      fc.integer({ min: 0, max: 4 }),
      fc.option(fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 2, maxLength: 4 }), {
        nil: undefined,
      }),
    )
    .map(([value, at, earlier]) => {
      if (earlier === undefined) return { kind: 'gauge', value, at }
      const [min, max] = [Math.min(...earlier), Math.max(...earlier)]
      const spread = { first: earlier[0]!, firstAt: at - 1, min, max, count: earlier.length }
      return { kind: 'gauge', value, at, spread }
    }),
  histogram: list.map((values) => {
    const histogram = new Histogram()
    for (const value of values) histogram.record(value)
    return { kind: 'histogram', histogram }
  }),
  summary: fc.nat(20).map((count) => {
    let summary = EMPTY_SUMMARY
    for (let i = 0; i < count; i++) summary = addToSummary(summary, 64)
    return { kind: 'summary', summary }
  }),
}

for (const kind of KINDS) {
  const cell = CELLS[kind]

  test(`${kind} cells merge in any order and grouping`, () => {
    holds(
      fc.property(cell, cell, cell, (a, b, c) => {
        assert.deepStrictEqual(seen(mergeCells(a, b)), seen(mergeCells(b, a)))
        const left = mergeCells(mergeCells(a, b), c)
        assert.deepStrictEqual(seen(left), seen(mergeCells(a, mergeCells(b, c))))
      }),
    )
  })

  test(`the empty ${kind} cell is neutral on both sides`, () => {
    holds(
      fc.property(cell, (a) => {
        assert.deepStrictEqual(seen(mergeCells(a, emptyCell(kind))), seen(a))
        assert.deepStrictEqual(seen(mergeCells(emptyCell(kind), a)), seen(a))
      }),
    )
  })
}

test('the latest gauge wins, and of two at one instant the larger', () => {
  const gauge = (value: number, at: number): Cell => ({ kind: 'gauge', value, at })
  const last = (a: Cell, b: Cell): unknown => {
    const { value, at } = mergeCells(a, b) as GaugeCell
    return [value, at]
  }
  assert.deepEqual(last(gauge(9, 1), gauge(3, 2)), [3, 2])
  assert.deepEqual(last(gauge(3, 2), gauge(9, 2)), [9, 2])
  assert.deepEqual(last(gauge(Number.NaN, 2), gauge(9, 1)), [Number.NaN, 2])
  assert.deepEqual(last(gauge(Number.NaN, 2), gauge(-9, 2)), [-9, 2])
})

test('merged gauges say what they went through', () => {
  const gauge = (value: number, at: number): Cell => ({ kind: 'gauge', value, at })
  const merged = mergeCells(mergeCells(gauge(5, 2), gauge(9, 3)), gauge(3, 1))
  const spread = { first: 3, firstAt: 1, min: 3, max: 9, count: 3 }
  assert.deepEqual(merged, { kind: 'gauge', value: 9, at: 3, spread })
  const ended = mergeCells(gauge(5, 2), gauge(Number.NaN, 3)) as GaugeCell
  assert.deepEqual(ended.spread, { first: 5, firstAt: 2, min: 5, max: 5, count: 1 })
})

test('cells of two kinds do not merge: a programmer’s error that says which', () => {
  for (const a of KINDS) {
    for (const b of KINDS) {
      if (a === b) continue
      const expected = new TypeError(`cells of kind ${a} and ${b} do not merge`)
      assert.throws(() => mergeCells(emptyCell(a), emptyCell(b)), expected)
    }
  }
})

/** What can be seen of a cell; a histogram's spare buckets can't. */
function seen(cell: Cell): unknown {
  if (cell.kind !== 'histogram') return cell
  const { scale, count, sum, min, max, zeroCount } = cell.histogram
  const buckets: [number, bigint][] = []
  for (const side of [cell.histogram.negative, cell.histogram.positive]) {
    side.forEach((index, held) => {
      buckets.push([index, held])
    })
  }
  return { scale, count, sum, min, max, zeroCount, buckets }
}
