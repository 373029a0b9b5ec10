/**
 * Copies of a history, made while a hub goes on writing it. Head logs are copied first and the
 * database after them: what is sealed in between is in both, and a start drops the log of that.
 */
import { readdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { databasePath, openForReading } from '../database.ts'
import { syncFile } from '../head/head-log.ts'
import { type CopyOptions, copyHeads, makingCopy } from './copying.ts'

/**
 * Copies a history, whole or not at all.
 * @returns bytes of the copy
 * @throws {HistoryError} `in_use` for a folder that is not empty, or is within the source; or what
 *   is wrong with the source
 */
export function backUp(options: CopyOptions): number {
  const { from, to } = options
  const db = openForReading(from)
  try {
    makingCopy(options, () => {
      copyHeads(options)
      const draft = `${databasePath(to)}.new`
      db.prepare('VACUUM INTO ?').run(draft)
      syncFile(draft)
      renameSync(draft, databasePath(to))
    })
  } finally {
    db.close()
  }
  return readdirSync(to).reduce((bytes, name) => bytes + statSync(join(to, name)).size, 0)
}
