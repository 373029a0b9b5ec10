import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../../test/support/property.ts'
import { SampleLog, type SampleSlice } from './sample-log.ts'

interface Row {
  readonly timeMs: number
  readonly values: ReadonlyMap<number, number>
}

/** Lists what slices hold, by time. */
function rowsOf(slices: readonly SampleSlice[]): Row[] {
  return slices.flatMap(({ block, from, to }) =>
    Array.from({ length: to - from }, (_, i) => ({
      timeMs: block.times[from + i]!,
      values: new Map(
        [...block.layout.ids].map((id, column) => [
          id,
          block.values[column * block.times.length + from + i]!,
        ]),
      ),
    })),
  )
}

function add(log: SampleLog, timeMs: number, values: Record<number, number>, isRepeat = false) {
  const ids = Object.keys(values).map(Number)
  log.add(timeMs, Int32Array.from(ids), Float64Array.from(Object.values(values)), isRepeat)
}

const row = fc.record({
  stepMs: fc.integer({ min: 1, max: 500 }),
  ids: fc.uniqueArray(fc.integer({ min: -2, max: 6 }), { maxLength: 5 }),
})

test('what was added is found by time and by number, whatever series came with it', () => {
  const property = fc.property(
    fc.array(row, { maxLength: 60 }),
    fc.nat(10_000),
    fc.nat(10_000),
    fc.nat(60),
    (rows, a, b, seen) => {
      const log = new SampleLog()
      const expected: Row[] = []
      let timeMs = 0
      for (const { stepMs, ids } of rows) {
        timeMs += stepMs
        log.add(
          timeMs,
          Int32Array.from(ids),
          Float64Array.from(ids, (id) => id + timeMs),
        )
        const known = ids.filter((id) => id >= 0).sort((x, y) => x - y)
        if (known.length === 0) continue
        expected.push({ timeMs, values: new Map(known.map((id) => [id, id + timeMs])) })
      }
      const [fromMs, toMs] = [Math.min(a, b), Math.max(a, b)]
      const within = expected.filter((each) => each.timeMs > fromMs && each.timeMs <= toMs)
      assert.deepEqual(rowsOf(log.between(fromMs, toMs)), within)
      assert.deepEqual(rowsOf(log.since(seen)), expected.slice(seen))
      assert.equal(log.rows, expected.length)
    },
  )
  holds(property)
})

test('a series that is named twice in a row has the last of its values', () => {
  const log = new SampleLog()
  log.add(1, Int32Array.of(5, 3, 5), Float64Array.of(1, 2, 9))
  assert.deepEqual(rowsOf(log.since(0)), [
    {
      timeMs: 1,
      values: new Map([
        [3, 2],
        [5, 9],
      ]),
    },
  ])
})

test('times rise, a repeat replaces, and a clock that is set back begins anew', () => {
  const log = new SampleLog()
  add(log, 10_000, { 1: 1 })
  add(log, 9_999.5, { 1: 2 })
  add(log, 9_999.5, { 1: 3 }, true)
  assert.deepEqual(
    rowsOf(log.since(0)).map(({ timeMs }) => timeMs),
    [10_000, 10_000.001],
  )
  assert.equal(rowsOf(log.since(0))[1]!.values.get(1), 3)
  add(log, 5_000, { 1: 4 })
  add(log, 5_001, { 1: 5 })
  assert.deepEqual(
    rowsOf(log.between(0, 20_000)).map(({ timeMs }) => timeMs),
    [5_000, 5_001],
  )
  // a reader that knows the first two is told of the others
  assert.deepEqual(
    rowsOf(log.since(2)).map(({ timeMs }) => timeMs),
    [5_000, 5_001],
  )
})

test('a log of many rows costs what its numbers take, and ages by blocks', () => {
  const log = new SampleLog()
  const ids = Int32Array.from({ length: 1000 }, (_, i) => i)
  const values = new Float64Array(1000).fill(7)
  for (let i = 0; i < 6000; i++) log.add(i * 100, ids, values)
  assert.ok(log.bytes < 1.15 * 6000 * 1001 * 8 + 6000 * 2000, String(log.bytes))
  log.age(300_000)
  const kept = rowsOf(log.between(0, 1e9))
  assert.ok(kept.length >= 3000 && kept.length < 3020, String(kept.length))
  while (log.evict() > 0);
  assert.ok(rowsOf(log.between(0, 1e9)).length > 0)
})
