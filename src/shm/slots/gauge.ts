/**
 * A gauge's slot, four words: `[double][i64][u64][control]`,
 * control = `sequence << 2 | word`, 0 = never written.
 *
 * Each representation has a word of its own, and the control names the one that holds the value.
 * The last write of all threads wins: every write takes the next number of the zone's sequence,
 * which counts in fours, so that the word's number only needs to be added (2^62 writes, no wrap).
 *
 * The writer fills the word and then publishes it by one Atomics.store of the control. A reader
 * loads the control and then the word it names: that holds the value of this very write or of a
 * later one of the same representation, never a value under another's name. So a reader needs no
 * second look, however fast the writers are; what it may get is a value newer than its sequence.
 *
 * The slot is the same in every mode but `shared`: whether the last, the sum, the least or the
 * greatest of the writers' values counts is the reader's matter, and the fold's.
 *
 * A shared gauge has no slot but one u64 for all threads, in the metric's descriptor, written by
 * Atomics alone. So an increment is exact by any thread, which costs every write the one cache line
 * that all of them want. Below zero it wraps modulo 2^64.
 */
import { addExact, type Exact, exact, maxExact, minExact, U64_MAX } from '../../model/index.ts'
import { type GaugeMode, REPLACED_SEQUENCE } from '../layout.ts'
import type { Page } from '../memory/memory.ts'
import type { SlotOwner } from './slot-owner.ts'

const DOUBLE = 0
const I64 = 1
const U64 = 2
const CONTROL = 3

/** Step of the sequence. */
const STEP = 4n
/** The old sequence plus this is the control of the new write; by word. */
const CONTROLS = [STEP, STEP + 1n, STEP + 2n]

const I64_MIN = -(1n << 63n)

/** Value of a gauge and its place in the order of all writes; filled by `reader.gauge`. */
export interface GaugeReading {
  /** NaN while never written. */
  value: Exact
  /** 0 while never written; greater = later. */
  sequence: number
}

/**
 * A writer's part of a gauge in any mode but `shared`.
 *
 * @example
 * import { Zone } from 'pentameter/shm'
 *
 * const zone = Zone.create()
 * const level = zone.define(Buffer.from('level'), 'gauge')
 * zone.attach().gauge(level)?.set(0.5)
 * const reading = { value: 0, sequence: 0 }
 * console.log(zone.reader().gauge(level, reading), reading.value) // true 0.5
 */
export class GaugeHandle {
  readonly metric: number
  #owner!: SlotOwner
  #page!: Page
  #at = 0

  /** Handles come from `writer.gauge(metric)`. */
  constructor(owner: SlotOwner, metric: number, page: Page, at: number) {
    this.metric = metric
    this.bind(owner, page, at)
  }

