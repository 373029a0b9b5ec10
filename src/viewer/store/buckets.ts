/**
 * The buckets of one histogram over time: a column per second, one shared bucket layout, so that a
 * heat map is a walk over one array and merging seconds is adding columns. Bucket i of the layout
 * is (2^((offset+i)/2^scale), 2^((offset+i+1)/2^scale)], as in the model and on the wire.
 * Percentiles of merged seconds are read from them (scale 2 at most: ±19 %).
 *
 * Between bounds of its own a histogram has a bucket up to each of them, and one above the last.
 */
import type { HistogramCellJson } from '../../http/api.ts'

/** Widest layout kept: 256 buckets are 64 octaves at the finest scale the API sends (2). */
const BUCKETS_LIMIT = 256
/** Counts are shown, not calculated with: a second with more is drawn as this many. */
const COUNT_LIMIT = 0xffff_ffff

/** Layout of buckets: powers of two, or bounds. */
export interface BucketRows {
  readonly scale: number
  readonly offset: number
  /** Bounds instead of powers; then the first row is that of the first bound. */
  readonly bounds?: readonly number[] | undefined
}

/**
 * Computes where a row of a picture begins, and the one before it ends. The outermost rows between
 * bounds have no other end: they are drawn an octave high.
 */
export function rowEdge({ scale, offset, bounds }: BucketRows, row: number): number {
  if (bounds === undefined) return 2 ** ((offset + row) / 2 ** scale)
  if (row === 0) return bounds[0]! / 2
  return bounds[row - 1] ?? 2 * bounds.at(-1)!
}

/** Gives what a bucket lies between; null for an end that is not known. */
export function bucketEnds(rows: BucketRows, row: number): readonly [number | null, number | null] {
  const { bounds } = rows
  if (bounds === undefined) return [rowEdge(rows, row), rowEdge(rows, row + 1)]
  return [bounds[row - 1] ?? null, bounds[row] ?? null]
}

export class BucketMatrix implements BucketRows {
  scale = 0
  offset = 0
  width = 0
  bounds: readonly number[] | undefined
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
    if (!isSame(this.bounds, cell.bounds)) this.#beginAnew(cell.bounds)
    if (cell.bounds !== undefined) {
      for (let i = first; i <= last; i += 1) {
        const at = column * this.width + cell.offset + i
        this.counts[at] = Math.min(COUNT_LIMIT, cell.counts[i]!)
      }
      return
    }
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
    copy.bounds = this.bounds
    copy.counts = this.counts.slice()
    return copy
  }

  /** Lays out the rows of other bounds, or of powers: no column before this one has such. */
  #beginAnew(bounds: readonly number[] | undefined): void {
    this.bounds = bounds
    this.scale = 0
    this.offset = 0
    this.width = bounds === undefined ? 0 : bounds.length + 1
    this.counts = new Uint32Array(this.capacity * this.width)
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

function isSame(a: readonly number[] | undefined, b: readonly number[] | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  return a.length === b.length && a.every((bound, i) => bound === b[i])
}

/** Seconds of a histogram as the page keeps them: a SeriesData. */
interface HistogramSeconds {
  /** Seconds of a step. */
  readonly step: number
  readonly buckets: BucketMatrix | undefined
  readonly overflowFrom: number
  at(
    lane: 'count' | 'zero' | 'negative' | 'overflow' | 'sum' | 'min' | 'max',
    second: number,
  ): number
  addBuckets(sums: Float64Array, from: number, to: number): void
}

/** A distribution over buckets, as BucketMatrix lays them out. */
export interface Merged extends BucketRows {
  readonly counts: Float64Array
  readonly zero: number
  /** Observations below zero: their buckets are not kept, only how many they are. */
  readonly negative: number
  /** Observations of `overflowFrom` or more: no more is known of them. */
  readonly overflow: number
  readonly overflowFrom: number
  /** All observations, those in no bucket included. */
  readonly count: number
  /** NaN where a second did not tell it; the smallest and the largest observation are exact. */
  readonly sum: number
  readonly min: number
  readonly max: number
}

