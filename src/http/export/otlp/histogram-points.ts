/**
 * Distributions as OTLP has them: exponential buckets, or counts between explicit bounds; pure.
 */

import type { HistogramRules } from '../../../dialects/export-rules.ts'
import { forEachBound, hasNegative } from '../../../exposition/distribution.ts'
import type { Exact, Histogram } from '../../../model/index.ts'

interface Explicit {
  readonly bounds: readonly number[]
  readonly counts: readonly bigint[]
}

/** Arrays that all points share, by their length and shift. */
const fixedBounds = new Map<string, readonly number[]>()

function boundsOf(count: number, shift: number): readonly number[] {
  const key = `${count} ${shift}`
  let made = fixedBounds.get(key)
  if (made === undefined) {
    made = Array.from({ length: count }, (_, exponent) => 2 ** exponent / 10 ** shift)
    fixedBounds.set(key, made)
  }
  return made
}

/**
 * Counts below each bound and above the one before it. With fixed bounds the scale is 0 and bucket
 * i, (2^i, 2^(i+1)], is count i + 1; what lies above the last bound is the last count.
 */
export function explicitBuckets(histogram: Histogram, rules: HistogramRules): Explicit {
  const { boundsCount, shift = 0 } = rules
  if (histogram.bounds !== undefined) return ownBounds(histogram, histogram.bounds, shift)
  if (boundsCount === undefined) return filledBounds(histogram)
  const counts = new Array<bigint>(boundsCount + 1).fill(0n)
  counts[0] = histogram.zeroCount
  const coarse = histogram.scale > 0 ? histogram.atScale(0) : histogram
  coarse.positive.forEach((index, count) => {
    const place = Math.min(Math.max(index + 1, 0), boundsCount)
    counts[place] = counts[place]! + count
  })
  counts[boundsCount] = counts[boundsCount]! + histogram.overflow
  return { bounds: boundsOf(boundsCount, shift), counts }
}

function ownBounds({ positive }: Histogram, bounds: readonly number[], shift: number): Explicit {
  const counts = new Array<bigint>(bounds.length + 1).fill(0n)
  positive.forEach((index, count) => {
    counts[index] = count
  })
  return { bounds: shift === 0 ? bounds : bounds.map((bound) => bound / 10 ** shift), counts }
}

/** Lists the bounds of a classic histogram, those below filled buckets too. */
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

/** Sum, min and max as far as they are known and mean something. */
interface Moments {
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
