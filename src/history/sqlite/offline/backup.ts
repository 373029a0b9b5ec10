/**
 * Copies of a history, made while a hub goes on writing it. Head logs are copied first and the
 * database after them: what is sealed in between is in both, and a start drops the log of that.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { HistoryError } from '../../store.ts'
import { databasePath, openForReading } from '../database.ts'
import { headNumbers, headPath, syncFile, syncFolder } from '../head/head-log.ts'

export interface BackupOptions {
  readonly from: string
  /** Folder of the copy, which is made, or empty. */
  readonly to: string
}

/**
 * Copies a history.
 * @returns bytes of the copy
 * @throws {HistoryError} `in_use` for a folder that is not empty, or what is wrong with the source
 */
export function backUp({ from, to }: BackupOptions): number {
  const db = openForReading(from)
  try {
    if (existsSync(to) && readdirSync(to).length > 0) {
      throw new HistoryError('in_use', `${to} is not empty`)
    }
    mkdirSync(to, { recursive: true, mode: 0o700 })
    for (const number of headNumbers(from)) copyHead(from, to, number)
    const draft = `${databasePath(to)}.new`
    db.prepare('VACUUM INTO ?').run(draft)
    syncFile(draft)
    renameSync(draft, databasePath(to))
    syncFolder(to)
  } finally {
    db.close()
  }
  return readdirSync(to).reduce((bytes, name) => bytes + statSync(join(to, name)).size, 0)
}

/** Copies a head log as far as it is written; one that has been sealed meanwhile is not needed. */
function copyHead(from: string, to: string, number: number): void {
  try {
    copyFileSync(headPath(from, number), headPath(to, number))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return
  }
  syncFile(headPath(to, number))
}
