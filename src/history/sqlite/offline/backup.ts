/**
 * Copies of a history, made while a hub goes on writing it. Head logs are copied first and the
 * database after them: what is sealed in between is in both, and a start drops the log of that.
 */
import {
  copyFileSync,
  existsSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { HistoryError } from '../../store.ts'
import { databasePath, openForReading } from '../database.ts'
import { asHistoryError, makeHistoryFolder } from '../folder.ts'
import { headNumbers, headPath, syncFile, syncFolder } from '../head/head-log.ts'

export interface BackupOptions {
  readonly from: string
  /** Folder of the copy, which is made, or empty. */
  readonly to: string
}

/**
 * Copies a history, whole or not at all.
 * @returns bytes of the copy
 * @throws {HistoryError} `in_use` for a folder that is not empty, or is within the source; or what
 *   is wrong with the source
 */
export function backUp({ from, to }: BackupOptions): number {
  const db = openForReading(from)
  try {
    if (isWithin(realPath(to), realPath(from))) {
      throw new HistoryError('in_use', `${to} is within ${from}: a copy there is no backup`)
    }
    makeHistoryFolder(to)
    if (readdirSync(to).length > 0) throw new HistoryError('in_use', `${to} is not empty`)
    try {
      copyAll(db, from, to)
    } catch (error) {
      for (const name of readdirSync(to)) rmSync(join(to, name), { force: true })
      throw asHistoryError(error, to)
    }
  } finally {
    db.close()
  }
  return readdirSync(to).reduce((bytes, name) => bytes + statSync(join(to, name)).size, 0)
}

/** Gives the path without links, of what is there of it. */
function realPath(path: string): string {
  const whole = resolve(path)
  if (existsSync(whole)) return realpathSync(whole)
  return join(realPath(dirname(whole)), basename(whole))
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return !isAbsolute(way) && way.split(sep)[0] !== '..'
}

function copyAll(db: DatabaseSync, from: string, to: string): void {
  for (const number of headNumbers(from)) copyHead(from, to, number)
  const draft = `${databasePath(to)}.new`
  db.prepare('VACUUM INTO ?').run(draft)
  syncFile(draft)
  renameSync(draft, databasePath(to))
  syncFolder(to)
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
