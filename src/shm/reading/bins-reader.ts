/**
 * Reads the histograms that count in bins: dense, expanding and binned ones, over all segments,
 * segment by segment, and as documented. Part of the zone's reader, which says what is read when.
 */
import type { Descriptors } from '../definitions/descriptors.ts'
import { PAGE_WORDS } from '../layout.ts'
import type { Page, ZoneMemory } from '../memory/memory.ts'
import type { Segments } from '../segments/segments.ts'
import {
  addBins,
  type BinsReading,
  type BinTable,
  DENSE_BOUNDS,
  doubleOf,
  mergeTables,
  type SegmentBins,
  segmentTable,
  smallestBins,
} from '../slots/bins-reading.ts'
import { expandingState } from '../slots/expanding.ts'

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

  /** What one segment's page holds of a histogram. */
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
