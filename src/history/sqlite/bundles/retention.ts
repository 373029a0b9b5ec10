/**
 * What a history lets go of: cells older than their resolution is kept, cells of a time still to
 * come (a clock that was set far ahead, and back), and the oldest ones where files are too large.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Task } from '../../../time/task.ts'
import { inTransaction } from '../database.ts'
import {
  HOUR,
  LEVELS,
  type Level,
  MINUTE,
  MINUTE1,
  rowId,
  SECOND,
  SECOND5,
  windowOf,
} from './levels.ts'
import type { Tables } from './maintenance.ts'

export interface RetentionRules {
  readonly bytesLimit: number
  readonly secondsKeptS: number
  readonly minutesKeptS: number
  readonly hoursKeptS: number
  readonly seriesLimit: number
}

/** Time ahead of the clock up to which cells are kept: of hubs whose clocks differ. */
const AHEAD_S = 86_400
/**
 * Seconds that were recorded at a time of the clock before anything goes by it: clocks are wrong at
 * first on machines that have none of their own, and for moments on others.
 */
const BELIEVED_S = 3600
/** Seconds that are kept whatever the limit of bytes: what the page shows first. */
const SECONDS_LEAST_S = 3600
/** Levels in the order in which their windows go where room is short. */
const OLDEST_FIRST = [SECOND, SECOND5, MINUTE, MINUTE1, HOUR]
/** Pages given back to the file system at a time. */
const PAGES_PER_STEP = 256

function keptS(rules: RetentionRules, level: Level): number {
  if (level.cellS === 60) return rules.minutesKeptS
  return level.cellS === 3600 ? rules.hoursKeptS : rules.secondsKeptS
}

/** Bytes that the database takes, free pages not counted. */
export function usedBytes(db: DatabaseSync): number {
  const pages = Number(db.prepare('PRAGMA page_count').get()?.page_count)
  const free = Number(db.prepare('PRAGMA freelist_count').get()?.freelist_count)
  return (pages - free) * Number(db.prepare('PRAGMA page_size').get()?.page_size)
}

/**
 * Lets go of what is too old or too much.
 * @param spentBytes taken by files beside the database
 */
export function* retaining(
  tables: Tables,
  rules: RetentionRules,
  nowS: number,
  spentBytes: number,
): Task {
  const { db, runs } = tables
  const believedS = runs.believedS(BELIEVED_S)
  if (believedS !== undefined) {
    yield* deleteOld(tables, rules, Math.min(nowS, believedS))
    const recorded = runs.recorded(nowS - AHEAD_S, nowS + AHEAD_S)
    if (recorded >= BELIEVED_S) yield* deleteAhead(tables, nowS + AHEAD_S)
  }
  runs.save(db)
  const lastS = believedS ?? nowS
  deleteSeries(tables, rules, lastS)
  yield
  while (usedBytes(db) + spentBytes > rules.bytesLimit && deleteOldest(db, lastS)) yield
  for (let free = freePages(db); free > 0; ) {
    db.exec(`PRAGMA incremental_vacuum(${PAGES_PER_STEP})`)
    yield
    const left = freePages(db)
    if (left >= free) return
    free = left
  }
}

/** Deletes what is older than it is kept at an instant. */
function* deleteOld(tables: Tables, rules: RetentionRules, nowS: number): Task {
  const { db, runs } = tables
  for (const level of LEVELS) {
    const from = Math.floor((nowS - keptS(rules, level)) / level.windowS)
    deleteWindows(db, level, 0, from)
    yield
  }
  runs.forgetBefore(nowS - rules.hoursKeptS)
  letGo(tables, nowS - rules.hoursKeptS, Number.POSITIVE_INFINITY)
}

/** Deletes what is of a time still to come. */
function* deleteAhead({ db, runs }: Tables, fromS: number): Task {
  for (const level of LEVELS) {
    const end = Math.ceil(fromS / level.windowS)
    deleteWindows(db, level, end + 1, Number.POSITIVE_INFINITY)
    yield
  }
  runs.forgetAfter(fromS)
}

function freePages(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA freelist_count').get()?.freelist_count)
}

function deleteWindows(db: DatabaseSync, { table }: Level, from: number, to: number): void {
  const end = Number.isFinite(to) ? rowId(Math.max(0, to), 0) : Number.MAX_SAFE_INTEGER
  db.prepare(`DELETE FROM ${table} WHERE id >= ? AND id < ?`).run(rowId(from, 0), end)
}

/** Deletes the series that are silent longest, above the limit. */
function deleteSeries(tables: Tables, { seriesLimit }: RetentionRules, nowS: number): void {
  const excess = tables.slots.count - seriesLimit
  if (excess > 0) letGo(tables, nowS - SECONDS_LEAST_S, excess)
}

/**
 * Lets go of series that were silent before an instant, the longest silent first. One that is there
 * stays, however silent it is: its next cell will be written to its slot.
 */
function letGo({ db, slots, refs }: Tables, silentS: number, most: number): void {
  const found: number[] = []
  const silent = db.prepare('SELECT slot FROM series WHERE lastS < ? ORDER BY lastS')
  for (const { slot } of silent.iterate(silentS)) {
    if (refs.holder(Number(slot)) === 0 && found.push(Number(slot)) >= most) break
  }
  if (found.length > 0) inTransaction(db, () => slots.letGo(found))
}

/**
 * Deletes the oldest window: of seconds first, down to the last hour, then of minutes, of hours.
 * @returns false where nothing is left that may go
 */
function deleteOldest(db: DatabaseSync, nowS: number): boolean {
  for (const level of OLDEST_FIRST) {
    const id = db.prepare(`SELECT min(id) AS id FROM ${level.table}`).get()?.id
    if (id === null || id === undefined) continue
    const window = windowOf(Number(id))
    const isRecent = (window + 1) * level.windowS > nowS - SECONDS_LEAST_S
    if (isRecent) continue
    deleteWindows(db, level, window, window + 1)
    return true
  }
  return false
}
