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
 */
import { type Exact, exact } from '../../model/index.ts'
import type { Page } from '../memory.ts'
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
const U64_END = 1n << 64n

/** Value of a gauge and its place in the order of all writes; filled by `reader.gauge`. */
export interface GaugeReading {
  /** NaN while never written. */
  value: Exact
  /** 0 while never written; greater = later. */
  sequence: number
}

export class GaugeHandle {
  readonly metric: number
  #owner: SlotOwner
  #page: Page
  #at: number

  /** Handles come from `writer.gauge(metric)`. */
  constructor(owner: SlotOwner, metric: number, page: Page, at: number) {
    this.#owner = owner
    this.metric = metric
    this.#page = page
    this.#at = at
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
    Atomics.store(words, this.#at + CONTROL, sequence + CONTROLS[word]!)
    return kept === plain || Number.isNaN(plain)
  }

  /** For the writer: the handle refuses from now on. */
  unbind(nobody: SlotOwner, nowhere: Page): void {
    this.#owner = nobody
    this.#page = nowhere
    this.#at = 0
  }
}

function isWord(value: bigint): boolean {
  return value >= I64_MIN && value < U64_END
}

const bits = new BigUint64Array(1)
const double = new Float64Array(bits.buffer)

/** Place of the slot's write in the order of all; 0 = never written. */
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

/** Moves the slot's value into the base unless the base holds a later one; under the lock. */
export function foldGauge(base: Page, from: Page, at: number): void {
  const control = from.words[at + CONTROL]!
  if (control <= base.words[at + CONTROL]!) return
  for (let word = 0; word < CONTROL; word++) base.words[at + word] = from.words[at + word]!
  Atomics.store(base.words, at + CONTROL, control)
}
