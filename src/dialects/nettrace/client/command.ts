/**
 * One command and its reply (§3). The command leaves whole and at once; whatever goes wrong, the
 * connection is closed, since the process would wait for more of it.
 */
import type { Socket } from 'node:net'
import type { Clock } from '../../../time/clock.ts'
import { systemClock } from '../../../time/system-clock.ts'
import type { IpcCommand, IpcReply, ProcessFacts } from '../codec/ipc/messages.ts'
import { readReply } from '../codec/ipc/read.ts'
import { writeIpc } from '../codec/ipc/write.ts'
import { HRESULT, IPC_HEADER_BYTES, IPC_MAGIC } from '../spec.ts'
import type { ProcessDoor } from './door.ts'

/** Time for a connection, and then for the reply: another tool may hold the process' one thread. */
const CONNECT_TIMEOUT_MS = 5000
const REPLY_TIMEOUT_MS = 5000
/** Place of a message's size. */
const SIZE_AT = IPC_MAGIC.length

/** Reason why a command has no good reply. */
export type CommandFailure = 'connect' | 'timeout' | 'closed' | 'bad_reply' | 'refused' | 'stopped'

/**
 * Error of a command that has no good reply; the message says why, and what to do.
 *
 * @example
 * import { CommandError, readFacts, socketDoor } from 'pentameter/nettrace'
 *
 * try {
 *   await readFacts(socketDoor('/tmp/dotnet-diagnostic-1-2-socket'))
 * } catch (error) {
 *   if (!(error instanceof CommandError)) throw error
 *   console.log(error.reason, error.errno) // connect ENOENT
 * }
 */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly reason: CommandFailure
  /** Result that the process refused it with, eight digits of hex. */
  readonly result: string | undefined
  /** Error of the system, where no connection came about: `ECONNREFUSED`. */
  readonly errno: string | undefined

  constructor(reason: CommandFailure, message: string, more: CommandErrorFacts = {}) {
    super(message, more.cause === undefined ? {} : { cause: more.cause })
    this.reason = reason
    this.result = more.result
    this.errno = more.errno
  }
}

interface CommandErrorFacts {
  readonly result?: string
  readonly errno?: string
  readonly cause?: unknown
}

/** A good reply, and the connection that it came on, paused. */
interface Answered {
  readonly reply: Exclude<IpcReply, { readonly message: 'Error' }>
  readonly socket: Socket
  /** Bytes that came behind the reply. */
  readonly rest: Uint8Array
}

/**
 * Sends a command and waits for the reply, for 5 s each to connect and to be answered.
 * @throws {CommandError} for whatever is no good reply
 * @throws {EncodeError} for a command that cannot be written
 *
 * @example
 * import { sendCommand, socketDoor } from 'pentameter/nettrace'
 *
 * const door = socketDoor('/tmp/dotnet-diagnostic-1-2-socket')
 * await sendCommand(door, { message: 'ProcessInfo2' }).catch(({ reason }) => console.log(reason))
 */
export async function sendCommand(
  door: ProcessDoor,
  command: IpcCommand,
  clock: Clock = systemClock,
): Promise<Answered['reply']> {
  const { reply, socket } = await exchange(door, command, clock)
  socket.destroy()
  return reply
}

/**
 * Asks a process who it is, in the words of the newest command that it knows.
 * @throws {CommandError} for whatever is no good reply
 *
 * @example
 * import { readFacts, socketDoor } from 'pentameter/nettrace'
 *
 * const facts = await readFacts(socketDoor('/tmp/dotnet-diagnostic-1-2-socket')).catch(() => {})
 * console.log(facts?.clrVersion)
 */
export async function readFacts(
  door: ProcessDoor,
  clock: Clock = systemClock,
): Promise<ProcessFacts> {
  for (const message of ['ProcessInfo3', 'ProcessInfo2', 'ProcessInfo'] as const) {
    try {
      const reply = await sendCommand(door, { message }, clock)
      if ('commandLine' in reply) return reply
      throw new CommandError('bad_reply', `${door.name} answers ${message} with ${reply.message}`)
    } catch (error) {
      if (!isUnknownCommand(error) || message === 'ProcessInfo') throw error
    }
  }
  throw new CommandError('bad_reply', `${door.name} tells nothing of its process`)
}

/** Tells whether a process is too old for a command. */
export function isUnknownCommand(error: unknown): boolean {
  return error instanceof CommandError && error.result === HRESULT.unknownCommand
}

/**
 * Sends a command and gives the connection behind its reply, for the stream of a session.
 * @param signal ends it at once
 * @throws {CommandError} for whatever is no good reply; the connection is closed then
 */
export async function exchange(
  door: ProcessDoor,
  command: IpcCommand,
  clock: Clock,
  signal?: AbortSignal,
): Promise<Answered> {
  const bytes = writeIpc(command)
  const limit = new AbortController()
  const stop = (): void => {
    limit.abort(new CommandError('stopped', 'stopped'))
  }
  signal?.addEventListener('abort', stop)
  if (signal?.aborted === true) stop()
  try {
    const socket = await within(clock, limit, CONNECT_TIMEOUT_MS, door, () => {
      return door.connect(limit.signal).catch((error) => {
        throw connectError(door, error)
      })
    })
    socket.write(bytes)
    return await within(clock, limit, REPLY_TIMEOUT_MS, door, () => {
      return new ReplyReader(door, socket, limit.signal).read()
    })
  } finally {
    signal?.removeEventListener('abort', stop)
  }
}

