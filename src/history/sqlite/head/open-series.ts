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
  mergeCells,
  type Summary,
} from '../../../model/index.ts'
import { packHistogram, unpackHistogram } from '../../../model/packed/packed-histogram.ts'
import type { Entry } from '../bundles/entries.ts'

const FIRST_LENGTH = 8

export class OpenSeries {
  readonly kind: Kind
  readonly #startMs: number
  #places = new Uint16Array(FIRST_LENGTH)
  /** Values of counters and gauges. */
  #values = new Float64Array(0)
  /** Histograms as bytes: three hundred objects of each would be garbage of much memory. */
  readonly #cells: (Uint8Array | Summary)[] = []
  readonly #wide = new Map<number, bigint>()
  readonly #spreads = new Map<number, GaugeSpread>()
  #length = 0

  constructor(kind: Kind, startMs: number) {
    this.kind = kind
    this.#startMs = startMs
  }

  get length(): number {
    return this.#length
  }

  number(place: number, value: Exact, spread?: GaugeSpread): void {
    if (this.#holds(place)) {
      this.#merge(place, this.#numberCell(place, value, spread))
      return
    }
    const row = this.#append(place)
    if (row >= this.#values.length) this.#values = grown(this.#values, row)
    this.#values[row] = Number(value)
    if (typeof value === 'bigint') this.#wide.set(row, value)
    if (spread !== undefined) this.#spreads.set(row, spread)
  }

  histogram(place: number, bytes: Uint8Array): void {
    if (this.#holds(place)) {
      this.#merge(place, { kind: 'histogram', histogram: unpackHistogram(bytes) })
      return
    }
    this.#append(place)
    this.#cells.push(bytes)
  }

  summary(place: number, summary: Summary): void {
    if (this.#holds(place)) {
      this.#merge(place, { kind: 'summary', summary })
      return
    }
    this.#append(place)
    this.#cells.push(summary)
  }

  /** Lists the cells, places rising. */
  entries(): Entry[] {
    const entries: Entry[] = []
    for (let row = 0; row < this.#length; row++) {
      entries.push({ place: this.#places[row]!, cell: this.#cellAt(row) })
    }
    return entries
  }

  /** Tells whether the order of places asks for a merge: a place comes again, or too late. */
  #holds(place: number): boolean {
    return this.#length > 0 && this.#places[this.#length - 1]! >= place
  }

  #append(place: number): number {
    const row = this.#length++
    if (row >= this.#places.length) this.#places = grown(this.#places, row)
    this.#places[row] = place
    return row
  }

  #numberCell(place: number, value: Exact, spread: GaugeSpread | undefined): Cell {
    if (this.kind === 'counter') return { kind: 'counter', delta: value }
    const at = this.#startMs + (place + 1) * 1000
    return { kind: 'gauge', value, at, ...(spread === undefined ? {} : { spread }) }
  }

  #cellAt(row: number): Cell {
    const held = this.#cells[row]
    if (held instanceof Uint8Array) return { kind: 'histogram', histogram: unpackHistogram(held) }
    if (held !== undefined) return { kind: 'summary', summary: held }
    const value = this.#wide.get(row) ?? this.#values[row]!
    return this.#numberCell(this.#places[row]!, value, this.#spreads.get(row))
  }

  /** Merges a cell into its place, which is made where it is not there; all is written again. */
  #merge(place: number, cell: Cell): void {
    const entries = this.entries()
    const at = entries.findIndex((entry) => entry.place >= place)
    if (at >= 0 && entries[at]!.place === place) {
      entries[at] = { place, cell: mergeCells(entries[at]!.cell, cell) }
    } else entries.splice(at < 0 ? entries.length : at, 0, { place, cell })
    this.#length = 0
    this.#cells.length = 0
    this.#wide.clear()
    this.#spreads.clear()
    for (const entry of entries) this.#put(entry)
  }

  #put({ place, cell }: Entry): void {
    if (cell.kind === 'counter') this.number(place, exact(cell.delta))
    else if (cell.kind === 'gauge') this.number(place, cell.value, cell.spread)
    else if (cell.kind === 'summary') this.summary(place, cell.summary)
    else this.histogram(place, packHistogram(cell.histogram))
  }
}

function grown<T extends Uint16Array | Float64Array>(array: T, row: number): T {
  const larger = new (array.constructor as new (length: number) => T)(
    Math.max(FIRST_LENGTH, 2 * row),
  )
  larger.set(array)
  return larger
}
