/**
 * A process that dials in (nettrace.md §3): the first one that does is watched. Each of its
 * connections begins with who it is and carries one command; it dials again for the next. One
 * connection of each process is kept, since one that is closed is dialled again at once.
 */
import { chmod, unlink } from 'node:fs/promises'
import { createConnection, createServer, type Server, type Socket } from 'node:net'
import type { Clock } from '../../../time/clock.ts'
import { sendCommand } from '../client/command.ts'
import type { ProcessDoor } from '../client/door.ts'
import { readAdvertisement } from '../codec/ipc/read.ts'
import { ADVERTISE_BYTES } from '../spec.ts'
import { ProcessNotFoundError, type WatchedProcess } from './process-feed.ts'

/** Connections that are held at once; further ones are closed. */
const CONNECTIONS_LIMIT = 256
/** Time for the words that a connection begins with, ms. */
const ADVERTISE_LIMIT_MS = 5000

/**
 * Waits for a process that dials.
 * @param isResumed whether it is told to begin, which it waits for unless it has `nosuspend`
 * @param onListening called when it may dial
 * @throws {ProcessNotFoundError} for a path that can't be listened at
 */
export async function awaitRuntime(
  path: string,
  isResumed: boolean,
  clock: Clock,
  signal: AbortSignal,
  onListening: () => void = () => {},
): Promise<WatchedProcess> {
  const port = new Port(path, clock)
  try {
    await port.listen()
    onListening()
    const door = await port.first(signal)
    return {
      ...{ door, name: '' },
      ...(isResumed
        ? { resume: () => sendCommand(door, { message: 'ResumeRuntime' }, clock) }
        : {}),
      close: () => port.close(),
    }
  } catch (error) {
    await port.close()
    throw error
  }
}

class Port {
  readonly #path: string
  readonly #clock: Clock
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  /** Connections without a command, by the cookie of their process. */
  readonly #spares = new Map<string, Socket>()
  /** Commands of the process that was chosen, which wait for a connection. */
  readonly #waiting: ((socket: Socket) => void)[] = []
  readonly #chosen = Promise.withResolvers<ProcessDoor>()
  #cookie: string | undefined
  #isClosed = false

  constructor(path: string, clock: Clock) {
    this.#path = path
    this.#clock = clock
    this.#server = createServer((socket) => this.#accept(socket))
  }

  async listen(): Promise<void> {
    const path = this.#path
    try {
      await removeStale(path)
      await new Promise<void>((resolve, reject) => {
        this.#server.once('error', reject)
        this.#server.listen({ path }, () => resolve())
      })
      // other users have no business here
      await chmod(path, 0o600)
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      const isUsed = code === 'EADDRINUSE'
      const why = isUsed ? `${path} is in use: another program listens there` : message
      throw new ProcessNotFoundError(why, 'give a path of its own: each port has one listener')
    }
  }

  /** Gives the way to the process that dials first. */
  first(signal: AbortSignal): Promise<ProcessDoor> {
    const onAbort = (): void => this.#chosen.reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    return this.#chosen.promise
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const socket of this.#sockets) socket.destroy()
    await new Promise<void>((resolve) => {
      if (this.#server.listening) this.#server.close(() => resolve())
      else resolve()
    })
  }

  #accept(socket: Socket): void {
    socket.on('error', () => {})
    socket.on('close', () => this.#sockets.delete(socket))
    if (this.#isClosed || this.#sockets.size >= CONNECTIONS_LIMIT) {
      socket.destroy()
      return
    }
    this.#sockets.add(socket)
    const cancel = this.#clock.after(ADVERTISE_LIMIT_MS, () => socket.destroy())
    socket.once('close', cancel)
    let bytes: Uint8Array = new Uint8Array(0)
    const onData = (more: Uint8Array): void => {
      bytes = Buffer.concat([bytes, more])
      if (bytes.length < ADVERTISE_BYTES) return
      cancel()
      socket.off('data', onData)
      const advertisement = readAdvertisement(bytes)
      if (advertisement === undefined || bytes.length > ADVERTISE_BYTES) socket.destroy()
      else this.#take(advertisement.cookie, advertisement.pid, socket)
    }
    socket.on('data', onData)
  }

  #take(cookie: string, pid: string, socket: Socket): void {
    const waiting = cookie === this.#cookie ? this.#waiting.shift() : undefined
    if (waiting !== undefined) {
      waiting(socket)
      return
    }
    this.#spares.get(cookie)?.destroy()
    this.#spares.set(cookie, socket)
    socket.once('close', () => {
      if (this.#spares.get(cookie) === socket) this.#spares.delete(cookie)
    })
    if (this.#cookie !== undefined) return
    this.#cookie = cookie
    const name = `process ${pid} at ${this.#path}`
    this.#chosen.resolve({ name, connect: (signal) => this.#connect(cookie, signal) })
  }

  /** Gives the connection that waits, or the next one. */
  #connect(cookie: string, signal: AbortSignal): Promise<Socket> {
    const spare = this.#spares.get(cookie)
    if (spare !== undefined) {
      this.#spares.delete(cookie)
      return Promise.resolve(spare)
    }
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        const at = this.#waiting.indexOf(take)
        if (at >= 0) this.#waiting.splice(at, 1)
        reject(signal.reason)
      }
      const take = (socket: Socket): void => {
        signal.removeEventListener('abort', onAbort)
        resolve(socket)
      }
      this.#waiting.push(take)
      signal.addEventListener('abort', onAbort, { once: true })
      if (signal.aborted) onAbort()
    })
  }
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
