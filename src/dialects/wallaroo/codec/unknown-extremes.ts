/**
 * Min and max that are not known, on a wire that has no way to say so (§4.4): written so that a
 * reader by the same rules comes to the same.
 */
import type { Exact } from '../../../model/index.ts'
import { NO_MAX, NO_MIN, SKEW_BIN } from '../spec.ts'

/** 2^63 in bin 63: the one skewed maximum that the document's binning has below bin 64. */
const SKEWED_IN_63 = 2n ** 63n

/**
 * A skewed maximum is written as one; both of them as those of an empty window, which the bins
 * contradict.
 * @param min NaN where it is not known, and so is `max`
 */
export function extremesOnWire(
  min: Exact,
  max: Exact,
  bins: ArrayLike<Exact>,
): { minNs: Exact; maxNs: Exact } {
  const isMinKnown = !Number.isNaN(min)
  if (!Number.isNaN(max)) return { minNs: isMinKnown ? min : NO_MIN, maxNs: max }
  const isSkewed = bins[SKEW_BIN]! > 0
  if (isMinKnown) return { minNs: min, maxNs: isSkewed ? NO_MIN : SKEWED_IN_63 }
  // 0 would be the minimum of bin 0, and 2^64 - 1 the maximum of bin 64
  return { minNs: NO_MIN, maxNs: isSkewed ? NO_MIN : NO_MAX }
}
