/**
 * `pentameter counters ps`: .NET processes by their diagnostics sockets, in the columns of
 * dotnet-counters. Nothing connects to a process: one that hangs, or is stopped, holds up no list.
 */
import { readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { escapeUnseen, unseenJson } from '../../../model/text/unseen.ts'
import { textWidth } from '../../../terminal/index.ts'
import { listProcesses, type ProcessPlaces } from '../client/processes.ts'

/** Process that counters can be had of. */
interface ListedProcess {
  readonly pid: number
  /** Name as the system has it. */
  readonly name: string
  /** Path of its program; empty where that may not be known. */
  readonly path: string
  /** Its arguments, with blanks between them. */
  readonly arguments: string
  readonly socket: string
}

interface ProcessList {
  /** Processes by name, then id. */
  readonly processes: readonly ListedProcess[]
  /** Number of sockets whose process is gone. */
  readonly stale: number
}

/** Text in place of a path, in the words of dotnet-counters. */
const UNKNOWN_PATH = '[Elevated process - cannot determine path]'
const NO_PROCESSES = 'No supported .NET processes were found'

/** @param places folders of the system unless given */
export async function findProcesses(places: ProcessPlaces = {}): Promise<ProcessList> {
  const sockets = await listProcesses(places)
  const living = sockets.filter(({ isStale, pid }) => !isStale && pid !== process.pid)
  const processes = await Promise.all(
    living.map(async ({ pid, name, path: socket }) => {
      const folder = join(places.proc ?? '/proc', String(pid))
      return { pid, name, ...(await programOf(folder)), socket }
    }),
  )
  const stale = sockets.filter(({ isStale }) => isStale).length
  return { processes: processes.sort(byName), stale }
}

/** Reads path and arguments of a program: of another user's process neither may be known. */
async function programOf(folder: string): Promise<Pick<ListedProcess, 'path' | 'arguments'>> {
  const path = await readlink(join(folder, 'exe')).catch(() => '')
  const line = await readFile(join(folder, 'cmdline'), 'utf8').catch(() => '')
  const words = line.replace(/\0$/, '').split('\0')
  // the first word is the path again, unless the program was started by another name
  return { path, arguments: (words[0] === path ? words.slice(1) : words).join(' ') }
}

function byName(a: ListedProcess, b: ListedProcess): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1
  return a.pid - b.pid
}

/** Writes a line of JSON for each process. */
export function processesAsJson({ processes }: ProcessList): string {
  return processes.map((each) => `${unseenJson(each)}\n`).join('')
}

/**
 * Writes a table; columns that the terminal has no room for are cut in front, where paths are
 * alike.
 * @param width columns of the terminal; none for a file or a pipe
 */
export function processesAsTable({ processes }: ProcessList, width?: number): string {
  if (processes.length === 0) return `${NO_PROCESSES}\n`
  const rows = processes.map(({ pid, name, path, arguments: words }) =>
    [String(pid), name, path === '' ? UNKNOWN_PATH : path, words].map(escapeUnseen),
  )
  const widths = [0, 1, 2, 3].map((column) => {
    const widest = Math.max(...rows.map((row) => textWidth(row[column]!)))
    return Math.min(widest, widestOf(width))
  })
  const lines = rows.map((row) => {
    const cells = row.map((text, column) => cell(text, widths[column]!, column === 0))
    return ` ${cells.join('  ')}`.trimEnd()
  })
  return `${lines.join('\n')}\n`
}

/** Computes the widest column, as dotnet-counters does: half of the terminal but 16 and 5 %. */
function widestOf(width: number | undefined): number {
  if (width === undefined) return Number.POSITIVE_INFINITY
  return Math.max(8, Math.floor(width / 2) - 16 - Math.ceil(width * 0.05))
}

function cell(text: string, width: number, isNumber: boolean): string {
  const room = width - textWidth(text)
  if (room < 0) return [...text].slice(-width).join('')
  return isNumber ? ' '.repeat(room) + text : text + ' '.repeat(room)
}
