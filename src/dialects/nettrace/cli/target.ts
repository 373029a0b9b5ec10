/** Which process flags mean, in the options and words of dotnet-counters. */
import { CommandError, EXIT_USAGE } from '../../../terminal/exit.ts'
import { parseBoolean, wholeNumber } from '../../../terminal/flag-values.ts'
import type { FeedRequest, OpenFeed, SourceFlag } from '../../command-line.ts'
import { parseProviders, splitProviders } from '../client/counters/providers.ts'
import { socketDoor } from '../client/door.ts'
import {
  findProcess,
  listProcesses,
  type ProcessPlaces,
  type ProcessSocket,
} from '../client/processes.ts'
import { METER_LIMITS } from '../spec.ts'
import { awaitRuntime } from './dialled.ts'
import { launchRuntime } from './launched.ts'
import { ProcessNotFoundError, processFeed, type WatchedProcess } from './process-feed.ts'

const PID_MAX = 2 ** 31 - 1

export const FLAGS: readonly SourceFlag[] = [
  {
    flags: '-p, --process-id <pid>',
    description: 'a .NET process by its id (counters ps)',
    parse: wholeNumber({ min: 1, max: PID_MAX, noun: 'the id of a process' }),
  },
  { flags: '-n, --name <name>', description: 'a .NET process by its name' },
  {
    flags: '--max-histograms <count>',
    description: 'most histograms that a .NET process keeps for it',
    parse: wholeNumber({ min: 1, max: 1_000_000 }),
    default: METER_LIMITS.histograms,
  },
  {
    flags: '--maxHistograms <count>',
    description: '',
    parse: wholeNumber({ min: 1, max: 1_000_000 }),
    isHidden: true,
  },
  {
    flags: '--diagnostic-port <path>',
    description: 'the first .NET process that dials this socket (DOTNET_DiagnosticPorts)',
  },
  { flags: '--dport <path>', description: '', isHidden: true },
  {
    flags: '--resume-runtime [boolean]',
    description: 'whether it is told to begin, once it is watched',
    parse: parseBoolean,
    default: true,
  },
  {
    flags: '--any-interval',
    description: 'take counters in whatever interval another tool has set',
  },
]

interface Values {
  readonly processId?: number
  readonly name?: string
  readonly maxHistograms?: number
  readonly anyInterval?: boolean
  readonly diagnosticPort?: string
  readonly dport?: string
  readonly resumeRuntime?: boolean
}

/**
 * Makes a feed of the process that flags mean.
 * @param places folders of the system unless given
 * @returns undefined where they mean none
 * @throws {CommandError} of wrong usage
 */
export function readTarget(
  values: Readonly<Record<string, unknown>>,
  request: FeedRequest,
  places: ProcessPlaces = {},
): OpenFeed | undefined {
  const { processId, name, dport, diagnosticPort = dport, resumeRuntime = true } = values as Values
  const { maxHistograms = METER_LIMITS.histograms, anyInterval = false } = values as Values
  const given = [processId, name, diagnosticPort].filter((each) => each !== undefined)
  const { command = [] } = request
  if (given.length === 0 && command.length === 0) return undefined
  if (given.length > 0 && command.length > 0) throw new CommandError(NONE_OF_THEM, EXIT_USAGE)
  if (given.length > 1) throw new CommandError(ONE_OF_THEM, EXIT_USAGE)
  checkProviders(request.counters ?? '')
  const common = { ...request, maxHistograms, takesAnyInterval: anyInterval }
  if (command.length > 0) {
    return processFeed({
      ...{ ...common, choice: command[0]! },
      waitText: `starting ${command.join(' ')}, whose output is not shown`,
      find: (clock, signal) => launchRuntime(command, resumeRuntime, clock, signal),
    })
  }
  if (diagnosticPort !== undefined) {
    const { path, isListening } = portOf(diagnosticPort)
    if (!isListening) {
      const find = async () => ({ door: socketDoor(path), name: '' })
      return processFeed({ ...common, choice: path, find })
    }
    return processFeed({
      ...{ ...common, choice: path },
      waitText: `waiting for a runtime that dials ${path}: DOTNET_DiagnosticPorts=${path}`,
      find: (clock, signal) => awaitRuntime(path, resumeRuntime, clock, signal),
    })
  }
  const find = async (): Promise<WatchedProcess> => {
    const socket =
      processId === undefined ? await byName(name!, places) : await byPid(processId, places)
    return { door: socketDoor(socket.path), name: socket.name, pid: socket.pid }
  }
  return processFeed({ ...common, choice: name ?? `process ${processId}`, find })
}

/** @throws {CommandError} of wrong usage, for names that cannot be asked for */
function checkProviders(counters: string): void {
  try {
    parseProviders(splitProviders(counters))
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new CommandError(`Error parsing --counters argument: ${error.message}`, EXIT_USAGE)
  }
}

const ONE_OF_THEM =
  'Only one of the --name, --process-id, or --diagnostic-port options may be specified.'
const NONE_OF_THEM =
  'None of the --name, --process-id, or --diagnostic-port options may be specified when ' +
  'launching a child process.'
/** Bytes of a socket's path. */
const PATH_BYTES_MAX = 107

/**
 * Reads `PATH`, `PATH,listen` and `PATH,connect`, as dotnet-counters does.
 * @throws {CommandError} of wrong usage
 */
function portOf(text: string): { readonly path: string; readonly isListening: boolean } {
  const [, path = '', mode = 'listen'] = /^([^,]*)(?:,([^,]*))?$/.exec(text) ?? []
  const isKnown = mode === 'listen' || mode === 'connect'
  if (path === '' || !isKnown || Buffer.byteLength(path) > PATH_BYTES_MAX) {
    const wanted = `want PATH or PATH,connect, of ${PATH_BYTES_MAX} bytes at most`
    throw new CommandError(`--diagnostic-port argument error: ${wanted}`, EXIT_USAGE)
  }
  return { path, isListening: mode === 'listen' }
}

const LIST_THEM = 'pentameter counters ps lists those that there are'

async function byPid(pid: number, places: ProcessPlaces): Promise<ProcessSocket> {
  const socket = await findProcess(pid, places)
  if (socket !== undefined && !socket.isStale) return socket
  if (!isRunning(pid)) {
    throw new ProcessNotFoundError(`No process with ID ${pid} is currently running.`, LIST_THEM)
  }
  throw new ProcessNotFoundError(
    `Process ${pid} not running compatible .NET runtime.`,
    'or it has its diagnostics turned off (DOTNET_EnableDiagnostics), or another TMPDIR',
  )
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function byName(name: string, places: ProcessPlaces): Promise<ProcessSocket> {
  const sockets = await listProcesses(places)
  const [socket, ...others] = sockets.filter((each) => !each.isStale && each.name === name)
  if (socket === undefined) {
    const text = `There is no active process with the given name: ${name}`
    throw new ProcessNotFoundError(text, LIST_THEM)
  }
  if (others.length === 0) return socket
  const pids = [socket, ...others].map(({ pid }) => pid).join(', ')
  const text = `There are more than one active processes with the given name: ${name}`
  throw new ProcessNotFoundError(text, `choose one of them with -p: ${pids}`)
}
