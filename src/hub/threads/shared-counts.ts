/**
 * What the main thread and the ingest threads tell each other without messages: one buffer for the
 * whole pool, a row of 64 bytes for each thread, so that no two write into one cache line.
 *
 *   places, 64 B          [open connections:i32] room
 *   row, 64 B a thread    [own connections][connections refused][verbs waiting]
 *                         [batches waiting]: i32, room
 *   row, 128 B a thread   measurements by dialect: 16 x f64, written by the thread alone
 */
import { ConnectionPlaces } from '../listen/connection-places.ts'

const ROW_INTS = 16
const OPEN = 0
const OWN = 0
const REFUSED = 1
const VERBS = 2
const BATCHES = 3
/** Dialects of one port; more would need longer rows. */
const DIALECTS_LIMIT = 16

export class SharedCounts {
  readonly shared: SharedArrayBuffer
  readonly threads: number
  readonly #ints: Int32Array
  readonly #measurements: Float64Array

  constructor(shared: SharedArrayBuffer, threads: number) {
    this.shared = shared
    this.threads = threads
    this.#ints = new Int32Array(shared, 0, (1 + threads) * ROW_INTS)
    this.#measurements = new Float64Array(shared, (1 + threads) * ROW_INTS * 4)
  }

  static create(threads: number): SharedCounts {
    const bytes = (1 + threads) * ROW_INTS * 4 + threads * DIALECTS_LIMIT * 8
    return new SharedCounts(new SharedArrayBuffer(bytes), threads)
  }

  /** Places for connections as one thread takes them, within the limit of all. */
  places(thread: number, limit: number): ConnectionPlaces {
    const row = rowOf(thread)
    return new ConnectionPlaces(this.#ints, { open: OPEN, own: row, refused: row + REFUSED, limit })
  }

  get connections(): number {
    return Atomics.load(this.#ints, OPEN)
  }

  connectionsOf(thread: number): number {
    return Atomics.load(this.#ints, rowOf(thread) + OWN)
  }

  get connectionsRefused(): number {
    let sum = 0
    for (let i = 0; i < this.threads; i++) sum += Atomics.load(this.#ints, rowOf(i) + REFUSED)
    return sum
  }

  /** Where a thread counts what it took of a dialect. */
  measurementsPlace(thread: number, dialect: number): Float64Array {
    const at = thread * DIALECTS_LIMIT + dialect
    return this.#measurements.subarray(at, at + 1)
  }

  /** Of one dialect, over all threads, those included that were replaced. */
  measurements(dialect: number): number {
    let sum = 0
    for (let i = 0; i < this.threads; i++) sum += this.#measurements[i * DIALECTS_LIMIT + dialect]!
    return sum
  }

  measurementsOf(thread: number): number {
    const at = thread * DIALECTS_LIMIT
    return this.#measurements.subarray(at, at + DIALECTS_LIMIT).reduce((sum, n) => sum + n, 0)
  }

  /** Ordered verbs of a thread that the main thread has not applied; wakes who waits for fewer. */
  addVerbs(thread: number, count: number): void {
    const at = rowOf(thread) + VERBS
    Atomics.add(this.#ints, at, count)
    if (count < 0) Atomics.notify(this.#ints, at)
  }

  verbs(thread: number): number {
    return Atomics.load(this.#ints, rowOf(thread) + VERBS)
  }

  /**
   * Stops the calling thread until all its verbs are taken. Not just some: the main thread goes on
   * with a thread's messages as long as there are any, and has a clock to look at.
   * @returns false when none were taken within `limitMs`
   */
  waitForVerbs(thread: number, limitMs: number): boolean {
    const at = rowOf(thread) + VERBS
    for (let waiting = this.verbs(thread); waiting > 0; waiting = this.verbs(thread)) {
      if (Atomics.wait(this.#ints, at, waiting, limitMs) === 'timed-out') return false
    }
    return true
  }

  /** Batches of a thread that the main thread has not taken; returns how many there were. */
  addBatches(thread: number, count: number): number {
    return Atomics.add(this.#ints, rowOf(thread) + BATCHES, count)
  }

  batches(thread: number): number {
    return Atomics.load(this.#ints, rowOf(thread) + BATCHES)
  }

  /** Gives back what a thread that ended held; what it has measured stays. */
  release(thread: number): void {
    const row = rowOf(thread)
    Atomics.sub(this.#ints, OPEN, Atomics.exchange(this.#ints, row + OWN, 0))
    Atomics.store(this.#ints, row + VERBS, 0)
    Atomics.store(this.#ints, row + BATCHES, 0)
  }
}

function rowOf(thread: number): number {
  return (1 + thread) * ROW_INTS
}
