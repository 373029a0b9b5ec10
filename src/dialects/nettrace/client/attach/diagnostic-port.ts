/**
 * Runtimes that dial in (§3): each connection begins with who it is, and carries one command; the
 * runtime dials again for the next. A connection that is not needed yet is kept, one for each
 * process, since one that is closed is dialled again at once, for ever.
 */
import { chmod, unlink } from 'node:fs/promises'
import { createConnection, createServer, type Server, type Socket } from 'node:net'
import { Backoff } from '../../../../time/backoff.ts'
import { LinkState } from '../../../../time/link-state.ts'
import type { ChosenPeer, Source, SourceContext } from '../../../endpoints.ts'
import type { Advertisement, ProcessFacts } from '../../codec/ipc/messages.ts'
import { readAdvertisement } from '../../codec/ipc/read.ts'
import { ADVERTISE_BYTES, ADVERTISE_MAGIC } from '../../spec.ts'
import { CommandError, readFacts, sendCommand } from '../command.ts'
import type { ProcessDoor } from '../door.ts'
import { Processes, type ProcessesParts } from './attached-processes.ts'

/** Connections that wait for a command, of all processes; further ones are closed. */
const CONNECTIONS_LIMIT = 1024
/** Time for the words that a connection begins with, ms. */
const ADVERTISE_LIMIT_MS = 5000
/** Pause between two attempts to read from a process that another address reads from, ms. */
const ADOPT_MS = 1000
/** Time without a connection after which a process is taken for gone, ms. */
const GONE_MS = 2000
const BACKOFF = { reconnectFirstMs: 1000, reconnectLimitMs: 15_000, reconnectJitter: 0 }

/** A process that has dialled. */
interface Caller {
  readonly cookie: string
  readonly pid: string
  /** Its connections: in use, and waiting. */
  readonly open: Set<Socket>
  /** Connection that waits for a command. */
  spare: Socket | undefined
  /** Commands that wait for a connection. */
  readonly waiting: ((socket: Socket) => void)[]
  /** Facts of the process, once it has told them. */
  facts: ProcessFacts | undefined
  isAttached: boolean
  /** Whether there were too many when it was to be read from. */
  isRefused: boolean
  /** Whether it was told to begin though it is not read from here. */
  wasLetGo: boolean
  readonly backoff: Backoff
  /** Cancels the next step towards reading from it. */
  cancelStep: () => void
  cancelGone: () => void
}

interface DiagnosticPortParts extends ProcessesParts {
  readonly path: string
  /** Address for people. */
  readonly name: string
}

export class DiagnosticPort implements Source {
  readonly #parts: DiagnosticPortParts
  readonly #context: SourceContext
  readonly #processes: Processes
  readonly #link: LinkState
  readonly #backoff = new Backoff(BACKOFF, Math.random)
  readonly #callers = new Map<string, Caller>()
  readonly #sockets = new Set<Socket>()
  #server: Server | undefined
  #isClosed = false
  #cancelRetry: () => void = () => {}

  constructor(parts: DiagnosticPortParts) {
    this.#parts = parts
    this.#context = parts.context
    this.#processes = new Processes(parts)
    this.#link = new LinkState(parts.context.clock)
    void this.#listen()
  }

