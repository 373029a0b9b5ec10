/**
 * The quick way to read what very many exponential histograms have gained: those of values of 0 or
 * more with sums below 2^53 in every segment. Nothing is allocated in it but where a histogram has
 * got new buckets. All others are left to the reader's general way.
 */
import { addExact, type Exact, Histogram, SCALE_MAX, subtractExact } from '../../model/index.ts'
import type { Descriptors } from '../definitions/descriptors.ts'
import { HEADER, PAGE_WORDS, RING_WORDS } from '../layout.ts'
import type { Page, ZoneMemory } from '../memory/memory.ts'
import type { Segments } from '../segments/segments.ts'
import { FLAG, ringWord, SLOT } from '../slots/exponential-slot.ts'

/**
 * `taken`: read, and it may have gained something; `silent`: not observed in the window or the one
 * before; `general`: none of those it reads, or in a change.
 */
export type PlainOutcome = 'taken' | 'silent' | 'general'

/** Slots of one histogram that are read so: threads that observe it. */
const SLOTS_LIMIT = 16
const SHIFT_MASK = 0xff
const WIDE = FLAG.wideSum | FLAG.wideMin | FLAG.wideMax
const TWO_32 = 4_294_967_296
const NO_COUNTS: number[] = []
const fence = new Int32Array(1)

/** Copy of a histogram as it was read last. */
export class PlainCopy {
  scale = SCALE_MAX
  /** Index of the first bucket. */
  low = 0
  counts = NO_COUNTS
  zeroCount = 0
  sum: Exact = 0

  /** Copies a histogram; undefined for one that is not read the quick way. */
  static of(total: Histogram): PlainCopy | undefined {
    const { scale, sum, positive, negative, count, zeroThreshold } = total
    if (count > Number.MAX_SAFE_INTEGER || zeroThreshold !== 0 || sum === undefined) return
    if (negative.counts.some((each) => each !== 0n)) return
    const copy = new PlainCopy()
    copy.scale = scale
    copy.low = positive.offset
    copy.counts = zeros(positive.counts.length)
    for (let i = 0; i < copy.counts.length; i++) copy.counts[i] = Number(positive.counts[i]!)
    copy.zeroCount = Number(total.zeroCount)
    copy.sum = sum
    return copy
  }

  /** Makes the histogram that was read, without its extremes. */
  histogram(): Histogram {
    const histogram = new Histogram(this.scale)
    histogram.positive.offset = this.low
    histogram.positive.counts = BigUint64Array.from(this.counts, BigInt)
    histogram.zeroCount = BigInt(this.zeroCount)
    histogram.count = histogram.zeroCount + histogram.positive.total()
    histogram.sum = this.sum
    return histogram
  }

  /**
   * Takes over scale and span of a slot, which has the same counts in buckets as fine or coarser.
   * @returns false where the slot can't be a later state of what was copied
   */
  follow(scale: number, low: number, length: number): boolean {
    if (scale !== this.scale && !this.#coarsenTo(scale)) return false
    const held = this.counts
    if (low === this.low && length === held.length) return true
    if (held.length === 0) this.low = low
    const shift = this.low - low
    if (shift < 0 || shift + held.length > length) return false
    this.counts = zeros(length)
    for (let i = 0; i < held.length; i++) this.counts[shift + i] = held[i]!
    this.low = low
    return true
  }

  #coarsenTo(scale: number): boolean {
    const steps = this.scale - scale
    if (steps < 0) return false
    const low = this.low >> steps
    const end = this.counts.length === 0 ? low : ((this.low + this.counts.length - 1) >> steps) + 1
    const coarse = zeros(end - low)
    for (let i = 0; i < this.counts.length; i++) {
      coarse[((this.low + i) >> steps) - low]! += this.counts[i]!
    }
    this.counts = coarse
    this.low = low
    this.scale = scale
    return true
  }
}

/**
 * Makes counts that are 0, in an array of V8's heap: a typed array of each copy is a block of
 * malloc's, and where a hundred thousand of these were freed, malloc joins them all at once, 10 to
 * 20 ms of a turn. Each is -0, so that V8 holds doubles from the beginning.
 */
function zeros(length: number): number[] {
  const counts = new Array<number>(length)
  for (let i = 0; i < length; i++) counts[i] = -0
  return counts
}

/** Gain of one histogram, and the extremes of a window; one object for all readings. */
export class PlainGain {
  scale = SCALE_MAX
  /** Observations gained, below 2^53. */
  count = 0
  zeroCount = 0
  sum: Exact = 0
  /** Extremes of the window asked for; NaN where nothing was observed in it. */
  min = Number.NaN
  max = Number.NaN
  /** Index of the bucket that offset 0 stands for. */
  low = 0
  /** Number of buckets that have gained. */
  filled = 0
  /** Offsets of these, ascending, and what each has gained. */
  readonly offsets = new Uint8Array(RING_WORDS)
  readonly gains = new Float64Array(RING_WORDS)
  readonly #shapes = new Int32Array(SLOTS_LIMIT)
  readonly #numbers = new Int32Array(SLOTS_LIMIT)
  readonly #sums = new Float64Array(RING_WORDS)
  #total = 0
  #zeros = 0
  #sum: Exact = 0

