/** Spans of time in which a hub ran: seconds without a cell are known to have brought nothing. */
import type { DatabaseSync } from 'node:sqlite'
import { inTransaction } from './database.ts'

export interface Run {
  startS: number
  endS: number
}

/** Most spans that are kept; the oldest go first. */
const RUNS_LIMIT = 100_000

export class Runs {
  /** Spans that neither overlap nor touch, rising. */
  #runs: Run[] = []

  constructor(db: DatabaseSync) {
    this.load(db)
  }

  /** Reads them again as they were written last. */
  load(db: DatabaseSync): void {
    const rows = db.prepare('SELECT startS, endS FROM run ORDER BY startS').all()
    this.#runs = rows.map(({ startS, endS }) => {
      return { startS: Number(startS), endS: Number(endS) }
    })
  }

  /** Start of the first span, Unix seconds; undefined where there is none. */
  get firstS(): number | undefined {
    return this.#runs[0]?.startS
  }

  /** Gives the first instant from one on that a run has; that one itself where none has. */
  firstFrom(atS: number): number {
    const run = this.#runs.find(({ endS }) => endS > atS)
    return run === undefined ? atS : Math.max(run.startS, atS)
  }

  /** End of the last one. */
  get lastS(): number | undefined {
    return this.#runs.at(-1)?.endS
  }

  /** Adds the seconds of (start, end]. */
  add(startS: number, endS: number): void {
    if (endS <= startS) return
    const newest = this.#runs.at(-1)
    if (newest !== undefined && startS === newest.endS) {
      newest.endS = endS
      return
    }
    if (this.#holds(startS, endS)) return
    const apart = this.#runs.filter((run) => run.endS < startS || run.startS > endS)
    const joined = this.#runs.filter((run) => !(run.endS < startS || run.startS > endS))
    const run = {
      startS: Math.min(startS, ...joined.map((each) => each.startS)),
      endS: Math.max(endS, ...joined.map((each) => each.endS)),
    }
    this.#runs = [...apart, run].sort((a, b) => a.startS - b.startS).slice(-RUNS_LIMIT)
  }

  /** Adds many spans in any order, in one pass over those that there are. */
  addAll(spans: readonly Readonly<Run>[]): void {
    const all = [...this.#runs, ...spans].sort((a, b) => a.startS - b.startS)
    const joined: Run[] = []
    for (const { startS, endS } of all) {
      const last = joined.at(-1)
      if (last !== undefined && startS <= last.endS) last.endS = Math.max(last.endS, endS)
      else joined.push({ startS, endS })
    }
    this.#runs = joined.slice(-RUNS_LIMIT)
  }

  /** Tells whether one run has all of a span. */
  #holds(startS: number, endS: number): boolean {
    let low = 0
    let high = this.#runs.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#runs[middle]!.startS <= startS) low = middle + 1
      else high = middle
    }
    const run = this.#runs[low - 1]
    return run !== undefined && run.endS >= endS
  }

  /** Marks the steps that a run reaches into. */
  cover(fromS: number, stepS: number, covered: Uint8Array): void {
    for (const { startS, endS } of this.#runs) {
      const first = Math.max(0, Math.floor((startS - fromS) / stepS))
      const end = Math.min(covered.length, Math.ceil((endS - fromS) / stepS))
      if (end > first) covered.fill(1, first, end)
    }
  }

  /**
   * Gives the end of the run that has the last of so many recorded seconds, counted from the
   * newest; undefined where fewer are recorded. A clock that was wrong for less has no part in it.
   */
  believedS(seconds: number): number | undefined {
    let recorded = 0
    for (const { startS, endS } of this.#runs.toReversed()) {
      recorded += endS - startS
      if (recorded >= seconds) return endS
    }
    return undefined
  }

  /** Counts the seconds of (from, to] in which a hub ran. */
  recorded(fromS: number, toS: number): number {
    return this.#runs.reduce((sum, { startS, endS }) => {
      return sum + Math.max(0, Math.min(endS, toS) - Math.max(startS, fromS))
    }, 0)
  }

  forgetBefore(atS: number): void {
    this.#runs = this.#runs.filter(({ endS }) => endS > atS)
  }

  forgetAfter(atS: number): void {
    this.#runs = this.#runs.filter(({ startS }) => startS < atS)
  }

  /** Writes all; part of a transaction where one is open. */
  save(db: DatabaseSync): void {
    const write = (): void => {
      db.exec('DELETE FROM run')
      const insert = db.prepare('INSERT INTO run VALUES (?, ?)')
      for (const { startS, endS } of this.#runs) insert.run(startS, endS)
    }
    if (db.isTransaction) write()
    else inTransaction(db, write)
  }
}
