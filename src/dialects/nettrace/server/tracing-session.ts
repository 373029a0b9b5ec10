/**
 * One session of a tool: the windows of its counters, down the connection that asked for them. A
 * tool that does not read costs a bounded buffer; whole boundaries are left out then, and show as
 * lost events. Long boundaries are spelled in turns of the event loop.
 */
import type { Socket } from 'node:net'
import type { Clock } from '../../../time/clock.ts'
import type { CounterEventSource, CounterEvents, OpenCounters } from '../../snapshot-source.ts'
import type { CollectCommand } from '../codec/ipc/messages.ts'
import { parseArguments } from '../codec/ipc/texts.ts'
import { SOCKET_LIMITS } from '../spec.ts'
import { type EventLoss, SessionStream, type StreamProcess } from './session-stream.ts'

/** Events of one block; the runtime's own blocks have some 100 KB. */
const EVENTS_PER_BLOCK = 200
/** Blocks and bytes that are spelled in one turn: some 8 ms of work. */
const BLOCKS_PER_TURN = 8
const TURN_BYTES = 262_144

interface TracingSessionParts {
  readonly id: string
  readonly socket: Socket
  readonly process: StreamProcess
  readonly clock: Clock
  /** Tells how much may wait for this tool now, bytes. */
  readonly outputBytes: () => number
  readonly onLoss: (reason: EventLoss | 'buffer_full', count: number) => void
}

export class TracingSession {
  readonly id: string
  readonly sinceMs: number
  readonly providers: readonly string[]
  readonly #parts: TracingSessionParts
  readonly #command: CollectCommand
  readonly #stream: SessionStream
  #counters: OpenCounters | undefined
  /** A boundary that is written in part, and the index of its next event. */
  #rest: CounterEvents | undefined
  #next = 0
  #cancelPoint: () => void = () => {}
  #isOver = false
  #eventsSent = 0
  #eventsLost = 0

  constructor(command: CollectCommand, parts: TracingSessionParts) {
    const { id, process, clock } = parts
    this.id = id
    this.sinceMs = clock.wallMs()
    this.providers = command.providers.map(({ name }) => name)
    this.#command = command
    this.#parts = parts
    this.#stream = new SessionStream(process, clock, command.providers, (reason) => {
      if (reason === 'not_sayable') this.#eventsLost++
      parts.onLoss(reason, 1)
    })
  }

  get eventsSent(): number {
    return this.#eventsSent
  }

  /** Events that were left out. */
  get eventsLost(): number {
    return this.#eventsLost
  }

  /**
   * Opens the counters.
   * @returns false where the limit of sessions is reached; nothing is written then
   */
  open(source: CounterEventSource): boolean {
    const wanted = this.#command.providers.map(({ name, arguments: text }) => {
      return { name, arguments: new Map(parseArguments(text)) }
    })
    this.#counters = source.openEvents(wanted, (events) => this.#take(events))
    return this.#counters !== undefined
  }

  /** Writes the begin of the stream, behind the reply. */
  start(): void {
    this.#parts.socket.write(this.#stream.take())
    this.#armPoint()
  }

  /** Writes a sequence point: to a tool that has gone, nothing can be written. */
  probe(): void {
    if (this.#isOver) return
    this.#stream.point()
    this.#parts.socket.write(this.#stream.take())
  }

  /** Ends the stream, in the runtime's order: sequence point, end mark, end of the connection. */
  stop(): void {
    if (this.#isOver) return
    this.drop()
    this.#stream.end()
    this.#parts.socket.end(this.#stream.take())
    this.#parts.socket.destroySoon()
  }

  /** Ends the session of a tool that has gone. */
  drop(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#counters?.close()
    this.#cancelPoint()
    if (this.#rest !== undefined) this.#leaveOut(this.#rest.size - this.#next)
    this.#rest = undefined
  }

  #take(events: CounterEvents): void {
    if (this.#isOver) return
    if (this.#rest !== undefined || this.#isFull()) {
      this.#leaveOut(events.size)
      return
    }
    this.#stream.begin(events.timeMs)
    this.#rest = events
    this.#next = 0
    this.#write()
  }

  #isFull(): boolean {
    const waiting = this.#parts.socket.writableLength
    return waiting > 0 && waiting >= this.#parts.outputBytes()
  }

  #leaveOut(count: number): void {
    this.#eventsLost += count
    this.#stream.skip(count)
    this.#parts.onLoss('buffer_full', count)
  }

  /** Writes what one turn has time for; the rest as there is time, and room. */
  #write(): void {
    const rest = this.#rest
    if (rest === undefined) return
    const { socket } = this.#parts
    const goOn = (): void => void setImmediate(() => this.#write())
    let [blocks, bytes] = [0, 0]
    while (this.#rest !== undefined && blocks < BLOCKS_PER_TURN && bytes < TURN_BYTES) {
      const end = Math.min(rest.size, this.#next + EVENTS_PER_BLOCK)
      this.#stream.events(rest, this.#next, end)
      this.#eventsSent += end - this.#next
      this.#next = end
      if (end === rest.size) this.#rest = undefined
      const block = this.#stream.take()
      blocks++
      bytes += block.length
      const isLastOfTurn = blocks === BLOCKS_PER_TURN || bytes >= TURN_BYTES
      socket.write(block, isLastOfTurn && this.#rest !== undefined ? goOn : undefined)
    }
  }

  #armPoint(): void {
    this.#cancelPoint = this.#parts.clock.after(SOCKET_LIMITS.sequencePointMs, () => {
      if (!this.#isFull()) this.probe()
      if (!this.#isOver) this.#armPoint()
    })
  }
}
