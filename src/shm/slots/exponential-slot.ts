/**
 * An exponential histogram's slot: the model's base-2 histogram in 192 words, 12 lines of 128
 * bytes. The first 8 words are all that an ordinary observation needs besides its bucket.
 *
 *    0 [guard:i32][state:i32]       guard of the shape; state = flags | SCALE_MAX - scale
 *    1 [low:i32][high:i32]         span of the positive buckets, empty while low > high
 *    2 [partial:f64]               integers' sum not yet in the wide sum; |partial| < 2^53
 *    3 [min:f64] 4 [max:f64]       nearest double where the exact one is wide; ±Infinity = none
 *    5 [even:i32][odd:i32]         epochs of the two windows
 *    6 [min:f64] 7 [max:f64]       window of even epochs
 *    8 [min:f64] 9 [max:f64]       window of odd epochs
 *   10 [low:i32][high:i32]         span of the negative buckets
 *   11 [guard:i32][negativeAt:u32] guard of the numbers; word offset in the zone of the negative
 *                                  ring, 0 = none yet
 *   12 [zeros:u64]
 *   13 [fractions:f64]             sum of the observations that are no integer below 2^333
 *   14 wide sum, 20 wide min, 26 wide max (slots/wide-integer.ts), each used as the flags say
 *   32 ring of 160 u64: bucket i of the positive side is word i mod 160
 *
 * A guard is odd while several words change together: of the shape, that is the scale, the spans
 * and the rings; of the numbers, that is the sum, min and max once they are wide. The two are
 * apart because the shape changes some thousand times in a slot's life and takes long to copy,
 * whereas wide numbers may change at every observation and are copied in no time: a reader gets
 * both.
 *
 * A ring needs no moving when the span grows on either side. The count is the sum of the buckets.
 */
import { type Exact, exact } from '../../model/index.ts'
import { EXPONENTIAL_HEAD_WORDS, PAGE_WORDS, RING_WORDS } from '../layout.ts'
import type { Page, ZoneMemory } from '../memory/memory.ts'
import { fitsWide, readWide, writeWide } from './wide-integer.ts'

/** Word offsets in the slot. */
export const SLOT = Object.freeze({
  shapeGuard: 0,
  positive: 1,
  partial: 2,
  min: 3,
  max: 4,
  epochs: 5,
  windows: 6,
  negative: 10,
  numberGuard: 11,
  zeros: 12,
  fractions: 13,
  wideSum: 14,
  wideMin: 20,
  wideMax: 26,
  ring: EXPONENTIAL_HEAD_WORDS,
})

/** Flags in the state, above the shift. */
export const FLAG = Object.freeze({
  ready: 0x100,
  wideSum: 0x200,
  wideMin: 0x400,
  wideMax: 0x800,
  /** Bit of the even window; the odd window's is the next one. */
  inexactWindow: 0x1000,
})
const SHIFT_MASK = 0xff

/**
 * Bias above every |index| of a double, and a multiple of RING_WORDS: makes the remainder positive.
 */
const RING_BIAS = RING_WORDS * 2_048

/** Rings of a coarser scale, until they are put in place. */
const positiveRing = new BigUint64Array(RING_WORDS)
const negativeRing = new BigUint64Array(RING_WORDS)

/** Computes the word of a bucket in its ring. */
export function ringWord(index: number): number {
  return (index + RING_BIAS) % RING_WORDS
}

/**
 * Makes the first access to a slot a write: memory that is read before it is written costs two page
 * faults. It changes nothing.
 */
export function touch(page: Page, at: number): void {
  Atomics.compareExchange(page.halves, 2 * at + 1, 0, 0)
}

/** Accessor of one slot, with the operations that are not on the fast path. */
export class ExponentialSlot {
  page: Page
  at: number
  /** The negative ring, once there is one. */
  negativePage: Page | undefined
  negativeAt = 0
  protected memory: ZoneMemory

  constructor(memory: ZoneMemory, page: Page, at: number) {
    this.memory = memory
    this.page = page
    this.at = at
    this.findNegative()
  }

  /** Points the accessor at another slot, of another zone if that is named. */
  moveTo(page: Page, at: number, memory = this.memory): void {
    this.memory = memory
    this.page = page
    this.at = at
    this.findNegative()
  }

  /** Word offset in the zone of the negative ring; 0 = none. */
  get negativeBlock(): number {
    return this.page.halves[2 * (this.at + SLOT.numberGuard) + 1]!
  }

  /** Looks up the negative ring, which its writer may have taken since. */
  findNegative(): void {
    const at = this.negativeBlock
    this.negativePage = at === 0 ? undefined : this.memory.pageOfWord(at)
    this.negativeAt = at & (PAGE_WORDS - 1)
  }

