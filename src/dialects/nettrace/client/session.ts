/**
 * One session at a process (§1, §3): what is wanted is asked for once, and its stream read until
 * something ends it. It never ends without a reason, nor holds more than a block.
 */
import type { Socket } from 'node:net'
import type { Clock } from '../../../time/clock.ts'
import { PartedWork } from '../../../time/parts.ts'
import { systemClock } from '../../../time/system-clock.ts'
import { inOnePart } from '../../../time/task.ts'
import type { DecodeErrorFields } from '../../../wire/decode-error.ts'
import type { SharedReads } from '../../endpoints.ts'
import type { NetTraceEvent } from '../codec/event.ts'
import type { CollectCommand, Provider } from '../codec/ipc/messages.ts'
import { NetTraceReader } from '../codec/stream/reader.ts'
import { NAME, type Trace } from '../spec.ts'
import { CommandError, type CommandFailure, exchange, isUnknownCommand } from './command.ts'
import type { ProcessDoor } from './door.ts'

/** Buffer of the process for events that were not read yet, as its usual tool asks for it, MiB. */
const BUFFER_MB = 256
/** Size of a block, bytes: a runtime ends one at 100 KB. */
const BLOCK_BYTES = 4 * 1024 * 1024
/** Time for a stream to end once it was told to. */
const STOP_LIMIT_MS = 5000

/** Reason why a session ended or never began; the last three: after it was open. */
export type SessionEndReason = CommandFailure | 'ended' | 'truncated' | 'bad_stream'

export interface SessionEnd {
  readonly reason: SessionEndReason
  /** Text for people: what happened, and what to do where there is something. */
  readonly message: string
  /** Result that the process refused the session with, eight digits of hex. */
  readonly result?: string
  /** Error of the system, where no connection came about. */
  readonly errno?: string
}

/** Callbacks of a session; they must not throw. */
export interface SessionObserver {
  /** Called when the process has opened the session. */
  onOpen?(session: string): void
  /**
   * Takes an event, in the order of the stream.
   * @param timeMs its time by the clock of the process, Unix ms with fractions
   */
  onEvent?(event: NetTraceEvent, timeMs: number): void
  /** Takes what could not be read; the stream goes on where `resync` says so. */
  onError?(error: DecodeErrorFields): void
  /** Takes the reason of the end: called once, and nothing after it. */
  onEnd?(end: SessionEnd): void
}

export interface SessionOptions extends SessionObserver {
  readonly door: ProcessDoor
  readonly providers: readonly Provider[]
  /** Buffer of the process for what was not read yet, MiB; 256 unless stated. */
  readonly bufferMB?: number
  readonly clock?: Clock
  /** Budget within which what comes is read; none unless given. */
  readonly reads?: SharedReads | undefined
}

/**
 * A session of events at a process, from the moment it is made.
 *
 * @example
 * import { EventPipeSession, socketDoor } from 'pentameter/nettrace'
 *
 * const session = new EventPipeSession({
 *   door: socketDoor('/tmp/dotnet-diagnostic-1-2-socket'),
 *   providers: [{ name: 'App', keywords: 0, level: 4, arguments: '' }],
 *   onEvent: ({ metadata, payload }) => console.log(metadata.name, payload),
 *   onEnd: ({ message }) => console.log(message),
 * })
 * setTimeout(() => session.stop(), 1000)
 */
export class EventPipeSession {
  readonly #options: SessionOptions
  readonly #clock: Clock
  readonly #reader: NetTraceReader
  readonly #work: PartedWork
  readonly #abort = new AbortController()
  #socket: Socket | undefined
  #session: string | undefined
  #isOver = false
  #isStopping = false
  #onOver: () => void = () => {}
  #over: Promise<void>

