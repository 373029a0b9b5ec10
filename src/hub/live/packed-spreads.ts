/**
 * Spreads of gauges in pages that are never moved: four doubles each (first, min, max, count), so
 * that a second of many sampled gauges fits into a bounded ring.
 */
import type { GaugeSpread } from '../../model/index.ts'

const FIELDS = 4
const FIRST_PAGE_SPREADS = 16
const PAGE_SPREADS = 1024

/** Spread of an interval whose beginning is known elsewhere. */
export type PlainSpread = Omit<GaugeSpread, 'firstAt'>

/** Packer of the spreads of one frame; places are given in the order of adding. */
export class SpreadPacker {
  readonly #pages: Float64Array[] = []
  #page = new Float64Array(0)
  /** Place of the first spread of the page at hand, and how many it holds. */
  #place = 0
  #length = 0

  /** Returns the place of the spread. */
  add({ first, min, max, count }: PlainSpread): number {
    if (this.#length * FIELDS === this.#page.length) this.#nextPage()
    const at = this.#length++ * FIELDS
    this.#page[at] = first
    this.#page[at + 1] = min
    this.#page[at + 2] = max
    this.#page[at + 3] = count
    return this.#place + this.#length - 1
  }

  packed(): PackedSpreads {
    return new PackedSpreads([...this.#pages])
  }

  #nextPage(): void {
    this.#place += this.#length
    const spreads = this.#pages.length === 0 ? FIRST_PAGE_SPREADS : PAGE_SPREADS
    this.#page = new Float64Array(spreads * FIELDS)
    this.#pages.push(this.#page)
    this.#length = 0
  }
}

export class PackedSpreads {
  readonly #pages: readonly Float64Array[]

  constructor(pages: readonly Float64Array[]) {
    this.#pages = pages
  }

  /** Bytes that it keeps alive. */
  get size(): number {
    return this.#pages.reduce((sum, page) => sum + page.byteLength, 0)
  }

  /** Reads the spread at a place; a fresh object each time. */
  read(place: number): PlainSpread {
    const rest = place - FIRST_PAGE_SPREADS
    const page = rest < 0 ? 0 : 1 + Math.floor(rest / PAGE_SPREADS)
    const at = (rest < 0 ? place : rest % PAGE_SPREADS) * FIELDS
    const numbers = this.#pages[page]!
    return {
      first: numbers[at]!,
      min: numbers[at + 1]!,
      max: numbers[at + 2]!,
      count: numbers[at + 3]!,
    }
  }
}
