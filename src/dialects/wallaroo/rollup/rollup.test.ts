import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../../test/support/property.ts'
import { rollUp, VIEWS } from '../../../../test/support/wallaroo-views.ts'
import { exact } from '../../../model/index.ts'
import { binOf } from '../codec/binning.ts'
import { restOf, secondsOf } from '../codec/halves.ts'
import type { SeriesNames } from '../map.ts'
import { notesOf } from '../spec.ts'
import { withFrame } from '../test/frames.ts'
import { BinCounts } from './bin-counts.ts'
import { ClockOffset } from './clock-offset.ts'
import { LatencyTotals } from './latency-totals.ts'
import { SecondCounts } from './second-counts.ts'
import { SeriesIndex } from './series-index.ts'
import { WindowSpread } from './spread.ts'
import { timeNotes } from './time-notes.ts'

const SECOND = 1_000_000_000n
const latencies = fc.array(fc.bigInt({ min: 0n, max: 2n ** 40n }), { minLength: 1, maxLength: 20 })

/** Totals of windows, each of some latencies. */
function totalsOf(windows: readonly (readonly bigint[])[]): LatencyTotals {
  const totals = new LatencyTotals()
  for (const values of windows) {
    const bins: Record<string, string> = {}
    for (const value of values) {
      const bin = binOf(value, 'document')
      bins[bin] = `${BigInt(bins[bin] ?? 0) + 1n}`
    }
    const sorted = values.toSorted((a, b) => (a < b ? -1 : 1))
    const extremes = { min_ns: `${sorted[0]}`, max_ns: `${sorted.at(-1)}` }
    withFrame({ bins, ...extremes }, (frame) => totals.add(frame))
  }
  return totals
}

describe('counts', () => {
  it('are exact however many windows come before anybody asks', () => {
    const [counts, others] = [new BinCounts(), new BinCounts()]
    const most = 2n ** 32n - 1n
    // above 2^53 in one bin, and past the windows after which halves are carried
    const windows = 2 ** 21 + 2 ** 19
    withFrame({ bins: { 0: '1', 64: `${most}` } }, (frame) => {
      for (let i = 0; i < windows; i++) counts.addFrame(frame)
    })
    withFrame({ bins: { 64: `${most + 1n}` } }, (frame) => others.addFrame(frame))
    counts.merge(others)
    assert.equal(counts.count(0), BigInt(windows))
    assert.equal(counts.skewed(), BigInt(windows) * most + most + 1n)
  })

  it('are exact above 2^64, in any order', () => {
    const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
    holds(
      fc.property(fc.array(fc.tuple(fc.nat(64), u64), { maxLength: 50 }), (entries) => {
        const expected = new Map<number, bigint>()
        const [forwards, backwards] = [new BinCounts(), new BinCounts()]
        for (const [bin, count] of entries) {
          forwards.add(bin, count)
          expected.set(bin, (expected.get(bin) ?? 0n) + count)
        }
        for (const [bin, count] of entries.toReversed()) {
          const one = new BinCounts()
          one.add(bin, count)
          backwards.merge(one)
        }
        for (let bin = 0; bin < 65; bin++) {
          assert.equal(forwards.count(bin), expected.get(bin) ?? 0n)
          assert.equal(forwards.isFilled(bin), (expected.get(bin) ?? 0n) > 0n)
        }
        assert.deepEqual(backwards.toSparse(), forwards.toSparse())
        assert.equal(forwards.total(), forwards.latencies() + forwards.skewed())
      }),
    )
  })
})

