/** Runs the vectors of scope that are about series: ticks, names, canonical values. */

import { Mismatch, near, same } from '../../../../../test/vectors/expect.ts'
import type { VectorCase } from '../../../../../test/vectors/vector-file.ts'
import {
  canonicalMean,
  Histogram,
  incrementRate,
  type Kind,
  type Labels,
  readingRate,
  summaryMean,
} from '../../../../model/index.ts'
import { exposeSeries } from '../../map.ts'
import { foldName, splitName } from '../../names.ts'
import { SERVER_DEFAULTS } from '../../options.ts'
import { Schedule } from '../../server/ticks.ts'

const TOLERANCE = 1e-12

/** Both ways: labels into the name, and out of it again where Info confirms them. */
export function checkName({ base, labels, wire }: VectorCase): undefined {
  const pairs = labels as Labels
  same('folded', foldName(base as string, pairs), wire)
  same('folded in any order', foldName(base as string, pairs.toReversed()), wire)
  same('unfolded', splitName(wire as string, new Map(pairs)), { base, labels: pairs })
}

export function checkTicks(testCase: VectorCase): undefined {
  const grid = new Schedule(u64(testCase.requested_ns), u64(testCase.min_interval_ns))
  same('effective interval', grid.intervalNs, u64(testCase.effective_ns))
  const wakeUps = (testCase.wakeups_elapsed_ns as unknown[]).map(u64)
  const sent = wakeUps.map((elapsedNs) => grid.wake(elapsedNs)).filter((tick) => tick !== undefined)
  same(
    'sent t',
    sent.map(({ t }) => t),
    (testCase.sent_t as unknown[]).map(u64),
  )
  const missed = sent.reduce((sum, tick) => sum + tick.missed, 0)
  same('missed', missed, testCase.missed)
}

/** One closed window of a series, as the vectors state it. */
interface Series {
  readonly kind: string
  readonly base: string
  readonly increment?: number
  readonly interval_s?: number
  readonly from?: number | null
  readonly to?: number
  readonly elapsed_s?: number
  readonly value?: unknown
  readonly mean?: number
  readonly count?: number
  readonly sum?: number
  readonly bins?: readonly (readonly [index: number, count: number])[]
  readonly min?: number
  readonly max?: number
}

const KINDS: Readonly<Record<string, Kind>> = {
  sum: 'counter',
  counter: 'counter',
  gauge: 'gauge',
  mean: 'summary',
  histogram: 'histogram',
}

export function checkCanonical({ series, wire_name, value }: VectorCase): undefined {
  const stated = series as Series
  const kind = KINDS[stated.kind]
  if (kind === undefined) throw new Mismatch('kind', Object.keys(KINDS), stated.kind)
  const identity = { name: stated.base, kind, labels: [] }
  const metadata = { dialect: 'scope' }
  const isEstimated = stated.bins !== undefined
  const exposure = exposeSeries([{ identity, metadata, isEstimated }], SERVER_DEFAULTS)
  same(
    'wire name',
    exposure.series.map(({ wireName }) => wireName),
    [wire_name],
  )
  near('value', canonicalValue(stated), f64(value), TOLERANCE)
}

function canonicalValue(series: Series): number {
  switch (series.kind) {
    case 'sum':
      return incrementRate(series.increment!, series.interval_s!)
    case 'counter':
      return readingRate(series.from ?? undefined, series.to!, series.elapsed_s!)
    case 'gauge':
      return f64(series.value)
    case 'mean': {
      const { mean = 0, count = 0 } = series
      return summaryMean({ count, mean, squares: 0, min: Number.NaN, max: Number.NaN })
    }
    default:
      return canonicalMean(histogramOf(series))
  }
}

/** Bin i of Wallaroo ends at 2^i, which is bucket i - 1; bin 0 holds what counts as zero. */
function histogramOf({ bins, sum, count = 0, min, max }: Series): Histogram {
  const histogram = new Histogram(0)
  histogram.sum = sum
  if (bins === undefined) histogram.addBucket(0, BigInt(count))
  for (const [index, held] of bins ?? []) {
    if (index > 0) histogram.addBucket(index - 1, BigInt(held))
    else {
      histogram.zeroCount += BigInt(held)
      histogram.count += BigInt(held)
    }
  }
  histogram.min = min ?? Number.NaN
  histogram.max = max ?? Number.NaN
  return histogram
}

function u64(value: unknown): bigint {
  return BigInt((value as { $u64: string }).$u64)
}

/** Reads a number, also one that no double holds; NaN for none: of a gauge that was never set. */
function f64(value: unknown): number {
  if (value === null || value === undefined) return Number.NaN
  if (typeof value !== 'object') return Number(value)
  const [text] = Object.values(value)
  return Number(text)
}
