import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { holds } from '../../../../test/support/property.ts'
import type { GaugeRecord } from '../../series/record.ts'
import { runNow } from '../../tasks/task.ts'
import { GaugeSampler } from './gauge-sampler.ts'
import { Samples } from './samples.ts'

const value = fc.oneof(fc.integer({ min: -50, max: 50 }), fc.constant(Number.NaN))

test('a second says what its samples went through', () => {
  const property = fc.property(
    fc.array(fc.tuple(value, value), { maxLength: 30 }),
    fc.array(fc.tuple(value, value), { maxLength: 30 }),
    (before, rows) => {
      const samples = new Samples()
      const log = samples.open()
      const ids = Int32Array.of(9, 4)
      for (const [i, row] of before.entries()) log.add(i + 1, ids, Float64Array.from(row))
      runNow(samples.closing(1000))
      for (const [i, row] of rows.entries()) log.add(1000 + i, ids, Float64Array.from(row))
      runNow(samples.closing(2000))
      for (const [place, id] of [9, 4].entries()) {
        const known = rows.map((row) => row[place]!).filter((each) => !Number.isNaN(each))
        const [min, max] = [Math.min(...known), Math.max(...known)]
        const spread = { first: known[0], min, max, count: known.length }
        assert.deepEqual(samples.spreads.of(id, Number.NaN), known.length < 2 ? undefined : spread)
      }
      assert.equal(samples.spreads.of(5, 0), undefined)
    },
  )
  holds(property)
})

test('within the bound of bytes the largest log gives its oldest rows', () => {
  const samples = new Samples({ keepMs: 600_000, bytesLimit: 2_000_000 })
  const [small, large] = [samples.open(), samples.open()]
  small.add(1, Int32Array.of(1), Float64Array.of(1))
  const ids = Int32Array.from({ length: 500 }, (_, i) => i + 10)
  const values = new Float64Array(500)
  for (let i = 0; i < 5000; i++) large.add(i, ids, values)
  assert.ok(samples.bytes <= 2_000_000)
  assert.ok(samples.evictedRows > 4000)
  assert.equal(small.since(0).length, 1)
  assert.equal(
    large
      .since(0)
      .at(-1)!
      .block.times.at(large.since(0).at(-1)!.to - 1),
    4999,
  )
})

/** Gauges 1 to 9, each worth ten times its number and the time in seconds. */
function sampler() {
  const clock = new FakeClock()
  const samples = new Samples()
  const find = (id: number): GaugeRecord | undefined =>
    id < 10 ? ({ id, kind: 'gauge' } as GaugeRecord) : undefined
  const read = ({ id }: GaugeRecord): number => 10 * id
  return { clock, samples, made: new GaugeSampler({ clock, samples, find, read }) }
}

test('gauges are sampled while somebody asks, at the shortest interval', () => {
  const { clock, samples, made } = sampler()
  const [first, second] = [made.open(), made.open()]
  first.ask([1, 2, 77], 100)
  clock.advance(1000)
  const [log] = samples.logs
  assert.equal(log!.rows, 10)
  assert.deepEqual([...log!.layout.ids], [1, 2])
  second.ask([3], 20)
  clock.advance(1000)
  assert.deepEqual([...log!.layout.ids], [1, 2, 3])
  assert.ok(log!.rows >= 55 && log!.rows <= 60, String(log!.rows))
  second.close()
  first.close()
  clock.advance(1000)
  const { rows } = log!
  clock.advance(1000)
  assert.deepEqual([log!.rows, clock.pending], [rows, 0])
})

test('what a source samples is left to it', () => {
  const { clock, samples, made } = sampler()
  const source = samples.open()
  source.add(clock.wallMs(), Int32Array.of(2), Float64Array.of(5))
  made.open().ask([1, 2], 100)
  clock.advance(500)
  assert.deepEqual([...samples.logs[0]!.layout.ids], [1])
})

test('of more gauges than can be sampled the first are, and less often', () => {
  const clock = new FakeClock()
  const samples = new Samples()
  const made = new GaugeSampler({
    ...{ clock, samples },
    find: (id) => ({ id, kind: 'gauge' }) as GaugeRecord,
    read: ({ id }) => id,
  })
  const ids = Array.from({ length: 20_100 }, (_, i) => i)
  made.open().ask(ids, 10)
  clock.advance(1000)
  const [log] = samples.logs
  assert.equal(log!.layout.ids.length, 20_000)
  assert.ok(log!.rows >= 8 && log!.rows <= 11, String(log!.rows))
})
