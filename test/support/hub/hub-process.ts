/** The product as its user starts it: a process on free ports, ready when it says so. */
import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { portFlags } from '../ports.ts'

// no hub of a test, a siege or a soak writes into the state folder of who runs it
process.env.PENTAMETER_HISTORY ??= 'none'

const INSIDE = new URL('inside.ts', import.meta.url).href
export const PROGRAM = fileURLToPath(new URL('../../../bin/pentameter.js', import.meta.url))

export interface Address {
  readonly host: string
  readonly port: number
  /** Why nothing listens there. */
  readonly error?: string
}

export interface Listeners {
  readonly [name: string]: Address
  readonly http: Address
  readonly text: Address
  readonly stream: Address
}

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** What it logged. */
  readonly log: string
}

export interface HubProcess {
  readonly listeners: Listeners
  readonly pid: number
  /** Resolves when it has ended, for whatever reason. */
  readonly ended: Promise<Exit>
  /** What it has logged so far. */
  log(): string
  signal(name: NodeJS.Signals): void
  /** Sets the wall clock of the process ahead, or back; where it is watched from inside. */
  stepClock(ms: number): void
  /** Ends its threads whose name has this in it; where it is watched from inside. */
  endThreads(name: string): void
  /** Reads the heap in use, bytes, behind a collection where `--expose-gc` allows one. */
  heapBytes(): Promise<number>
  /** Takes the longest step of its event loop since the last call, ms of processor time. */
  takeHeldMs(): number
  /** Sends SIGTERM and waits for the end; killed when that takes longer than 15 s. */
  stop(): Promise<Exit>
}

const READY_TIMEOUT_MS = 30_000
const STOP_TIMEOUT_MS = 15_000

export interface Circumstances {
  /** Where the log goes instead of into `log`: an open file. */
  readonly stderr?: number
  /** Most file descriptors that it may have open. */
  readonly descriptors?: number
  /** Flags of Node. */
  readonly execArgv?: readonly string[]
  /** Program that is started; that of this checkout unless given. */
  readonly program?: string
  /** Whether its event loop is measured, and its wall clock can be set. */
  readonly isWatched?: boolean
}

/** @param command `serve` or `demo`, with further flags */
export function startHubProcess(...command: readonly string[]): Promise<HubProcess> {
  return startHubProcessWith({}, ...command)
}

/** The same under circumstances that are not the usual ones. */
export async function startHubProcessWith(
  { stderr, descriptors, execArgv = [], program = PROGRAM, isWatched = false }: Circumstances,
  ...command: readonly string[]
): Promise<HubProcess> {
  const [name, ...flags] = command
  const watching = isWatched ? ['--import', INSIDE] : []
  const args = [
    ...execArgv,
    ...watching,
    program,
    name!,
    ...portFlags(0),
    '--log',
    'json',
    ...flags,
  ]
  const stdio = ['ignore', 'pipe', stderr ?? 'pipe', isWatched ? 'pipe' : 'ignore'] as const
  const child =
    descriptors === undefined
      ? spawn(process.execPath, args, { stdio: [...stdio] })
      : spawn(
          'sh',
          ['-c', `ulimit -n ${descriptors} && exec "$@"`, 'sh', process.execPath, ...args],
          {
            stdio: [...stdio],
          },
        )
  let log = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  const inside = child.stdio[3] as Socket | null
  let heldMs = 0
  inside?.on('error', () => {})
  let heapTold: (bytes: number) => void = () => {}
  if (inside) {
    createInterface({ input: inside }).on('line', (line) => {
      const [name, value] = line.split(' ')
      if (name === 'memory') heapTold(Number(value))
      else heldMs = Math.max(heldMs, Number(value))
    })
  }
  const ended = new Promise<Exit>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, log }))
  })
  const listeners = await withTimeout(READY_TIMEOUT_MS, child, readyLine(child, ended))
  return {
    listeners,
    pid: child.pid!,
    ended,
    log: () => log,
    signal: (name) => void child.kill(name),
    stepClock: (ms) => void inside?.write(`step ${ms}\n`),
    endThreads: (name) => void inside?.write(`end ${name}\n`),
    async heapBytes() {
      const told = new Promise<number>((resolve) => {
        heapTold = resolve
      })
      inside?.write('memory\n')
      return Promise.race([told, ended.then(() => Number.NaN)])
    },
    takeHeldMs() {
      const taken = heldMs
      heldMs = 0
      return taken
    },
    stop() {
      child.kill('SIGTERM')
      return withTimeout(STOP_TIMEOUT_MS, child, ended)
    },
  }
}

/** `{"ready":true,"listeners":{…}}`, the first line on the standard output. */
async function readyLine(child: ChildProcess, ended: Promise<Exit>): Promise<Listeners> {
  const line = new Promise<string>((resolve) => {
    createInterface({ input: child.stdout! }).once('line', resolve)
  })
  const first = await Promise.race([line, ended])
  if (typeof first !== 'string') {
    throw new Error(`ended with ${first.code ?? first.signal} before it was ready:\n${first.log}`)
  }
  return (JSON.parse(first) as { listeners: Listeners }).listeners
}

async function withTimeout<T>(ms: number, child: ChildProcess, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`process ${child.pid} did not answer within ${ms} ms`))
    }, ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
