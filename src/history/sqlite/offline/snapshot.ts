/**
 * A history as it was at one instant, read beside the hub that writes it: what is sealed from one
 * transaction of the database, the rest from the head logs. Nothing is written, and nothing waits.
 */
import type { DatabaseSync } from 'node:sqlite'
import { readOwner } from '../../../disk/folder-lock.ts'
import type { Cell, Kind } from '../../../model/index.ts'
import { HistoryError, type StoredSeries } from '../../store.ts'
import { type Entry, mergeEntries, rolledUp } from '../bundles/entries.ts'
import {
  BundleTable,
  blockNumber,
  HOUR,
  LEVELS,
  type Level,
  MINUTE,
  MINUTE1,
  SECOND,
  SECOND5,
} from '../bundles/levels.ts'
import { openForReading, readState } from '../database.ts'
import { headNumbers, replayHead } from '../head/head-log.ts'
import { OpenWindows } from '../head/open-windows.ts'
import { Slots } from '../slots.ts'

/** A cell where and as wide as it is kept. */
export interface KeptCell {
  readonly endS: number
  readonly widthS: number
  readonly cell: Cell
}

/** Part of a history that is wanted: the cells whose ends are in (from, to], Unix seconds. */
export interface KeptRange {
  readonly fromS: number
  readonly toS: number
  /** Least width of the cells; wider ones where finer ones have gone. */
  readonly widthS: 1 | 60 | 3600
}

/** Attempts to find head logs and database in one state, while a hub seals. */
const ATTEMPTS = 5

export class HistorySnapshot {
  readonly folder: string
  readonly db: DatabaseSync
  readonly tables: ReadonlyMap<Level['table'], BundleTable>
  readonly #slots: Slots
  #open = new OpenWindows()
  /** Windows of each block, by table; they rise. */
  readonly #windows = new Map<Level, ReadonlyMap<number, readonly number[]>>()
  /** Starts of the first hours of seconds and of minutes, Unix seconds. */
  readonly #secondS: number
  readonly #minuteS: number
  /** Chunks and facts of series that could not be read, and were left out. */
  damaged = 0

  /** @throws {HistoryError} where there is no history, or none that can be read */
  constructor(folder: string) {
    this.folder = folder
    this.db = openForReading(folder)
    try {
      this.#readHeads()
      const damaged = (): void => {
        this.damaged++
      }
      const { db } = this
      this.tables = new Map(LEVELS.map((each) => [each.table, new BundleTable(db, each, damaged)]))
      this.#slots = new Slots(db, damaged)
      for (const level of LEVELS) this.#windows.set(level, this.#windowsOf(level))
    } catch (error) {
      this.db.close()
      throw error
    }
    this.#secondS = Math.min(...[SECOND, SECOND5].map((level) => this.#firstS(level)))
    const minuteS = [MINUTE, MINUTE1].map((level) => this.#firstS(level))
    this.#minuteS = Math.min(...minuteS, this.#secondS)
  }

  /** Reads the head logs that the database does not have; sealed meanwhile, it is begun again. */
  #readHeads(): void {
    for (let attempt = 1; ; attempt++) {
      this.db.exec('BEGIN')
      const first = readState(this.db, 'head')
      try {
        this.#open = new OpenWindows()
        for (const number of headNumbers(this.folder)) {
          if (number < first) continue
          replayHead(this.folder, number, false, (record) => this.#open.take(record))
        }
        return
      } catch (error) {
        const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT'
        if (!isGone || attempt === ATTEMPTS) throw error
        this.db.exec('ROLLBACK')
      }
    }
  }

  #windowsOf({ table }: Level): Map<number, number[]> {
    const windows = new Map<number, number[]>()
    for (const [window, block] of this.tables.get(table)!.rows(0, 2 ** 31)) {
      const held = windows.get(block)
      if (held === undefined) windows.set(block, [window])
      else held.push(window)
    }
    return windows
  }

  #firstS(level: Level): number {
    const sealed = [...this.#windows.get(level)!.values()].map(([first]) => first! * level.windowS)
    const open =
      level.cellS === 1 ? [...this.#open.windows.keys()].map((window) => window * 300) : []
    const firstS = [...sealed, ...open].reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)
    return Number.isFinite(firstS) ? firstS - (firstS % SECOND.windowS) : firstS
  }

  /** Seconds in the head logs, which are in no bundle yet. */
  get openSeconds(): number {
    return this.#open.records
  }

  /** Process that opened it last. */
  get owner() {
    return readOwner(this.folder)
  }

  /** Lists all series, by their numbers. */
  *series(): Generator<StoredSeries> {
    for (let after = 0; ; ) {
      const page = this.#slots.list({ after })
      yield* page
      if (page.length === 0) return
      after = page.at(-1)!.number
    }
  }

