/**
 * The lock of a folder: a small database in which its owner stands, and in which the
 * owner holds a transaction open for as long as it lives. The system lets go of it however a
 * process ends; others may read who it is.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export interface Owner {
  readonly pid: number
  readonly sinceMs: number
}

const NAME = 'lock.db'

/** Error about a folder that another process has, or this one already. */
export class FolderInUse extends Error {
  override readonly name = 'FolderInUse'
}

export class FolderLock {
  readonly #db: DatabaseSync

  /** @throws {FolderInUse} which says who has the folder and since when */
  constructor(folder: string, owner: Owner) {
    const db = new DatabaseSync(join(folder, NAME), { timeout: 0 })
    this.#db = db
    try {
      db.exec('CREATE TABLE IF NOT EXISTS owner(id INTEGER PRIMARY KEY, pid, sinceMs)')
      const change = db.prepare('INSERT OR REPLACE INTO owner VALUES (1, ?, ?)')
      change.run(owner.pid, owner.sinceMs)
      db.exec('BEGIN IMMEDIATE')
    } catch (error) {
      const holder = isBusy(error) ? ownerOf(db) : undefined
      db.close()
      if (holder === undefined && !isBusy(error)) throw error
      throw new FolderInUse(`${folder} is in use by ${ownerText(holder)}`)
    }
  }

  release(): void {
    this.#db.exec('ROLLBACK')
    this.#db.close()
  }
}

function isBusy(error: unknown): boolean {
  const code = (error as { errcode?: number }).errcode
  return code === 5 || code === 6
}

/** Reads who opened a folder last; undefined where nothing says it. */
export function readOwner(folder: string): Owner | undefined {
  const path = join(folder, NAME)
  if (!existsSync(path)) return undefined
  const db = new DatabaseSync(path, { readOnly: true, timeout: 0 })
  try {
    return ownerOf(db)
  } finally {
    db.close()
  }
}

function ownerOf(db: DatabaseSync): Owner | undefined {
  try {
    const row = db.prepare('SELECT pid, sinceMs FROM owner WHERE id = 1').get()
    return row === undefined ? undefined : (row as unknown as Owner)
  } catch {
    return undefined // it is being written
  }
}

function ownerText(owner: Owner | undefined): string {
  if (owner === undefined) return 'another process'
  return `process ${owner.pid} since ${new Date(owner.sinceMs).toISOString()}`
}
