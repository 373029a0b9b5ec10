/**
 * Series that were there when the hub ended, read in columns: of a hundred thousand rows none
 * becomes an object, and what many of them have in common is read once.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Summary } from '../../model/index.ts'
import { packHistogram } from '../../model/packed/packed-histogram.ts'
import type { Block } from '../codec/index.ts'
import type { LivingQuery, LivingSeries } from '../store.ts'
import { kindAt } from './bundles/levels.ts'
import { metadataOf, type NoteDamage, totalBlock } from './row-facts.ts'
import { changing, ROW_COLUMNS, type SeriesRow, wholenessOf } from './series-row.ts'

/**
 * Reads a page. A series whose row can't be believed, or whose total can't be read, ends there, for
 * it can't go on from it.
 */
export function readLiving(
  db: DatabaseSync,
  { after, limit }: LivingQuery,
  damaged: NoteDamage,
): LivingSeries {
  const select = db.prepare(
    `SELECT ${ROW_COLUMNS} FROM series WHERE slot > ? AND living = 1 ORDER BY slot LIMIT ?`,
  )
  select.setReturnArrays(true)
  const end = db.prepare(`${changing({ living: '0', total: 'NULL' })} WHERE slot = ?`)
  // whose checksum stays wrong: nothing of it can be told
  const leave = db.prepare('UPDATE series SET living = 0 WHERE slot = ?')
  for (let last = after; ; ) {
    const rows = select.all(last, limit) as unknown as readonly SeriesRow[]
    const blocks = rows.map((row) => blockOfTotal(row, damaged))
    const whole = rows.filter((_, i) => blocks[i] !== undefined)
    for (const [i, row] of rows.entries()) {
      if (blocks[i] === undefined) (wholenessOf(row) === 'none' ? leave : end).run(row[0])
    }
    const known = blocks.filter((block) => block !== undefined)
    // a page of none would be taken for the end of the list
    if (whole.length > 0 || rows.length === 0) return pageOf(whole, known, damaged)
    last = rows.at(-1)![0]
  }
}

/** Reads the total of a row, null for none; undefined for a row that can't be believed. */
function blockOfTotal(row: SeriesRow, damaged: NoteDamage): Block | null | undefined {
  const [, kind, , , , , , total] = row
  if (wholenessOf(row) === 'whole') {
    return total === null ? null : totalBlock(kindAt(kind), total, damaged)
  }
  damaged({ code: 'series' })
  return undefined
}

function pageOf(
  rows: readonly SeriesRow[],
  blocks: readonly (Block | null)[],
  damaged: NoteDamage,
): LivingSeries {
  const [metadata, origins, totals] = [new Texts(), new Texts(), new Totals(rows.length)]
  const columns = {
    numbers: new Uint32Array(rows.length),
    kinds: new Uint8Array(rows.length),
    keys: new Uint8Array(rows.reduce((sum, row) => sum + row[9].length, 0)),
    keyEnds: new Uint32Array(rows.length),
    metadataPlaces: new Uint32Array(rows.length),
    originPlaces: new Uint32Array(rows.length),
    lastS: new Float64Array(rows.length),
  }
  let end = 0
  for (const [i, row] of rows.entries()) {
    const [slot, kind, , described, origin, , lastS, , , key] = row
    columns.keys.set(key, end)
    end += key.length
    columns.keyEnds[i] = end
    columns.numbers[i] = slot
    columns.kinds[i] = kind
    columns.metadataPlaces[i] = metadata.placeOf(described)
    columns.originPlaces[i] = origins.placeOf(origin ?? '')
    columns.lastS[i] = lastS ?? 0
    totals.take(i, blocks[i] ?? null)
  }
  return {
    ...columns,
    metadata: metadata.all.map((text) => metadataOf(text, damaged)),
    origins: origins.all,
    ...totals.columns,
  }
}

/** Texts that come again and again, each once. */
class Texts {
  readonly all: string[] = []
  readonly #places = new Map<string, number>()
  #last = ''
  #place = -1

  placeOf(text: string): number {
    if (text === this.#last && this.#place >= 0) return this.#place
    let place = this.#places.get(text)
    if (place === undefined) {
      place = this.all.push(text) - 1
      this.#places.set(text, place)
    }
    this.#last = text
    this.#place = place
    return place
  }
}

class Totals {
  readonly #numbers: Float64Array
  readonly #wide = new Map<number, bigint>()
  readonly #histograms = new Map<number, Uint8Array>()
  readonly #summaries = new Map<number, Summary>()

  constructor(length: number) {
    this.#numbers = new Float64Array(length)
  }

  /** Takes the total of a row, of a single cell or none; that of a gauge tells a hub nothing. */
  take(row: number, total: Block | null): void {
    switch (total?.kind) {
      case 'counter': {
        this.#numbers[row] = total.values[0]!
        const exact = total.wide.get(0)
        if (exact !== undefined) this.#wide.set(row, exact)
        break
      }
      case 'histogram':
        this.#histograms.set(row, packHistogram(total.cells[0]!))
        break
      case 'summary':
        this.#summaries.set(row, total.cells[0]!)
    }
  }

  get columns() {
    return {
      totals: this.#numbers,
      wide: this.#wide,
      histograms: this.#histograms,
      summaries: this.#summaries,
    }
  }
}
