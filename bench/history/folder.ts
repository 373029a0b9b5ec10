/** Folders of histories that the bench fills, with times of its own. */
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Level } from '../../src/history/sqlite/bundles/levels.ts'
import { openForReading } from '../../src/history/sqlite/database.ts'
import { SqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'

const HOUR_S = 3600
/** Hours of a window of minutes: what is fed begins with one. */
const WINDOW_S = 4 * HOUR_S
export const RULES = {
  bytesLimit: 2 ** 34,
  secondsKeptS: 7 * 86_400,
  minutesKeptS: 90 * 86_400,
  hoursKeptS: 5 * 365 * 86_400,
  seriesLimit: 1_000_000,
}

/** Gives the start of the last whole windows that end before now, Unix seconds. */
export function startOf(seconds: number): number {
  return Math.floor((Date.now() / 1000 - seconds - HOUR_S) / WINDOW_S) * WINDOW_S
}

/** Place in memory, for folders of which only the size is asked. */
export const IN_MEMORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** Runs work in a folder that goes with it. */
export async function inFolder<T>(
  work: (folder: string) => Promise<T>,
  root = tmpdir(),
): Promise<T> {
  const folder = mkdtempSync(join(root, 'pentameter-history-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Opens the history of a folder, whose clock stands at an instant. */
export function openAt(folder: string, clock: { nowS: number }, digits = 0): SqliteHistory {
  return new SqliteHistory({ folder, nowMs: () => clock.nowS * 1000, ...RULES, digits })
}

/** Bytes of all files of a folder, and of the cells of each width in it. */
interface FolderBytes {
  readonly whole: number
  readonly seconds: number
  readonly minutes: number
  readonly hours: number
}

/** Counts the bytes of a folder that is closed. */
export function bytesOf(folder: string): FolderBytes {
  const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)).size)
  const db = openForReading(folder)
  const cells = (...tables: Level['table'][]): number => {
    const found = tables.map((table) => {
      return Number(db.prepare(`SELECT total(length(b)) AS n FROM ${table}`).get()?.n)
    })
    return found.reduce((sum, each) => sum + each, 0)
  }
  try {
    return {
      whole: sizes.reduce((sum, size) => sum + size, 0),
      seconds: cells('second', 'second5'),
      minutes: cells('minute', 'minute1'),
      hours: cells('hour'),
    }
  } finally {
    db.close()
  }
}
