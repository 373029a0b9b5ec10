/** The folder of a history: the lock of its one process, and what errors of its files mean. */
import { join } from 'node:path'
import { FolderInUse, FolderLock } from '../../disk/folder-lock.ts'
import { makeFolder } from '../../disk/make-folder.ts'
import { type HistoryCode, HistoryError } from '../store.ts'

/** @throws {HistoryError} `in_use` where another process has it, or why it can't be had */
export function lockFolder(folder: string, nowMs: number): FolderLock {
  makeHistoryFolder(folder)
  try {
    return new FolderLock(folder, { pid: process.pid, sinceMs: nowMs })
  } catch (error) {
    if (error instanceof FolderInUse) throw new HistoryError('in_use', error.message)
    throw asHistoryError(error, join(folder, 'lock.db'))
  }
}

/** @throws {HistoryError} which says what is in the way */
export function makeHistoryFolder(folder: string): void {
  try {
    makeFolder(folder)
  } catch (error) {
    throw asHistoryError(error, folder)
  }
}

/** Tells what to do about a database that is damaged. */
export const RECOVERY = 'stop the hub, and `pentameter history recover FOLDER` saves what it can'

/** Codes of the file system and of SQLite, by what they mean for a history. */
const CODES: ReadonlyMap<string | number, HistoryCode> = new Map<string | number, HistoryCode>([
  ...['ENOSPC', 'EDQUOT', 13].map((code) => [code, 'full'] as const),
  ...['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 8, 14].map((code) => [code, 'unwritable'] as const),
  ...[11, 26].map((code) => [code, 'damaged'] as const),
])

/** Gives an error of files as one of the history, which names the place. */
export function asHistoryError(error: unknown, place: string): HistoryError {
  if (error instanceof HistoryError) return error
  const { code, errcode, message } = error as NodeJS.ErrnoException & { errcode?: number }
  const known = CODES.get(errcode === undefined ? (code ?? '') : errcode & 0xff) ?? 'failed'
  const hint = known === 'damaged' ? `; ${RECOVERY}` : ''
  return new HistoryError(known, `${place}: ${message}${hint}`, { cause: error })
}
