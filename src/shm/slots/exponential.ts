/**
 * The writer's handle of an exponential histogram. Three paths, each a superset of the one before:
 * one positive 31-bit integer within the window's extremes; any safe number with a small weight
 * that fits the slot's span and extremes; and the path for what changes the slot's shape or needs
 * more than 53 bits. The first two touch each word by one plain store and no guard, and make no
 * garbage.
 */
import { bucketIndex, type Exact, exact, SCALE_MAX, U64_MAX } from '../../model/index.ts'
import { RING_WORDS } from '../layout.ts'
import type { Page } from '../memory/memory.ts'
import { placeOfDouble, placeOfInteger } from './bucket-place.ts'
import { ExponentialSlot, ringWord, SLOT } from './exponential-slot.ts'
import type { SlotOwner } from './slot-owner.ts'

const SAFE_MAX = Number.MAX_SAFE_INTEGER
/** Observations are kept exactly below 2^333, which is above 10^100. */
const OBSERVATION_LIMIT = 1n << 333n
const OBSERVATION_LIMIT_DOUBLE = 2 ** 333

/**
 * A writer's part of a histogram whose buckets get coarser as its range grows.
 *
 * @example
 * import { Zone } from 'pentameter/shm'
 *
 * const zone = Zone.create()
 * const times = zone.define(Buffer.from('times'), 'exponential')
 * zone.attach().exponential(times)?.observe(12.5)
 * console.log(zone.reader().exponential(times).max) // 12.5
 */
export class ExponentialHandle extends ExponentialSlot {
  readonly metric: number
  #owner!: SlotOwner
  #epoch!: Int32Array
  #words!: BigUint64Array
  #floats!: Float64Array
  // What the slot says too, as fields: this handle is the slot's only writer, and a field is read
  // in a quarter of the time of a typed array's element. Taken over by #remember.
  #shift = 0
  /** Span of the positive side: lowest bucket, its word in the ring, and buckets above it. */
  #low = 0
  #lowWord = 0
  #extent = -1
  #windowEpoch = 0
  #windowAt = 0

  /** Handles come from `writer.exponential(metric)`. */
  constructor(owner: SlotOwner, metric: number, page: Page, at: number) {
    super(owner.memory, page, at)
    this.metric = metric
    this.bind(owner, page, at)
  }

  /**
   * Adds `count` observations of a value: any finite double, or an integer below 2^333.
   * @returns false, with nothing added, for any other value or count, when the zone has no room for
   *   the negative side, and after it was released or the writer detached
   */
  observe(value: Exact, count: Exact = 1): boolean {
    if (typeof value === 'number' && typeof count === 'number') {
      const isPlain = count === 1 && (value | 0) === value && value > 0
      if (isPlain && this.#observeInteger(value)) return true
      if (this.#observeNumber(value, count)) return true
    }
    return this.#record(value, count)
  }

  #observeInteger(value: number): boolean {
    const floats = this.#floats
    const at = this.at
    const windowAt = this.#windowAt
    const offset = (placeOfInteger(value) >> this.#shift) - this.#low
    const sum = floats[at + SLOT.partial]! + value
    if (
      offset < 0 ||
      offset > this.#extent ||
      sum > SAFE_MAX ||
      this.#epoch[0] !== this.#windowEpoch ||
      value < floats[windowAt]! ||
      value > floats[windowAt + 1]!
    ) {
      return false
    }
    floats[at + SLOT.partial] = sum
    // The bucket's word, minus RING_WORDS without a branch where the ring begins anew.
    const word = this.#lowWord + offset
    this.#words[at + SLOT.ring + word - (RING_WORDS & ((RING_WORDS - 1 - word) >> 31))]! += 1n
    return true
  }

  #observeNumber(given: number, count: number): boolean {
    const value = given + 0 // -0 becomes 0
    const size = Math.abs(value)
    if ((count | 0) !== count || count <= 0 || !(size <= SAFE_MAX)) return false
    const product = value * count
    const isWhole = Math.floor(value) === value
    const sumAt = this.at + (isWhole ? SLOT.partial : SLOT.fractions)
    const sum = this.#floats[sumAt]! + product
    if (isWhole && !(Math.abs(product) <= SAFE_MAX && Math.abs(sum) <= SAFE_MAX)) return false
    const page = value < 0 ? this.negativePage : this.page
    const bucket = value === 0 ? this.at + SLOT.zeros : this.#bucketInSpan(value < 0, size)
    // A bucket of 2^63 or more: only #record can tell whether it would pass 2^64 - 1.
    if (bucket === -1 || page === undefined || page.halves[2 * bucket + 1]! < 0) return false
    if (!this.#seeInWindow(value)) return false
    this.#floats[sumAt] = sum
    page.words[bucket]! += BigInt(count | 0)
    return true
  }

  /** Finds the word of the bucket that holds a size, or -1 outside the span. */
  #bucketInSpan(isNegative: boolean, size: number): number {
    const index = placeOfDouble(size) >> this.#shift
    if (index < this.low(isNegative) || index > this.high(isNegative)) return -1
    return this.ringAt(isNegative) + ringWord(index)
  }

  /**
   * Takes a value into the window. The window lies within [min, max], so these are looked at only
   * when it widens; false, and nothing done, when they would have to widen as well.
   */
  #seeInWindow(value: number): boolean {
    const floats = this.#floats
    const epoch = this.#epoch[0]!
    if (epoch !== this.#windowEpoch) {
      if (this.windowEpoch(epoch) !== epoch) this.restartWindow(epoch)
      this.#windowEpoch = epoch
      this.#windowAt = this.windowAt(epoch)
    }
    const at = this.#windowAt
    if (value >= floats[at]! && value <= floats[at + 1]!) return true
    const min = floats[this.at + SLOT.min]!
    if (value < min || value > floats[this.at + SLOT.max]!) return false
    if (value < floats[at]!) floats[at] = value
    if (value > floats[at + 1]!) floats[at + 1] = value
    return true
  }