/** Aborts what takes longer than it may. */
async function within<T>(
  clock: Clock,
  limit: AbortController,
  limitMs: number,
  door: ProcessDoor,
  work: () => Promise<T>,
): Promise<T> {
  const cancel = clock.after(limitMs, () => {
    const what = `no answer of ${door.name} within ${limitMs} ms`
    limit.abort(new CommandError('timeout', `${what}: it hangs, or another tool holds it up`))
  })
  try {
    return await work()
  } finally {
    cancel()
  }
}

/** Meaning of errors of the system, with what to do. */
const ADVICE: Readonly<Record<string, string>> = {
  EACCES: 'it belongs to another user: run as that user, or as root',
  ECONNREFUSED: 'its process has ended and left the socket behind',
  ENOENT: 'its process has ended, or has its diagnostics turned off',
  EAGAIN: 'too many tools wait for it',
}

function connectError(door: ProcessDoor, error: unknown): CommandError {
  if (error instanceof CommandError) return error
  const { code, message } = error as NodeJS.ErrnoException
  const advice = ADVICE[code ?? '']
  const words = advice ?? code ?? message
  const facts = code === undefined ? { cause: error } : { errno: code, cause: error }
  return new CommandError('connect', `no connection to ${door.name}: ${words}`, facts)
}

/** Reader of one reply, which may come in pieces. */
class ReplyReader {
  readonly #door: ProcessDoor
  readonly #socket: Socket
  readonly #signal: AbortSignal
  #bytes: Uint8Array = new Uint8Array(0)
  #settle: (act: () => void) => void = () => {}
  #resolve: (answered: Answered) => void = () => {}
  #reject: (error: unknown) => void = () => {}

  constructor(door: ProcessDoor, socket: Socket, signal: AbortSignal) {
    this.#door = door
    this.#socket = socket
    this.#signal = signal
  }

  read(): Promise<Answered> {
    const socket = this.#socket
    const onData = (bytes: Uint8Array): void => this.#onData(bytes)
    const onEnd = (): void => {
      this.#fail(new CommandError('closed', `${this.#door.name} closed without a reply`))
    }
    const onAbort = (): void => this.#fail(this.#signal.reason)
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
      this.#settle = (act) => {
        this.#settle = () => {}
        this.#signal.removeEventListener('abort', onAbort)
        socket.off('data', onData).off('end', onEnd).off('close', onEnd)
        act()
      }
      // an error is followed by the close that tells of it
      socket.on('error', () => {})
      socket.on('data', onData).on('end', onEnd).on('close', onEnd)
      this.#signal.addEventListener('abort', onAbort)
      if (this.#signal.aborted) onAbort()
      else if (socket.destroyed) onEnd()
    })
  }

  #onData(bytes: Uint8Array): void {
    this.#bytes = this.#bytes.length === 0 ? bytes : Buffer.concat([this.#bytes, bytes])
    const size = sizeOf(this.#bytes)
    if (size === 'wrong') {
      this.#fail(new CommandError('bad_reply', `${this.#door.name} answers in no known words`))
    } else if (size !== undefined && this.#bytes.length >= size) {
      this.#take(this.#bytes.subarray(0, size), this.#bytes.subarray(size))
    }
  }

  #take(packet: Uint8Array, rest: Uint8Array): void {
    const reply = readReply(packet)
    const { name } = this.#door
    if (reply === undefined) {
      this.#fail(new CommandError('bad_reply', `the reply of ${name} makes no sense`))
    } else if (reply.message === 'Error') {
      const words = `${name} refuses: ${resultWords(reply.code)}`
      this.#fail(new CommandError('refused', words, { result: reply.code }))
    } else {
      this.#socket.pause()
      this.#settle(() => this.#resolve({ reply, socket: this.#socket, rest }))
    }
  }

  #fail(error: unknown): void {
    this.#settle(() => {
      this.#socket.destroy()
      this.#reject(error)
    })
  }
}

/** Reads the size of a message, of whose header all that is there has to be right. */
function sizeOf(bytes: Uint8Array): number | undefined | 'wrong' {
  const known = Math.min(bytes.length, IPC_MAGIC.length)
  for (let i = 0; i < known; i++) if (bytes[i] !== IPC_MAGIC.charCodeAt(i)) return 'wrong'
  if (bytes.length < SIZE_AT + 2) return undefined
  const size = bytes[SIZE_AT]! + bytes[SIZE_AT + 1]! * 256
  return size < IPC_HEADER_BYTES ? 'wrong' : size
}

/** Says what a result means: `unknown command (80131385)`. */
function resultWords(result: string): string {
  const name = Object.entries(HRESULT).find(([, code]) => code === result)?.[0]
  if (name === undefined) return `error ${result}`
  return `${name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)} (${result})`
}
