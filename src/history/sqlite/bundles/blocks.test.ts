/** What is done by columns is what would be done by cells. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../../test/support/property.ts'
import type { Cell } from '../../../model/index.ts'
import { mergeBlocks, rolled } from './blocks.ts'
import {
  blockOf,
  type Entry,
  entriesOf,
  mergeEntries,
  rolledUp,
  type WindowFrame,
} from './entries.ts'

const HOUR_MS = 3_600_000
const FIVE: WindowFrame = { startMs: 7 * HOUR_MS + 600_000, widthMs: 1000 }
const HOUR: WindowFrame = { startMs: 7 * HOUR_MS, widthMs: 1000 }
const WIDER: readonly WindowFrame[] = [
  { startMs: 7 * HOUR_MS, widthMs: 60_000 },
  { startMs: 4 * HOUR_MS, widthMs: 60_000 },
  { startMs: 0, widthMs: HOUR_MS },
  { startMs: 7 * HOUR_MS + 599_000, widthMs: 7000 },
]

const deltas = fc.oneof(
  fc.integer({ min: 1, max: 1000 }),
  fc.double({ min: 0.001, max: 100, noNaN: true }),
  fc.integer({ min: 2 ** 52, max: Number.MAX_SAFE_INTEGER }),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 60n }),
)
const numbers = fc.oneof(
  fc.integer({ min: -50, max: 50 }),
  fc.double({ min: -9, max: 9, noNaN: true }),
  fc.constantFrom(-0, Number.NaN, Number.POSITIVE_INFINITY),
)

/** Values of a gauge's cell: with `more` of them its spread is known. */
const gauge = fc.record({
  value: numbers,
  more: fc.option(fc.tuple(fc.integer(), fc.nat(9), fc.integer({ min: 1, max: 9 })), {
    freq: 3,
  }),
  beforeMs: fc.constantFrom(0, 0, 0, 300),
})

function gaugeCell({ value, more, beforeMs }: GaugeParts, endMs: number): Cell {
  const at = endMs - beforeMs
  if (more === null) return { kind: 'gauge', value, at }
  const [first, range, count] = more
  const spread = { first, firstAt: at - 100, min: first, max: first + range, count }
  return { kind: 'gauge', value, at, spread }
}

interface GaugeParts {
  readonly value: number
  readonly more: [number, number, number] | null
  readonly beforeMs: number
}

/** Cells of one kind at rising places of five minutes. */
const places = fc.uniqueArray(fc.nat(299), { minLength: 1, maxLength: 40 })
const counterEntries = fc
  .tuple(places, fc.array(deltas, { minLength: 40, maxLength: 40 }))
  .map(([chosen, all]) => {
    return chosen
      .sort((a, b) => a - b)
      .map((place, i): Entry => ({ place, cell: { kind: 'counter', delta: all[i]! } }))
  })
const gaugeEntries = fc
  .tuple(places, fc.array(gauge, { minLength: 40, maxLength: 40 }))
  .map(([chosen, all]) => {
    return chosen
      .sort((a, b) => a - b)
      .map((place, i): Entry => {
        return { place, cell: gaugeCell(all[i]!, FIVE.startMs + (place + 1) * 1000) }
      })
  })
const entries = fc.oneof(counterEntries, gaugeEntries)

test('a block that is rolled up is that of the rolled up cells', () => {
  holds(
    fc.property(entries, fc.constantFrom(...WIDER), (cells, to) => {
      const factor = to.widthMs / FIVE.widthMs
      const shift = (FIVE.startMs - to.startMs) / FIVE.widthMs
      const found = entriesOf(rolled(blockOf(cells, FIVE), FIVE, to), to)
      const wanted = entriesOf(blockOf(rolledUp(cells, factor, shift), to), to)
      assert.deepEqual(found, wanted)
    }),
    500,
  )
})

test('a block that is put into a longer window has its cells at the same times', () => {
  holds(
    fc.property(entries, (cells) => {
      const found = entriesOf(rolled(blockOf(cells, FIVE), FIVE, HOUR), HOUR)
      const wanted = entriesOf(blockOf(cells, FIVE), FIVE).map(({ place, cell }) => {
        return { place: place + 600, cell }
      })
      assert.deepEqual(found, wanted)
    }),
  )
})

test('two blocks merge as their cells do, whichever comes first', () => {
  const pair = fc.oneof(
    fc.tuple(counterEntries, counterEntries),
    fc.tuple(gaugeEntries, gaugeEntries),
  )
  const property = fc.property(pair, fc.boolean(), ([a, b], isApart) => {
    // every other time one lies behind the other
    const half = (list: readonly Entry[], isFirst: boolean): Entry[] =>
      list.filter(({ place }) => !isApart || place < 150 === isFirst)
    const [left, right] = [half(a, true), half(b, false)]
    if (left.length === 0 || right.length === 0) return
    const [one, two] = [blockOf(left, FIVE), blockOf(right, FIVE)]
    for (const [held, added] of [
      [one, two],
      [two, one],
    ] as const) {
      const wanted = blockOf(mergeEntries(entriesOf(held, FIVE), entriesOf(added, FIVE)), FIVE)
      const found = mergeBlocks(held, added, FIVE)
      assert.deepEqual(entriesOf(found, FIVE), entriesOf(wanted, FIVE))
    }
  })
  holds(property, 300)
})
