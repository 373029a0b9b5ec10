/**
 * Series that have ended, found by words and by when they lived: the whole list is looked through,
 * in steps, and of what matches the last to end are told. The table has their lives up to the last
 * seal, and open windows what came since.
 */
import type { DatabaseSync } from 'node:sqlite'
import { type Identity, identityOf } from '../../model/index.ts'
import { seriesFilter } from '../../model/text/series-filter.ts'
import type { Task } from '../../time/task.ts'
import type { FoundSeries, PastQuery, PastSeries } from '../store.ts'
import { SECOND5 } from './bundles/levels.ts'
import type { Tables } from './bundles/maintenance.ts'
import type { OpenWindows } from './head/open-windows.ts'
import { LastMetadata, type NoteDamage } from './row-facts.ts'
import { ROW_COLUMNS, type SeriesRow, wholenessOf } from './series-row.ts'

/** Slots that are looked at between two pauses: some milliseconds. */
const SLOTS_PER_STEP = 2048

/** News of series beside the table, by slot. */
interface SlotNews {
  readonly ended: ReadonlySet<number>
  readonly living: ReadonlySet<number>
  readonly open: readonly OpenWindows[]
}

/** Gathers what is known of series that the table does not say yet. */
export function slotNews(
  { slots, refs }: Pick<Tables, 'slots' | 'refs'>,
  open: readonly OpenWindows[],
  { ended = [], begun = [] }: PastQuery,
): SlotNews {
  const over = open
    .flatMap(({ living }) => [...living.keys()])
    .filter((slot) => refs.holder(slot) === 0)
  const news = { ended: new Set(over), living: new Set<number>(), open }
  for (const ref of ended) {
    const slot = refs.get(ref)
    if (slot !== 0 && refs.holder(slot) === ref) news.ended.add(slot)
  }
  for (const key of begun) news.living.add(slots.find(key)?.slot ?? 0)
  return news
}

export function* finding(
  db: DatabaseSync,
  news: SlotNews,
  query: PastQuery,
  damaged: NoteDamage,
): Task<FoundSeries> {
  const { fromS, toS, limit, partEnding } = query
  const select = db.prepare(
    `SELECT ${ROW_COLUMNS} FROM series
       WHERE slot >= ? AND slot < ?
         AND (living = 0 AND lastS > ? AND firstS <= ?
           OR slot IN (SELECT value FROM json_each(?)))`,
  )
  select.setReturnArrays(true)
  const end = Number(db.prepare('SELECT max(slot) AS slot FROM series').get()?.slot ?? -1) + 1
  const ended = Map.groupBy(news.ended, (slot) => Math.floor(slot / SLOTS_PER_STEP))
  const matches = seriesFilter(query)
  const metadata = new LastMetadata(damaged)
  const newest = new Newest(limit)
  let total = 0
  for (let step = 0; step * SLOTS_PER_STEP < end; step++) {
    const begin = step * SLOTS_PER_STEP
    const slots = JSON.stringify(ended.get(step) ?? [])
    const rows = select.all(begin, begin + SLOTS_PER_STEP, fromS, toS, slots)
    for (const row of rows as unknown as readonly SeriesRow[]) {
      const [slot, , , text, origin, , , , , key] = row
      const life = news.living.has(slot) ? undefined : lifeOf(row, news)
      if (life === undefined || life.lastS <= fromS || life.firstS > toS) continue
      const identity = identityOf(key)
      if (identity === undefined || isPart(identity, partEnding)) continue
      const described = metadata.of(text)
      if (!matches({ kind: identity.kind, identity, metadata: described })) continue
      const wholeness = wholenessOf(row)
      if (wholeness !== 'whole') damaged({ code: 'series' })
      if (wholeness === 'none') continue
      total++
      const told = { key, metadata: described, ...life }
      newest.add(origin === null ? told : { ...told, origin })
    }
    yield
  }
  return { series: newest.list(), total }
}

/** Gives the life of a series; undefined for one that never had a cell. */
function lifeOf(
  [slot, , , , , first, last]: SeriesRow,
  { ended, open }: SlotNews,
): { readonly firstS: number; readonly lastS: number } | undefined {
  let firstS = first ?? Number.POSITIVE_INFINITY
  let lastS = last ?? 0
  if (ended.has(slot)) {
    for (const [window, series] of open.flatMap(({ windows }) => [...windows])) {
      const startS = window * SECOND5.windowS
      const found = series.get(slot)
      if (found === undefined) continue
      firstS = Math.min(firstS, startS + found.firstPlace + 1)
      lastS = Math.max(lastS, startS + found.lastPlace + 1)
    }
  }
  return lastS === 0 ? undefined : { firstS, lastS }
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
