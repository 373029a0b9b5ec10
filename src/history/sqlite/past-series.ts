/**
 * Series that have ended, found by words and by when they lived: the whole list is looked through,
 * in steps, and of what matches the last to end are told.
 */
import type { DatabaseSync } from 'node:sqlite'
import { type Identity, identityOf } from '../../model/index.ts'
import { seriesFilter } from '../../model/text/series-filter.ts'
import type { Task } from '../../time/task.ts'
import type { FoundSeries, PastQuery, PastSeries } from '../store.ts'
import { LastMetadata } from './slots.ts'

/** Slots that are looked at between two pauses: some milliseconds. */
const SLOTS_PER_STEP = 2048

type Row = readonly [
  key: Uint8Array,
  metadata: string,
  origin: string | null,
  firstS: number,
  lastS: number,
]

/** @param ended slots of series that have ended since that was written */
export function* finding(
  db: DatabaseSync,
  ended: readonly number[],
  query: PastQuery,
): Task<FoundSeries> {
  const { fromS, toS, limit, partEnding } = query
  const select = db.prepare(
    `SELECT key, metadata, origin, firstS, lastS FROM series
       WHERE slot >= ? AND slot < ? AND lastS > ? AND firstS <= ?
         AND (living = 0 OR slot IN (SELECT value FROM json_each(?)))`,
  )
  select.setReturnArrays(true)
  const end = Number(db.prepare('SELECT max(slot) AS slot FROM series').get()?.slot ?? -1) + 1
  const slots = JSON.stringify(ended)
  const matches = seriesFilter(query)
  const metadata = new LastMetadata()
  const newest = new Newest(limit)
  let total = 0
  for (let slot = 0; slot < end; slot += SLOTS_PER_STEP) {
    const rows = select.all(slot, slot + SLOTS_PER_STEP, fromS, toS, slots)
    for (const [key, text, origin, firstS, lastS] of rows as unknown as readonly Row[]) {
      const identity = identityOf(key)
      if (identity === undefined || isPart(identity, partEnding)) continue
      const described = metadata.of(text)
      if (!matches({ kind: identity.kind, identity, metadata: described })) continue
      total++
      const told = { key, metadata: described, firstS, lastS }
      newest.add(origin === null ? told : { ...told, origin })
    }
    yield
  }
  return { series: newest.list(), total }
}

function isPart({ name }: Identity, ending: string | undefined): boolean {
  return ending !== undefined && name.endsWith(ending)
}

/** Series that ended last, so many of them. */
class Newest {
  readonly #limit: number
  readonly #found: (PastSeries & { readonly lastS: number })[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  add(series: PastSeries & { readonly lastS: number }): void {
    this.#found.push(series)
    if (this.#found.length > 2 * this.#limit + SLOTS_PER_STEP) this.#cut()
  }

  list(): readonly PastSeries[] {
    this.#cut()
    return this.#found
  }

  #cut(): void {
    this.#found.sort((a, b) => b.lastS - a.lastS)
    this.#found.length = Math.min(this.#found.length, this.#limit)
  }
}
