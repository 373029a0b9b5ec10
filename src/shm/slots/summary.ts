/**
 * A summary's slot, 13 words: what one writer observed, in two windows of which one is open.
 *
 *   word 0   [state:i32][busy:i32]    state = open window | 2 while the closed one is not taken
 *        1   [count][mean][squares][min][max][sum], doubles: window 0
 *        7   the same: window 1
 *
 * `squares` is the sum of squared distances from the mean (Welford). A window whose count is 0 is
 * empty, whatever else it holds. The writer alone writes `busy` and the open window, the taker
 * alone `state` and the closed one:
 *
 *   writer                                    taker, under the zone's lock
 *   busy = odd              (Atomics.store)   state = other window | 2      (Atomics.store)
 *   w = state & 1           (Atomics.load)    b = busy                      (Atomics.load)
 *   add to window w         (plain stores)    b odd: wait until busy is not b, but not for long
 *   busy = even             (Atomics.store)   take the closed window, empty it; state & 1
 *
 * Atomics are in one order for all threads: either the taker sees the writer busy, or the writer
 * sees the new state. Once `busy` has been even or another odd number, no observation is under way
 * that has seen the old state, so each counts in exactly one window. A closed window whose writer
 * was not seen quiet (it may be suspended in the middle) stays where it is for the next taking.
 */
import type { Page } from '../memory/memory.ts'
import type { SlotOwner } from './slot-owner.ts'

/** Words of a slot's head, and of a window; places within a window. */
const HEAD_WORDS = 1
const WINDOW_WORDS = 6
const MEAN = 1
const SQUARES = 2
const MIN = 3
const MAX = 4
const SUM = 5

/** Bit in a slot's state. */
const OPEN_WINDOW = 1
const UNTAKEN = 2

/**
 * Number of looks of a taker at a writer that is busy: some microseconds, in which it observes a
 * hundred times, unless the machine has suspended it.
 */
const LOOKS = 1_000

const LARGEST = Number.MAX_VALUE

/**
 * A writer's part of a summary: what it observed since a reader last took it.
 *
 * @example
 * import { Zone } from 'pentameter/shm'
 *
 * const zone = Zone.create()
 * const times = zone.define(Buffer.from('times'), 'summary')
 * const reader = zone.reader()
 * reader.listen(true)
 * zone.attach().summary(times)?.observe(12.5)
 * reader.takeSummaries((metric, { count, mean }) => {
 *   console.log(metric === times, count, mean) // true 1 12.5
 * })
 */
export class SummaryHandle {
  readonly metric: number
  #listening!: Int32Array
  #halves!: Int32Array
  #floats!: Float64Array
  #at = 0
  #isAttached = false

  /** Handles come from `writer.summary(metric)`. */
  constructor(owner: SlotOwner, metric: number, page: Page, at: number) {
    this.metric = metric
    this.bind(owner, page, at)
  }

