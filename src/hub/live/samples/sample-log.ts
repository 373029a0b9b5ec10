/**
 * Samples of one source: rows of values, each with the time at which they were measured, in blocks
 * of columns. A row costs 8 bytes for its time and 8 for each value; adding one allocates nothing,
 * but for a block now and then.
 */
import { SampleLayout } from './sample-layout.ts'

/** Bytes of a block, unless a single row is larger. */
const BLOCK_BYTES = 65_536
/** Rows of a block: of few series, so that what is too old can leave. */
const BLOCK_ROWS = 1024
/** Rough cost of the objects of a block. */
const BLOCK_OVERHEAD_BYTES = 512
/** Time by which the clock must have been set back for what is of the future to go, ms. */
const STEP_MS = 1000
/** Least distance of two rows: times rise, however they came, ms. */
const TINY_MS = 0.001

export interface SampleBlock {
  readonly layout: SampleLayout
  /** Unix ms, rising; the first `length` are valid. */
  readonly times: Float64Array
  /** Columns, each `times.length` long; NaN where nothing was measured. */
  readonly values: Float64Array
  length: number
  /** Number of rows that came before its first one. */
  readonly firstRow: number
}

/** Some neighbouring rows of a block. */
export interface SampleSlice {
  readonly block: SampleBlock
  readonly from: number
  readonly to: number
}

export class SampleLog {
  #blocks: SampleBlock[] = []
  #layout = new SampleLayout(new Int32Array(0))
  /** Block that the next row goes to, unless it is full. */
  #open: SampleBlock | undefined
  #bytes = 0
  #rows = 0
  readonly #onGrowth: () => void

  /** @param onGrowth called after each new block, which {@link evict} leaves */
  constructor(onGrowth: () => void = () => {}) {
    this.#onGrowth = onGrowth
  }

  /** Bytes that are held. */
  get bytes(): number {
    return this.#bytes
  }

  /** Number of rows that have ever come. */
  get rows(): number {
    return this.#rows
  }

  /** Columns of the newest row. */
  get layout(): SampleLayout {
    return this.#layout
  }

  /** Time of the newest row, Unix ms; -Infinity while there is none. */
  get lastMs(): number {
    return lastOf(this.#blocks.at(-1))
  }

  /**
   * Adds a row. One that is no newer than the last, by some jitter of the clocks, comes right
   * behind it; where the clock was set back, rows of a time that comes again go.
   * @param row ids of series by place, negative for none; mostly the same from call to call
   * @param isRepeat whether the values replace those of the last row
   */
  add(timeMs: number, row: Int32Array, values: Float64Array, isRepeat = false): void {
    if (!this.#layout.isOf(row)) this.#begin(row)
    const layout = this.#layout
    if (layout.ids.length === 0) return
    if (isRepeat && this.#open !== undefined && this.#open.length > 0) {
      const { values: columns, times, length } = this.#open
      layout.write(values, columns, times.length, length - 1)
      return
    }
    if (timeMs < this.lastMs - STEP_MS) this.#dropFrom(timeMs)
    const { lastMs } = this
    if (this.#open === undefined || this.#open.length === this.#open.times.length) {
      this.#open = this.#addBlock(layout)
    }
    const { times, values: columns } = this.#open
    const at = this.#open.length++
    times[at] = timeMs > lastMs ? timeMs : lastMs + TINY_MS
    layout.write(values, columns, times.length, at)
    this.#rows++
  }

  /** Lists what came since so many rows had come, in the order of time. */
  since(rows: number): SampleSlice[] {
    const slices: SampleSlice[] = []
    for (let i = this.#blocks.length - 1; i >= 0; i--) {
      const block = this.#blocks[i]!
      if (block.firstRow + block.length <= rows) break
      slices.push({ block, from: Math.max(0, rows - block.firstRow), to: block.length })
    }
    return slices.reverse()
  }

  /** Lists what was measured after `fromMs` and no later than `toMs`, in the order of time. */
  between(fromMs: number, toMs: number): SampleSlice[] {
    const slices: SampleSlice[] = []
    for (const block of this.#blocks) {
      if (lastOf(block) <= fromMs) continue
      if (block.times[0]! > toMs) break
      slices.push({ block, from: firstAfter(block, fromMs), to: firstAfter(block, toMs) })
    }
    return slices.filter(({ from, to }) => from < to)
  }

  /** Drops blocks in which all was measured before a time. */
  age(beforeMs: number): void {
    let count = 0
    while (count < this.#blocks.length && lastOf(this.#blocks[count]!) < beforeMs) count++
    for (; count > 0; count--) this.#shift()
  }

  /** Drops the oldest block, but not the only one; gives the number of its rows. */
  evict(): number {
    return this.#blocks.length > 1 ? this.#shift() : 0
  }

  #shift(): number {
    const block = this.#blocks.shift()!
    if (block === this.#open) this.#open = undefined
    this.#bytes -= bytesOf(block)
    return block.length
  }

  #begin(row: Int32Array): void {
    this.#seal()
    this.#layout = new SampleLayout(row)
  }

  /** Ends the open block, without the room that it did not need. */
  #seal(): void {
    const open = this.#open
    this.#open = undefined
    if (open === undefined || open.length === open.times.length) return
    this.#bytes -= bytesOf(open)
    const sealed = trimmed(open)
    this.#blocks[this.#blocks.length - 1] = sealed
    this.#bytes += bytesOf(sealed)
  }

  #addBlock(layout: SampleLayout): SampleBlock {
    const width = layout.ids.length
    const rows = Math.floor(BLOCK_BYTES / (8 * (width + 1)))
    const length = Math.min(BLOCK_ROWS, Math.max(1, rows))
    const block = {
      layout,
      times: new Float64Array(length),
      values: new Float64Array(length * width),
      length: 0,
      firstRow: this.#rows,
    }
    this.#blocks.push(block)
    this.#bytes += bytesOf(block)
    this.#onGrowth()
    return block
  }

  /** Drops what was measured at a time or later. */
  #dropFrom(timeMs: number): void {
    this.#seal()
    while (this.lastMs >= timeMs) {
      const block = this.#blocks.pop()!
      this.#bytes -= bytesOf(block)
      block.length = firstAfter(block, timeMs - TINY_MS)
      if (block.length === 0) continue
      const kept = trimmed(block)
      this.#blocks.push(kept)
      this.#bytes += bytesOf(kept)
    }
  }
}

/** Counts its columns to each block: blocks of one layout share them, which is not worth more. */
function bytesOf({ layout, times, values }: SampleBlock): number {
  return layout.bytes + times.byteLength + values.byteLength + BLOCK_OVERHEAD_BYTES
}

function lastOf(block: SampleBlock | undefined): number {
  return block === undefined || block.length === 0
    ? Number.NEGATIVE_INFINITY
    : block.times[block.length - 1]!
}

/** Finds the first row of a block that was measured after a time. */
function firstAfter({ times, length }: SampleBlock, ms: number): number {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (times[middle]! > ms) high = middle
    else low = middle + 1
  }
  return low
}

/** Copies a block without the rows that it has not filled. */
function trimmed({ layout, times, values, length, firstRow }: SampleBlock): SampleBlock {
  const columns = new Float64Array(length * layout.ids.length)
  for (let column = 0; column < layout.ids.length; column++) {
    const from = column * times.length
    columns.set(values.subarray(from, from + length), column * length)
  }
  return { layout, times: times.slice(0, length), values: columns, length, firstRow }
}