/** Merges the steps that have some of the seconds (from, to] of a histogram to one. */
export function mergeSeconds(data: HistogramSeconds, from: number, to: number): Merged {
  const { scale = 0, offset = 0, width = 0, bounds } = data.buckets ?? {}
  const counts = new Float64Array(width)
  data.addBuckets(counts, from, to)
  let zero = 0
  let negative = 0
  let overflow = 0
  let sum = 0
  let min = Number.POSITIVE_INFINITY
  let max = Number.NEGATIVE_INFINITY
  const { step } = data
  for (let second = Math.floor(from / step) * step + 1; second <= to; second += step) {
    if (!(data.at('count', second) > 0)) continue
    zero += data.at('zero', second) || 0
    negative += data.at('negative', second) || 0
    overflow += data.at('overflow', second) || 0
    sum += data.at('sum', second)
    min = Math.min(min, data.at('min', second))
    max = Math.max(max, data.at('max', second))
  }
  const count = counts.reduce((total, each) => total + each, zero + negative + overflow)
  if (count === 0) min = max = Number.NaN
  const { overflowFrom } = data
  const outside = { zero, negative, overflow, overflowFrom }
  return { scale, offset, bounds, counts, ...outside, count, sum, min, max }
}

/** Gives the distribution of one cell as it travels. */
export function mergedOf(cell: HistogramCellJson): Merged {
  const { scale, bounds, zero, negative, overflow, count, sum, min, max } = cell
  return {
    ...rowsOf(cell),
    ...{ scale, bounds, zero, negative, count },
    overflow: overflow?.count ?? 0,
    overflowFrom: overflow?.from ?? Number.POSITIVE_INFINITY,
    sum: sum ?? Number.NaN,
    min: min ?? Number.NaN,
    max: max ?? Number.NaN,
  }
}

/** Gives the counts of a cell; between bounds there is one for each, and one above the last. */
function rowsOf({ bounds, offset, counts }: HistogramCellJson): Pick<Merged, 'offset' | 'counts'> {
  if (bounds === undefined) return { offset, counts: Float64Array.from(counts) }
  const all = new Float64Array(bounds.length + 1)
  all.set(counts, offset)
  return { offset: 0, counts: all }
}

/**
 * Adds distributions up, in the buckets of the coarsest; where some have bounds of their own, all
 * must have the same. Sum and extremes that one of them does not tell are unknown; a distribution
 * of nothing changes nothing.
 */
export function addMerged(all: readonly Merged[]): Merged {
  const some = all.filter(({ count }) => count > 0)
  const filled = some.filter(({ counts }) => counts.length > 0)
  const total = (part: (each: Merged) => number): number =>
    some.reduce((sum, each) => sum + part(each), 0)
  const isNone = some.length === 0
  return {
    ...addRows(filled),
    zero: total(({ zero }) => zero),
    negative: total(({ negative }) => negative),
    overflow: total(({ overflow }) => overflow),
    overflowFrom: Math.min(...some.map((each) => each.overflowFrom), Number.POSITIVE_INFINITY),
    count: total(({ count }) => count),
    sum: total(({ sum }) => sum),
    min: isNone ? Number.NaN : Math.min(...some.map(({ min }) => min)),
    max: isNone ? Number.NaN : Math.max(...some.map(({ max }) => max)),
  }
}

/** Adds counts up in the layout that all have, or in the coarsest of powers of two. */
function addRows(all: readonly Merged[]): BucketRows & Pick<Merged, 'counts'> {
  const rows = commonRows(all)
  const counts = new Float64Array(rows.length)
  for (const each of all) layInto(counts, each, rows)
  return { scale: rows.scale, offset: rows.offset, bounds: rows.bounds, counts }
}

/** Gives distributions the same rows, so that their counts can stand side by side. */
export function inSameRows(all: readonly Merged[]): readonly Merged[] {
  const { length, ...rows } = commonRows(all.filter(({ counts }) => counts.length > 0))
  return all.map((each) => {
    const counts = new Float64Array(length)
    layInto(counts, each, rows)
    return { ...each, ...rows, counts }
  })
}