  /**
   * Adds one observation; while no reader listens, this is one check and nothing is kept.
   * @returns false, with nothing added, for what is no finite number (which is not told while no
   *   reader listens), and after it was released or the writer detached
   */
  observe(value: number): boolean {
    if (this.#listening[0] === 0) return this.#isAttached
    if (typeof value !== 'number' || !(Math.abs(value) <= LARGEST)) return false
    const halves = this.#halves
    const stateAt = 2 * this.#at
    const busy = halves[stateAt + 1]!
    Atomics.store(halves, stateAt + 1, busy + 1)
    const window = Atomics.load(halves, stateAt) & OPEN_WINDOW
    addTo(this.#floats, this.#at + HEAD_WORDS + window * WINDOW_WORDS, value)
    Atomics.store(halves, stateAt + 1, busy + 2)
    return true
  }

  /** Points the handle to a slot, for the writer; without an owner no reader ever listens. */
  bind(owner: SlotOwner, page: Page, at: number): void {
    this.#isAttached = owner.isAttached
    this.#listening = owner.isAttached ? owner.memory.listening : NOBODY
    this.#halves = page.halves
    this.#floats = page.floats
    this.#at = at
  }
}

const NOBODY = new Int32Array(1)

/**
 * Adds by Welford's step. What calls anything comes first: a thread is not ended between the
 * stores. What calls anything comes first: a thread is not ended between the stores.
 */
function addTo(floats: Float64Array, at: number, value: number): void {
  const count = floats[at]! + 1
  if (count === 1) {
    floats[at + MEAN] = value
    floats[at + SQUARES] = 0
    floats[at + MIN] = value
    floats[at + MAX] = value
    floats[at + SUM] = value
  } else {
    const mean = floats[at + MEAN]!
    const distance = value - mean
    // Opposite values near the largest double are further apart than it.
    const isFar = !(Math.abs(distance) <= LARGEST)
    const next = isFar ? between(mean, value, count) : mean + distance / count
    // Not times `value - next`: that is rounded like the mean, which tells where samples are few.
    const squares = floats[at + SQUARES]! + distance * distance * ((count - 1) / count)
    const sum = finite(floats[at + SUM]! + value)
    floats[at + MEAN] = next
    floats[at + SQUARES] = squares <= LARGEST ? squares : LARGEST
    if (value < floats[at + MIN]!) floats[at + MIN] = value
    if (value > floats[at + MAX]!) floats[at + MAX] = value
    floats[at + SUM] = sum
  }
  floats[at] = count
}

function between(mean: number, value: number, count: number): number {
  return mean * ((count - 1) / count) + value / count
}

/** Limits a sum: it stays at the largest double that it cannot pass. */
function finite(sum: number): number {
  return sum > LARGEST ? LARGEST : sum < -LARGEST ? -LARGEST : sum
}

/**
 * Merges a window into another by Chan's formula and empties it. What is computed comes first: a
 * thread is not ended between the stores, so what was observed is in one of them (fold.ts).
 */
function moveWindow(into: Float64Array, at: number, from: Float64Array, fromAt: number): void {
  const added = from[fromAt]!
  if (added === 0) return
  const held = into[at]!
  let mean = from[fromAt + MEAN]!
  let squares = from[fromAt + SQUARES]!
  let min = from[fromAt + MIN]!
  let max = from[fromAt + MAX]!
  let sum = from[fromAt + SUM]!
  const count = held + added
  if (held > 0) {
    const distance = mean - into[at + MEAN]!
    squares += into[at + SQUARES]! + distance * distance * ((held * added) / count)
    if (!(squares <= LARGEST)) squares = LARGEST
    mean =
      Math.abs(distance) <= LARGEST
        ? into[at + MEAN]! + distance * (added / count)
        : into[at + MEAN]! * (held / count) + mean * (added / count)
    if (into[at + MIN]! < min) min = into[at + MIN]!
    if (into[at + MAX]! > max) max = into[at + MAX]!
    sum = finite(sum + into[at + SUM]!)
  }
  into[at + MEAN] = mean
  into[at + SQUARES] = squares
  into[at + MIN] = min
  into[at + MAX] = max
  into[at + SUM] = sum
  into[at] = count
  from[fromAt] = 0
}

/**
 * Reading of what was observed since the last taking; the same fields as the model's Summary, and
 * the sum.
 */
export interface SummaryReading {
  count: number
  mean: number
  squares: number
  min: number
  max: number
  sum: number
}

/** One window outside of any slot: what a taking has found so far. */
export class TakenWindow {
  readonly #floats = new Float64Array(WINDOW_WORDS)

  get isEmpty(): boolean {
    return this.#floats[0] === 0
  }

  /**
   * Takes what a slot's writer has observed; under the zone's lock, by which there is one taker.
   * @returns false when a closed window had to stay, since its writer was not seen quiet
   */
  takeFrom({ halves, floats }: Page, at: number): boolean {
    const stateAt = 2 * at
    const state = halves[stateAt]!
    let open = state & OPEN_WINDOW
    if ((state & UNTAKEN) !== 0 && !this.#takeClosed(halves, floats, at, open)) return false
    if (floats[at + HEAD_WORDS + open * WINDOW_WORDS] === 0) return true
    open ^= OPEN_WINDOW
    Atomics.store(halves, stateAt, open | UNTAKEN)
    return this.#takeClosed(halves, floats, at, open)
  }

  #takeClosed(halves: Int32Array, floats: Float64Array, at: number, open: number): boolean {
    if (!isQuiet(halves, 2 * at + 1)) return false
    const closed = open ^ OPEN_WINDOW
    moveWindow(this.#floats, 0, floats, at + HEAD_WORDS + closed * WINDOW_WORDS)
    Atomics.store(halves, 2 * at, open)
    return true
  }

  /** Writes the window into a reading, and is empty. */
  giveTo(reading: SummaryReading): void {
    const floats = this.#floats
    reading.count = floats[0]!
    reading.mean = floats[MEAN]!
    reading.squares = floats[SQUARES]!
    reading.min = floats[MIN]!
    reading.max = floats[MAX]!
    reading.sum = floats[SUM]!
    floats[0] = 0
  }
}

/** Tells whether no observation is under way that began before the call. */
function isQuiet(halves: Int32Array, busyAt: number): boolean {
  const seen = Atomics.load(halves, busyAt)
  if ((seen & 1) === 0) return true
  for (let i = 0; i < LOOKS; i++) if (Atomics.load(halves, busyAt) !== seen) return true
  return false
}

/** Moves both windows into the base's open one. Under the lock, with no thread writing the slot. */
export function foldSummary(base: Page, from: Page, at: number): void {
  const into = at + HEAD_WORDS + (base.halves[2 * at]! & OPEN_WINDOW) * WINDOW_WORDS
  moveWindow(base.floats, into, from.floats, at + HEAD_WORDS)
  moveWindow(base.floats, into, from.floats, at + HEAD_WORDS + WINDOW_WORDS)
}

/** Settles a slot whose thread is gone: no thread would end its last observation. */
export function settleSummary(page: Page, at: number): void {
  page.halves[2 * at + 1]! &= ~1
}