describe('latencies', () => {
  it('of merged views have the bins, quantiles and extremes of all windows at once', () => {
    const windows = fc.array(latencies, { minLength: 2, maxLength: 8 })
    holds(
      fc.property(windows, fc.nat(8), fc.double({ min: 0, max: 1, noNaN: true }), (all, at, q) => {
        const parts = [totalsOf(all.slice(0, at)), totalsOf(all.slice(at))]
        const merged = new LatencyTotals()
        for (const part of parts.toReversed()) merged.merge(part)
        const whole = totalsOf(all)
        assert.deepEqual(merged.counts.toSparse(), whole.counts.toSparse())
        assert.equal(merged.quantile(q), whole.quantile(q))
        assert.deepEqual([merged.minNs, merged.maxNs], [whole.minNs, whole.maxNs])
        assert.ok(Math.abs(merged.sumNs - whole.sumNs) <= 1e-9 * whole.sumNs)
      }),
    )
  })

  it('have a sum that is exact for one and two samples and else off by less than 42 %', () => {
    holds(
      fc.property(latencies, (values) => {
        const sum = Number(values.reduce((a, b) => a + b, 0n))
        const { sumNs } = totalsOf([values])
        if (values.length <= 2) assert.equal(sumNs, sum)
        else assert.ok(Math.abs(sumNs - sum) <= 0.4143 * sum + values.length, `${sumNs} of ${sum}`)
      }),
      500,
    )
  })

  it('stay above the least where only the greatest is unknown, as under clock skew', () => {
    const totals = new LatencyTotals()
    const max_ns = `${2n ** 64n - 1n}`
    withFrame({ bins: { 3: '5', 64: '1' }, min_ns: '8', max_ns }, (frame) => totals.add(frame))
    assert.deepEqual([totals.minNs, Number.isNaN(totals.maxNs)], [8, true])
    assert.deepEqual([totals.quantile(0.01), totals.quantile(0.5)], [8, 8])
  })

  it('of a window whose extremes are unknown leave the quantiles to the bins', () => {
    const totals = totalsOf([[900n, 1000n]])
    assert.equal(totals.quantile(1), 1000)
    withFrame({ bins: { 10: '1' } }, (frame) => totals.add(frame))
    assert.equal(totals.quantile(1), 1024)
    assert.deepEqual([totals.minNs, totals.maxNs], [900, 1000])
  })

  it('are not touched by empty windows, nor by skewed ones', () => {
    const totals = totalsOf([[900n]])
    withFrame({ bins: {} }, (frame) => totals.add(frame))
    withFrame({ bins: { 64: '3' } }, (frame) => totals.add(frame))
    const { counts, minNs, maxNs, sumNs } = totals
    assert.deepEqual([counts.latencies(), counts.skewed(), counts.total()], [1n, 3n, 4n])
    assert.deepEqual([minNs, maxNs, sumNs, totals.quantile(0.5)], [900, 900, 900, 900])
    assert.equal(new LatencyTotals().quantile(0.5), undefined)
  })
})

