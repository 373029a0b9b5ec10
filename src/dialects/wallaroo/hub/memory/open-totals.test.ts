import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../../../test/support/property.ts'
import { histogramOf } from '../../map.ts'
import { LatencyTotals } from '../../rollup/latency-totals.ts'
import { withFrame } from '../../test/frames.ts'
import { TOTALS } from './layout.ts'
import { addCounts, addExtremes, clearOpen, OpenTotals, readOpen } from './open-totals.ts'
import { WindowMemory } from './window-memory.ts'

const window = fc.record({
  bins: fc.dictionary(
    fc.nat({ max: 64 }).map(String),
    fc.bigInt({ min: 1n, max: (1n << 32n) - 1n }).map(String),
    { maxKeys: 5 },
  ),
  min_ns: fc.constantFrom('1', '5', `${1n << 60n}`, `${(1n << 64n) - 1n}`),
  max_ns: fc.constantFrom('1', '5', `${1n << 60n}`, `${(1n << 64n) - 1n}`),
})

test('open totals are those of the windows, and their histogram is that of the totals', () => {
  holds(
    fc.property(fc.array(window, { maxLength: 12 }), (windows) => {
      const memory = new WindowMemory(1_000_000)
      const series = memory.addSeries(0)
      const expected = new LatencyTotals()
      for (const each of windows) {
        withFrame(each, (frame) => {
          addCounts(memory, series, frame)
          addExtremes(memory, series, frame)
          expected.add(frame)
        })
      }
      const read = new LatencyTotals()
      readOpen(memory, series, read)
      const { counts, minNs, maxNs, sumNs } = expected
      assert.deepEqual(
        [read.counts.toSparse(), read.minNs, read.maxNs, read.sumNs],
        [counts.toSparse(), minNs, maxNs, sumNs],
      )
      const open = new OpenTotals(memory)
      assert.ok(open.read(series))
      assert.deepEqual(
        [BigInt(open.messages), BigInt(open.skewed)],
        [counts.total(), counts.skewed()],
      )
      const histogram = histogramOf(expected)
      histogram.sum = sumNs
      assert.deepEqual(open.histogram(), histogram)
      clearOpen(memory, series)
      assert.ok(open.read(series))
      assert.deepEqual([open.messages, open.histogram().isEmpty], [0, true])
    }),
  )
})

test('more messages than a double holds are not read as one', () => {
  const memory = new WindowMemory(1_000_000)
  const series = memory.addSeries(0)
  const open = new OpenTotals(memory)
  const large = { bins: { 3: `${(1n << 32n) - 1n}` } }
  for (let i = 0; i < 3; i++) withFrame(large, (frame) => addCounts(memory, series, frame))
  assert.ok(open.read(series))
  // as after 2^21 further windows
  memory.longs[(series + TOTALS) / 8 + 5] = 1n << 53n
  assert.equal(open.read(series), false)
  const read = new LatencyTotals()
  readOpen(memory, series, read)
  assert.equal(read.counts.total(), (1n << 53n) + 3n * ((1n << 32n) - 1n))
})
