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
import { leastIntegerFrom, placeOfDouble, placeOfInteger } from './bucket-place.ts'
import { ExponentialSlot, ringWord, SLOT, touch } from './exponential-slot.ts'
import type { SlotOwner } from './slot-owner.ts'

const SAFE_MAX = Number.MAX_SAFE_INTEGER
// Constants of this module, and so of its compiled code: an import is looked up at each use.
const WRAP = RING_WORDS
const placeOf = placeOfInteger
/** The ring's last word, counted from the integers' sum. */
const LAST = SLOT.ring + RING_WORDS - 1 - SLOT.partial
/** Bound of the fast path's sums: below it half a unit is exact, before an integer and after. */
const HALVES_MAX = 2 ** 52 - 2 ** 31
/** Half of what a bucket holds: single observations alone never get there. */
const BRIM = 1n << 63n
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
export class ExponentialHandle {
  // What an observation reads stands first, within two lines of 64 bytes. Most of it the slot says,
  // too: this handle is its only writer, and a field is read in a quarter of the time of a typed
  // array's element. Taken over by #remember.
  #words!: BigUint64Array
  #floats!: Float64Array
  #epoch!: Int32Array
  /** Integers that the fast path takes: positive, within the window and the span. */
  #least = 1
  #most = 0
  #windowEpoch = 0
  #partialAt = 0
  /** Word at which bucket 0 would be if the ring had no end. */
  #zerothAt = 0
  #shift = 0
  readonly metric: number
  readonly #slot: ExponentialSlot
  #owner!: SlotOwner
  /** Positive integers whose buckets are within the span. */
  #spanLeast = 1
  #spanMost = 0
  /** Whether a bucket has come to 2^63: then each observation asks whether it has room. */
  #isBrimming = false

  /** Handles come from `writer.exponential(metric)`. */
  constructor(owner: SlotOwner, metric: number, page: Page, at: number) {
    this.metric = metric
    touch(page, at)
    this.#slot = new ExponentialSlot(owner.memory, page, at)
    this.bind(owner, page, at)
  }

