/** Folders that copies of a history are made in, whole or not at all. */
import { copyFileSync, existsSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { HistoryError } from '../../store.ts'
import { asHistoryError, makeHistoryFolder } from '../folder.ts'
import { headNumbers, headPath, syncFile, syncFolder } from '../head/head-log.ts'

export interface CopyOptions {
  readonly from: string
  /** Folder of the copy, which is made, or empty. */
  readonly to: string
}

/**
 * Makes a copy; where that fails nothing is left of it.
 * @throws {HistoryError} `in_use` for a folder that is not empty, or is within the source; or what
 *   the work throws
 */
export function makingCopy<T>({ from, to }: CopyOptions, work: () => T): T {
  if (isWithin(realPath(to), realPath(from))) {
    throw new HistoryError('in_use', `${to} is within ${from}: a copy there is no backup`)
  }
  makeHistoryFolder(to)
  if (readdirSync(to).length > 0) throw new HistoryError('in_use', `${to} is not empty`)
  try {
    const result = work()
    syncFolder(to)
    return result
  } catch (error) {
    for (const name of readdirSync(to)) rmSync(join(to, name), { force: true })
    throw asHistoryError(error, to)
  }
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

/** Copies head logs as far as they are written; one that is sealed meanwhile is not needed. */
export function copyHeads({ from, to }: CopyOptions): void {
  for (const number of headNumbers(from)) {
    try {
      copyFileSync(headPath(from, number), headPath(to, number))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      continue
    }
    syncFile(headPath(to, number))
  }
}
