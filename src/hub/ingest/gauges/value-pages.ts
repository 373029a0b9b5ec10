/**
 * Memory in which a thread notes what the gauges that it sets have gone through in the second at
 * hand, for the tick of the main thread to read
 * ([why](../../../../docs/decisions/0051-gauges-that-are-set-often.md)). A row is of one gauge, and
 * has two windows: that of the even epochs of the zone and that of the odd ones. So the window that
 * has ended stands still while it is read.
 *
 *   256 x [metric:i32]                                              -1 = the row is free
 *   256 x 2 x [epoch:i32][count:i32][first:f64][least:f64][largest:f64]   epoch 0 = none yet
 *
 * The epoch of a window is stored behind what the window begins with, and loaded before it. A row
 * is one line of a cache.
 */
const PAGE_SHIFT = 8
const ROWS = 1 << PAGE_SHIFT
const METRICS_BYTES = ROWS * 4
const ROW_BYTES = 64
const WINDOW_WORDS = 4
const FREE = -1

/** One page as either side sees it. Places are of words of 8 bytes. */
export class ValuePage {
  readonly buffer: SharedArrayBuffer
  readonly #ints: Int32Array
  readonly #floats: Float64Array

  constructor(buffer = emptyPage()) {
    this.buffer = buffer
    this.#ints = new Int32Array(buffer)
    this.#floats = new Float64Array(buffer)
  }

  /** Gives a row to a metric, or to none. */
  assign(row: number, metric = FREE): void {
    Atomics.store(this.#ints, row, metric)
    for (const epoch of [0, 1]) Atomics.store(this.#ints, 2 * windowAt(row, epoch), 0)
  }

  /** Takes a value into the window of an epoch, which only the thread of the page does. */
  see(row: number, value: number, epoch: number): void {
    const floats = this.#floats
    const ints = this.#ints
    const window = windowAt(row, epoch)
    if (ints[2 * window] !== epoch) {
      ints[2 * window + 1] = 1
      floats[window + 1] = floats[window + 2] = floats[window + 3] = value
      Atomics.store(ints, 2 * window, epoch)
      return
    }
    ints[2 * window + 1]!++
    if (value < floats[window + 2]!) floats[window + 2] = value
    if (value > floats[window + 3]!) floats[window + 3] = value
  }

  /** Calls back for each row that has a window of this epoch. */
  read(
    epoch: number,
    take: (metric: number, first: number, least: number, largest: number, count: number) => void,
  ): void {
    const [ints, floats] = [this.#ints, this.#floats]
    for (let row = 0; row < ROWS; row++) {
      const window = windowAt(row, epoch)
      if (Atomics.load(ints, 2 * window) !== epoch) continue
      const metric = Atomics.load(ints, row)
      const [first, least, largest] = [
        floats[window + 1]!,
        floats[window + 2]!,
        floats[window + 3]!,
      ]
      if (metric !== FREE) take(metric, first, least, largest, ints[2 * window + 1]!)
    }
  }
}

/** Finds the window of a row for an epoch, in words of 8 bytes. */
function windowAt(row: number, epoch: number): number {
  return ((METRICS_BYTES + row * ROW_BYTES) >> 3) + (epoch & 1) * WINDOW_WORDS
}

function emptyPage(): SharedArrayBuffer {
  const buffer = new SharedArrayBuffer(METRICS_BYTES + ROWS * ROW_BYTES)
  new Int32Array(buffer, 0, ROWS).fill(FREE)
  return buffer
}

/** Rows of one thread's pages, by number; pages stay, and rows that were given back go first. */
export class ValueRows {
  readonly #publish: (page: SharedArrayBuffer) => void
  readonly #pages: ValuePage[] = []
  #used = 0
  readonly #free: number[] = []

  /** @param publish shows a new page to the main thread */
  constructor(publish: (page: SharedArrayBuffer) => void) {
    this.#publish = publish
  }

  /** Takes a row for a metric. @returns its number */
  take(metric: number): number {
    const row = this.#free.pop() ?? this.#next()
    this.#pages[row >> PAGE_SHIFT]!.assign(row & (ROWS - 1), metric)
    return row
  }

  /** Takes a value into the window of an epoch. */
  see(row: number, value: number, epoch: number): void {
    this.#pages[row >> PAGE_SHIFT]!.see(row & (ROWS - 1), value, epoch)
  }

  /** Takes a row back. What it says of the second at hand is of no series any more. */
  giveBack(row: number): void {
    this.#pages[row >> PAGE_SHIFT]!.assign(row & (ROWS - 1))
    this.#free.push(row)
  }

  #next(): number {
    if (this.#used === this.#pages.length * ROWS) {
      const page = new ValuePage()
      this.#pages.push(page)
      this.#publish(page.buffer)
    }
    return this.#used++
  }
}
