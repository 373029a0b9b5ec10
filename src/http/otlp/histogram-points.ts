/**
 * Distributions as OTLP has them: exponential buckets, or counts between explicit bounds
 * (wallaroo.md §7 forms 1 and 4, proxywasm.md §7, statshero.md §7.4); pure.
 */

import { forEachBound, hasNegative } from '../../exposition/classic-buckets.ts'
import { withoutOverflow } from '../../exposition/distribution.ts'
import type { BucketRun, Exact, Histogram } from '../../model/index.ts'
import type { BucketsField } from './metric.ts'

export type HistogramForm = 'explicit' | 'exponential'

/** What a dialect's document says of its distributions. */
export interface HistogramRule {
  readonly form: HistogramForm
  /** Explicit bounds 2^0 to 2^(n-1), always all of them; 0: those of filled buckets. */
  readonly bounds: number
  /** Explicit values are divided by 10^shift, to be in `unit`. */
  readonly shift: number
  readonly unit?: string
  /** Min and max only in points of an interval: those since the start say nothing any more. */
  readonly isExtremeOfDelta: boolean
}

const DEFAULT_RULE: HistogramRule = {
  form: 'exponential',
  bounds: 0,
  shift: 0,
  isExtremeOfDelta: false,
}
const RULES: Readonly<Record<string, HistogramRule>> = {
  wallaroo: { form: 'explicit', bounds: 64, shift: 9, unit: 's', isExtremeOfDelta: true },
  proxywasm: { ...DEFAULT_RULE, form: 'explicit', bounds: 32 },
}

export function histogramRule(dialect: string): HistogramRule {
  return Object.hasOwn(RULES, dialect) ? RULES[dialect]! : DEFAULT_RULE
}

interface Explicit {
  readonly bounds: readonly number[]
  readonly counts: readonly bigint[]
}

/** One array for all points of a dialect. */
const fixedBounds = new Map<string, readonly number[]>()

function boundsOf({ bounds, shift }: HistogramRule): readonly number[] {
  const key = `${bounds} ${shift}`
  let made = fixedBounds.get(key)
  if (made === undefined) {
    made = Array.from({ length: bounds }, (_, exponent) => 2 ** exponent / 10 ** shift)
    fixedBounds.set(key, made)
  }
  return made
}

/**
 * Counts below each bound and above the one before it. With fixed bounds the scale is 0 and bucket
 * i, (2^i, 2^(i+1)], is count i + 1; what lies above the last bound is the last count.
 */
export function explicitBuckets(histogram: Histogram, rule: HistogramRule): Explicit {
  if (rule.bounds === 0) return filledBounds(histogram)
  const counts = new Array<bigint>(rule.bounds + 1).fill(0n)
  counts[0] = histogram.zeroCount
  const coarse = histogram.scale > 0 ? histogram.atScale(0) : histogram
  coarse.positive.forEach((index, count) => {
    const place = Math.min(Math.max(index + 1, 0), rule.bounds)
    counts[place] = counts[place]! + count
  })
  counts[rule.bounds] = counts[rule.bounds]! + histogram.overflow
  return { bounds: boundsOf(rule), counts }
}

/** The bounds of a classic histogram, those below filled buckets too. */
function filledBounds(histogram: Histogram): Explicit {
  const bounds: number[] = []
  const counts: bigint[] = []
  let before = 0n
  const total = forEachBound(histogram, true, (exact, seen) => {
    const bound = Number(exact)
    if (bound === bounds.at(-1)) counts[counts.length - 1]! += seen - before
    else {
      bounds.push(bound)
      counts.push(seen - before)
    }
    before = seen
  })
  return { bounds, counts: [...counts, total - before] }
}

interface Exponential {
  readonly scale: number
  readonly zeroThreshold: number
  readonly zeroCount: bigint
  readonly positive: BucketsField
  readonly negative: BucketsField
}

export function exponentialBuckets(histogram: Histogram): Exponential {
  const { scale, zeroThreshold, zeroCount, positive, negative } = withoutOverflow(histogram)
  return {
    scale,
    zeroThreshold,
    zeroCount,
    positive: fieldOf(positive),
    negative: fieldOf(negative),
  }
}

/** From the lowest filled bucket to the highest; offset 0 where none is. */
function fieldOf(run: BucketRun): BucketsField {
  const span = run.span()
  if (span === undefined) return { offset: 0, counts: [] }
  const [low, high] = span
  return { offset: low, counts: [...run.counts.subarray(low - run.offset, high + 1 - run.offset)] }
}

/** Sum, min and max as far as they are known and mean something. */
export interface Moments {
  readonly sum?: number
  readonly min?: number
  readonly max?: number
}

/**
 * @param sum undefined where it must not be said; with negative observations it never is, as
 *   receivers take it for a counter
 */
export function momentsOf(
  histogram: Histogram,
  sum: Exact | undefined,
  hasExtremes: boolean,
  shift: number,
): Moments {
  const scale = (value: Exact): number => Number(value) / 10 ** shift
  const known = (value: Exact): boolean => hasExtremes && !Number.isNaN(value)
  return {
    ...(sum === undefined || hasNegative(histogram) ? {} : { sum: scale(sum) }),
    ...(known(histogram.min) ? { min: scale(histogram.min) } : {}),
    ...(known(histogram.max) ? { max: scale(histogram.max) } : {}),
  }
}
