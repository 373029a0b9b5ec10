import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { defined, keyOf } from '../../../test/support/threads/shm.ts'
import { U64_MAX } from '../../model/index.ts'
import { type BinTable, denseBinOf, denseBound, type Writer, Zone } from '../index.ts'

const LAST = 4294967295

/** The documented table of one worker, as its text has it: sorted, a full one grows. */
class DocumentedTable {
  bins = new Map<number, bigint>([[LAST, 0n]])
  capacity = 5

  observe(value: bigint, canGrow = true): void {
    const bound = denseBound(denseBinOf(value))
    if (!this.bins.has(bound) && this.bins.size === this.capacity && canGrow) {
      this.capacity = [5, 9, 13, 17, 18].find((room) => room > this.capacity) ?? 18
    }
    if (this.bins.size < this.capacity) this.bins.set(bound, this.bins.get(bound) ?? 0n)
    const held = Math.min(...[...this.bins.keys()].filter((b) => b >= bound))
    this.bins.set(held, this.bins.get(held)! + 1n)
  }

  get facts(): object {
    const bins = [...this.bins].sort(([a], [b]) => a - b)
    return { capacity: this.capacity, bins }
  }
}

const pairs = ({ bins }: BinTable): [number, bigint][] => bins.map((b) => [b.bound, b.count])
const total = (counts: Iterable<bigint>): bigint => [...counts].reduce((a, b) => a + b, 0n)

/** Values of all sizes, so that tables fill. */
const value = fc
  .tuple(fc.nat({ max: 40 }), fc.integer({ min: -1, max: 1 }))
  .map(([k, d]) => (1n << BigInt(k)) + BigInt(d))

test('each segment holds the table that the document describes', () => {
  holds(
    fc.property(fc.array(value, { maxLength: 60 }), (values) => {
      const zone = Zone.create()
      const metric = defined(zone, 'a', 'expanding')
      const histogram = zone.attach().expanding(metric)!
      const model = new DocumentedTable()
      for (const [i, v] of values.entries()) {
        assert.ok(histogram.observe(i % 2 === 0 ? v : Number(v)))
        model.observe(v)
      }
      const [table] = zone.reader().segmentBins(metric)
      assert.equal(table!.segment, 1)
      assert.deepEqual({ capacity: table!.capacity, bins: pairs(table!) }, model.facts)
    }),
  )
})

test('through growth, fallback and folds, every view has all observations and one sum', () => {
  const step = fc.oneof(
    { weight: 9, arbitrary: fc.record({ writer: fc.nat({ max: 2 }), value }) },
    { weight: 1, arbitrary: fc.record({ writer: fc.nat({ max: 2 }), value: fc.constant(-1n) }) },
  )
  holds(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const zone = Zone.create({ workersLimit: 3 })
      const expanding = defined(zone, 'expanding', 'expanding')
      const dense = defined(zone, 'dense', 'dense')
      const reader = zone.reader()
      const writers: (Writer | undefined)[] = []
      let count = 0n
      let sum = 0n
      for (const { writer, value } of steps) {
        if (value < 0n) {
          assert.ok(writers[writer]?.detach() ?? true)
          writers[writer] = undefined
          continue
        }
        const attached = writers[writer] ?? zone.attach()
        writers[writer] = attached
        assert.ok(attached.expanding(expanding)!.observe(value))
        assert.ok(attached.dense(dense)!.observe(value))
        count++
        sum += value
      }
      for (const metric of [expanding, dense]) {
        const bins = reader.bins(metric)
        const documented = reader.documentedBins(metric)
        const tables = reader.segmentBins(metric)
        assert.equal(total(bins.counts), count)
        assert.equal(total(documented.bins.map((bin) => bin.count)), count)
        assert.equal(total(tables.flatMap((t) => t.bins.map((bin) => bin.count))), count)
        assert.deepEqual([bins.sum, documented.sum], [sum, sum])
        assert.equal(total(tables.map((t) => BigInt(t.sum))), sum)
        assert.ok(documented.bins.length <= 18)
        assert.equal(documented.bins.at(-1)!.bound, LAST)
      }
    }),
  )
})

test('where the budget refuses growth, the next larger bound counts, and says how often', () => {
  const zone = Zone.create({ onFull: 'error', slabSize: 12_288 })
  const metric = defined(zone, 'a', 'expanding')
  const histogram = zone.attach().expanding(metric)!
  for (const v of [2, 4, 16, 64]) assert.ok(histogram.observe(v))
  let i = 0
  while (zone.define(keyOf(`filler ${i}`), 'gauge', { mode: 'shared' }) >= 0) i++
  for (const v of [1, 8, 32, 128, 4]) assert.ok(histogram.observe(v))
  const [table] = zone.reader().segmentBins(metric)
  assert.equal(table!.capacity, 5)
  assert.deepEqual(pairs(table!), [
    [2, 2n],
    [4, 2n],
    [16, 2n],
    [64, 2n],
    [LAST, 1n],
  ])
  assert.equal(table!.sum, 259n)
  assert.equal(zone.usage().binFallbacks, 4)
})

test('a table of 18 bounds stays as it is, and takes the rest at the next larger one', () => {
  const zone = Zone.create()
  const metric = defined(zone, 'a', 'expanding')
  const histogram = zone.attach().expanding(metric)!
  for (let k = 0; k < 32; k += 2) histogram.observe(2 ** k - (k === 0 ? 0 : 1))
  histogram.observe(2)
  for (const v of [2 ** 29, 8, 2 ** 40]) histogram.observe(v)
  const [table] = zone.reader().segmentBins(metric)
  assert.equal(table!.capacity, 18)
  assert.equal(table!.bins.length, 18)
  assert.equal(table!.bins.find((bin) => bin.bound === 16)!.count, 2n)
  assert.equal(table!.bins.find((bin) => bin.bound === 2 ** 30)!.count, 2n)
  assert.equal(table!.bins.at(-1)!.count, 1n)
})

test('what is no integer of 64 bits is refused, and everything after the writer left', () => {
  const zone = Zone.create()
  const metric = defined(zone, 'a', 'expanding')
  const writer = zone.attach()
  const histogram = writer.expanding(metric)!
  for (const v of [-1, 0.5, Number.NaN, 2 ** 53, -1n, U64_MAX + 1n]) {
    assert.equal(histogram.observe(v), false, `${v}`)
  }
  assert.ok(histogram.observe(U64_MAX))
  assert.ok(histogram.observe(1))
  assert.ok(writer.detach())
  assert.equal(histogram.observe(1), false)
  assert.equal(histogram.observe(U64_MAX), false)
  assert.deepEqual(pairs(zone.reader().documentedBins(metric)), [
    [1, 1n],
    [LAST, 1n],
  ])
  assert.equal(zone.reader().bins(metric).sum, 0n)
})

test('a segment that is leased again begins with a table of five', () => {
  const zone = Zone.create({ workersLimit: 1 })
  const metric = defined(zone, 'a', 'expanding')
  for (let lease = 0; lease < 3; lease++) {
    const writer = zone.attach()
    const histogram = writer.expanding(metric)!
    for (const v of [1, 2, 4, 8, 16, 32]) assert.ok(histogram.observe(v))
    const table = zone.reader().segmentBins(metric).at(-1)!
    assert.deepEqual([table.segment, table.capacity, table.bins.length], [1, 9, 7])
    assert.ok(writer.detach())
  }
  assert.deepEqual(total(zone.reader().bins(metric).counts), 18n)
})