describe('throughput', () => {
  function seconds(total: bigint, endNs: bigint, periodNs: bigint): Record<number, bigint> {
    const parts = new WindowSpread()
    const restNs = Number(endNs % SECOND)
    parts.lay(exact(total), restNs, Number(periodNs))
    const last = Number(endNs / SECOND) + (restNs === 0 ? 0 : 1)
    const ages = Array.from({ length: parts.length }, (_, age) => age)
    return Object.fromEntries(ages.map((age) => [last - age, BigInt(parts.at(age))]))
  }

  /** Second by second: the overlap's share rounded down, then what is left, the newest first. */
  function expected(total: bigint, endNs: bigint, periodNs: bigint): Record<number, bigint> {
    const last = (endNs + SECOND - 1n) / SECOND
    if (periodNs === 0n) return { [Number(last)]: total }
    const parts: Record<number, bigint> = {}
    let left = total
    for (let second = last; (second - 1n) * SECOND >= endNs - periodNs - SECOND; second--) {
      const from = (second - 1n) * SECOND
      const start = from > endNs - periodNs ? from : endNs - periodNs
      const end = second * SECOND < endNs ? second * SECOND : endNs
      if (end <= start) continue
      parts[Number(second)] = (total * (end - start)) / periodNs
      left -= parts[Number(second)]!
    }
    for (let second = last; left > 0n; second--, left--) parts[Number(second)]!++
    return parts
  }

  it('is spread by overlap so that the seconds always add up to the messages', () => {
    const period = fc.oneof(
      fc.bigInt({ min: 0n, max: 20n * SECOND }),
      fc.bigInt({ min: 0n, max: 20n }).map((length) => length * SECOND),
    )
    const total = fc.oneof(
      fc.bigInt({ min: 0n, max: 1000n }),
      fc.bigInt({ min: 0n, max: 2n ** 53n }),
      fc.bigInt({ min: 0n, max: 2n ** 70n }),
    )
    const end = fc.oneof(
      fc.bigInt({ min: 30n * SECOND, max: 100n * SECOND }),
      fc.bigInt({ min: 30n, max: 100n }).map((at) => at * SECOND),
    )
    holds(
      fc.property(total, end, period, (n, at, length) => {
        const parts = seconds(n, at, length)
        assert.deepEqual(parts, expected(n, at, length))
        assert.equal(
          Object.values(parts).reduce((a, b) => a + b, 0n),
          n,
        )
      }),
      2000,
    )
  })

  it('has a median that is the exact mean of two counts, however large', () => {
    const medianOf = (...counts: readonly bigint[]) => {
      const seconds = new SecondCounts(counts.length)
      for (const [i, count] of counts.entries()) seconds.add(i, exact(count))
      return seconds.statistics()!.median
    }
    const large = 2n ** 53n
    assert.equal(medianOf(3n, 4n), 3.5)
    assert.equal(medianOf(large - 1n, large - 5n), Number(large) - 3)
    assert.equal(medianOf(large - 2n, 4n, 0n, large), Number(large / 2n) + 1)
    assert.equal(medianOf(2n ** 60n + 1n, 2n ** 60n + 5n), 2n ** 60n + 3n)
  })

  it('has the second and the rest of every 64-bit time', () => {
    const half = fc.nat({ max: 2 ** 32 - 1 })
    holds(
      fc.property(half, half, (high, low) => {
        const ns = (BigInt(high) << 32n) | BigInt(low)
        const found = secondsOf(high, low)
        assert.deepEqual([BigInt(found), BigInt(restOf(low, found))], [ns / SECOND, ns % SECOND])
      }),
      2000,
    )
  })

  it('gives whole seconds equal parts, and what is left to the newest', () => {
    assert.deepEqual(seconds(8n, 10n * SECOND, 3n * SECOND), { 8: 2n, 9: 3n, 10: 3n })
    assert.deepEqual(seconds(1n, 10n * SECOND, 2n * SECOND), { 9: 0n, 10: 1n })
  })

  it('gives others their overlap, and a window without length the second of its end', () => {
    assert.deepEqual(seconds(10n, (21n * SECOND) / 2n, SECOND), { 10: 5n, 11: 5n })
    assert.deepEqual(seconds(7n, (21n * SECOND) / 2n, 0n), { 11: 7n })
    assert.deepEqual(seconds(7n, 0n, 2n * SECOND), { [-1]: 3n, 0: 4n })
  })
})

describe('times', () => {
  it('are noted where a window is too long, too late or ahead of its time', () => {
    const now = 10_000n * SECOND
    const hour = 3600n * SECOND
    const notes = (end: bigint, period: bigint) => notesOf(timeNotes(end, period, now, hour))
    assert.deepEqual(notes(now, 2n * SECOND), [])
    assert.deepEqual(notes(now - hour, hour), [])
    assert.deepEqual(notes(now - hour - 1n, hour + 1n), ['period_too_long', 'late_window'])
    assert.deepEqual(notes(now + 7n * SECOND, 2n * SECOND), [])
    assert.deepEqual(notes(now + 7n * SECOND + 1n, 2n * SECOND), ['end_in_future'])
  })
})

