/**
 * The receiving side: datagrams and connections to one receiver of lines (§3.5, §3.6). Nothing is
 * ever written back; sockets are bound and accepted elsewhere.
 */
import type { Socket } from 'node:net'
import { readInPlace } from '../../../arena/read-in-place.ts'
import type { Clock } from '../../../time/clock.ts'
import type {
  ConnectionProgress,
  DatagramPlace,
  DialectServer,
  Peer,
  PeerConnection,
} from '../../endpoints.ts'
import { FrameScanner } from '../codec/frame-scan.ts'
import type { FrameRules } from '../codec/line-visitor.ts'
import { decodeDatagram } from '../codec/packet.ts'
import { frameRules } from '../codec.ts'
import type { ReceiveOptions } from '../options.ts'
import type { MemoryLines } from './quick/quick-lines.ts'
import type { LineReceiver } from './receivers.ts'

export class LineServer implements DialectServer {
  readonly #clock: Clock
  readonly #options: ReceiveOptions
  readonly #rules: FrameRules
  readonly #receiver: LineReceiver
  readonly #quick: MemoryLines | undefined
  readonly #connections = new Set<Connection>()

  /** @param quick takes lines instead of the receiver, as far as it can */
  constructor(receiver: LineReceiver, options: ReceiveOptions, clock: Clock, quick?: MemoryLines) {
    this.#receiver = receiver
    this.#quick = quick
    this.#options = options
    this.#rules = frameRules(options)
    this.#clock = clock
  }

  get datagrams(): DatagramPlace | undefined {
    return this.#quick?.datagrams
  }

  datagram(bytes: Uint8Array, peer: Peer): void {
    this.#receiver.begin(peer)
    decodeDatagram(bytes, this.#rules, this.#receiver, this.#quick)
  }

  accept(socket: Socket, first: Uint8Array): ConnectionProgress {
    const connection = new Connection(
      socket,
      this.#receiver,
      this.#rules,
      this.#options.frameTimeoutMs,
      this.#clock,
      this.#quick,
    )
    this.#connections.add(connection)
    socket.once('close', () => this.#connections.delete(connection))
    connection.start(first)
    return connection
  }

  connections(): readonly PeerConnection[] {
    return [...this.#connections].map((connection) => connection.status())
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#connections].map((connection) => connection.close()))
  }
}

/**
 * One connection. A read is taken in completely before the next one is asked for, so a sender that
 * is faster than the ingest is held back by TCP itself and no queue can grow here.
 */
class Connection implements ConnectionProgress {
  #socket: Socket
  readonly #receiver: LineReceiver
  readonly #landing: Uint8Array | undefined
  readonly #scanner: FrameScanner
  readonly #clock: Clock
  readonly #frameTimeoutMs: number
  readonly #peer: Peer
  readonly #sinceMs: number
  #timedFrame = 0
  #cancelTimeout: (() => void) | undefined
  #isStopped = false

  constructor(
    socket: Socket,
    receiver: LineReceiver,
    rules: FrameRules,
    frameTimeoutMs: number,
    clock: Clock,
    quick: MemoryLines | undefined,
  ) {
    this.#socket = socket
    this.#receiver = receiver
    this.#landing = quick?.landing
    this.#scanner = new FrameScanner(rules, receiver, quick)
    this.#clock = clock
    this.#frameTimeoutMs = frameTimeoutMs
    this.#sinceMs = clock.wallMs()
    const { remoteAddress = '', remotePort = 0 } = socket
    this.#peer = { transport: 'tcp', address: remoteAddress, port: remotePort }
  }

  start(first: Uint8Array): void {
    const accepted = this.#socket
    this.#take(first)
    if (this.#scanner.isClosed) return
    accepted.on('data', (chunk: Uint8Array) => this.#take(chunk))
    if (this.#landing !== undefined) this.#socket = readInPlace(accepted, this.#landing)
    const socket = this.#socket
    socket.on('end', () => this.#end())
    // a reset connection ends like any other: 'close' follows
    socket.on('error', () => this.#end())
    socket.on('close', () => this.#end())
    if (socket.readableEnded) this.#end()
    else accepted.resume()
  }

  get messages(): number {
    return this.#scanner.framesBegun - (this.#scanner.isInsideFrame ? 1 : 0)
  }

  get isInsideMessage(): boolean {
    return this.#scanner.isInsideFrame
  }

  get bytesHeld(): number {
    return this.#scanner.bytesHeld
  }

  get isTimed(): boolean {
    return this.#cancelTimeout !== undefined
  }

  status(): PeerConnection {
    const { framesBegun, bytesHeld } = this.#scanner
    return { peer: this.#peer, sinceMs: this.#sinceMs, facts: { frames: framesBegun, bytesHeld } }
  }

  /** Closes without calling the frame at hand a peer's error. */
  close(): Promise<void> {
    this.#isStopped = true
    this.#cancelTimeout?.()
    if (this.#socket.closed) return Promise.resolve()
    return new Promise((resolve) => {
      this.#socket.once('close', () => resolve())
      this.#socket.destroy()
    })
  }

  #take(bytes: Uint8Array): void {
    if (this.#isStopped || this.#scanner.isClosed) return
    this.#receiver.begin(this.#peer)
    this.#scanner.push(bytes)
    if (this.#scanner.isClosed) this.#socket.destroy()
    else this.#watchFrame()
  }

  /** Times the frame that is not complete, from its first byte on: a trickle does not extend it. */
  #watchFrame(): void {
    const { isInsideFrame, framesBegun } = this.#scanner
    if (isInsideFrame && framesBegun === this.#timedFrame) return
    this.#cancelTimeout?.()
    this.#cancelTimeout = undefined
    if (!isInsideFrame || this.#frameTimeoutMs === 0) return
    this.#timedFrame = framesBegun
    this.#cancelTimeout = this.#clock.after(this.#frameTimeoutMs, () => this.#end())
  }

  /** Ends the stream, or the time for a frame. */
  #end(): void {
    this.#cancelTimeout?.()
    this.#cancelTimeout = undefined
    if (this.#isStopped || this.#scanner.isClosed) return
    this.#receiver.begin(this.#peer)
    this.#scanner.end()
    this.#socket.destroy()
  }
}