  /** Lists the cells of a series in the order of time, each as narrow as it is kept. */
  *cells({ number, kind }: StoredSeries, range: KeptRange): Generator<KeptCell> {
    const read = { slot: number, kind, ...range }
    yield* this.#hours({ ...read, toS: Math.min(range.toS, this.#coarseEnd(3600, range)) })
    const minutes = { ...read, toS: Math.min(range.toS, this.#coarseEnd(60, range)) }
    if (range.widthS <= 60) yield* this.#stretch(minutes, this.#minuteS, MINUTE)
    if (range.widthS === 1) yield* this.#stretch(read, this.#secondS, SECOND)
  }

  /** Gives the end of what is told in hours, or in minutes: where narrower cells begin. */
  #coarseEnd(widthS: 60 | 3600, range: KeptRange): number {
    if (range.widthS >= widthS) return Number.POSITIVE_INFINITY
    return widthS === 3600 && range.widthS <= 60 ? this.#minuteS : this.#secondS
  }

  /** Lists hours: bundles of them, and what is not in these yet. */
  *#hours(read: SeriesRead): Generator<KeptCell> {
    const { slot, kind } = read
    const windows = new Map<number, Entry[]>()
    const take = (startS: number, entries: readonly Entry[]): void => {
      const window = Math.floor(startS / HOUR.windowS)
      const shift = startS - window * HOUR.windowS
      windows.set(window, mergeEntries(windows.get(window) ?? [], rolledUp(entries, 3600, shift)))
    }
    for (const window of this.#windows.get(HOUR)!.get(blockNumber(slot)) ?? []) {
      windows.set(window, this.#sealed(HOUR, window, slot, kind))
    }
    for (const window of this.#windows.get(SECOND5)!.get(blockNumber(slot)) ?? []) {
      take(window * SECOND5.windowS, this.#sealed(SECOND5, window, slot, kind))
    }
    for (const [window, series] of this.#open.windows) {
      take(window * SECOND5.windowS, series.get(slot)?.entries() ?? [])
    }
    for (const [window, entries] of [...windows].sort(([a], [b]) => a - b)) {
      yield* keptOf(entries, window * HOUR.windowS, HOUR.cellS, read)
    }
  }

  /** Lists seconds or minutes from an instant on, a window after the other. */
  *#stretch(read: SeriesRead, startS: number, level: Level): Generator<KeptCell> {
    const block = blockNumber(read.slot)
    const short = level === SECOND ? SECOND5 : MINUTE1
    const parts = this.#windows.get(short)!.get(block) ?? []
    const windows = new Set(this.#windows.get(level)!.get(block))
    const within = (startS: number): number => Math.floor(startS / level.windowS)
    for (const part of parts) windows.add(within(part * short.windowS))
    for (const part of this.#open.windows.keys()) windows.add(within(part * SECOND5.windowS))
    const [from, to] = [Math.max(read.fromS, startS), read.toS]
    for (const window of [...windows].sort((a, b) => a - b)) {
      if ((window + 1) * level.windowS <= from || window * level.windowS >= to) continue
      const entries = this.#windowOf(read, window, level, short)
      yield* keptOf(entries, window * level.windowS, level.cellS, { fromS: from, toS: to })
    }
  }

  /** Reads a window of seconds or minutes, what is in shorter ones yet included. */
  #windowOf({ slot, kind }: SeriesRead, window: number, level: Level, short: Level): Entry[] {
    const startS = window * level.windowS
    let entries = this.#sealed(level, window, slot, kind)
    const take = (partS: number, cellS: number, part: readonly Entry[]): void => {
      const shift = (partS - startS) / cellS
      if (part.length > 0) {
        entries = mergeEntries(entries, rolledUp(part, level.cellS / cellS, shift))
      }
    }
    const isInside = (partS: number): boolean => partS >= startS && partS < startS + level.windowS
    for (const part of this.#windows.get(short)!.get(blockNumber(slot)) ?? []) {
      const partS = part * short.windowS
      if (isInside(partS)) take(partS, short.cellS, this.#sealed(short, part, slot, kind))
    }
    for (const [part, series] of this.#open.windows) {
      const partS = part * SECOND5.windowS
      if (isInside(partS)) take(partS, 1, series.get(slot)?.entries() ?? [])
    }
    return entries
  }

  #sealed(level: Level, window: number, slot: number, kind: Kind): Entry[] {
    const table = this.tables.get(level.table)!
    const bundle = table.open(window, blockNumber(slot))
    return (bundle && table.entries(bundle, slot, kind, window)) ?? []
  }

  close(): void {
    this.db.close()
  }

  [Symbol.dispose](): void {
    this.close()
  }
}

interface SeriesRead {
  readonly slot: number
  readonly kind: Kind
  readonly fromS: number
  readonly toS: number
}

function* keptOf(
  entries: readonly Entry[],
  startS: number,
  widthS: number,
  { fromS, toS }: Pick<KeptRange, 'fromS' | 'toS'>,
): Generator<KeptCell> {
  for (const { place, cell } of entries) {
    const endS = startS + (place + 1) * widthS
    if (endS > fromS && endS <= toS) yield { endS, widthS, cell }
  }
}

/** Opens a history for reading, and says what is the matter where that fails. */
export function openSnapshot(folder: string): HistorySnapshot {
  try {
    return new HistorySnapshot(folder)
  } catch (error) {
    if (error instanceof HistoryError) throw error
    throw new HistoryError('failed', `${folder}: ${(error as Error).message}`, { cause: error })
  }
}