  status(): ChosenPeer {
    const { name } = this.#parts
    const { status } = this.#link
    const facts = { state: 'listening', processes: this.#processes.size }
    return {
      peer: { transport: 'tcp', address: name, port: 0, name: `unix ${name}` },
      ...{ sinceMs: status.sinceMs, facts, link: status, name, isListening: true },
    }
  }

  statuses(): readonly ChosenPeer[] {
    return [this.status(), ...this.#processes.statuses()]
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelRetry()
    await this.#processes.close()
    for (const caller of this.#callers.values()) stopTimers(caller)
    const server = this.#server
    this.#server = undefined
    const closed = new Promise<void>((resolve) => {
      if (server === undefined) resolve()
      else server.close(() => resolve())
    })
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  async #listen(): Promise<void> {
    const { path } = this.#parts
    this.#link.trying()
    try {
      await removeStale(path)
      const server = createServer((socket) => this.#accept(socket))
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject)
        server.listen({ path }, () => resolve())
      })
      // other users have no business here
      await chmod(path, 0o600)
      server.on('error', (error) => this.#link.failed(error.message))
      if (this.#isClosed) {
        server.close()
        return
      }
      this.#server = server
      this.#link.connected()
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      const inUse = `${path} is in use: another program listens there`
      const retryMs = this.#backoff.nextMs()
      this.#link.failed(code === 'EADDRINUSE' ? inUse : message, retryMs)
      if (this.#isClosed) return
      this.#cancelRetry = this.#context.clock.after(retryMs, () => void this.#listen())
    }
  }

  /** Takes a connection, which has to say at once who it is. */
  #accept(socket: Socket): void {
    socket.on('error', () => {})
    socket.on('close', () => this.#sockets.delete(socket))
    if (this.#sockets.size >= CONNECTIONS_LIMIT) {
      this.#context.reports.count('connections_refused', 'connections_limit')
      socket.destroy()
      return
    }
    this.#sockets.add(socket)
    let bytes: Uint8Array = new Uint8Array(0)
    const cancel = this.#context.clock.after(ADVERTISE_LIMIT_MS, () => {
      this.#refuse(socket, bytes, 'it does not say who it is')
    })
    const onData = (more: Uint8Array): void => {
      bytes = bytes.length === 0 ? more : Buffer.concat([bytes, more])
      const isKnown = hasMagic(bytes)
      if (isKnown && bytes.length < ADVERTISE_BYTES) return
      cancel()
      socket.off('data', onData)
      const advertisement = isKnown && bytes.length === ADVERTISE_BYTES && readAdvertisement(bytes)
      if (!advertisement) this.#refuse(socket, bytes, 'it is no runtime')
      else this.#take(advertisement, socket)
    }
    socket.on('data', onData)
    socket.once('close', cancel)
  }

  #refuse(socket: Socket, bytes: Uint8Array, detail: string): void {
    const { name } = this.#parts
    const peer = { transport: 'tcp', address: name, port: 0 } as const
    const error = { dialect: 'nettrace', code: 'bad_message', offset: 0, resync: true }
    this.#context.reports.decodeError(error, bytes, peer, detail)
    socket.destroy()
  }

  #take({ cookie, pid }: Advertisement, socket: Socket): void {
    const caller = this.#callers.get(cookie) ?? this.#meet(cookie, pid)
    caller.cancelGone()
    caller.open.add(socket)
    socket.once('close', () => this.#onClosed(caller, socket))
    // it dials when the one before was used, or is of no use to it
    caller.spare?.destroy()
    const waiting = caller.waiting.shift()
    caller.spare = waiting === undefined ? socket : undefined
    // it says nothing now, and only who reads notices that it ends
    if (waiting === undefined) socket.resume()
    else waiting(socket)
  }

