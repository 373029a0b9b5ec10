/**
 * Cells of the past that come from outside, put into the bundles of their own width and of all
 * wider ones, as they would be there had this history taken them: merged with what it has.
 */
import { type Cell, type Kind, mergeCells } from '../../../model/index.ts'
import type { Block } from '../../codec/index.ts'
import type { OpenWindows } from '../head/open-windows.ts'
import type { Run } from '../runs.ts'
import type { PastSeries } from '../slots.ts'
import { blockOf } from './entries.ts'
import { type KeptFrom, keptFrom, noteImported } from './kept-from.ts'
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
 * Adding of cells, all of them or none: one transaction of the database, in however many batches
 * they come. Nothing else may change the history until it has ended.
 */
export class Insertion {
  readonly #tables: Tables
  readonly #slots = new Map<PastSeries, number>()
  /** Ends of the first and the last cell, by slot. */
  readonly #lives = new Map<number, Life>()
  readonly #before: KeptFrom
  /** Starts of the first cells, by the width that they are kept in. */
  readonly #starts = new Map<number, number>()

  constructor(tables: Tables, open: readonly OpenWindows[]) {
    this.#tables = tables
    this.#before = keptFrom(tables, open)
    tables.db.exec('BEGIN IMMEDIATE')
  }

  /**
   * Adds a batch; the cells of one series are best in one.
   * @throws {RangeError} for a cell that no chunk can hold
   */
  add(cells: readonly PastCell[]): void {
    const { second, minute, hour, runs } = this.#tables
    const additions = new Additions()
    const ran: Run[] = []
    for (const { series, endS, widthS, cell } of cells) {
      const slot = this.#slotOf(series)
      for (const table of [second, minute, hour]) {
        const { cellS } = table.level
        if (cellS < widthS) continue
        additions.add(table, slot, endS, cell)
        const startS = this.#starts.get(cellS) ?? Number.POSITIVE_INFINITY
        if (endS - widthS < startS) this.#starts.set(cellS, endS - widthS)
      }
      this.#lives.set(slot, widened(this.#lives.get(slot), endS))
      const last = ran.at(-1)
      if (last?.endS === endS - widthS) last.endS = endS
      else ran.push({ startS: endS - widthS, endS })
    }
    additions.write()
    runs.addAll(ran)
  }

  #slotOf(series: PastSeries): number {
    let slot = this.#slots.get(series)
    if (slot === undefined) {
      slot = this.#tables.slots.past(series)
      this.#slots.set(series, slot)
    }
    return slot
  }

  /** Makes all of it durable. */
  commit(): void {
    const { db, slots, runs } = this.#tables
    for (const [slot, { firstS, lastS }] of this.#lives) slots.widen(slot, firstS, lastS)
    runs.save(db)
    noteImported(this.#tables, this.#before, this.#starts)
    db.exec('COMMIT')
  }

  /** Takes all of it back. */
  cancel(): void {
    const { db, slots, runs } = this.#tables
    if (db.isTransaction) db.exec('ROLLBACK')
    slots.forget()
    runs.load(db)
  }
}

interface Life {
  firstS: number
  lastS: number
}

function widened(life: Life | undefined, endS: number): Life {
  if (life === undefined) return { firstS: endS, lastS: endS }
  life.firstS = Math.min(life.firstS, endS)
  life.lastS = Math.max(life.lastS, endS)
  return life
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
