/**
 * Processes with a diagnostics socket (§2), as the file system tells of them: nothing connects to
 * any, so none is held up.
 */
import { readdir, readFile, readlink, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { parseSocketName } from '../codec/ipc/texts.ts'

/** Diagnostics socket of a process. */
export interface ProcessSocket {
  readonly pid: number
  /** File of the socket. */
  readonly path: string
  /** Start of the process as the name of the file says it. */
  readonly key: string
  /** Name of the process as the system has it; empty where it is not known. */
  readonly name: string
  /** Whether its process is dead, or another one has its id: nothing answers there. */
  readonly isStale: boolean
}

/** Folders that are looked into; those of the system unless stated. */
export interface ProcessPlaces {
  /** Folder of the sockets: `$TMPDIR`, or `/tmp`. */
  readonly temporary?: string | undefined
  /** Folder in which the system describes its processes: `/proc`. */
  readonly proc?: string | undefined
}

/** Sockets that are looked at in one folder; what is beyond is left out. */
const SOCKETS_LIMIT = 4096
/** Longest name of a process as Linux keeps it; longer ones are cut there. */
const COMM_LENGTH_MAX = 15
/** Place of a process' start in its `stat`, counted behind its name. */
const START_FIELD = 19

/**
 * Lists the sockets in the temporary folder, one for each process, in the order of their ids; stale
 * ones come last.
 *
 * @example
 * import { listProcesses } from 'pentameter/nettrace'
 *
 * for (const { pid, name, isStale } of await listProcesses()) {
 *   if (!isStale) console.log(pid, name)
 * }
 */
export async function listProcesses(places: ProcessPlaces = {}): Promise<ProcessSocket[]> {
  const { temporary, proc } = placesOf(places)
  const sockets = await socketsIn(temporary, proc)
  const byPid = Map.groupBy(sockets, ({ pid }) => pid)
  const newest = await Promise.all([...byPid.values()].map(newestOf))
  return newest.sort((a, b) => Number(a.isStale) - Number(b.isStale) || a.pid - b.pid)
}

/** Value of DOTNET_DiagnosticPorts all of whose ports let the program begin at once. */
const BEGINS_AT_ONCE = /^(?:[^;]*,nosuspend[^;]*;?)*$/
/** Setting, a number of hex digits, that makes a program wait at its own socket. */
const DEFAULT_PORT_WAITS =
  /(?:^|\0)(?:DOTNET|COMPlus)_DefaultDiagnosticPortSuspend=(?:0x)?0*[1-9a-f]/i

/**
 * Tells whether a runtime seems to wait at a diagnostic port to be told to begin: its environment
 * says so, and of its command line it knows no more than the program. Two sessions that follow each
 * other before it has begun make .NET 10 crash when it does.
 * @param commandLine as the process tells it
 */
export async function isSuspended(
  pid: number,
  commandLine: string,
  places: ProcessPlaces = {},
): Promise<boolean> {
  const folder = join(placesOf(places).proc, String(pid))
  const program = await readlink(join(folder, 'exe')).catch(() => '')
  if (program === '' || commandLine !== program) return false
  const environment = await readFile(join(folder, 'environ'), 'utf8').catch(() => '')
  const [, ports = ''] =
    /(?:^|\0)(?:DOTNET|COMPlus)_DiagnosticPorts=([^\0]*)/.exec(environment) ?? []
  return !BEGINS_AT_ONCE.test(ports) || DEFAULT_PORT_WAITS.test(environment)
}

/**
 * Finds the socket of a process, also where it has a temporary folder of its own, or runs in a
 * container of this machine.
 * @returns undefined where there is none; a stale one where there is no other
 *
 * @example
 * import { findProcess } from 'pentameter/nettrace'
 *
 * console.log((await findProcess(process.pid))?.path) // undefined
 */
export async function findProcess(
  pid: number,
  places: ProcessPlaces = {},
): Promise<ProcessSocket | undefined> {
  const { temporary, proc } = placesOf(places)
  const folder = join(proc, String(pid))
  const own = (await temporaryOf(folder)) ?? '/tmp'
  const inner = await innerPid(folder, pid)
  const rooted = join(folder, 'root', own)
  const candidates = [
    ...[temporary, own].map((place) => ({ place, named: pid })),
    { place: rooted, named: inner },
  ]
  let stale: ProcessSocket | undefined
  for (const { place, named } of candidates) {
    const sockets = await socketsIn(place, proc, { named, pid })
    if (sockets.length === 0) continue
    const newest = await newestOf(sockets)
    if (!newest.isStale) return newest
    stale ??= newest
  }
  return stale
}

function placesOf({ temporary, proc }: ProcessPlaces) {
  return { temporary: temporary ?? process.env.TMPDIR ?? '/tmp', proc: proc ?? '/proc' }
}

/**
 * Reads the sockets of a folder.
 * @param only those whose name has this id; inside of a container it is another than outside
 */
async function socketsIn(
  folder: string,
  proc: string,
  only?: { readonly named: number; readonly pid: number },
): Promise<ProcessSocket[]> {
  const names = await readdir(folder).catch(() => [])
  const owners = names.flatMap((name) => {
    const owner = parseSocketName(name)
    if (owner === undefined || (only !== undefined && owner.pid !== only.named)) return []
    return [{ pid: only?.pid ?? owner.pid, key: owner.key, path: join(folder, name) }]
  })
  return Promise.all(owners.slice(0, SOCKETS_LIMIT).map((owner) => describe(owner, proc)))
}

async function describe(
  owner: Pick<ProcessSocket, 'pid' | 'key' | 'path'>,
  proc: string,
): Promise<ProcessSocket> {
  const folder = join(proc, String(owner.pid))
  const line = await textOf(join(folder, 'stat'))
  if (line === undefined) return { ...owner, name: '', isStale: !isAlive(owner.pid) }
  // a name may have parentheses and spaces in it
  const nameEnd = line.lastIndexOf(')')
  const comm = line.slice(line.indexOf('(') + 1, nameEnd)
  const start = line.slice(nameEnd + 2).split(' ')[START_FIELD]
  return { ...owner, name: await wholeName(comm, folder), isStale: start !== owner.key }
}

/** Gives the whole of a name that the system has cut. */
async function wholeName(comm: string, folder: string): Promise<string> {
  if (comm.length < COMM_LENGTH_MAX) return comm
  const [program = ''] = ((await textOf(join(folder, 'cmdline'))) ?? '').split('\0')
  const name = program.slice(program.lastIndexOf('/') + 1)
  return name.startsWith(comm) ? name : comm
}

/** Tells whether a process lives, where nothing but a signal to it tells so. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Chooses among the sockets of one process: one that is not stale, then the newest. */
async function newestOf(sockets: readonly ProcessSocket[]): Promise<ProcessSocket> {
  const living = sockets.filter(({ isStale }) => !isStale)
  const candidates = living.length === 0 ? sockets : living
  const first = candidates[0]!
  if (candidates.length === 1) return first
  const times = await Promise.all(
    candidates.map(({ path }) =>
      stat(path).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    ),
  )
  return candidates[times.indexOf(Math.max(...times))] ?? first
}

/** Reads which temporary folder a process was started with; undefined where it may not be known. */
async function temporaryOf(folder: string): Promise<string | undefined> {
  const variables = (await textOf(join(folder, 'environ')))?.split('\0') ?? []
  return variables.find((each) => each.startsWith('TMPDIR='))?.slice('TMPDIR='.length)
}

/** Reads the id that a process has inside of its container. */
async function innerPid(folder: string, pid: number): Promise<number> {
  const status = (await textOf(join(folder, 'status'))) ?? ''
  const inner = /^NSpid:.*\s(\d+)\s*$/m.exec(status)?.[1]
  return inner === undefined ? pid : Number(inner)
}

function textOf(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined)
}
