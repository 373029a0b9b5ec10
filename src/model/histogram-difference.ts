/** What a cumulative histogram gained between two readings; the way a tick makes cells. */
import type { BucketRun } from './bucket-run.ts'
import { subtractExact } from './exact.ts'
import { Histogram } from './histogram.ts'

/**
 * `later` minus `earlier`, which must be an earlier reading of the same histogram: its scale may
 * have been finer, its zero threshold smaller. Min and max of the gain can't be read off totals:
 * they are left unknown (NaN). Both readings stay as they are.
 * @param gain a histogram to fill and answer instead of a new one, which costs less
 */
export function histogramGain(
  later: Histogram,
  earlier: Histogram,
  gain: Histogram = new Histogram(),
): Histogram {
  let after = later
  let before = earlier.scale > later.scale ? earlier.atScale(later.scale) : earlier
  if (before.zeroThreshold !== after.zeroThreshold) {
    // What the later reading counts as zero stands in buckets of the earlier one.
    after = after.clone()
    before = before.clone()
    after.levelZero(before)
  }
  gain.scale = after.scale
  gain.zeroThreshold = after.zeroThreshold
  gain.count = after.count - before.count
  gain.zeroCount = after.zeroCount - before.zeroCount
  gain.overflow = after.overflow - before.overflow
  gain.overflowFrom = after.overflowFrom
  gain.sum =
    after.sum === undefined || before.sum === undefined
      ? undefined
      : subtractExact(after.sum, before.sum)
  gain.min = Number.NaN
  gain.max = Number.NaN
  subtractRun(gain.positive, after.positive, before.positive)
  subtractRun(gain.negative, after.negative, before.negative)
  return gain
}

/** Buckets of `before` that `after` has no room for are empty. */
function subtractRun(gain: BucketRun, after: BucketRun, before: BucketRun): void {
  const length = after.counts.length
  if (gain.counts.length < length) gain.counts = new BigUint64Array(length)
  else gain.counts.fill(0n, length) // of the gain before
  gain.offset = after.offset
  const { counts } = gain
  counts.set(after.counts)
  const held = before.counts
  const shift = before.offset - after.offset
  const end = Math.min(held.length, length - shift)
  for (let i = Math.max(0, -shift); i < end; i++) counts[i + shift]! -= held[i]!
}
