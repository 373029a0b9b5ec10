/**
 * A runtime for tests: a diagnostics socket that answers as a running .NET does, with its one
 * thread, and streams what a test gives it: recordings, or events that it makes up.
 */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createConnection, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { CollectCommand, IpcCommand, IpcReply, ProcessFacts } from '../codec/ipc/messages.ts'
import { readCommand } from '../codec/ipc/read.ts'
import { writeIpc } from '../codec/ipc/write.ts'
import { HRESULT, IPC_HEADER_BYTES } from '../spec.ts'
import { RECORDINGS } from './recordings.ts'

export const COOKIE = '00112233445566778899aabbccddeeff'

/** What a test changes of a runtime that behaves. */
export interface FakeOptions {
  readonly facts?: Partial<ProcessFacts>
  /** Commands that it does not know, as an old one. */
  readonly unknown?: readonly string[]
  /** Answers in its own way: bytes, nothing for ever (`'hang'`), or an end. */
  answer?(command: IpcCommand | undefined): Uint8Array | 'hang' | 'close' | undefined
  /** Streams something else than what {@link FakeRuntime.send} gives; without it nothing. */
  readonly stream?: Uint8Array
}

/** A session that is open. */
interface FakeSession {
  readonly id: string
  readonly command: CollectCommand
  readonly socket: Socket
}

export class FakeRuntime {
  /** Commands in the order in which they came; what could not be read is its result. */
  readonly commands: (IpcCommand | string)[] = []
  readonly sessions: FakeSession[] = []
  options: FakeOptions
  readonly facts: ProcessFacts
  #ids = 0
  #onOpen: () => void = () => {}

  constructor(options: FakeOptions = {}) {
    this.options = options
    this.facts = {
      ...{ version: 1, pid: '4242', cookie: COOKIE, commandLine: '/usr/bin/dotnet Shop.dll' },
      ...{ os: 'Linux', arch: 'x64', entryAssembly: 'Shop', clrVersion: '10.0.12' },
      runtimeIdentifier: 'linux-x64',
      ...options.facts,
    }
  }

  /** Names of the commands that came. */
  get names(): string[] {
    return this.commands.map((each) => (typeof each === 'string' ? each : each.message))
  }

  /** Reads one command of a connection, and answers it. */
  serve(socket: Socket): void {
    let bytes = Buffer.alloc(0)
    socket.on('error', () => {})
    const onData = (more: Buffer): void => {
      bytes = Buffer.concat([bytes, more])
      if (bytes.length < IPC_HEADER_BYTES || bytes.length < bytes.readUInt16LE(14)) return
      socket.off('data', onData)
      socket.resume()
      this.#take(readCommand(bytes), socket)
    }
    socket.on('data', onData)
  }

  #take(read: ReturnType<typeof readCommand>, socket: Socket): void {
    const { command, error } = read
    this.commands.push(command ?? error!)
    const own = this.options.answer?.(command)
    if (own === 'hang') return
    if (own === 'close') socket.destroy()
    else if (own !== undefined) socket.end(own)
    else if (command === undefined) socket.write(writeIpc({ message: 'Error', code: error! }))
    else if (this.options.unknown?.includes(command.message)) {
      socket.write(writeIpc({ message: 'Error', code: HRESULT.unknownCommand }))
    } else if ('providers' in command) this.#open(command, socket)
    else socket.end(writeIpc(this.#replyTo(command)))
  }

  #replyTo(command: Exclude<IpcCommand, CollectCommand>): IpcReply {
    const { version, entryAssembly, clrVersion, runtimeIdentifier, ...first } = this.facts
    const second = { ...first, entryAssembly: entryAssembly!, clrVersion: clrVersion! }
    switch (command.message) {
      case 'StopTracing':
        this.end(command.session)
        return { message: 'OK', session: command.session }
      case 'ProcessInfo':
        return { message: 'ProcessInfoReply', ...first }
      case 'ProcessInfo2':
        return { message: 'ProcessInfo2Reply', ...second }
      case 'ProcessInfo3': {
        const third = { version: version!, ...second, runtimeIdentifier: runtimeIdentifier! }
        return { message: 'ProcessInfo3Reply', ...third }
      }
      case 'ResumeRuntime':
        return { message: 'OK' }
    }
  }

