/**
 * Reads the histograms that count in bins: dense, expanding and binned ones, over all segments,
 * segment by segment, and as documented (docs/formats/zone.md): at most 18 bins, the last one,
 * 4294967295, always among them. Part of the zone's reader, which says what is read when.
 */
import type { Descriptors } from '../definitions/descriptors.ts'
import { DENSE_BINS, LAST_BOUND, PAGE_WORDS } from '../layout.ts'
import type { Page, ZoneMemory } from '../memory/memory.ts'
import type { Segments } from '../segments/segments.ts'
import { denseBound } from '../slots/dense.ts'
import { CAPACITY_LAST, countHeld, expandingState, nextHeld } from '../slots/expanding.ts'

const LAST_BIN = DENSE_BINS - 1
/** A sum is read again while observations change it; then the last reading is taken. */
const READ_TRIES = 3

/** Bounds of dense and expanding histograms. */
const DENSE_BOUNDS: readonly number[] = Object.freeze(
  Array.from({ length: DENSE_BINS }, (_, bin) => denseBound(bin)),
)

export interface BinsReading {
  /** Modulo 2^64; a number, the sum as a double, of a dense histogram in the mode `fractions`. */
  readonly sum: bigint | number
  /** Inclusive upper bounds, ascending; the last is 4294967295 and holds all that is greater. */
  readonly bounds: readonly number[]
  /** Counts, as many as bounds. */
  readonly counts: BigUint64Array
}

export interface Bin {
  readonly bound: number
  readonly count: bigint
}

/** Ascending bins, the last one always there. */
export interface BinTable {
  readonly sum: bigint | number
  readonly bins: readonly Bin[]
}

/** The table of one segment. */
export interface SegmentBins extends BinTable {
  /** 0 is the base, whose tables are those of a dense histogram. */
  readonly segment: number
  /** Bins it has room for. */
  readonly capacity: number
}

export class BinsReader {
  readonly #memory: ZoneMemory
  readonly #descriptors: Descriptors
  readonly #segments: Segments

  constructor(memory: ZoneMemory, descriptors: Descriptors, segments: Segments) {
    this.#memory = memory
    this.#descriptors = descriptors
    this.#segments = segments
  }

  /** @throws {TypeError} here and below when the metric is none, or has no bins */
  total(metric: number): BinsReading {
    this.#check(metric)
    return this.#memory.generation.consistently(this.#sum, metric)
  }

  tables(metric: number): SegmentBins[] {
    this.#check(metric)
    return this.#memory.generation.consistently(this.#readTables, metric)
  }

  documented(metric: number): BinTable {
    this.#check(metric)
    return this.#memory.generation.consistently(this.#readDocumented, metric)
  }

  /** Reads what one segment's page holds of a histogram. */
  ofSegment(metric: number, page: Page): BinsReading {
    const bounds = this.#boundsOf(metric)
    const counts = new BigUint64Array(bounds.length)
    const word = addBins(page, this.#descriptors.slotAt(metric) & (PAGE_WORDS - 1), counts)
    return { sum: this.#hasFractions(metric) ? doubleOf(word) : word, bounds, counts }
  }

  #check(metric: number): void {
    const descriptors = this.#descriptors
    if (!descriptors.has(metric)) throw new TypeError(`metric ${metric} is not defined`)
    const type = descriptors.type(metric)
    if (type === 'dense' || type === 'expanding' || type === 'binned') return
    throw new TypeError(`metric ${metric} is a ${type}, which has no bins`)
  }

  #boundsOf(metric: number): readonly number[] {
    const isOwn = this.#descriptors.type(metric) === 'binned'
    return isOwn ? this.#descriptors.bounds(metric) : DENSE_BOUNDS
  }