  /**
   * Adds `count` observations of a value: any finite double, or an integer below 2^333.
   * @returns false, with nothing added, for any other value or count, when the zone has no room for
   *   the negative side, and after it was released or the writer detached
   */
  observe(value: Exact, count: Exact = 1): boolean {
    if (typeof value === 'number' && count === 1) {
      const integer = value | 0
      if (
        integer === value &&
        integer >= this.#least &&
        integer <= this.#most &&
        this.#epoch[0] === this.#windowEpoch
      ) {
        const floats = this.#floats
        // Of two integers V8 would check at each addition that they are: that takes longer.
        const sum = floats[this.#partialAt]! + 0.5 + (integer - 0.5)
        if (Math.abs(sum) <= HALVES_MAX) {
          floats[this.#partialAt] = sum
          const at = this.#zerothAt + (placeOf(integer) >> this.#shift)
          // Minus the ring's length, without a branch, where the ring begins anew.
          this.#words[at - (WRAP & ((this.#partialAt + LAST - at) >> 31))]! += 1n
          return true
        }
      }
    }
    return this.#observeOther(value, count)
  }

  /**
   * Observes what the fast path does not take. Numbers that fit are added here, without garbage;
   * then what needs more than 53 bits. It is one function, which is too large for V8 to be inlined
   * into {@link observe}: so that remains small enough for callers.
   */
  #observeOther(given: Exact, count: Exact): boolean {
    const slot = this.#slot
    if (typeof given === 'number' && typeof count === 'number') {
      const value = given + 0 // -0 becomes 0
      const size = Math.abs(value)
      const product = value * count
      const isWhole = Math.floor(value) === value
      const sumAt = slot.at + (isWhole ? SLOT.partial : SLOT.fractions)
      const sum = this.#floats[sumAt]! + product
      if (
        (count | 0) === count &&
        count > 0 &&
        size <= SAFE_MAX &&
        (!isWhole || (Math.abs(product) <= SAFE_MAX && Math.abs(sum) <= SAFE_MAX))
      ) {
        const page = value < 0 ? slot.negativePage : slot.page
        const bucket = value === 0 ? slot.at + SLOT.zeros : this.#bucketInSpan(value < 0, size)
        if (
          bucket !== -1 &&
          page !== undefined &&
          page.halves[2 * bucket + 1]! >= 0 && // below 2^63: it has room, whatever the count
          this.#seeInWindow(value)
        ) {
          this.#floats[sumAt] = sum
          page.words[bucket]! += BigInt(count | 0)
          return true
        }
        if (page !== undefined && this.#widenFor(value, page, sumAt, sum, count)) return true
      }
    }
    const times = countOf(count)
    const value = typeof given === 'number' ? given + 0 : exact(given)
    if (times === 0n || !this.#owner.isAttached || !isObservable(value)) return false
    const isNegative = value < 0
    const words = this.#wordsFor(isNegative)
    if (words === undefined) return false
    const bucket = value === 0 ? slot.at + SLOT.zeros : this.#takeBucket(isNegative, value)
    const next = words[bucket]! + times
    if (next > U64_MAX) return false
    this.#addToSum(value, times)
    slot.widenExtremes(value, value)
    slot.widenWindow(this.#epoch[0]!, value, value)
    words[bucket] = next
    if (next >= BRIM) this.#isBrimming = true
    this.#remember()
    return true
  }

  /**
   * Observes a number that fits, but lies beyond the span, the window or the extremes, or in a new
   * window: of every histogram the first one, without garbage.
   * @returns false, with nothing added, where it is refused or the bucket may have no room
   */
  #widenFor(value: number, page: Page, sumAt: number, sum: number, count: number): boolean {
    if (!this.#owner.isAttached) return false
    const slot = this.#slot
    const bucket = value === 0 ? slot.at + SLOT.zeros : this.#takeBucket(value < 0, value)
    if (page.halves[2 * bucket + 1]! < 0) return false
    this.#floats[sumAt] = sum
    slot.widenExtremes(value, value)
    slot.widenWindow(this.#epoch[0]!, value, value)
    page.words[bucket]! += BigInt(count | 0)
    this.#remember()
    return true
  }

  #hasFullBucket(): boolean {
    const slot = this.#slot
    for (let i = slot.low(false); i <= slot.high(false); i++) {
      if (this.#words[slot.ringAt(false) + ringWord(i)]! >= BRIM) return true
    }
    return false
  }

  /** Finds the word of the bucket that holds a size, or -1 outside the span. */
  #bucketInSpan(isNegative: boolean, size: number): number {
    const slot = this.#slot
    const index = placeOfDouble(size) >> this.#shift
    if (index < slot.low(isNegative) || index > slot.high(isNegative)) return -1
    return slot.ringAt(isNegative) + ringWord(index)
  }

  /**
   * Takes a value into the window. The window lies within [min, max], so these are looked at only
   * when it widens; false, and nothing done, when they would have to widen as well.
   */
  #seeInWindow(value: number): boolean {
    const slot = this.#slot
    const floats = this.#floats
    const epoch = this.#epoch[0]!
    if (epoch !== this.#windowEpoch) {
      if (slot.windowEpoch(epoch) !== epoch) slot.restartWindow(epoch)
      this.#windowEpoch = epoch
      this.#rememberWindow(epoch)
    }
    const at = slot.windowAt(epoch)
    if (value >= floats[at]! && value <= floats[at + 1]!) return true
    const min = floats[slot.at + SLOT.min]!
    if (value < min || value > floats[slot.at + SLOT.max]!) return false
    if (value < floats[at]!) floats[at] = value
    if (value > floats[at + 1]!) floats[at + 1] = value
    this.#rememberWindow(epoch)
    return true
  }

  #remember(): void {
    const slot = this.#slot
    const epoch = this.#epoch[0]!
    const shift = slot.shift
    const low = slot.low(false)
    const high = slot.high(false)
    this.#shift = shift
    this.#spanLeast = leastIntegerFrom(low << shift)
    this.#spanMost = leastIntegerFrom((high + 1) << shift) - 1
    this.#partialAt = slot.at + SLOT.partial
    this.#zerothAt = slot.ringAt(false) + ringWord(low) - low
    this.#windowEpoch = slot.windowEpoch(epoch)
    this.#rememberWindow(epoch)
  }

  #rememberWindow(epoch: number): void {
    const floats = this.#floats
    const at = this.#slot.windowAt(epoch)
    const least = Math.max(Math.ceil(floats[at]!), this.#spanLeast)
    const most = Math.min(Math.floor(floats[at + 1]!), this.#spanMost)
    const hasAny = least <= most && !this.#isBrimming
    this.#least = hasAny ? least : 1
    this.#most = hasAny ? most : 0
  }

  /** Gives the words of a side's ring; takes the negative ring when it is first needed. */
  #wordsFor(isNegative: boolean): BigUint64Array | undefined {
    const slot = this.#slot
    if (!isNegative || slot.negativePage !== undefined) return slot.ringWords(isNegative)
    const { memory } = this.#owner
    if (!memory.lock()) {
      memory.countRefusal('lock_timeout')
      return undefined
    }
    const block = memory.allocateBlock()
    memory.unlock()
    if (block === 0) memory.countRefusal('zone_full')
    else slot.setNegative(block)
    return slot.ringWords(true)
  }

  /**
   * Takes the word of the bucket of a value, after widening the span or lowering the scale for it.
   */
  #takeBucket(isNegative: boolean, value: Exact): number {
    const slot = this.#slot
    const size = value < 0 ? -value : value
    const place = typeof size === 'number' ? placeOfDouble(size) : bucketIndex(size, SCALE_MAX)
    const shift = slot.shift
    const index = place >> shift
    const low = slot.low(isNegative)
    const high = slot.high(isNegative)
    if (index < low || index > high) {
      this.#widenSpan(isNegative, low > high ? index : low, low > high ? index : high, index)
    }
    return slot.ringAt(isNegative) + ringWord(place >> slot.shift)
  }

  #widenSpan(isNegative: boolean, low: number, high: number, index: number): void {
    const slot = this.#slot
    let from = Math.min(low, index)
    let to = Math.max(high, index)
    const shift = slot.shift
    let steps = 0
    for (; to - from >= RING_WORDS; steps++) {
      from >>= 1
      to >>= 1
    }
    // A reader that saw one end of a first span, or one half of a new scale, would misread the
    // ring.
    slot.beginChange(SLOT.shapeGuard)
    slot.coarsenTo(shift + steps)
    slot.setSpan(isNegative, from, to)
    slot.endChange(SLOT.shapeGuard)
  }

  #addToSum(value: Exact, times: bigint): void {
    const isWhole = typeof value === 'bigint' || Number.isInteger(value)
    if (isWhole && Math.abs(Number(value)) < OBSERVATION_LIMIT_DOUBLE) {
      this.#slot.addIntegers(BigInt(value) * times)
    } else this.#slot.addFractions(Number(value) * Number(times))
  }

  /**
   * Points the handle to a slot, for the writer; of an owner that is not attached, to where every
   * way is {@link #observeOther}, which refuses.
   */
  bind(owner: SlotOwner, page: Page, at: number): void {
    this.#owner = owner
    this.#epoch = owner.memory.epoch
    this.#slot.moveTo(page, at, owner.memory)
    this.#words = page.words
    this.#floats = page.floats
    if (owner.isAttached) this.#slot.prepare()
    this.#isBrimming = this.#hasFullBucket()
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