  #open(command: CollectCommand, socket: Socket): void {
    const id = String(140_000_000_000_000 + ++this.#ids)
    this.sessions.push({ id, command, socket })
    socket.write(writeIpc({ message: 'OK', session: id }))
    if (this.options.stream !== undefined) socket.write(this.options.stream)
    socket.once('close', () => this.#forget(id))
    this.#onOpen()
  }

  #forget(id: string): void {
    const at = this.sessions.findIndex((each) => each.id === id)
    if (at >= 0) this.sessions.splice(at, 1)
  }

  /** Waits for a session that a process of its own opens, for as long as its test lasts. */
  async opened(): Promise<FakeSession> {
    while (this.sessions.length === 0) {
      await new Promise<void>((resolve) => {
        this.#onOpen = resolve
      })
    }
    return this.sessions[0]!
  }

  /** Streams bytes to all sessions. */
  send(bytes: Uint8Array): void {
    for (const { socket } of this.sessions) socket.write(bytes)
  }

  /** Ends a session in good order: its end mark, and the end of the connection. */
  end(id: string): void {
    const session = this.sessions.find((each) => each.id === id)
    session?.socket.end(Buffer.of(1))
    this.#forget(id)
  }
}

export interface ListeningRuntime {
  readonly runtime: FakeRuntime
  readonly path: string
  readonly server: Server
  /** Ends it as a kill does: connections break, the socket stays behind. */
  kill(): Promise<void>
}

/** Starts a runtime at a socket of a folder of its own, for as long as the test lasts. */
export async function startFakeRuntime(
  t: TestContext,
  options: FakeOptions = {},
  path = join(temporaryFolder(t), 'dotnet-diagnostic-4242-987-socket'),
): Promise<ListeningRuntime> {
  const runtime = new FakeRuntime(options)
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    runtime.serve(socket)
  })
  await once(server.listen({ path }), 'listening')
  const kill = async (): Promise<void> => {
    const closed = server.listening ? once(server, 'close') : undefined
    server.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }
  t.after(kill)
  return { runtime, path, server, kill }
}

/** Lets a runtime dial a port again and again, as .NET does; each connection has one command. */
export function dialPort(
  t: TestContext,
  path: string,
  options: FakeOptions = {},
): { readonly runtime: FakeRuntime; readonly dials: () => number; end(): void } {
  const runtime = new FakeRuntime(options)
  const sockets = new Set<Socket>()
  let isOver = false
  let dials = 0
  const { cookie, pid } = runtime.facts
  const dial = (): void => {
    if (isOver) return
    dials++
    const socket = createConnection({ path })
    sockets.add(socket)
    let isUsed = false
    const again = (): void => {
      if (!isUsed) setImmediate(dial)
      isUsed = true
    }
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      again()
    })
    socket.once('data', again)
    socket.write(writeIpc({ message: 'Advertise', cookie, pid }))
    runtime.serve(socket)
  }
  const end = (): void => {
    isOver = true
    for (const socket of sockets) socket.destroy()
  }
  dial()
  t.after(end)
  return { runtime, dials: () => dials, end }
}

/** Makes a folder for sockets that goes with the test. */
export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'nettrace-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Gives a recording of a running .NET. */
export function recording(name: string): Uint8Array {
  return RECORDINGS.get(name)!
}

/** Turns of the event loop after which something that does not hold never will. */
const TURNS_LIMIT = 100_000

/**
 * Waits until something of this process holds, and gives up after so many turns of the event loop:
 * a fraction of a second, within which another process may not even have started.
 */
export async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; !holds(); i++) {
    if (i === TURNS_LIMIT) throw new Error(`it never holds: ${holds}`)
    await turn()
  }
}