  #hasFractions(metric: number): boolean {
    return this.#descriptors.mode(metric) === 'fractions'
  }

  readonly #sum = (metric: number): BinsReading => {
    const slotAt = this.#descriptors.slotAt(metric)
    const bounds = this.#boundsOf(metric)
    const counts = new BigUint64Array(bounds.length)
    let integers = 0n
    let fractions = 0
    const hasFractions = this.#hasFractions(metric)
    for (let i = 0; i < this.#segments.count; i++) {
      const page = this.#segments.at(i).pageOf(slotAt)
      if (page === undefined) continue
      const word = addBins(page, slotAt & (PAGE_WORDS - 1), counts)
      if (hasFractions) fractions += doubleOf(word)
      else integers += word
    }
    return { sum: hasFractions ? fractions : BigInt.asUintN(64, integers), bounds, counts }
  }

  readonly #readTables = (metric: number): SegmentBins[] => {
    const slotAt = this.#descriptors.slotAt(metric)
    const isExpanding = this.#descriptors.type(metric) === 'expanding'
    const tables: SegmentBins[] = []
    for (let i = 0; i < this.#segments.count; i++) {
      const page = this.#segments.at(i).pageOf(slotAt)
      if (page === undefined) continue
      // Bins before the state: a bound is held before it is counted.
      const reading = this.ofSegment(metric, page)
      const at = slotAt & (PAGE_WORDS - 1)
      const hasState = isExpanding && i > 0
      tables.push(segmentTable(i, reading, hasState ? expandingState(page.words, at) : undefined))
    }
    return tables
  }

  readonly #readDocumented = (metric: number): BinTable => {
    const type = this.#descriptors.type(metric)
    if (type === 'dense') return smallestBins(this.#sum(metric))
    if (type === 'expanding') return mergeTables(this.#readTables(metric))
    const { sum, bounds, counts } = this.#sum(metric)
    return { sum, bins: bounds.map((bound, i) => ({ bound, count: counts[i]! })) }
  }
}

const scratch = new BigUint64Array(DENSE_BINS)
const bits = new BigUint64Array(1)
const double = new Float64Array(bits.buffer)

/**
 * Adds a slot's counts. An observation in flight may be in its sum and not yet in the bins, which
 * a sum that stays the same makes unlikely and nothing excludes.
 * @returns the word of the sum
 */
function addBins({ words }: Page, at: number, counts: BigUint64Array): bigint {
  const bins = counts.length
  let sum = words[at]!
  for (let tries = 0; tries < READ_TRIES; tries++) {
    for (let i = 0; i < bins; i++) scratch[i] = words[at + 1 + i]!
    const after = words[at]!
    if (after === sum) break
    sum = after
  }
  for (let i = 0; i < bins; i++) counts[i]! += scratch[i]!
  return sum
}

/** Reads the double that a word holds. */
function doubleOf(word: bigint): number {
  bits[0] = word
  return double[0]!
}

/** Makes a table of the bins of a slot; of an expanding one with the bounds it holds. */
function segmentTable(
  segment: number,
  reading: BinsReading,
  state: ReturnType<typeof expandingState> | undefined,
): SegmentBins {
  const { sum, bounds, counts } = reading
  const isOwn = bounds !== DENSE_BOUNDS
  const last = bounds.length - 1
  const bins: Bin[] = []
  for (let i = 0; i < bounds.length; i++) {
    // Some processors show the first count of a bound before they show that it is held.
    const isHeld = counts[i] !== 0n || (((state?.held ?? 0) >>> i) & 1) !== 0
    if (isOwn || i === last || isHeld) bins.push({ bound: bounds[i]!, count: counts[i]! })
  }
  return { segment, sum, capacity: state?.capacity ?? bounds.length, bins }
}

/**
 * Makes the documented view of the tables of an expanding histogram: begun with the empty last bin,
 * each table is added in ascending order; a bound for which the 18 bins have no room any more is
 * counted at the next larger one that is there.
 */
function mergeTables(tables: readonly SegmentBins[]): BinTable {
  const counts = new BigUint64Array(DENSE_BINS)
  let held = 0
  let total = 0n
  for (const { bins, sum } of tables) {
    total += BigInt(sum)
    for (const { bound, count } of bins) {
      if (count === 0n) continue
      const bin = bound === LAST_BOUND ? LAST_BIN : 31 - Math.clz32(bound)
      if (bin !== LAST_BIN && countHeld(held) < CAPACITY_LAST) held |= 1 << bin
      counts[nextHeld(held, bin)]! += count
    }
  }
  return tableOf(counts, held, BigInt.asUintN(64, total))
}

/** Makes the documented view of a dense histogram: its 17 smallest bounds that hold anything. */
function smallestBins({ counts, sum }: BinsReading): BinTable {
  const merged = new BigUint64Array(DENSE_BINS)
  let held = 0
  counts.forEach((count, bin) => {
    if (count === 0n) return
    if (bin !== LAST_BIN && countHeld(held) < CAPACITY_LAST) held |= 1 << bin
    merged[nextHeld(held, bin)]! += count
  })
  return tableOf(merged, held, sum)
}

function tableOf(counts: BigUint64Array, held: number, sum: bigint | number): BinTable {
  const bins: Bin[] = []
  for (let bin = 0; bin < LAST_BIN; bin++) {
    if (((held >>> bin) & 1) !== 0) bins.push({ bound: 2 ** bin, count: counts[bin]! })
  }
  bins.push({ bound: LAST_BOUND, count: counts[LAST_BIN]! })
  return { sum, bins }
}
