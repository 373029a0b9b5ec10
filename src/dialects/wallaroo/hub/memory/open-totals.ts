/**
 * What windows of one series have brought since the last tick, in the memory of windows: counts
 * below 2^32 of a window are added here; of a window with larger ones only its extremes and its sum
 * are, and its counts elsewhere.
 */
import { compareHalves, toExact, toNumber } from '../../codec/halves.ts'
import type { MetricsFrame } from '../../codec/metrics-frame.ts'
import { estimateSum, type LatencyTotals } from '../../rollup/latency-totals.ts'
import { BINS, SKEW_BIN } from '../../spec.ts'
import { GREATEST, IS_OPEN, KNOWN, LEAST, SUM, TOTALS } from './layout.ts'
import type { WindowMemory } from './window-memory.ts'

const WHOLE = 2 ** 32
const IS_MIN_KNOWN = 1
const IS_MAX_KNOWN = 2

/** Adds a window whose counts are below 2^32, but for its extremes and its sum. */
export function addCounts({ words }: WindowMemory, series: number, frame: MetricsFrame): void {
  const { filled, filledCount, low } = frame
  const totals = (series + TOTALS) >>> 2
  for (let i = 0; i < filledCount; i++) {
    const bin = filled[i]!
    const at = totals + 2 * bin
    const sum = words[at]! + low[bin]!
    words[at] = sum
    if (sum >= WHOLE) words[at + 1]!++
  }
}

export function addExtremes(memory: WindowMemory, series: number, frame: MetricsFrame): void {
  const { words, doubles } = memory
  const { isMinKnown, isMaxKnown, minHigh, minLow, maxHigh, maxLow } = frame
  if (isMinKnown) {
    const at = (series + LEAST) >>> 2
    if (compareHalves(minHigh, minLow, words[at + 1]!, words[at]!) < 0) {
      words[at] = minLow
      words[at + 1] = minHigh
    }
    words[(series + KNOWN) >>> 2]! |= IS_MIN_KNOWN
  }
  if (isMaxKnown) {
    const at = (series + GREATEST) >>> 2
    if (compareHalves(maxHigh, maxLow, words[at + 1]!, words[at]!) > 0) {
      words[at] = maxLow
      words[at + 1] = maxHigh
    }
    words[(series + KNOWN) >>> 2]! |= IS_MAX_KNOWN
  }
  if (frame.filledCount === 0 || frame.filled[0] === SKEW_BIN) return
  const least = isMinKnown ? toNumber(minHigh, minLow) : 0
  const greatest = isMaxKnown ? toNumber(maxHigh, maxLow) : Number.POSITIVE_INFINITY
  doubles[(series + SUM) >>> 3]! += estimateSum(frame, least, greatest)
}

/** Reads all of it. */
export function readOpen({ words, doubles }: WindowMemory, series: number, to: LatencyTotals) {
  to.clear()
  to.counts.addWords(words, (series + TOTALS) >>> 2)
  const known = words[(series + KNOWN) >>> 2]!
  const exactAt = (field: number) => {
    const at = (series + field) >>> 2
    return toExact(words[at + 1]!, words[at]!)
  }
  if (known & IS_MIN_KNOWN) to.minNs = exactAt(LEAST)
  if (known & IS_MAX_KNOWN) to.maxNs = exactAt(GREATEST)
  to.sumNs = doubles[(series + SUM) >>> 3]!
}

/** Begins anew. */
export function clearOpen({ words, doubles }: WindowMemory, series: number): void {
  words.fill(0, (series + TOTALS) >>> 2, ((series + TOTALS) >>> 2) + 2 * BINS)
  words.fill(0xffff_ffff, (series + LEAST) >>> 2, (series + LEAST + 8) >>> 2)
  words.fill(0, (series + GREATEST) >>> 2, (series + KNOWN + 4) >>> 2)
  words[(series + IS_OPEN) >>> 2] = 0
  doubles[(series + SUM) >>> 3] = 0
}
