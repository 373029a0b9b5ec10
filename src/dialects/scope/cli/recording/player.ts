/**
 * Plays a recording as the server that it is of: on a port of this machine, each connection with
 * its own bytes in their own time. What the client sends changes nothing.
 */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { Clock } from '../../../../time/clock.ts'
import type { RecordedEntry, RecordingReader } from './recording-file.ts'

const LOOPBACK = '127.0.0.1'

interface PlayerEvents {
  /** Called once, when all has been played. */
  ended(): void
}

export class Player {
  readonly #reader: RecordingReader
  readonly #clock: Clock
  readonly #events: PlayerEvents
  readonly #server: Server
  #entry: RecordedEntry | undefined
  #socket: Socket | undefined
  /** Whether all of the connection was sent. */
  #isFinished = false
  /** Monotonic time at which the recording would have begun, by the connection that plays. */
  #zeroNs = 0n
  #cancelNext: () => void = () => {}
  #isOver = false

  constructor(reader: RecordingReader, clock: Clock, events: PlayerEvents) {
    this.#reader = reader
    this.#clock = clock
    this.#events = events
    this.#server = createServer((socket) => this.#accept(socket))
  }

  /** Whether all has been sent: the client that has it may be reading still. */
  get isAllSent(): boolean {
    return this.#entry === undefined
  }

  /** Listens. @returns its port */
  async start(): Promise<number> {
    this.#skipTo('bytes')
    this.#server.listen(0, LOOPBACK)
    await once(this.#server, 'listening')
    return (this.#server.address() as AddressInfo).port
  }

  /** Ends all; nothing is told after it. */
  stop(): void {
    this.#isOver = true
    this.#cancelNext()
    this.#socket?.destroy()
    this.#server.close()
    this.#reader.close()
  }

  #accept(socket: Socket): void {
    socket.on('error', () => {}).resume()
    // the client that was sent all of its connection may be back before it is seen to have left
    if (this.#socket !== undefined && this.#isFinished) this.#leave(this.#socket)
    if (this.#isOver || this.#socket !== undefined) {
      socket.destroy()
      return
    }
    this.#socket = socket
    this.#isFinished = false
    socket.setNoDelay(true)
    socket.once('close', () => this.#leave(socket))
    if (this.#entry === undefined) this.#end()
    else {
      this.#zeroNs = this.#clock.monotonicNs() - nsOf(this.#entry)
      this.#play()
    }
  }

  /** Sends what is due, and comes again when the next bytes are. */
  #play(): void {
    const socket = this.#socket
    for (let entry = this.#entry; socket !== undefined; entry = this.#next()) {
      if (entry === undefined) {
        this.#finish(socket)
        return
      }
      const waitNs = this.#zeroNs + nsOf(entry) - this.#clock.monotonicNs()
      if (waitNs > 0n) {
        this.#cancelNext = this.#clock.after(Number(waitNs) / 1e6, () => this.#play())
        return
      }
      if (entry.event !== 'bytes') {
        this.#finish(socket)
        return
      }
      // a client that reads slower than it did when this was recorded
      if (!socket.write(entry.bytes)) {
        this.#next()
        socket.once('drain', () => this.#play())
        return
      }
    }
  }

  /** Ends a connection, which is over when its client has read all of it and has left. */
  #finish(socket: Socket): void {
    this.#isFinished = true
    if (this.#entry !== undefined) this.#skipTo('bytes')
    socket.end()
  }

  /** Follows a client that has left, early or not: it gets what the next connection got. */
  #leave(socket: Socket): void {
    if (this.#isOver || this.#socket !== socket) return
    this.#cancelNext()
    this.#socket = undefined
    if (!this.#isFinished) {
      this.#skipTo('closed')
      if (this.#entry !== undefined) this.#skipTo('bytes')
    }
    if (this.#entry === undefined) this.#end()
  }

  #next(): RecordedEntry | undefined {
    this.#entry = this.#reader.next()
    return this.#entry
  }

  #skipTo(event: RecordedEntry['event']): void {
    do this.#next()
    while (this.#entry !== undefined && this.#entry.event !== event)
  }

  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#events.ended()
  }
}

function nsOf({ atMs }: RecordedEntry): bigint {
  return BigInt(Math.round(atMs * 1e6))
}