  /**
   * Reads what the slots of a histogram have beyond its copy, which counts as read by {@link keep}.
   * @param pages of its slots, `count` of them, all at the same place
   * @returns false where one is in a change, or not of those that are read so
   */
  take(pages: readonly Page[], count: number, at: number, epoch: number, copy: PlainCopy): boolean {
    let scale = SCALE_MAX
    for (let i = 0; i < count; i++) {
      const { halves } = pages[i]!
      this.#shapes[i] = Atomics.load(halves, 2 * (at + SLOT.shapeGuard))
      this.#numbers[i] = Atomics.load(halves, 2 * (at + SLOT.numberGuard))
      const state = halves[2 * at + 1]!
      const isPlain = ((this.#shapes[i]! | this.#numbers[i]!) & 1) === 0 && (state & WIDE) === 0
      if (!isPlain || halves[2 * (at + SLOT.numberGuard) + 1] !== 0) return false
      scale = Math.min(scale, SCALE_MAX - (state & SHIFT_MASK))
    }
    if (!this.#takeCounts(pages, count, at, scale, copy)) return false
    // after the counts: the writer goes the other way, so what is counted has its extremes
    this.#takeSum(pages, count, at)
    this.sum = subtractExact(this.#sum, copy.sum)
    this.min = Number.NaN
    this.max = Number.NaN
    for (let i = 0; i < count; i++) this.#widen(pages[i]!, at, epoch)
    // a store between plain loads and an atomic load keeps the former from passing the latter
    Atomics.store(fence, 0, 0)
    for (let i = 0; i < count; i++) {
      const { halves } = pages[i]!
      if (Atomics.load(halves, 2 * (at + SLOT.shapeGuard)) !== this.#shapes[i]) return false
      if (Atomics.load(halves, 2 * (at + SLOT.numberGuard)) !== this.#numbers[i]) return false
    }
    return true
  }

  #takeCounts(
    pages: readonly Page[],
    count: number,
    at: number,
    scale: number,
    copy: PlainCopy,
  ): boolean {
    let low = Number.MAX_SAFE_INTEGER
    let high = Number.MIN_SAFE_INTEGER
    this.#zeros = 0
    for (let i = 0; i < count; i++) {
      const { halves } = pages[i]!
      this.#zeros += doubleAt(halves, 2 * (at + SLOT.zeros))
      const steps = stepsTo(scale, halves, at)
      const span = 2 * (at + SLOT.positive)
      if (halves[span]! > halves[span + 1]!) continue
      low = Math.min(low, halves[span]! >> steps)
      high = Math.max(high, halves[span + 1]! >> steps)
    }
    const length = Math.max(high - low + 1, 0)
    if (length === 0) low = copy.low
    if (length > RING_WORDS || !copy.follow(scale, low, length)) return false
    this.scale = scale
    this.low = low
    this.filled = 0
    this.zeroCount = this.#zeros - copy.zeroCount
    this.count = this.zeroCount
    this.#total = this.#zeros
    const held = copy.counts
    if (count === 1) this.#takeOne(pages[0]!.halves, at, held)
    else this.#takeSeveral(pages, count, at, held)
    return this.#total <= Number.MAX_SAFE_INTEGER
  }

  /** Takes the buckets of the only slot. */
  #takeOne(halves: Int32Array, at: number, held: readonly number[]): void {
    const { length } = held
    const first = length === 0 ? 0 : ringWord(this.low)
    const untilEnd = Math.min(length, RING_WORDS - first)
    const ring = 2 * (at + SLOT.ring)
    this.#takeRun(halves, ring + 2 * first, held, 0, untilEnd)
    this.#takeRun(halves, ring, held, untilEnd, length)
  }

  /** Takes the buckets of offsets [from, to), which lie side by side from `start` on. */
  #takeRun(
    halves: Int32Array,
    start: number,
    held: readonly number[],
    from: number,
    to: number,
  ): void {
    for (let offset = from, at = start; offset < to; offset++, at += 2) {
      this.#compare(offset, doubleAt(halves, at), held)
    }
  }

  /** Adds up the buckets of all slots, and takes the sums. */
  #takeSeveral(pages: readonly Page[], count: number, at: number, held: readonly number[]): void {
    const sums = this.#sums.fill(0)
    for (let i = 0; i < count; i++) {
      const { halves } = pages[i]!
      const steps = stepsTo(this.scale, halves, at)
      const span = 2 * (at + SLOT.positive)
      for (let index = halves[span]!; index <= halves[span + 1]!; index++) {
        const bucket = doubleAt(halves, 2 * (at + SLOT.ring + ringWord(index)))
        const offset = (index >> steps) - this.low
        // beyond only while a change is under way, which is found out at the end
        if (bucket > 0 && offset < RING_WORDS) sums[offset]! += bucket
      }
    }
    for (let offset = 0; offset < held.length; offset++) this.#compare(offset, sums[offset]!, held)
  }

  #compare(offset: number, count: number, held: readonly number[]): void {
    this.#total += count
    const gain = count - held[offset]!
    if (gain === 0) return
    this.offsets[this.filled] = offset
    this.gains[this.filled++] = gain
    this.count += gain
  }

  #takeSum(pages: readonly Page[], count: number, at: number): void {
    let integers: Exact = 0
    let fractions = 0
    for (let i = 0; i < count; i++) {
      const { floats } = pages[i]!
      integers = addExact(integers, floats[at + SLOT.partial]!)
      fractions += floats[at + SLOT.fractions]!
    }
    this.#sum = addExact(integers, fractions)
  }

