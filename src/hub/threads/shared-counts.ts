/**
 * What the main thread and the ingest threads tell each other without messages: one buffer for the
 * whole pool, a row of 64 bytes for each thread, so that no two write into one cache line.
 *
 *   places, 64 B          open connections by port: 6 x i32, room
 *   row, 64 B a thread    [commands waiting][batches waiting][series unsent][reports unsent], then
 *                         by port [own connections][connections refused]: i32
 *   row, 128 B a thread   measurements by dialect: 16 x f64, written by the thread alone
 */
import { ConnectionPlaces } from '../listen/connection-places.ts'

const ROW_INTS = 16
const COMMANDS = 0
const BATCHES = 1
const SERIES = 2
const REPORTS = 3
const OWN = 4
const REFUSED = 5
const INTS_PER_PORT = 2
/**
 * Number of ports that a row has room for; further ports and dialects are served by the main
 * thread.
 */
export const THREADED_PORTS_LIMIT = (ROW_INTS - OWN) / INTS_PER_PORT
export const THREADED_DIALECTS_LIMIT = 16

/** Losses of a thread: what it held when it ended. */
interface ThreadLosses {
  /** Closed with it. */
  readonly connections: number
  /** Ordered commands that were taken and never applied. */
  readonly commands: number
  /** Series begun that the main thread was never told of. */
  readonly series: number
  /** Errors, refusals and log lines that were never told. */
  readonly reports: number
}

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
    const bytes = (1 + threads) * ROW_INTS * 4 + threads * THREADED_DIALECTS_LIMIT * 8
    return new SharedCounts(new SharedArrayBuffer(bytes), threads)
  }

  /**
   * Makes the places for connections of a port as one thread takes them, within the limit of all.
   */
  places(thread: number, port: number, limit: number): ConnectionPlaces {
    const row = rowOf(thread) + port * INTS_PER_PORT
    const [own, refused] = [row + OWN, row + REFUSED]
    return new ConnectionPlaces(this.#ints, { open: port, own, refused, limit })
  }

  connections(port: number): number {
    return Atomics.load(this.#ints, port)
  }

  /** Counts connections of one thread, over all ports. */
  connectionsOf(thread: number): number {
    let sum = 0
    for (let port = 0; port < THREADED_PORTS_LIMIT; port++) {
      sum += Atomics.load(this.#ints, rowOf(thread) + port * INTS_PER_PORT + OWN)
    }
    return sum
  }

  connectionsRefused(port: number): number {
    const at = port * INTS_PER_PORT + REFUSED
    let sum = 0
    for (let i = 0; i < this.threads; i++) sum += Atomics.load(this.#ints, rowOf(i) + at)
    return sum
  }

  /** Gives the place where a thread counts what it took of a dialect. */
  measurementsPlace(thread: number, dialect: number): Float64Array {
    const at = thread * THREADED_DIALECTS_LIMIT + dialect
    return this.#measurements.subarray(at, at + 1)
  }

  /** Counts measurements of one dialect, over all threads, those included that were replaced. */
  measurements(dialect: number): number {
    let sum = 0
    for (let i = 0; i < this.threads; i++)
      sum += this.#measurements[i * THREADED_DIALECTS_LIMIT + dialect]!
    return sum
  }

  measurementsOf(thread: number): number {
    const at = thread * THREADED_DIALECTS_LIMIT
    return this.#measurements
      .subarray(at, at + THREADED_DIALECTS_LIMIT)
      .reduce((sum, n) => sum + n, 0)
  }

  /** Counts commands that the main thread has not applied; wakes a thread that waits for fewer. */
  addCommands(thread: number, count: number): void {
    const at = rowOf(thread) + COMMANDS
    Atomics.add(this.#ints, at, count)
    if (count < 0) Atomics.notify(this.#ints, at)
  }

  commands(thread: number): number {
    return Atomics.load(this.#ints, rowOf(thread) + COMMANDS)
  }

  /**
   * Stops the calling thread until all its commands are taken. Not just some: the main thread goes
   * on with a thread's messages as long as there are any, and has a clock to look at.
   * @returns false when none were taken within `limitMs`
   */
  waitForCommands(thread: number, limitMs: number): boolean {
    const at = rowOf(thread) + COMMANDS
    for (let waiting = this.commands(thread); waiting > 0; waiting = this.commands(thread)) {
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

  /**
   * Counts series that the thread has not sent yet, or that it has (fewer than 0); plain, for the
   * thread writes it alone.
   */
  addSeries(thread: number, count: number): void {
    this.#ints[rowOf(thread) + SERIES]! += count
  }

  /** Counts reports that the thread has not sent yet. */
  addReports(thread: number, count: number): void {
    this.#ints[rowOf(thread) + REPORTS]! += count
  }

  /**
   * Clears the counts: all series and reports of a thread are on their way, as a message that is
   * sent arrives.
   */
  clearUnsent(thread: number): void {
    this.#ints[rowOf(thread) + SERIES] = 0
    this.#ints[rowOf(thread) + REPORTS] = 0
  }

  /** Gives back what a thread that ended held; what it has measured stays. */
  release(thread: number): ThreadLosses {
    const row = rowOf(thread)
    const losses = {
      connections: this.connectionsOf(thread),
      commands: this.commands(thread),
      series: this.#ints[row + SERIES]!,
      reports: this.#ints[row + REPORTS]!,
    }
    for (let port = 0; port < THREADED_PORTS_LIMIT; port++) {
      const own = row + port * INTS_PER_PORT + OWN
      Atomics.sub(this.#ints, port, Atomics.exchange(this.#ints, own, 0))
    }
    Atomics.store(this.#ints, row + COMMANDS, 0)
    Atomics.store(this.#ints, row + BATCHES, 0)
    this.clearUnsent(thread)
    return losses
  }
}

function rowOf(thread: number): number {
  return (1 + thread) * ROW_INTS
}
