/**
 * Cells of the past that come from outside, put into the bundles of their own width and of all
 * wider ones, as they would be there had this history taken them: merged with what it has.
 */
import { type Cell, type Kind, mergeCells } from '../../../model/index.ts'
import type { Block } from '../../codec/index.ts'
import { inTransaction } from '../database.ts'
import type { PastSeries } from '../slots.ts'
import { blockOf } from './entries.ts'
import { type BundleTable, blockNumber, frameOf } from './levels.ts'
import type { Tables } from './maintenance.ts'

export interface PastCell {
  readonly series: PastSeries
  /** End of the cell, a whole multiple of its width in Unix seconds. */
  readonly endS: number
  readonly widthS: 1 | 60 | 3600
  readonly cell: Cell
}

/**
 * Adds cells, all of them or none.
 * @throws {RangeError} for a cell that no chunk can hold
 */
export function insertCells(tables: Tables, cells: readonly PastCell[]): void {
  inTransaction(tables.db, () => {
    const additions = new Additions()
    const spans = new Map<number, { firstS: number; lastS: number }>()
    const slots = new Map<PastSeries, number>()
    for (const { series, endS, widthS, cell } of cells) {
      const slot = slots.get(series) ?? tables.slots.past(series)
      slots.set(series, slot)
      for (const table of [tables.second, tables.minute, tables.hour]) {
        if (table.level.cellS >= widthS) additions.add(table, slot, endS, cell)
      }
      const span = spans.get(slot) ?? { firstS: endS, lastS: endS }
      span.firstS = Math.min(span.firstS, endS)
      span.lastS = Math.max(span.lastS, endS)
      spans.set(slot, span)
      tables.runs.add(endS - widthS, endS)
    }
    additions.write()
    for (const [slot, { firstS, lastS }] of spans) tables.slots.widen(slot, firstS, lastS)
    tables.runs.save(tables.db)
  })
}

/** Cells to be added to the bundles of one block in one window, by slot and place. */
interface Addition {
  readonly table: BundleTable
  readonly window: number
  readonly block: number
  readonly kind: Kind
  readonly slots: Map<number, Map<number, Cell>>
}

class Additions {
  readonly #all = new Map<string, Addition>()

  add(table: BundleTable, slot: number, endS: number, cell: Cell): void {
    const { cellS, windowS, table: name } = table.level
    const window = Math.floor((endS - 1) / windowS)
    const block = blockNumber(slot)
    const key = `${name}/${window}/${block}`
    let addition = this.#all.get(key)
    if (addition === undefined) {
      addition = { table, window, block, kind: cell.kind, slots: new Map() }
      this.#all.set(key, addition)
    }
    let places = addition.slots.get(slot)
    if (places === undefined) {
      places = new Map()
      addition.slots.set(slot, places)
    }
    const place = Math.floor((endS - 1 - window * windowS) / cellS)
    const held = places.get(place)
    places.set(place, held === undefined ? cell : mergeCells(held, cell))
  }

  write(): void {
    for (const { table, window, block, kind, slots } of this.#all.values()) {
      const frame = frameOf(table.level, window)
      const blocks = new Map(
        [...slots].map(([slot, places]): [number, Block] => {
          const rising = [...places].sort(([a], [b]) => a - b)
          return [
            slot,
            blockOf(
              rising.map(([place, cell]) => ({ place, cell })),
              frame,
            ),
          ]
        }),
      )
      table.write(table.rowWith(window, block, blocks, kind))
    }
  }
}
