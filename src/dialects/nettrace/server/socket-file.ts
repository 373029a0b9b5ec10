/**
 * The file of this process' socket (§2): its name, its place, and that none but the same user may
 * connect. It is bound in a folder of its own and linked to its name when it is closed to others,
 * so that no moment is open to them, in worker threads too, where there is no umask.
 */
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  unlinkSync,
} from 'node:fs'
import { createConnection, type Server } from 'node:net'
import { join } from 'node:path'
import { parseSocketName } from '../codec/ipc/texts.ts'

/** Longest path of a socket, bytes: that of its address, without the NUL. */
const PATH_BYTES_MAX = process.platform === 'linux' ? 107 : 103
/** Place of a process' start in its `stat`, counted behind its name. */
const START_FIELD = 19
const OWNER_ALONE = 0o600

/** A bound socket under its name. */
export interface SocketFile {
  readonly path: string
  /** Takes the name away, if it is still this socket's; never throws. */
  remove(): void
}

/** Folder where tools look for sockets. */
export function socketFolder(): string {
  return process.env.TMPDIR || '/tmp'
}

/**
 * Binds a server to the socket of this process.
 * @throws {Error} that says why it can't, and what to do
 */
export async function bindSocket(server: Server, folder: string): Promise<SocketFile> {
  const path = join(folder, `dotnet-diagnostic-${process.pid}-${startKey()}-socket`)
  const size = Buffer.byteLength(path)
  if (size > PATH_BYTES_MAX) {
    const words = `path of the diagnostics socket has ${size} bytes, limit ${PATH_BYTES_MAX}`
    throw new RangeError(`${words}: set TMPDIR to a shorter folder (${folder})`)
  }
  await removeStale(folder)
  const own = mkdtempSync(join(folder, '.net-'))
  try {
    const bound = join(own, 's')
    await listen(server, bound)
    chmodSync(bound, OWNER_ALONE)
    link(bound, path)
  } catch (error) {
    server.close()
    throw error
  } finally {
    rmSync(own, { recursive: true, force: true })
  }
  const { ino } = lstatSync(path)
  return { path, remove: () => removeOwn(path, ino) }
}

/** Key of this process in the name: its start, in jiffies or, but for Linux, in Unix seconds. */
function startKey(): string {
  if (process.platform === 'linux') {
    const stat = readFileSync('/proc/self/stat', 'utf8')
    // a name may have parentheses and spaces in it
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[START_FIELD]!
  }
  if (process.platform === 'win32') {
    throw new Error('a diagnostics socket needs Linux or macOS: there is none for Windows yet')
  }
  return String(Math.floor(Date.now() / 1000 - process.uptime()))
}

/**
 * Removes what earlier processes with this one's id have left behind. One that answers is another
 * container's, or this process' own, and stays.
 */
async function removeStale(folder: string): Promise<void> {
  for (const name of readdirSync(folder)) {
    if (parseSocketName(name)?.pid !== process.pid) continue
    const path = join(folder, name)
    try {
      if (lstatSync(path).isSocket() && (await isRefused(path))) unlinkSync(path)
    } catch {
      // it is gone, or another user's: a name that is taken is told of where it is wanted
    }
  }
}

/** Tells whether nothing listens behind the file of a socket. */
function isRefused(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ path })
    const settle = (isRefused: boolean): void => {
      socket.destroy()
      resolve(isRefused)
    }
    socket.once('connect', () => settle(false))
    socket.once('error', ({ code }: NodeJS.ErrnoException) => settle(code === 'ECONNREFUSED'))
  })
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    // not shared with other processes of a cluster: each has its own counters
    server.listen({ path, exclusive: true }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function link(bound: string, path: string): void {
  try {
    linkSync(bound, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const words = 'this process has a diagnostics socket already, its own or that of .NET'
    throw new Error(`${words}: ${path}`, { cause: error })
  }
}

function removeOwn(path: string, ino: number): void {
  try {
    if (lstatSync(path).ino === ino) unlinkSync(path)
  } catch {
    // it is gone
  }
}