  /**
   * Sets the value: any double, or an integer of [-2^63, 2^64) exactly.
   * @returns false when a bigint outside that range was rounded to the nearest double, or when
   *   nothing was written because it exceeds even that or it was released or the writer detached
   */
  set(value: Exact): boolean {
    const { isAttached, memory } = this.#owner
    if (!isAttached) return false
    const plain = exact(value)
    const kept = typeof plain === 'bigint' && !isWord(plain) ? Number(plain) : plain
    if (typeof plain === 'bigint' && kept !== plain && !Number.isFinite(kept)) return false
    const { words, floats } = this.#page
    let word = DOUBLE
    if (typeof kept === 'number') floats[this.#at] = kept
    else {
      word = kept < 0n ? I64 : U64
      words[this.#at + word] = BigInt.asUintN(64, kept)
    }
    const sequence = Atomics.add(memory.sequence, 0, STEP)
    // The zone is being replaced: written here, the value would count as earlier than it is.
    if (sequence >= REPLACED_SEQUENCE && memory.awaitReplacement()) return this.set(value)
    Atomics.store(words, this.#at + CONTROL, sequence + CONTROLS[word]!)
    return kept === plain || Number.isNaN(plain)
  }

  /** Points the handle to a slot, for the writer; it refuses where the owner is not attached. */
  bind(owner: SlotOwner, page: Page, at: number): void {
    this.#owner = owner
    this.#page = page
    this.#at = at
  }
}

function isWord(value: bigint): boolean {
  return value >= I64_MIN && value <= U64_MAX
}

const bits = new BigUint64Array(1)
const double = new Float64Array(bits.buffer)

/** Reads the place of the slot's write in the order of all; 0 = never written. */
export function gaugeSequence({ words }: Page, at: number): number {
  return Number(words[at + CONTROL]! >> 2n)
}

/** Takes the slot's value into the reading if its write is later than the reading's. */
export function readLaterGauge(page: Page, at: number, reading: GaugeReading): void {
  const { words } = page
  const control = Atomics.load(words, at + CONTROL)
  const sequence = Number(control >> 2n)
  if (sequence <= reading.sequence) return
  const word = Number(control & 3n)
  const value = Atomics.load(words, at + word)
  reading.sequence = sequence
  bits[0] = value
  reading.value = word === DOUBLE ? double[0]! : word === I64 ? BigInt.asIntN(64, value) : value
}

/** Combines two readings of one gauge, into the first. */
export function combineGauge(mode: GaugeMode, reading: GaugeReading, part: GaugeReading): void {
  if (part.sequence === 0) return
  const { value } = part
  const isFirst = reading.sequence === 0
  reading.sequence = Math.max(reading.sequence, part.sequence)
  if (isFirst) reading.value = value
  else if (mode === 'sum') reading.value = addExact(reading.value, value)
  else if (mode === 'min') reading.value = minExact(reading.value, value)
  else reading.value = maxExact(reading.value, value)
}

const mine: GaugeReading = { value: Number.NaN, sequence: 0 }
const theirs: GaugeReading = { value: Number.NaN, sequence: 0 }

/**
 * Moves the slot's value into the base, where it counts more than the base's: it is later, or less
 * or greater by the mode. A sum ends with the writer whose part it is. Under the lock; begun anew
 * by another thread, it ends the same.
 */
export function foldGauge(base: Page, from: Page, at: number, mode: GaugeMode): void {
  const control = from.words[at + CONTROL]!
  if (control === 0n) return
  if (mode !== 'sum') {
    const held = base.words[at + CONTROL]!
    const later = control > held ? control : held
    if (isWinner(base, from, at, mode)) {
      const word = control & 3n
      const wordAt = at + Number(word)
      base.words[wordAt] = from.words[wordAt]!
      Atomics.store(base.words, at + CONTROL, (later & ~3n) | word)
    } else if (later !== held) {
      Atomics.store(base.words, at + CONTROL, (later & ~3n) | (held & 3n))
    }
  }
  from.words[at + CONTROL] = 0n
}

function isWinner(base: Page, from: Page, at: number, mode: GaugeMode): boolean {
  mine.sequence = 0
  theirs.sequence = 0
  readLaterGauge(base, at, mine)
  readLaterGauge(from, at, theirs)
  if (mode === 'last' || mine.sequence === 0) return theirs.sequence > mine.sequence
  const before = mine.value
  combineGauge(mode, mine, theirs)
  return !Object.is(before, mine.value)
}

/** Effect of {@link SharedGaugeHandle.add}: `wrapped` where that took the value below zero. */
export type SharedChange = 'added' | 'wrapped'

/**
 * The one value of a gauge that all threads change.
 *
 * @example
 * import { Zone } from 'pentameter/shm'
 *
 * const zone = Zone.create()
 * const open = zone.define(Buffer.from('open'), 'gauge', { mode: 'shared' })
 * const handle = zone.attach().sharedGauge(open)
 * handle?.add(3)
 * console.log(handle?.add(-1), handle?.value()) // added 2n
 */
export class SharedGaugeHandle {
  readonly metric: number
  #owner!: SlotOwner
  #words!: BigUint64Array
  #at = 0

  /** Handles come from `writer.sharedGauge(metric)`. */
  constructor(owner: SlotOwner, metric: number, page: Page, at: number) {
    this.metric = metric
    this.bind(owner, page, at)
  }

  /**
   * Sets the value of all threads: an integer of [0, 2^64).
   * @returns false, with nothing written, for any other value, and after it was released or the
   *   writer detached
   */
  set(value: number | bigint): boolean {
    const wanted = integerOf(value)
    if (wanted === undefined || wanted < 0n || !this.#owner.isAttached) return false
    Atomics.store(this.#words, this.#at, wanted)
    return this.#owner.isReplacing ? this.#owner.setShared(this.metric, wanted) : true
  }

  /**
   * Adds to the value of all threads: an integer of [-2^63, 2^64), modulo 2^64.
   * @returns undefined, with nothing added, for any other value, and after it was released or the
   *   writer detached
   */
  add(delta: number | bigint): SharedChange | undefined {
    const wanted = integerOf(delta)
    if (wanted === undefined || !this.#owner.isAttached) return undefined
    const before = Atomics.add(this.#words, this.#at, wanted)
    return before + wanted < 0n ? 'wrapped' : 'added'
  }

  /** Reads the value of all threads. */
  value(): bigint {
    return this.#owner.isAttached ? this.#owner.sharedValue(this.metric) : 0n
  }

  /** Points the handle to a word, for the writer; it refuses where the owner is not attached. */
  bind(owner: SlotOwner, page: Page, at: number): void {
    this.#owner = owner
    this.#words = page.words
    this.#at = at
  }
}

/** Converts to a bigint of [-2^63, 2^64), or undefined. */
function integerOf(value: number | bigint): bigint | undefined {
  if (typeof value === 'bigint') return isWord(value) ? value : undefined
  if ((value | 0) === value) return BigInt(value | 0) // ten times as fast as from a double
  return Number.isSafeInteger(value) ? BigInt(value) : undefined
}
