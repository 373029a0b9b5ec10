/**
 * The buckets of one histogram over time: a column per second, one shared bucket layout, so that a
 * heat map is a walk over one array and merging seconds is adding columns. Bucket i of the layout
 * is (2^((offset+i)/2^scale), 2^((offset+i+1)/2^scale)], as in the model and on the wire.
 */
import type { HistogramCellJson } from '../../http/api.ts'

/** Widest layout kept: 256 buckets are 64 octaves at the finest scale the API sends (2). */
export const BUCKETS_LIMIT = 256
/** Counts are shown, not calculated with: a second with more is drawn as this many. */
const COUNT_LIMIT = 0xffff_ffff

export class BucketMatrix {
  scale = 0
  offset = 0
  width = 0
  counts = new Uint32Array(0)
  readonly capacity: number

  constructor(capacity: number) {
    this.capacity = capacity
  }

  clear(column: number): void {
    this.counts.fill(0, column * this.width, (column + 1) * this.width)
  }

  /** Replaces a column. The layout grows, or loses a step of scale, where the cell needs it. */
  write(column: number, cell: HistogramCellJson): void {
    this.clear(column)
    let first = 0
    let last = cell.counts.length - 1
    while (first <= last && cell.counts[first] === 0) first += 1
    while (last >= first && cell.counts[last] === 0) last -= 1
    if (first > last) return
    this.#makeRoom(cell.scale, cell.offset + first, cell.offset + last)
    const shift = cell.scale - this.scale
    const base = column * this.width - this.offset
    for (let i = first; i <= last; i += 1) {
      const at = base + ((cell.offset + i) >> shift)
      this.counts[at] = Math.min(COUNT_LIMIT, this.counts[at]! + cell.counts[i]!)
    }
  }

  /** Adds columns `from` to `to` (ring positions, both included, no wrap) into `sums`. */
  addInto(sums: Float64Array, from: number, to: number): void {
    const { width, counts } = this
    for (let column = from; column <= to; column += 1) {
      const base = column * width
      for (let i = 0; i < width; i += 1) sums[i] = sums[i]! + counts[base + i]!
    }
  }

  clone(): BucketMatrix {
    const copy = new BucketMatrix(this.capacity)
    copy.scale = this.scale
    copy.offset = this.offset
    copy.width = this.width
    copy.counts = this.counts.slice()
    return copy
  }

  #makeRoom(cellScale: number, cellFirst: number, cellLast: number): void {
    if (this.width === 0) {
      this.scale = cellScale
      this.offset = cellFirst
    }
    let scale = Math.min(this.scale, cellScale)
    const span = (): [number, number] => {
      const own = this.scale - scale
      const other = cellScale - scale
      const low = cellFirst >> other
      const high = cellLast >> other
      if (this.width === 0) return [low, high]
      const end = (this.offset + this.width - 1) >> own
      return [Math.min(low, this.offset >> own), Math.max(high, end)]
    }
    let [low, high] = span()
    while (high - low >= BUCKETS_LIMIT) {
      scale -= 1
      ;[low, high] = span()
    }
    const fits = scale === this.scale && low >= this.offset && high < this.offset + this.width
    if (!fits) this.#relay(scale, low, high - low + 1)
  }

  #relay(scale: number, offset: number, width: number): void {
    const next = new Uint32Array(this.capacity * width)
    const shift = this.scale - scale
    for (let column = 0; column < this.capacity; column += 1) {
      const from = column * this.width
      for (let i = 0; i < this.width; i += 1) {
        const count = this.counts[from + i]!
        if (count === 0) continue
        const at = column * width + ((this.offset + i) >> shift) - offset
        next[at] = Math.min(COUNT_LIMIT, next[at]! + count)
      }
    }
    this.counts = next
    this.scale = scale
    this.offset = offset
    this.width = width
  }
}