describe('a clock offset', () => {
  it('is established by three different ends within a minute that agree', () => {
    const offset = new ClockOffset()
    const twoHours = 7_200_000
    for (const [end, at] of [
      [0, twoHours + 100],
      [0, twoHours + 150],
      [2000, twoHours + 2100],
    ] as const) {
      offset.add(end, at, 2000)
      assert.equal(offset.offsetMs, undefined)
    }
    offset.add(4000, twoHours + 4300, 2000)
    assert.equal(offset.offsetMs, twoHours + 100)
    assert.equal(offset.isOff, true)
    assert.equal(offset.shiftMs, twoHours + 100)
  })

  it('of a few seconds is no reason to shift anything', () => {
    const offset = new ClockOffset()
    for (let i = 0; i < 5; i++) offset.add(i * 2000, i * 2000 + 900, 2000)
    assert.deepEqual([offset.offsetMs, offset.isOff, offset.shiftMs], [900, false, 0])
  })

  it('works for clocks that are ahead, and is not disturbed by windows that come late', () => {
    const offset = new ClockOffset()
    for (let i = 0; i < 6; i++) {
      offset.add(7_200_000 + i * 2000, i * 2000 + 50, 2000)
      offset.add(7_200_000 - 600_000 * (i + 1), i * 2000 + 60, 2000)
    }
    assert.equal(offset.offsetMs, -7_199_950)
    assert.equal(offset.isOff, true)
  })

  it('shifts windows that end in the future, by their own period and 5 s', () => {
    const shiftOf = (aheadMs: number, periodMs: number): number => {
      const offset = new ClockOffset()
      for (let i = 0; i < 4; i++) offset.add(i * 2000 + aheadMs, i * 2000, periodMs)
      assert.equal(offset.isOff, offset.shiftMs !== 0)
      return offset.shiftMs
    }
    assert.equal(shiftOf(7001, 2000), -7001)
    assert.equal(shiftOf(30_000, 2000), -30_000)
    // what a reporter closes before its end, and what differs by no more
    assert.equal(shiftOf(7000, 2000), 0)
    assert.equal(shiftOf(30_000, 25_000), 0)
    // as late, it may have waited
    assert.equal(shiftOf(-30_000, 2000), 0)
  })

  it('is none while windows come too rarely or agree with nothing', () => {
    const rare = new ClockOffset()
    for (let i = 0; i < 5; i++) rare.add(i, i * 40_000, 2000)
    assert.equal(rare.offsetMs, undefined)
    const wild = new ClockOffset()
    for (let i = 0; i < 5; i++) wild.add(-i * 100_000, i * 1000, 2000)
    assert.equal(wild.offsetMs, undefined)
  })
})

describe('views', () => {
  it('add up over every label but theirs, whatever the order and number of reporters', () => {
    const name = fc.constantFrom('a', 'b', 'a"b', 'a,b')
    const series = fc.record({
      ...{ application: name, category: fc.constantFrom('computation', 'start-to-end', 'other') },
      ...{ pipeline: name, worker: name, name },
    })
    holds(
      fc.property(fc.array(series, { maxLength: 12 }), (all) => {
        const parts = all.map((names: SeriesNames) => ({ names, totals: totalsOf([[5n, 900n]]) }))
        for (const view of Object.values(VIEWS)) {
          const groups = rollUp(parts, view)
          const keys = groups.map(({ key }) => JSON.stringify(key))
          assert.equal(new Set(keys).size, keys.length)
          const backwards = rollUp(parts.toReversed(), view)
          const totals = (list: typeof groups) =>
            Object.fromEntries(list.map((g) => [JSON.stringify(g.key), g.totals.counts.total()]))
          assert.deepEqual(totals(backwards), totals(groups))
        }
        const [pipelines] = [rollUp(parts, VIEWS.pipeline)]
        const sum = pipelines.reduce((n, { totals }) => n + totals.counts.total(), 0n)
        const own = all.filter(({ category }) => category === 'start-to-end').length
        assert.equal(sum, 2n * BigInt(own))
      }),
    )
  })
})

describe('the index of series', () => {
  it('finds every tuple by its bytes, and no other', () => {
    const index = new SeriesIndex<string>()
    const tuples: string[][] = []
    for (const a of ['', 'x', 'xy']) {
      for (const b of ['', 'y', 'yx']) {
        for (let i = 0; i < 40; i++) tuples.push([a, b, `w${i}`, `${a}${b}`, 'computation'])
      }
    }
    const fieldsOf = ([application, name, worker, pipeline, category]: string[]) => {
      return { application, name, worker, pipeline, category }
    }
    for (const tuple of tuples) {
      withFrame(fieldsOf(tuple), (frame) => {
        assert.equal(index.find(frame), undefined)
        index.add(frame, tuple.join('|'))
      })
    }
    const check = (isKept: (text: string) => boolean) => {
      for (const tuple of tuples) {
        const text = tuple.join('|')
        withFrame({ ...fieldsOf(tuple), id: 9 }, (frame) => {
          assert.equal(index.find(frame), isKept(text) ? text : undefined)
        })
      }
    }
    check(() => true)
    index.retain((text) => text.includes('w3'))
    check((text) => text.includes('w3'))
    assert.equal(index.size, index.values().length)
  })
})
