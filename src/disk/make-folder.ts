/**
 * Folders that programs keep things in, made with those above them. Node's own way (`recursive`)
 * tries for ever in a file system that takes none, as /proc, and does not say what is in the way.
 */
import { lstatSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Error about a path at which there can be no folder; as errors of the file system are. */
class NoFolder extends Error {
  override readonly name = 'NoFolder'
  readonly code = 'ENOTDIR'
  readonly syscall = 'mkdir'
}

/**
 * Makes a folder for this user alone, and those above it; one that is there stays as it is.
 * @throws an error with the code of the file system, whose message names the path at fault
 */
export function makeFolder(path: string): void {
  makeWhole(resolve(path))
}

function makeWhole(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory()) return
  if (found !== undefined) throw new NoFolder(`${path} is no folder`)
  const above = dirname(path)
  if (above !== path) makeWhole(above)
  if (isLink(path)) throw new NoFolder(`${path} is a link to nothing`)
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // another process may have made it meanwhile
    if (code === 'EEXIST' && statSync(path).isDirectory()) return
    if (code === 'ENOENT') throw new NoFolder(`${above} takes no folders, so there is no ${path}`)
    throw error
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
}
