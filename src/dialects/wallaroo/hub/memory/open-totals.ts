/**
 * What windows of one series have brought since the last tick, in the memory of windows: counts
 * below 2^32 of a window are added here; of a window with larger ones only its extremes and its sum
 * are, and its counts elsewhere.
 */
import { type Exact, Histogram } from '../../../../model/index.ts'
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

/** Messages and latencies that windows have brought, as the model takes them. */
export interface Brought {
  /** Messages, and those among them that are in bin 64. */
  readonly messages: Exact
  readonly skewed: Exact
  /** Makes the histogram of the latencies, with its estimated sum. */
  histogram(): Histogram
}

/** Open totals of one series after the other, where its counts are all in the memory. */
export class OpenTotals implements Brought {
  messages = 0
  skewed = 0
  #memory: WindowMemory
  #series = 0
  #latencies = 0
  #lowest = 0
  #highest = 0

  constructor(memory: WindowMemory) {
    this.#memory = memory
  }

  /** Turns to a series; @returns false where its messages are too many for a double */
  read(series: number): boolean {
    const { words } = this.#memory
    const totals = (series + TOTALS) >>> 2
    let sum = 0
    let lowest = SKEW_BIN
    let highest = 0
    for (let bin = 0; bin < SKEW_BIN; bin++) {
      const at = totals + 2 * bin
      const count = words[at + 1]! * WHOLE + words[at]!
      if (count === 0) continue
      sum += count
      if (bin === 0) continue
      if (lowest === SKEW_BIN) lowest = bin
      highest = bin
    }
    const skewAt = totals + 2 * SKEW_BIN
    this.skewed = words[skewAt + 1]! * WHOLE + words[skewAt]!
    this.messages = sum + this.skewed
    this.#series = series
    this.#latencies = sum
    this.#lowest = lowest
    this.#highest = highest
    return this.messages <= Number.MAX_SAFE_INTEGER
  }

  /** Makes what `histogramOf` makes of the same totals, with nothing made for a bucket. */
  histogram(): Histogram {
    const { longs, words, doubles } = this.#memory
    const series = this.#series
    const totals = (series + TOTALS) >>> 3
    const histogram = new Histogram(0)
    histogram.zeroThreshold = 1
    histogram.zeroCount = longs[totals]!
    histogram.count = BigInt(this.#latencies)
    if (this.#lowest <= this.#highest) {
      const { positive } = histogram
      positive.offset = this.#lowest - 1
      positive.counts = longs.slice(totals + this.#lowest, totals + this.#highest + 1)
    }
    const known = words[(series + KNOWN) >>> 2]!
    if (known & IS_MIN_KNOWN) histogram.min = exactAt(words, series + LEAST)
    if (known & IS_MAX_KNOWN) histogram.max = exactAt(words, series + GREATEST)
    histogram.sum = doubles[(series + SUM) >>> 3]!
    return histogram
  }
}

function exactAt(words: Uint32Array, address: number): Exact {
  return toExact(words[(address >>> 2) + 1]!, words[address >>> 2]!)
}

/** Reads all of it. */
export function readOpen({ words, doubles }: WindowMemory, series: number, to: LatencyTotals) {
  to.clear()
  to.counts.addWords(words, (series + TOTALS) >>> 2)
  const known = words[(series + KNOWN) >>> 2]!
  if (known & IS_MIN_KNOWN) to.minNs = exactAt(words, series + LEAST)
  if (known & IS_MAX_KNOWN) to.maxNs = exactAt(words, series + GREATEST)
  to.sumNs = doubles[(series + SUM) >>> 3]!
}

/** Begins anew. */
export function clearOpen({ words, doubles }: WindowMemory, series: number): void {
  doubles.fill(0, (series + TOTALS) >>> 3, ((series + TOTALS) >>> 3) + BINS)
  words.fill(0xffff_ffff, (series + LEAST) >>> 2, (series + LEAST + 8) >>> 2)
  words.fill(0, (series + GREATEST) >>> 2, (series + KNOWN + 4) >>> 2)
  words[(series + IS_OPEN) >>> 2] = 0
  doubles[(series + SUM) >>> 3] = 0
}
