/**
 * One connection of a tool: one command, its reply, and the stream of the session that it may have
 * opened. Whatever a tool does, it costs little: a command has its time, bytes behind it are thrown
 * away, and behind every error the connection is closed (§3).
 */
import type { Socket } from 'node:net'
import type { Clock } from '../../../time/clock.ts'
import type { CollectCommand, IpcCommand, IpcMessage } from '../codec/ipc/messages.ts'
import type { ReadCommand } from '../codec/ipc/read.ts'
import { writeIpc } from '../codec/ipc/write.ts'
import { HRESULT, SOCKET_LIMITS } from '../spec.ts'
import { CommandReader } from './command-reader.ts'
import type { WholeFacts } from './process-facts.ts'
import type { TracingSession } from './tracing-session.ts'

/** Format of a session's stream that there is. */
const NETTRACE = 1

/** Server of a connection, as that sees it. */
export interface ConnectionHost {
  readonly clock: Clock
  readonly facts: WholeFacts
  /** Opens a session; a result, eight digits of hex, where that is refused. */
  open(command: CollectCommand, socket: Socket): TracingSession | string
  /** Ends a session; one that is not there has ended. */
  stop(id: string): void
  /** Forgets a connection that is closed. */
  forget(connection: Connection): void
  count(name: string, reason: string): void
}

export class Connection {
  readonly socket: Socket
  readonly #host: ConnectionHost
  readonly #reader = new CommandReader()
  #cancel: () => void
  #bytesBehind = 0
  #session: TracingSession | undefined

  constructor(socket: Socket, host: ConnectionHost) {
    this.socket = socket
    this.#host = host
    this.#cancel = host.clock.after(SOCKET_LIMITS.commandMs, () => {
      host.count('commands_refused', 'timeout')
      socket.destroy()
    })
    socket.on('data', (bytes: Uint8Array) => this.#onData(bytes))
    socket.on('end', () => this.#onEnd())
    // a tool that is killed; the close that follows ends all
    socket.on('error', () => {})
    socket.once('close', () => this.#onClose())
  }

  get session(): TracingSession | undefined {
    return this.#session
  }

  /** Ends the session's stream, or the connection: nothing more is served. */
  stop(): void {
    const session = this.#session
    if (session === undefined) {
      this.socket.destroy()
      return
    }
    this.#cancel()
    // a tool that does not read on would hold the end of its stream for ever
    this.#cancel = this.#host.clock.after(SOCKET_LIMITS.endMs, () => this.socket.destroy())
    session.stop()
  }

  #onData(bytes: Uint8Array): void {
    const command = this.#reader.push(bytes)
    if (command !== undefined) this.#answer(command)
    else if (this.#reader.bytesHeld === 0) this.#throwAway(bytes.length)
  }

  #throwAway(count: number): void {
    this.#bytesBehind += count
    if (this.#bytesBehind <= SOCKET_LIMITS.bytesBehind) return
    this.#host.count('connections_closed', 'bytes_behind')
    this.socket.destroy()
  }

  /** Takes the end of what a tool says; one that goes on listening gets its stream. */
  #onEnd(): void {
    const refused = this.#reader.end()
    if (refused !== undefined) this.#answer(refused)
    else if (this.#session === undefined) this.socket.destroySoon()
    else this.#session.probe()
  }

  #onClose(): void {
    this.#cancel()
    this.#session?.drop()
    this.#host.forget(this)
  }

  #answer({ command, error }: ReadCommand): void {
    this.#cancel()
    if (command === undefined) this.#refuse(error)
    else this.#run(command)
  }

  #run(command: IpcCommand): void {
    const { facts } = this.#host
    const { pid, cookie, commandLine, os, arch, entryAssembly, clrVersion } = facts
    switch (command.message) {
      case 'ProcessInfo':
        this.#reply({ message: 'ProcessInfoReply', pid, cookie, commandLine, os, arch })
        break
      case 'ProcessInfo2': {
        const first = { pid, cookie, commandLine, os, arch }
        this.#reply({ message: 'ProcessInfo2Reply', ...first, entryAssembly, clrVersion })
        break
      }
      case 'ProcessInfo3':
        this.#reply({ message: 'ProcessInfo3Reply', version: 1, ...facts })
        break
      case 'ResumeRuntime':
        this.#reply({ message: 'OK' })
        break
      case 'StopTracing': {
        const { session } = command
        // the stream ends first, as with the runtime
        this.#host.stop(session)
        this.#reply({ message: 'OK', session })
        break
      }
      default:
        this.#collect(command)
    }
  }

  #collect(command: CollectCommand): void {
    const isKnown = command.format === NETTRACE
    const opened = isKnown ? this.#host.open(command, this.socket) : HRESULT.notSupported
    if (typeof opened === 'string') {
      this.#refuse(opened)
      return
    }
    this.#session = opened
    this.socket.write(writeIpc({ message: 'OK', session: opened.id }))
    opened.start()
  }

  #refuse(code: string): void {
    this.#host.count('commands_refused', code)
    this.#reply({ message: 'Error', code })
  }

  #reply(message: IpcMessage): void {
    this.socket.end(writeIpc(message))
    this.socket.destroySoon()
  }
}