  /** Forgets a process without a connection that does not dial again, as it does while it lives. */
  #onClosed(caller: Caller, socket: Socket): void {
    caller.open.delete(socket)
    if (caller.spare === socket) caller.spare = undefined
    if (caller.open.size > 0 || this.#isClosed) return
    caller.cancelGone()
    caller.cancelGone = this.#context.clock.after(GONE_MS, () => {
      stopTimers(caller)
      this.#callers.delete(caller.cookie)
      if (caller.isAttached) this.#processes.release(caller.cookie, 'the process has ended')
    })
  }

  /** Makes a note of a process; of all its connections the first one asks who it is. */
  #meet(cookie: string, pid: string): Caller {
    const caller: Caller = {
      ...{
        cookie,
        pid,
        open: new Set(),
        spare: undefined,
        waiting: [],
        facts: undefined,
        isAttached: false,
      },
      ...{ isRefused: false, wasLetGo: false, backoff: new Backoff(BACKOFF, Math.random) },
      ...{ cancelStep: () => {}, cancelGone: () => {} },
    }
    this.#callers.set(cookie, caller)
    void this.#ask(caller)
    return caller
  }

  /** Asks a process who it is, again after a pause where there is no answer. */
  async #ask(caller: Caller): Promise<void> {
    const { clock, reports } = this.#context
    try {
      // the cookie is that of the advertisement: one process, whatever else it says
      const facts = await readFacts(this.#doorOf(caller), clock)
      caller.facts = { ...facts, cookie: caller.cookie }
      this.#adopt(caller)
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      if (this.#callers.get(caller.cookie) !== caller || this.#isClosed) return
      reports.count('connect_failed', error.reason)
      caller.cancelStep = clock.after(caller.backoff.nextMs(), () => void this.#ask(caller))
    }
  }

  /** Reads from a process, as soon as no other address does and there is room. */
  #adopt(caller: Caller): void {
    if (this.#callers.get(caller.cookie) !== caller || this.#isClosed) return
    const { clock, reports } = this.#context
    const adoption = this.#processes.adopt(this.#doorOf(caller), caller.facts!, true)
    caller.isAttached = adoption === 'adopted'
    if (adoption === 'full' && !caller.isRefused) {
      reports.count('processes_refused', 'processes_limit')
    }
    caller.isRefused = adoption === 'full'
    if (!caller.isAttached) {
      if (!caller.wasLetGo) void this.#letGo(caller)
      caller.cancelStep = clock.after(ADOPT_MS, () => this.#adopt(caller))
    }
  }

  /**
   * Tells a process to begin that is not read from here: it may wait for that, and only a word at
   * this port has an effect. Whether another address reads from it, or none does, is no matter.
   */
  async #letGo(caller: Caller): Promise<void> {
    const { clock, reports } = this.#context
    caller.wasLetGo = true
    try {
      await sendCommand(this.#doorOf(caller), { message: 'ResumeRuntime' }, clock)
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      reports.count('connect_failed', error.reason)
      caller.wasLetGo = false
    }
  }

  #doorOf(caller: Caller): ProcessDoor {
    return {
      name: `process ${caller.pid} at ${this.#parts.path}`,
      connect: (signal) => spareOf(caller, signal),
    }
  }
}

function stopTimers({ cancelGone, cancelStep }: Caller): void {
  cancelGone()
  cancelStep()
}

/** Gives the connection that waits, or the next one. */
function spareOf(caller: Caller, signal: AbortSignal): Promise<Socket> {
  const { spare } = caller
  if (spare !== undefined) {
    caller.spare = undefined
    return Promise.resolve(spare)
  }
  return new Promise((resolve, reject) => {
    const take = (socket: Socket): void => {
      signal.removeEventListener('abort', onAbort)
      resolve(socket)
    }
    const onAbort = (): void => {
      const at = caller.waiting.indexOf(take)
      if (at >= 0) caller.waiting.splice(at, 1)
      reject(signal.reason)
    }
    caller.waiting.push(take)
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
  })
}

function hasMagic(bytes: Uint8Array): boolean {
  const known = Math.min(bytes.length, ADVERTISE_MAGIC.length)
  for (let i = 0; i < known; i++) if (bytes[i] !== ADVERTISE_MAGIC.charCodeAt(i)) return false
  return true
}

/** Removes a socket that no program listens at. */
async function removeStale(path: string): Promise<void> {
  const error = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    const socket = createConnection({ path })
    socket.once('connect', () => {
      socket.destroy()
      resolve(undefined)
    })
    socket.once('error', resolve)
  })
  if (error?.code === 'ECONNREFUSED') await unlink(path)
}