  #remember(): void {
    const epoch = this.#epoch[0]!
    this.#shift = this.shift
    this.#low = this.low(false)
    this.#lowWord = ringWord(this.#low)
    this.#extent = this.high(false) - this.#low
    this.#windowEpoch = this.windowEpoch(epoch)
    this.#windowAt = this.windowAt(epoch)
  }

  #record(given: Exact, count: Exact): boolean {
    const times = countOf(count)
    const value = typeof given === 'number' ? given + 0 : exact(given)
    if (times === 0n || !this.#owner.isAttached || !isObservable(value)) return false
    const isNegative = value < 0
    const words = this.#wordsFor(isNegative)
    if (words === undefined) return false
    const bucket = value === 0 ? this.at + SLOT.zeros : this.#takeBucket(isNegative, value)
    const next = words[bucket]! + times
    if (next > U64_MAX) return false
    this.#addToSum(value, times)
    this.widenExtremes(value, value)
    this.widenWindow(this.#epoch[0]!, value, value)
    words[bucket] = next
    this.#remember()
    return true
  }

  /** Gives the words of a side's ring; takes the negative ring when it is first needed. */
  #wordsFor(isNegative: boolean): BigUint64Array | undefined {
    if (!isNegative || this.negativePage !== undefined) return this.ringWords(isNegative)
    const { memory } = this
    if (!memory.lock()) {
      memory.countRefusal('lock_timeout')
      return undefined
    }
    const block = memory.allocateBlock()
    memory.unlock()
    if (block === 0) memory.countRefusal('zone_full')
    else this.setNegative(block)
    return this.ringWords(true)
  }

  /**
   * Takes the word of the bucket of a value, after widening the span or lowering the scale for it.
   */
  #takeBucket(isNegative: boolean, value: Exact): number {
    const size = value < 0 ? -value : value
    const place = typeof size === 'number' ? placeOfDouble(size) : bucketIndex(size, SCALE_MAX)
    const shift = this.shift
    const index = place >> shift
    const low = this.low(isNegative)
    const high = this.high(isNegative)
    if (index < low || index > high) {
      this.#widenSpan(isNegative, low > high ? index : low, low > high ? index : high, index)
    }
    return this.ringAt(isNegative) + ringWord(place >> this.shift)
  }

  #widenSpan(isNegative: boolean, low: number, high: number, index: number): void {
    let from = Math.min(low, index)
    let to = Math.max(high, index)
    const shift = this.shift
    let steps = 0
    for (; to - from >= RING_WORDS; steps++) {
      from >>= 1
      to >>= 1
    }
    // A reader that saw one end of a first span, or one half of a new scale, would misread the
    // ring.
    this.beginChange(SLOT.shapeGuard)
    this.coarsenTo(shift + steps)
    this.setSpan(isNegative, from, to)
    this.endChange(SLOT.shapeGuard)
  }

  #addToSum(value: Exact, times: bigint): void {
    const isWhole = typeof value === 'bigint' || Number.isInteger(value)
    if (isWhole && Math.abs(Number(value)) < OBSERVATION_LIMIT_DOUBLE) {
      this.addIntegers(BigInt(value) * times)
    } else this.addFractions(Number(value) * Number(times))
  }

  /**
   * Points the handle to a slot, for the writer; of an owner that is not attached, to where every
   * way is {@link #record}, which refuses.
   */
  bind(owner: SlotOwner, page: Page, at: number): void {
    this.#owner = owner
    this.#epoch = owner.memory.epoch
    this.moveTo(page, at, owner.memory)
    this.#words = page.words
    this.#floats = page.floats
    if (owner.isAttached) this.prepare()
    this.#remember()
  }
}

function isObservable(value: Exact): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  return value > -OBSERVATION_LIMIT && value < OBSERVATION_LIMIT
}

/** Reads a count; 0n for what is no count of observations. */
function countOf(count: Exact): bigint {
  if (typeof count === 'number')
    return Number.isSafeInteger(count) && count > 0 ? BigInt(count) : 0n
  return count > 0n && count <= U64_MAX ? count : 0n
}