  /** @throws {EncodeError} for providers that cannot be written */
  constructor(options: SessionOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#over = new Promise((resolve) => {
      this.#onOver = resolve
    })
    this.#work = new PartedWork(options.reads)
    this.#reader = new NetTraceReader({
      order: 'stream',
      blockBytesLimit: BLOCK_BYTES,
      onEvent: (event) => {
        if (!this.#isOver) options.onEvent?.(event, timeOf(event, this.#reader.trace!))
      },
      onError: (error) => this.#onError(error),
    })
    void this.#open()
  }

  /** Whether the process has opened it, and it has not ended. */
  get isOpen(): boolean {
    return this.#session !== undefined && !this.#isOver
  }

  /** Start of the stream, once it has come. */
  get trace(): Trace | undefined {
    return this.#reader.trace
  }

  /** Events read so far. */
  get events(): number {
    return this.#reader.events
  }

  /** Events that the process has dropped, as far as their numbers say. */
  get lost(): number {
    return this.#reader.lost
  }

  /** Errors of reading, by code. */
  get errors(): NetTraceReader['errors'] {
    return this.#reader.errors
  }

  /** Memory held for a block that is not complete, bytes. */
  get bytesHeld(): number {
    return this.#reader.bytesHeld
  }

  /**
   * Tells the process to stop, over another connection, and reads what still comes, for 5 s at
   * most; then it is over in any case. One that has yet to begin is told nothing: it would begin
   * the next session twice and crash (§10), and lets go of a closed connection by itself.
   * Never throws.
   */
  async stop(): Promise<void> {
    const session = this.#session
    if (this.#isOver || session === undefined) {
      this.#end({ reason: 'stopped', message: 'stopped' })
      return
    }
    if (this.#isStopping) return this.#over
    this.#isStopping = true
    // a runtime that has begun sends the head of its stream at once
    if (this.#reader.trace === undefined) {
      this.#end({ reason: 'stopped', message: 'the process has yet to begin' })
      return
    }
    const limit = new AbortController()
    const cancel = this.#clock.after(STOP_LIMIT_MS, () => {
      limit.abort()
      this.#end({ reason: 'stopped', message: `no end within ${STOP_LIMIT_MS} ms` })
    })
    await Promise.all([this.#tellStop(session, limit.signal), this.#over])
    cancel()
  }

  /** Sends the command that ends the session; its reply says nothing: the stream's end does. */
  async #tellStop(session: string, signal: AbortSignal): Promise<void> {
    try {
      const command = { message: 'StopTracing', session } as const
      const { socket } = await exchange(this.#options.door, command, this.#clock, signal)
      socket.destroy()
    } catch (error) {
      this.#end(endOf(error))
    }
  }

  /** Ends it at once; the process notices when it writes next. Nothing is called back. */
  abort(): void {
    this.#close()
  }

  async #open(): Promise<void> {
    try {
      const { reply, socket, rest } = await this.#collect()
      if (this.#isOver) {
        socket.destroy()
        return
      }
      this.#socket = socket
      this.#session = 'session' in reply ? reply.session : undefined
      if (this.#session === undefined) {
        const message = `${this.#options.door.name} opens a session without a name`
        this.#end({ reason: 'bad_reply', message })
        return
      }
      this.#options.onOpen?.(this.#session)
      this.#listen(socket, rest)
    } catch (error) {
      this.#end(endOf(error))
    }
  }

  /** Asks for the session, once more in the words of an old process where it is one. */
  async #collect() {
    const { door, providers, bufferMB = BUFFER_MB } = this.#options
    const { signal } = this.#abort
    const base = { bufferMB, format: 1, providers }
    const command: CollectCommand = { message: 'CollectTracing2', ...base, rundown: false }
    try {
      return await exchange(door, command, this.#clock, signal)
    } catch (error) {
      if (!isUnknownCommand(error)) throw error
      return await exchange(door, { message: 'CollectTracing', ...base }, this.#clock, signal)
    }
  }

  #listen(socket: Socket, rest: Uint8Array): void {
    if (this.#isOver) return
    socket.on('end', () => this.#onClosed())
    socket.on('close', () => this.#onClosed())
    const read = (): void => {
      socket.on('data', (bytes: Uint8Array) => this.#onData(bytes))
      if (rest.length > 0) this.#onData(rest)
      socket.resume()
    }
    const { reads, door } = this.#options
    if (reads === undefined) read()
    else {
      reads.share(socket, `${NAME} ${door.name}`, () => {
        read()
        return this.#work
      })
    }
  }

  #onData(bytes: Uint8Array): void {
    if (!this.#isOver) this.#work.begin(inOnePart(() => this.#push(bytes)))
  }

  #push(bytes: Uint8Array): void {
    if (this.#isOver) return
    this.#reader.push(bytes)
    if (this.#reader.isEnded) this.#onEndMark()
  }

  #onEndMark(): void {
    const message = this.#isStopping ? 'stopped' : 'the process has ended'
    this.#end({ reason: 'ended', message })
  }

  #onError(error: DecodeErrorFields): void {
    if (this.#isOver) return
    this.#options.onError?.(error)
    if (error.resync) return
    const { code, offset } = error
    const why = code === 'bad_tag' && offset === SECOND_HEAD_AT ? SECOND_HEAD : ''
    const message = `the stream cannot be read on: ${code} at byte ${offset}${why}`
    if (code === 'truncated') {
      this.#end({ reason: 'truncated', message: 'the stream broke off: the process is gone' })
    } else this.#end({ reason: 'bad_stream', message })
  }

  /** Ends the stream, behind what waits to be read. */
  #onClosed(): void {
    while (this.#work.hasRest) this.#work.goOn()
    if (this.#isOver) return
    this.#reader.end()
    // without an error the end mark has come
    this.#end({ reason: 'ended', message: 'the process ended the session' })
  }

  #end(end: SessionEnd): void {
    if (this.#isOver) return
    this.#close()
    this.#options.onEnd?.(end)
  }

  #close(): void {
    this.#isOver = true
    this.#abort.abort()
    this.#work.drop()
    this.#socket?.destroy()
    this.#onOver()
  }
}

/** Place of the first block of a version 4 stream, where some runtimes send their head again. */
const SECOND_HEAD_AT = 102
const SECOND_HEAD =
  '. A .NET runtime sends its head twice where a tool came and went before it had begun: ' +
  'start the process again, as it may crash'

function endOf(error: unknown): SessionEnd {
  if (!(error instanceof CommandError)) throw error
  const { reason, message, result, errno } = error
  return {
    ...{ reason, message },
    ...(result === undefined ? {} : { result }),
    ...(errno === undefined ? {} : { errno }),
  }
}

/** Computes when an event was, Unix ms with fractions; NaN where the stream has no clock. */
function timeOf({ ticks }: NetTraceEvent, { syncTimeMs, frequency }: Trace): number {
  const perMs = Number(frequency) / 1000
  return perMs > 0 ? syncTimeMs + ticks / perMs : Number.NaN
}
