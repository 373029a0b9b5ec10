/**
 * Cells of one series in a window that is not sealed: seconds by their place, in columns that grow.
 * Cells of a place that comes again are merged.
 */
import {
  type Cell,
  type Exact,
  exact,
  type GaugeSpread,
  type Kind,
  type Summary,
} from '../../../model/index.ts'
import { packHistogram, unpackHistogram } from '../../../model/packed/packed-histogram.ts'
import type { Block, GaugeSpreads } from '../../codec/index.ts'
import { addCell, type Entry, entriesOf } from '../bundles/entries.ts'

/** Cells that a series has room for at first: most of those that come and go have no more. */
const FIRST_LENGTH = 2
const NO_NUMBERS = new Float64Array(0)
const NO_BYTES = new Uint8Array(0)
const NO_ENDS = new Uint32Array(0)
const NONE: ReadonlyMap<number, never> = new Map<number, never>()

export class OpenSeries {
  readonly kind: Kind
  readonly #startMs: number
  #places = new Uint16Array(FIRST_LENGTH)
  /** Values of counters and gauges. */
  #values = NO_NUMBERS
  /** Histograms as bytes, one behind the other, and their ends: objects are ten times that. */
  #bytes = NO_BYTES
  #ends = NO_ENDS
  #summaries: Summary[] | undefined
  /** Numbers that few rows have; maps would be most of the memory of a series that comes once. */
  #wide: Map<number, bigint> | undefined
  #spreads: Map<number, GaugeSpread> | undefined
  #length = 0
  #lastPlace = -1

  constructor(kind: Kind, startMs: number) {
    this.kind = kind
    this.#startMs = startMs
  }

  get length(): number {
    return this.#length
  }

  /** Place of the first cell; there is at least one. */
  get firstPlace(): number {
    return this.#places[0]!
  }

  get lastPlace(): number {
    return this.#lastPlace
  }

  number(place: number, value: Exact, spread?: GaugeSpread): void {
    if (this.#holds(place)) {
      this.#merge(place, this.#numberCell(place, value, spread))
      return
    }
    const row = this.#append(place)
    if (row >= this.#values.length) this.#values = grown(this.#values, row)
    this.#values[row] = Number(value)
    if (typeof value === 'bigint') {
      this.#wide ??= new Map()
      this.#wide.set(row, value)
    }
    if (spread === undefined) return
    this.#spreads ??= new Map()
    this.#spreads.set(row, spread)
  }

  histogram(place: number, bytes: Uint8Array): void {
    if (this.#holds(place)) {
      this.#merge(place, { kind: 'histogram', histogram: unpackHistogram(bytes) })
      return
    }
    const row = this.#append(place)
    const from = row === 0 ? 0 : this.#ends[row - 1]!
    const end = from + bytes.length
    if (row >= this.#ends.length) this.#ends = grown(this.#ends, row)
    if (end > this.#bytes.length) this.#bytes = grown(this.#bytes, end)
    this.#ends[row] = end
    this.#bytes.set(bytes, from)
  }

  summary(place: number, summary: Summary): void {
    if (this.#holds(place)) {
      this.#merge(place, { kind: 'summary', summary })
      return
    }
    this.#append(place)
    this.#summaries ??= []
    this.#summaries.push(summary)
  }

  /** Gives the cells as a block of their window; there is at least one. */
  block(): Block {
    const places = new Uint32Array(this.#places.subarray(0, this.#length))
    switch (this.kind) {
      case 'counter':
        return { kind: 'counter', places, ...this.#numbers() }
      case 'gauge': {
        const spreads = this.#spreads && this.#spreadsOf(this.#spreads)
        return {
          ...{ kind: 'gauge', places, ...this.#numbers() },
          ...(spreads === undefined ? {} : { spreads }),
        }
      }
      case 'histogram': {
        let from = 0
        const cells = Array.from(this.#ends.subarray(0, this.#length), (end) => {
          const histogram = unpackHistogram(this.#bytes.subarray(from, end))
          from = end
          return histogram
        })
        return { kind: 'histogram', places, cells }
      }
      case 'summary':
        return { kind: 'summary', places, cells: [...(this.#summaries ?? [])] }
    }
  }

  #numbers() {
    const wide = this.#wide === undefined ? NONE : new Map(this.#wide)
    return { values: this.#values.slice(0, this.#length), wide }
  }

  #spreadsOf(spreads: ReadonlyMap<number, GaugeSpread>): GaugeSpreads {
    const rows = Uint32Array.from(spreads.keys())
    const known = [...spreads.values()]
    return {
      rows,
      first: Float64Array.from(known, ({ first }) => first),
      firstAt: Float64Array.from(known, ({ firstAt }) => firstAt - this.#startMs),
      min: Float64Array.from(known, ({ min }) => min),
      max: Float64Array.from(known, ({ max }) => max),
      count: Float64Array.from(known, ({ count }) => count),
    }
  }

  /** Lists the cells, places rising. */
  entries(): Entry[] {
    return entriesOf(this.block(), { startMs: this.#startMs, widthMs: 1000 })
  }

  /** Tells whether the order of places asks for a merge: a place comes again, or too late. */
  #holds(place: number): boolean {
    return this.#lastPlace >= place
  }

  #append(place: number): number {
    const row = this.#length++
    if (row >= this.#places.length) this.#places = grown(this.#places, row)
    this.#places[row] = place
    this.#lastPlace = place
    return row
  }

  #numberCell(place: number, value: Exact, spread: GaugeSpread | undefined): Cell {
    if (this.kind === 'counter') return { kind: 'counter', delta: value }
    const at = this.#startMs + (place + 1) * 1000
    return { kind: 'gauge', value, at, ...(spread === undefined ? {} : { spread }) }
  }

  /** Merges a cell into its place, which is made where it is not there; all is written again. */
  #merge(place: number, cell: Cell): void {
    const entries = this.entries()
    const at = entries.findIndex((entry) => entry.place >= place)
    if (at >= 0 && entries[at]!.place === place) {
      entries[at] = { place, cell: addCell(entries[at]!.cell, cell) }
    } else entries.splice(at < 0 ? entries.length : at, 0, { place, cell })
    this.#length = 0
    this.#lastPlace = -1
    this.#summaries = undefined
    this.#wide = undefined
    this.#spreads = undefined
    for (const entry of entries) this.#put(entry)
  }

  #put({ place, cell }: Entry): void {
    if (cell.kind === 'counter') this.number(place, exact(cell.delta))
    else if (cell.kind === 'gauge') this.number(place, cell.value, cell.spread)
    else if (cell.kind === 'summary') this.summary(place, cell.summary)
    else this.histogram(place, packHistogram(cell.histogram))
  }
}

type Column = Uint8Array | Uint16Array | Uint32Array | Float64Array

function grown<T extends Column>(array: T, length: number): T {
  const larger = new (array.constructor as new (length: number) => T)(
    Math.max(FIRST_LENGTH, 2 * length),
  )
  larger.set(array)
  return larger
}
