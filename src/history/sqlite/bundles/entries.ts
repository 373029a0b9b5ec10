/**
 * Cells of one series in one window, each with its place: the form in which windows are merged and
 * rolled up. A window begins at `startMs`, and its places are `widthMs` wide.
 */
import { type Cell, type Exact, type GaugeCell, mergeCells } from '../../../model/index.ts'
import type { Block, CounterBlock, GaugeBlock } from '../../codec/index.ts'

export interface Entry {
  readonly place: number
  readonly cell: Cell
}

export interface WindowFrame {
  readonly startMs: number
  readonly widthMs: number
}

/** Lists the cells of a block, places rising. */
export function entriesOf(block: Block, frame: WindowFrame): Entry[] {
  switch (block.kind) {
    case 'counter':
      return Array.from(block.places, (place, row) => {
        return { place, cell: { kind: 'counter', delta: exactAt(block, row) } }
      })
    case 'gauge':
      return gaugeEntries(block, frame)
    case 'histogram':
      return block.cells.map((histogram, row) => {
        return { place: block.places[row]!, cell: { kind: 'histogram', histogram } }
      })
    case 'summary':
      return block.cells.map((summary, row) => {
        return { place: block.places[row]!, cell: { kind: 'summary', summary } }
      })
  }
}

function exactAt({ values, wide }: CounterBlock | GaugeBlock, row: number): Exact {
  return (wide.size === 0 ? undefined : wide.get(row)) ?? values[row]!
}

function gaugeEntries(block: GaugeBlock, { startMs, widthMs }: WindowFrame): Entry[] {
  const { places, at, spreads } = block
  let next = 0
  return Array.from(places, (place, row) => {
    const endMs = startMs + (place + 1) * widthMs
    const gauge: GaugeCell = {
      kind: 'gauge',
      value: exactAt(block, row),
      at: at === undefined ? endMs : startMs + at[row]!,
    }
    if (spreads?.rows[next] !== row) return { place, cell: gauge }
    const i = next++
    const spread = {
      first: spreads.first[i]!,
      firstAt: startMs + spreads.firstAt[i]!,
      min: spreads.min[i]!,
      max: spreads.max[i]!,
      count: spreads.count[i]!,
    }
    return { place, cell: { ...gauge, spread } }
  })
}

/** Makes a block of cells of one kind, at least one, places rising. */
export function blockOf(entries: readonly Entry[], frame: WindowFrame): Block {
  const places = Uint32Array.from(entries, ({ place }) => place)
  const { kind } = entries[0]!.cell
  switch (kind) {
    case 'counter':
      return { kind, places, ...numbersOf(entries.map(({ cell }) => deltaOf(cell))) }
    case 'gauge':
      return gaugeBlock(entries, places, frame)
    case 'histogram': {
      const cells = entries.flatMap(({ cell }) => {
        return cell.kind === 'histogram' ? cell.histogram : []
      })
      return { kind, places, cells }
    }
    case 'summary': {
      const cells = entries.flatMap(({ cell }) => (cell.kind === 'summary' ? cell.summary : []))
      return { kind, places, cells }
    }
  }
}

function deltaOf(cell: Cell): Exact {
  return cell.kind === 'counter' ? cell.delta : 0
}

function numbersOf(list: readonly Exact[]): Pick<CounterBlock, 'values' | 'wide'> {
  const wide = new Map<number, bigint>()
  list.forEach((value, row) => {
    if (typeof value === 'bigint') wide.set(row, value)
  })
  return { values: Float64Array.from(list, Number), wide }
}

function gaugeBlock(
  entries: readonly Entry[],
  places: Uint32Array,
  { startMs, widthMs }: WindowFrame,
): GaugeBlock {
  const gauges = entries.map(({ cell }) => cell as GaugeCell)
  const numbers = numbersOf(gauges.map(({ value }) => value))
  const isAtEnd = gauges.every(({ at }, row) => at === startMs + (places[row]! + 1) * widthMs)
  const rows = gauges.flatMap(({ spread }, row) => (spread === undefined ? [] : row))
  const known = rows.map((row) => gauges[row]!.spread!)
  return {
    kind: 'gauge',
    places,
    ...numbers,
    ...(isAtEnd ? {} : { at: Float64Array.from(gauges, ({ at }) => at - startMs) }),
    ...(rows.length === 0
      ? {}
      : {
          spreads: {
            rows: Uint32Array.from(rows),
            first: Float64Array.from(known, ({ first }) => first),
            firstAt: Float64Array.from(known, ({ firstAt }) => firstAt - startMs),
            min: Float64Array.from(known, ({ min }) => min),
            max: Float64Array.from(known, ({ max }) => max),
            count: Float64Array.from(known, ({ count }) => count),
          },
        }),
  }
}

/**
 * Adds a cell to one of the same place that came before. Of a gauge the newer value holds, where
 * their times are the same: a second that comes again because the clock was set back.
 */
export function addCell(held: Cell, added: Cell): Cell {
  const sum = mergeCells(held, added)
  const isAgain = held.kind === 'gauge' && added.kind === 'gauge' && held.at === added.at
  return isAgain && sum.kind === 'gauge' ? { ...sum, value: added.value } : sum
}

/** Merges two lists, places rising; cells of one place are added up, those of `b` being newer. */
export function mergeEntries(a: readonly Entry[], b: readonly Entry[]): Entry[] {
  const merged: Entry[] = []
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const [left, right] = [a[i], b[j]]
    if (right === undefined || (left !== undefined && left.place < right.place)) {
      merged.push(left!)
      i++
    } else if (left === undefined || right.place < left.place) {
      merged.push(right)
      j++
    } else {
      merged.push({ place: left.place, cell: addCell(left.cell, right.cell) })
      i++
      j++
    }
  }
  return merged
}

/** Sum of cells, which is not shared with any of them. */
export class CellSum {
  #cell: Cell | undefined
  #isOwn = false

  get cell(): Cell | undefined {
    return this.#cell
  }

  /** @param isAgain whether it may be the same time of the same series: `addCell` says of gauges */
  add(cell: Cell, isAgain = false): void {
    const held = this.#cell
    if (held === undefined) {
      this.#cell = cell
      return
    }
    if (held.kind !== 'histogram' || cell.kind !== 'histogram') {
      this.#cell = isAgain ? addCell(held, cell) : mergeCells(held, cell)
      return
    }
    if (!this.#isOwn) this.#cell = { kind: 'histogram', histogram: held.histogram.clone() }
    this.#isOwn = true
    if (this.#cell?.kind === 'histogram') this.#cell.histogram.mergeFrom(cell.histogram)
  }
}

/** Adds up cells to places that are `factor` times as wide. @param shift added to each place */
export function rolledUp(entries: readonly Entry[], factor: number, shift = 0): Entry[] {
  const rolled: Entry[] = []
  let sum = new CellSum()
  let current = -1
  const flush = (): void => {
    if (sum.cell !== undefined) rolled.push({ place: current, cell: sum.cell })
    sum = new CellSum()
  }
  for (const { place, cell } of entries) {
    const at = Math.floor((place + shift) / factor)
    if (at !== current) flush()
    current = at
    sum.add(cell)
  }
  flush()
  return rolled
}