  #widen({ halves, floats }: Page, at: number, epoch: number): void {
    const epochAt = 2 * (at + SLOT.epochs) + (epoch & 1)
    if (Atomics.load(halves, epochAt) !== epoch) return
    const windowAt = at + SLOT.windows + 2 * (epoch & 1)
    const min = floats[windowAt]!
    const max = floats[windowAt + 1]!
    Atomics.store(fence, 0, 0)
    if (Atomics.load(halves, epochAt) !== epoch || min > max) return
    if (!(this.min <= min)) this.min = min
    if (!(this.max >= max)) this.max = max
  }

  /** Puts what was read into the copy. */
  keep(copy: PlainCopy): void {
    for (let i = 0; i < this.filled; i++) copy.counts[this.offsets[i]!]! += this.gains[i]!
    copy.zeroCount = this.#zeros
    copy.sum = this.#sum
  }
}

/** Reads a u64 as the nearest double. */
function doubleAt(halves: Int32Array, at: number): number {
  const low = halves[at]!
  const high = halves[at + 1]!
  return (low | high) === 0 ? 0 : (high >>> 0) * TWO_32 + (low >>> 0)
}

/** Counts by how many steps a slot's buckets are finer than a scale. */
function stepsTo(scale: number, halves: Int32Array, at: number): number {
  return SCALE_MAX - (halves[2 * at + 1]! & SHIFT_MASK) - scale
}

/** Reader of histograms by their metrics, the quick way. */
export class PlainReader {
  readonly #memory: ZoneMemory
  readonly #descriptors: Descriptors
  readonly #segments: Segments
  /** Pages of the histogram at hand. */
  readonly #pages: Page[] = []

  constructor(memory: ZoneMemory, descriptors: Descriptors, segments: Segments) {
    this.#memory = memory
    this.#descriptors = descriptors
    this.#segments = segments
  }

  /**
   * Reads what a histogram has gained since its copy, if it may have changed since the window
   * before that of `epoch` was read.
   * @param metric an exponential histogram, which is not looked at
   * @param gain to be filled; what is in it counts for `taken` only, and then the copy has it, too
   */
  read(metric: number, epoch: number, copy: PlainCopy, gain: PlainGain): PlainOutcome {
    const { ints } = this.#memory
    const generation = Atomics.load(ints, HEADER.generation)
    if ((generation & 1) !== 0) return 'general'
    const slotAt = this.#descriptors.slotAt(metric)
    const at = slotAt & (PAGE_WORDS - 1)
    const count = this.#findPages(slotAt, at)
    if (count > SLOTS_LIMIT) return 'general'
    const isSilent = !this.#isRecent(count, at, epoch)
    if (!isSilent && !gain.take(this.#pages, count, at, epoch, copy)) return 'general'
    Atomics.store(fence, 0, 0)
    if (Atomics.load(ints, HEADER.generation) !== generation) return 'general'
    if (isSilent) return 'silent'
    // an observation whose sum was read before its bucket counts in the next reading, as a whole
    if (gain.count !== 0) gain.keep(copy)
    return 'taken'
  }

  /** Finds the pages of the slots that are in use. */
  #findPages(slotAt: number, at: number): number {
    const segments = this.#segments
    const all = segments.count
    let count = 0
    for (let i = 0; i < all; i++) {
      const page = segments.at(i).pageOf(slotAt)
      if (page === undefined || (page.halves[2 * at + 1]! & FLAG.ready) === 0) continue
      this.#pages[count++] = page
    }
    return count
  }

  /** Tells whether a slot was observed in the window of an epoch or in the one before. */
  #isRecent(count: number, at: number, epoch: number): boolean {
    const epochsAt = 2 * (at + SLOT.epochs)
    for (let i = 0; i < count; i++) {
      const { halves } = this.#pages[i]!
      if (Atomics.load(halves, epochsAt + (epoch & 1)) === epoch) return true
      if (Atomics.load(halves, epochsAt + ((epoch - 1) & 1)) === epoch - 1) return true
    }
    return false
  }
}
