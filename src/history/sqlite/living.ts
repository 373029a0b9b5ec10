/**
 * Series that were there when the hub ended, read in columns: of a hundred thousand rows none
 * becomes an object, and what many of them have in common is read once.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Metadata, Summary } from '../../model/index.ts'
import { packHistogram } from '../../model/packed/packed-histogram.ts'
import { quickCodec } from '../quick/quick-coder.ts'
import type { LivingQuery, LivingSeries } from '../store.ts'
import { kindAt } from './bundles/levels.ts'

type Row = readonly [
  slot: number,
  kind: number,
  key: Uint8Array,
  metadata: string,
  origin: string | null,
  lastS: number,
  total: Uint8Array,
]

export function readLiving(db: DatabaseSync, { after, limit }: LivingQuery): LivingSeries {
  const select = db.prepare(
    `SELECT slot, kind, key, metadata, origin, lastS, total FROM series
       WHERE slot > ? AND living = 1 AND total IS NOT NULL ORDER BY slot LIMIT ?`,
  )
  select.setReturnArrays(true)
  const rows = select.all(after, limit) as unknown as readonly Row[]
  const [metadata, origins, totals] = [new Texts(), new Texts(), new Totals(rows.length)]
  const columns = {
    numbers: new Uint32Array(rows.length),
    kinds: new Uint8Array(rows.length),
    keys: new Uint8Array(rows.reduce((sum, [, , { length }]) => sum + length, 0)),
    keyEnds: new Uint32Array(rows.length),
    metadataPlaces: new Uint32Array(rows.length),
    originPlaces: new Uint32Array(rows.length),
    lastS: new Float64Array(rows.length),
  }
  let end = 0
  for (const [i, [slot, kind, key, described, origin, lastS, total]] of rows.entries()) {
    columns.keys.set(key, end)
    end += key.length
    columns.keyEnds[i] = end
    columns.numbers[i] = slot
    columns.kinds[i] = kind
    columns.metadataPlaces[i] = metadata.placeOf(described)
    columns.originPlaces[i] = origins.placeOf(origin ?? '')
    columns.lastS[i] = lastS
    totals.take(i, kind, total)
  }
  return {
    ...columns,
    metadata: metadata.all.map((text): Metadata => JSON.parse(text)),
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

  /** Reads the total of a row; that of a gauge tells a hub nothing. */
  take(row: number, kindNumber: number, bytes: Uint8Array): void {
    const kind = kindAt(kindNumber)
    switch (kind) {
      case 'counter': {
        const { values, wide } = quickCodec().decode(kind, bytes)
        this.#numbers[row] = values[0]!
        const exact = wide.get(0)
        if (exact !== undefined) this.#wide.set(row, exact)
        break
      }
      case 'gauge':
        break
      case 'histogram':
        this.#histograms.set(row, packHistogram(quickCodec().decode(kind, bytes).cells[0]!))
        break
      case 'summary':
        this.#summaries.set(row, quickCodec().decode(kind, bytes).cells[0]!)
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
