/**
 * One window as a log keeps it, in words of 32 bits, upper halves first.
 *
 *   [head:u32] [bins 0 to 31:u32] [bins 32 to 63:u32] [end:u64] [period:u64]
 *   [min:u64 if known] [max:u64 if known] [counts of the filled bins, ascending: u32 or u64 each]
 *
 * Bits of the head: 0 min is known, 1 max is known, 2 counts of 64 bits, 3 bin 64 is filled; from 8
 * on the number of words.
 */

import type { Exact } from '../../../../model/index.ts'
import { restOf, secondsOf, toBigInt, toExact, toNumber } from '../../codec/halves.ts'
import type { MetricsFrame } from '../../codec/metrics-frame.ts'
import type { WindowBins } from '../../rollup/bin-counts.ts'
import { BINS, SKEW_BIN } from '../../spec.ts'

const HAS_MIN = 1
const HAS_MAX = 2
const IS_WIDE = 4
const HAS_SKEW_BIN = 8
const SIZE_SHIFT = 8

const END_AT = 3
const PERIOD_AT = 5
const HEAD_WORDS = 7
export const WORD_BYTES = 4
const HALF_SECOND_NS = 500_000_000

/** Counts the words that a window will take. */
export function windowWords({ isMinKnown, isMaxKnown, isWide, filledCount }: WindowBins): number {
  const extremes = (isMinKnown ? 2 : 0) + (isMaxKnown ? 2 : 0)
  return HEAD_WORDS + extremes + (isWide ? 2 * filledCount : filledCount)
}

/** Counts the words of the window at a place. */
export function wordsOf(words: Uint32Array, start: number): number {
  return words[start]! >>> SIZE_SHIFT
}

export function writeWindow(
  words: Uint32Array,
  start: number,
  size: number,
  frame: MetricsFrame,
): void {
  words[start + END_AT] = frame.endHigh
  words[start + END_AT + 1] = frame.endLow
  words[start + PERIOD_AT] = frame.periodHigh
  words[start + PERIOD_AT + 1] = frame.periodLow
  let head = size << SIZE_SHIFT
  let at = start + HEAD_WORDS
  if (frame.isMinKnown) {
    head |= HAS_MIN
    words[at++] = frame.minHigh
    words[at++] = frame.minLow
  }
  if (frame.isMaxKnown) {
    head |= HAS_MAX
    words[at++] = frame.maxHigh
    words[at++] = frame.maxLow
  }
  const { filled, filledCount, high, low, isWide } = frame
  let below32 = 0
  let below64 = 0
  for (let i = 0; i < filledCount; i++) {
    const bin = filled[i]!
    // a shift by 32 or more begins anew
    if (bin < 32) below32 |= 1 << bin
    else if (bin < SKEW_BIN) below64 |= 1 << bin
    else head |= HAS_SKEW_BIN
    if (isWide) words[at++] = high[bin]!
    words[at++] = low[bin]!
  }
  words[start] = isWide ? head | IS_WIDE : head
  words[start + 1] = below32
  words[start + 2] = below64
}

/** A window read back; its bins and extremes once {@link load} is called. */
export class KeptWindow implements WindowBins {
  readonly filled = new Uint8Array(BINS)
  filledCount = 0
  readonly high = new Uint32Array(BINS)
  readonly low = new Uint32Array(BINS)
  isWide = false
  isMinKnown = false
  isMaxKnown = false
  minHigh = 0
  minLow = 0
  maxHigh = 0
  maxLow = 0
  /** End of the window: whole seconds and nanoseconds above them. */
  endS = 0
  endRestNs = 0
  #words: Uint32Array = EMPTY
  #start = 0
  #isLoaded = false
  #periodHigh = 0
  #periodLow = 0

  read(words: Uint32Array, start: number): void {
    this.#words = words
    this.#start = start
    this.#isLoaded = false
    const endLow = words[start + END_AT + 1]!
    this.endS = secondsOf(words[start + END_AT]!, endLow)
    this.endRestNs = restOf(endLow, this.endS)
    this.#periodHigh = words[start + PERIOD_AT]!
    this.#periodLow = words[start + PERIOD_AT + 1]!
  }

  /** Reads the rest, which most of those who look for a time don't need. */
  load(): void {
    if (this.#isLoaded) return
    this.#isLoaded = true
    const words = this.#words
    const start = this.#start
    const head = words[start]!
    this.isMinKnown = (head & HAS_MIN) !== 0
    this.isMaxKnown = (head & HAS_MAX) !== 0
    this.isWide = (head & IS_WIDE) !== 0
    let at = start + HEAD_WORDS
    if (this.isMinKnown) {
      this.minHigh = words[at++]!
      this.minLow = words[at++]!
    }
    if (this.isMaxKnown) {
      this.maxHigh = words[at++]!
      this.maxLow = words[at++]!
    }
    this.filledCount = 0
    at = this.#readBins(at, words[start + 1]!, 0)
    at = this.#readBins(at, words[start + 2]!, 32)
    this.#readBins(at, head & HAS_SKEW_BIN ? 1 : 0, SKEW_BIN)
  }

  /**
   * Reads the bins of a mask, whose lowest bit stands for `first`; returns where their counts end.
   */
  #readBins(start: number, mask: number, first: number): number {
    const words = this.#words
    let at = start
    for (let left = mask; left !== 0; left &= left - 1) {
      // the lowest bit that is set, alone
      const bin = first + 31 - Math.clz32(left & -left)
      this.filled[this.filledCount++] = bin
      this.high[bin] = this.isWide ? words[at++]! : 0
      this.low[bin] = words[at++]!
    }
    return at
  }

  min(): Exact {
    return this.isMinKnown ? toExact(this.minHigh, this.minLow) : Number.NaN
  }

  max(): Exact {
    return this.isMaxKnown ? toExact(this.maxHigh, this.maxLow) : Number.NaN
  }

  /** The nearest double, exact for 104 days. */
  get periodNs(): number {
    return toNumber(this.#periodHigh, this.#periodLow)
  }

  /** Whole seconds, half a second rounding up. */
  get roundedEndS(): number {
    return this.endRestNs >= HALF_SECOND_NS ? this.endS + 1 : this.endS
  }

  get roundedPeriodS(): number {
    const seconds = secondsOf(this.#periodHigh, this.#periodLow)
    return restOf(this.#periodLow, seconds) >= HALF_SECOND_NS ? seconds + 1 : seconds
  }

  /** Counts messages, skewed ones too. */
  total(): Exact {
    let sum = 0
    for (let i = 0; i < this.filledCount; i++) {
      const bin = this.filled[i]!
      sum += toNumber(this.high[bin]!, this.low[bin]!)
    }
    return sum <= Number.MAX_SAFE_INTEGER ? sum : this.#wideTotal()
  }

  #wideTotal(): bigint {
    let sum = 0n
    for (let i = 0; i < this.filledCount; i++) {
      const bin = this.filled[i]!
      sum += toBigInt(this.high[bin]!, this.low[bin]!)
    }
    return sum
  }
}

const EMPTY = new Uint32Array(0)
