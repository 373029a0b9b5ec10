/**
 * What is in a history: spans, sizes and health of what is kept, which series take most, and which
 * labels make so many of them.
 */
import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import type { Owner } from '../../../disk/folder-lock.ts'
import { type Identity, identityOf, type Kind } from '../../../model/index.ts'
import { startIn } from '../bundles/kept-from.ts'
import { LEVELS } from '../bundles/levels.ts'
import { usedBytes } from '../bundles/retention.ts'
import { databasePath, readState } from '../database.ts'
import { headNumbers, headPath } from '../head/head-log.ts'
import { Runs } from '../runs.ts'
import type { HistorySnapshot } from './snapshot.ts'

export interface Inspection {
  readonly folder: string
  /** Process that opened it last. */
  readonly owner: Owner | undefined
  /** Whether the last owner closed it in order; false while one has it. */
  readonly wasClosed: boolean
  /** Problem that SQLite finds in its file; undefined for none. */
  readonly problem: string | undefined
  readonly bytes: {
    readonly database: number
    readonly free: number
    readonly headLogs: number
    readonly writeAhead: number
  }
  /** Seconds in head logs, in no bundle yet. */
  readonly openSeconds: number
  readonly levels: readonly LevelInspection[]
  readonly series: number
  readonly living: number
  readonly kinds: Readonly<Record<Kind, number>>
  /** Series that take most in bundles, the largest first. */
  readonly largest: readonly SeriesInspection[]
  /** Names with most series, and label keys with most values. */
  readonly names: readonly Cardinality[]
  readonly labels: readonly LabelCardinality[]
}

export interface LevelInspection {
  readonly table: string
  readonly widthS: number
  /** Begin of the first cell and end of the last one, as far as windows and runs tell; Unix s. */
  readonly fromS: number | undefined
  readonly toS: number | undefined
  readonly bundles: number
  readonly chunks: number
  readonly bytes: number
  /** Bundles whose index can't be read. */
  readonly damaged: number
}

export interface SeriesInspection {
  readonly identity: Identity
  readonly bytes: number
  readonly firstS: number
  readonly lastS: number
}

export interface Cardinality {
  readonly name: string
  readonly series: number
  readonly bytes: number
}

export interface LabelCardinality extends Cardinality {
  readonly values: number
}

export interface InspectOptions {
  /** Length of the lists. */
  readonly top: number
  /** Told of the share that is done, 0 to 1. */
  readonly progress?: (share: number) => void
}

const ROWS_PER_REPORT = 256

/** Looks through a history; costs a read of all its bundles. */
export function inspect(snapshot: HistorySnapshot, options: InspectOptions): Inspection {
  const { folder, db } = snapshot
  const sizes = new Map<number, number>()
  const levels = levelsOf(snapshot, sizes, options)
  const census = censusOf(snapshot, sizes, options.top)
  const problem = String(db.prepare('PRAGMA quick_check(1)').get()?.quick_check)
  const pageBytes = pragma(db, 'page_size')
  return {
    folder,
    owner: snapshot.owner,
    wasClosed: readState(db, 'clean') === 1,
    problem: problem === 'ok' ? undefined : problem,
    bytes: {
      database: usedBytes(db),
      free: pragma(db, 'freelist_count') * pageBytes,
      headLogs: sum(headNumbers(folder).map((number) => sizeOf(headPath(folder, number)))),
      writeAhead: sizeOf(`${databasePath(folder)}-wal`),
    },
    openSeconds: snapshot.openSeconds,
    levels,
    ...census,
  }
}

function levelsOf(
  { db, tables }: HistorySnapshot,
  sizes: Map<number, number>,
  { progress }: InspectOptions,
): LevelInspection[] {
  const all = LEVELS.map((level) => {
    return { level, rows: tables.get(level.table)!.rows(0, 2 ** 31) }
  })
  const runs = new Runs(db)
  const total = sum(all.map(({ rows }) => rows.length))
  let done = 0
  return all.map(({ level: { table, cellS, windowS }, rows }) => {
    let [chunks, damaged] = [0, 0]
    for (const [window, block] of rows) {
      const bundle = tables.get(table)!.open(window, block)
      if (bundle === undefined) damaged++
      else {
        chunks += bundle.slots.length
        bundle.sizes.forEach((size, i) => {
          const slot = bundle.slots[i]!
          sizes.set(slot, (sizes.get(slot) ?? 0) + size)
        })
      }
      if (++done % ROWS_PER_REPORT === 0) progress?.(done / total)
    }
    const bytes = Number(db.prepare(`SELECT sum(length(b)) AS n FROM ${table}`).get()?.n ?? 0)
    const last = rows.at(-1)?.[0]
    return {
      ...{ table, widthS: cellS, bundles: rows.length, chunks, bytes, damaged },
      fromS: rows[0] && startIn({ db, runs }, cellS, rows[0][0] * windowS),
      toS: last === undefined ? undefined : Math.min((last + 1) * windowS, runs.lastS ?? Infinity),
    }
  })
}

/** Counts series by kind, name and label. */
function censusOf(snapshot: HistorySnapshot, sizes: ReadonlyMap<number, number>, top: number) {
  const kinds: Record<Kind, number> = { counter: 0, gauge: 0, histogram: 0, summary: 0 }
  const names = new Map<string, { series: number; bytes: number }>()
  const labels = new Map<string, { series: number; bytes: number; values: Set<string> }>()
  let largest: SeriesInspection[] = []
  let living = 0
  for (const { number, key, kind, firstS, lastS, total } of snapshot.series()) {
    const identity = identityOf(key)
    if (identity === undefined) continue
    kinds[kind]++
    if (total !== undefined) living++
    const bytes = sizes.get(number) ?? 0
    largest.push({ identity, bytes, firstS, lastS })
    if (largest.length > 2 * top + 1000) largest = largestOf(largest, top)
    count(names, identity.name, bytes, () => ({ series: 0, bytes: 0 }))
    for (const [label, value] of identity.labels) {
      const first = () => ({ series: 0, bytes: 0, values: new Set<string>() })
      count(labels, label, bytes, first).values.add(value)
    }
  }
  const byName = [...names].map(([name, each]) => ({ name, ...each }))
  const byLabel = [...labels].map(([name, { values, ...each }]) => {
    return { name, ...each, values: values.size }
  })
  return {
    series: sum(Object.values(kinds)),
    living,
    kinds,
    largest: largestOf(largest, top),
    names: byName.sort((a, b) => b.series - a.series || b.bytes - a.bytes).slice(0, top),
    labels: byLabel.sort((a, b) => b.values - a.values || b.series - a.series).slice(0, top),
  }
}

function count<T extends { series: number; bytes: number }>(
  counts: Map<string, T>,
  name: string,
  bytes: number,
  first: () => T,
): T {
  const held = counts.get(name) ?? first()
  counts.set(name, held)
  held.series++
  held.bytes += bytes
  return held
}

function largestOf(list: readonly SeriesInspection[], top: number): SeriesInspection[] {
  return list.toSorted((a, b) => b.bytes - a.bytes).slice(0, top)
}

function pragma(db: DatabaseSync, name: string): number {
  return Number(db.prepare(`PRAGMA ${name}`).get()?.[name])
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