  /** Gives a zeroed slot the values that zero does not mean; its writer's first act. */
  prepare(): void {
    const { halves, floats } = this.page
    if (this.isReady) return
    halves[2 * (this.at + SLOT.positive)] = 1
    halves[2 * (this.at + SLOT.negative)] = 1
    floats[this.at + SLOT.min] = Number.POSITIVE_INFINITY
    floats[this.at + SLOT.max] = Number.NEGATIVE_INFINITY
    Atomics.store(halves, 2 * this.at + 1, FLAG.ready)
  }

  get isReady(): boolean {
    return (Atomics.load(this.page.halves, 2 * this.at + 1) & FLAG.ready) !== 0
  }

  get shift(): number {
    return this.page.halves[2 * this.at + 1]! & SHIFT_MASK
  }

  has(flag: number): boolean {
    return (this.page.halves[2 * this.at + 1]! & flag) !== 0
  }

  #setFlag(flag: number, isSet: boolean): void {
    const at = 2 * this.at + 1
    const state = this.page.halves[at]!
    this.page.halves[at] = isSet ? state | flag : state & ~flag
  }

  low(isNegative: boolean): number {
    return this.page.halves[2 * (this.at + (isNegative ? SLOT.negative : SLOT.positive))]!
  }

  high(isNegative: boolean): number {
    return this.page.halves[2 * (this.at + (isNegative ? SLOT.negative : SLOT.positive)) + 1]!
  }

  min(): Exact {
    return this.#extreme(SLOT.min, SLOT.wideMin, FLAG.wideMin)
  }

  max(): Exact {
    return this.#extreme(SLOT.max, SLOT.wideMax, FLAG.wideMax)
  }

  #extreme(at: number, wideAt: number, flag: number): Exact {
    const { floats, words } = this.page
    return this.has(flag) ? readWide(words, this.at + wideAt) : floats[this.at + at]!
  }

  /** Reads the sum of the integers; exact. */
  integerSum(): Exact {
    const { floats, words } = this.page
    const partial = floats[this.at + SLOT.partial]!
    if (!this.has(FLAG.wideSum)) return partial
    return readWide(words, this.at + SLOT.wideSum) + BigInt(partial)
  }

  /**
   * Makes a guard odd, also where a thread died that had left it so: readers look away until
   * {@link endChange}. The load after the store keeps the following plain stores behind it on
   * processors that reorder stores.
   */
  beginChange(guard: number): void {
    const at = 2 * (this.at + guard)
    Atomics.store(this.page.halves, at, (this.page.halves[at]! + 1) | 1)
    Atomics.load(this.page.halves, at)
  }

  endChange(guard: number): void {
    const at = 2 * (this.at + guard)
    Atomics.store(this.page.halves, at, this.page.halves[at]! + 1)
  }

  /**
   * Lowers the scale; the caller has begun a change. A thread may be terminated wherever a function
   * or a round of a loop begins, and then no count may be missing: the new rings are made in
   * private memory and take the old ones' place, with the spans and the scale, in neighbouring
   * statements that call nothing of JavaScript.
   */
  coarsenTo(shift: number): void {
    const steps = shift - this.shift
    if (steps <= 0) return
    const { words, halves } = this.page
    const negatives = this.negativePage?.words
    const { negativeAt } = this
    this.#coarsen(false, steps, positiveRing)
    this.#coarsen(true, steps, negativeRing)
    const positive = 2 * (this.at + SLOT.positive)
    const negative = 2 * (this.at + SLOT.negative)
    const state = 2 * this.at + 1
    const hasPositive = halves[positive]! <= halves[positive + 1]!
    const hasNegative = halves[negative]! <= halves[negative + 1]!
    words.set(positiveRing, this.at + SLOT.ring)
    if (negatives !== undefined) negatives.set(negativeRing, negativeAt)
    if (hasPositive) {
      halves[positive]! >>= steps
      halves[positive + 1]! >>= steps
    }
    if (hasNegative) {
      halves[negative]! >>= steps
      halves[negative + 1]! >>= steps
    }
    halves[state]! += steps
  }

  /** Fills a ring with the buckets of a side, each at its place in the coarser scale. */
  #coarsen(isNegative: boolean, steps: number, ring: BigUint64Array): void {
    const words = this.ringWords(isNegative)
    const at = this.ringAt(isNegative)
    const high = this.high(isNegative)
    ring.fill(0n)
    if (words === undefined) return
    for (let i = this.low(isNegative); i <= high; i++) {
      ring[ringWord(i >> steps)]! += words[at + ringWord(i)]!
    }
  }

  ringWords(isNegative: boolean): BigUint64Array | undefined {
    return isNegative ? this.negativePage?.words : this.page.words
  }

  ringAt(isNegative: boolean): number {
    return isNegative ? this.negativeAt : this.at + SLOT.ring
  }

  setSpan(isNegative: boolean, low: number, high: number): void {
    const { halves } = this.page
    const at = 2 * (this.at + (isNegative ? SLOT.negative : SLOT.positive))
    halves[at] = low
    halves[at + 1] = high
  }

  /** Makes the guards even that a thread left odd which died in a change. */
  settleGuards(): void {
    for (const guard of [SLOT.shapeGuard, SLOT.numberGuard]) {
      if ((this.page.halves[2 * (this.at + guard)]! & 1) !== 0) this.endChange(guard)
    }
  }

  /** Names the block that holds the negative ring; 0 takes it away. */
  setNegative(block: number): void {
    Atomics.store(this.page.halves, 2 * (this.at + SLOT.numberGuard) + 1, block)
    this.findNegative()
  }

  /** Adds to the integers' sum; what 384 bits cannot hold goes on in the double. */
  addIntegers(product: bigint): void {
    const { words, floats } = this.page
    const sum = BigInt(this.integerSum()) + product
    if (!fitsWide(sum)) this.addFractions(Number(product))
    else if (!this.has(FLAG.wideSum) && typeof exact(sum) === 'number') {
      floats[this.at + SLOT.partial] = Number(sum)
    } else {
      this.beginChange(SLOT.numberGuard)
      writeWide(words, this.at + SLOT.wideSum, sum)
      floats[this.at + SLOT.partial] = 0
      this.#setFlag(FLAG.wideSum, true)
      this.endChange(SLOT.numberGuard)
    }
  }

  /** Makes the integers' sum zero: it was added to another slot's. */
  clearIntegers(): void {
    this.#setFlag(FLAG.wideSum, false)
    this.page.floats[this.at + SLOT.partial] = 0
  }

  /** Adds to the fractions' sum, limited to the finite doubles. */
  addFractions(product: number): void {
    const { floats } = this.page
    const sum = floats[this.at + SLOT.fractions]! + product
    floats[this.at + SLOT.fractions] = Math.min(Math.max(sum, -Number.MAX_VALUE), Number.MAX_VALUE)
  }

  /** Takes a value into min and max. */
  widenExtremes(low: Exact, high: Exact): void {
    if (low < this.min()) this.#setExtreme(SLOT.min, SLOT.wideMin, FLAG.wideMin, low)
    if (high > this.max()) this.#setExtreme(SLOT.max, SLOT.wideMax, FLAG.wideMax, high)
  }

  #setExtreme(at: number, wideAt: number, flag: number, value: Exact): void {
    const { floats, words } = this.page
    const isWide = typeof value === 'bigint'
    const mustGuard = isWide || this.has(flag)
    if (mustGuard) this.beginChange(SLOT.numberGuard)
    if (isWide) writeWide(words, this.at + wideAt, value)
    floats[this.at + at] = Number(value)
    if (mustGuard) {
      this.#setFlag(flag, isWide)
      this.endChange(SLOT.numberGuard)
    }
  }

  /** Reads the epoch that a window holds; compare with the epoch asked for. */
  windowEpoch(epoch: number): number {
    return Atomics.load(this.page.halves, 2 * (this.at + SLOT.epochs) + (epoch & 1))
  }

  /** Finds the word of a window's min; its max is the next. */
  windowAt(epoch: number): number {
    return this.at + SLOT.windows + 2 * (epoch & 1)
  }

  isWindowInexact(epoch: number): boolean {
    return this.has(FLAG.inexactWindow << (epoch & 1))
  }

  setWindowInexact(epoch: number): void {
    this.#setFlag(FLAG.inexactWindow << (epoch & 1), true)
  }

  /** Takes extremes into the window of an epoch, restarting it when it holds an older one. */
  widenWindow(epoch: number, low: Exact, high: Exact): void {
    const { floats } = this.page
    const at = this.windowAt(epoch)
    if (this.windowEpoch(epoch) !== epoch) this.restartWindow(epoch)
    const lowest = Number(low)
    const highest = Number(high)
    if (lowest < floats[at]!) floats[at] = lowest
    if (highest > floats[at + 1]!) floats[at + 1] = highest
    if (!isSame(low, lowest) || !isSame(high, highest)) this.setWindowInexact(epoch)
  }

  /**
   * Restarts a window; its epoch is 0 while its extremes change, so that no reader takes old ones
   * for new.
   */
  restartWindow(epoch: number): void {
    const { halves, floats } = this.page
    const epochAt = 2 * (this.at + SLOT.epochs) + (epoch & 1)
    const at = this.windowAt(epoch)
    Atomics.store(halves, epochAt, 0)
    Atomics.load(halves, epochAt)
    this.#setFlag(FLAG.inexactWindow << (epoch & 1), false)
    floats[at] = Number.POSITIVE_INFINITY
    floats[at + 1] = Number.NEGATIVE_INFINITY
    Atomics.store(halves, epochAt, epoch)
  }
}

function isSame(exactValue: Exact, double: number): boolean {
  // biome-ignore lint/suspicious/noDoubleEquals: a bigint equals its double by value only
  return exactValue == double
}