function commonRows(all: readonly Merged[]): BucketRows & { readonly length: number } {
  const bounds = all[0]?.bounds
  if (all.length === 0) return { scale: 0, offset: 0, length: 0 }
  const scale = Math.min(...all.map((each) => each.scale))
  const shiftOf = (each: Merged): number => (bounds === undefined ? each.scale - scale : 0)
  const low = Math.min(...all.map((each) => each.offset >> shiftOf(each)))
  const high = Math.max(
    ...all.map((each) => (each.offset + each.counts.length - 1) >> shiftOf(each)),
  )
  return { scale, offset: low, bounds, length: high - low + 1 }
}

function layInto(counts: Float64Array, each: Merged, { scale, offset, bounds }: BucketRows): void {
  const shift = bounds === undefined ? each.scale - scale : 0
  each.counts.forEach((count, i) => {
    counts[((each.offset + i) >> shift) - offset]! += count
  })
}

/**
 * Estimates a quantile: interpolated within the bucket that holds the rank, on the bucket's own log
 * scale, or a straight line between bounds, and never beyond the exact ends. NaN where the rank
 * lies among the observations below zero.
 */
export function quantile(merged: Merged, q: number): number {
  const { min, max } = merged
  if (q <= 0 && !Number.isNaN(min)) return min
  if (q >= 1 && !Number.isNaN(max)) return max
  return withinEnds(merged, estimateOf(merged, q))
}

/** Written so that an unknown end leaves the estimate as it is. */
function withinEnds({ min, max }: Merged, estimate: number): number {
  if (estimate < min) return min
  return estimate > max ? max : estimate
}

function estimateOf(merged: Merged, q: number): number {
  if (merged.count === 0) return Number.NaN
  const wanted = q * merged.count
  let below = merged.negative
  if (below > 0 && wanted <= below) return Number.NaN
  below += merged.zero
  if (merged.zero > 0 && wanted <= below) return 0
  let last = merged.zero > 0 ? 0 : Number.NaN
  for (let i = 0; i < merged.counts.length; i += 1) {
    const count = merged.counts[i]!
    if (count === 0) continue
    const share = Math.min(1, (wanted - below) / count)
    last = valueInside(merged, i, share)
    below += count
    if (below >= wanted) return last
  }
  return merged.overflow > 0 ? merged.overflowFrom : last
}

/** Computes the value at a fraction of a bucket; above the last bound, that. */
function valueInside({ scale, offset, bounds }: BucketRows, row: number, share: number): number {
  if (bounds === undefined) return 2 ** ((offset + row + share) / 2 ** scale)
  const upper = bounds[row]
  if (upper === undefined) return bounds.at(-1)!
  const lower = row === 0 ? Math.min(0, upper) : bounds[row - 1]!
  return lower + (upper - lower) * share
}

/** Counts what is above all bounds: of these, the last bound is all that is known. */
export function aboveAll({ bounds, counts }: Merged): number {
  return bounds === undefined ? 0 : counts[bounds.length]!
}

/**
 * Estimates the standard deviation around the mean, from the middles of the buckets, as far as they
 * lie between the exact ends; NaN with values below 0.
 */
export function deviation(merged: Merged): number {
  const { counts, count, sum, negative } = merged
  if (count === 0 || negative > 0) return Number.NaN
  const mean = sum / count
  let square = merged.zero * mean * mean
  if (merged.overflow > 0) square += merged.overflow * (merged.overflowFrom - mean) ** 2
  counts.forEach((each, i) => {
    if (each > 0) square += each * (withinEnds(merged, valueInside(merged, i, 0.5)) - mean) ** 2
  })
  return Math.sqrt(square / count)
}

export function quantileOf(data: HistogramSeconds, q: number, from: number, to: number): number {
  return quantile(mergeSeconds(data, from, to), q)
}
