/**
 * The receiving side: datagrams and connections to one receiver of lines (§3.5, §3.6). Nothing is
 * ever written back; sockets are bound and accepted elsewhere.
 */
import type { Socket } from 'node:net'
import { readInPlace } from '../../../arena/read-in-place.ts'
import type { Budget } from '../../../time/budget.ts'
import type { Clock } from '../../../time/clock.ts'
import type {
  ConnectionProgress,
  DatagramPlace,
  DialectServer,
  Peer,
  PeerConnection,
  Rest,
} from '../../endpoints.ts'
import { FrameScanner } from '../codec/frame-scan.ts'
import type { BodyRest, FrameRules, QuickLines } from '../codec/line-visitor.ts'
import { decodeDatagram, decodeRest } from '../codec/packet.ts'
import { frameRules } from '../codec.ts'
import type { LineOptions } from '../options.ts'
import type { MemoryLines } from './quick/quick-lines.ts'
import type { LineReceiver } from './receivers.ts'

export class LineServer implements DialectServer {
  readonly #clock: Clock
  readonly #options: LineOptions
  readonly #rules: FrameRules
  readonly #receiver: LineReceiver
  readonly #quick: MemoryLines | undefined
  readonly #connections = new Set<Connection>()

  /** @param quick takes lines instead of the receiver, as far as it can */
  constructor(receiver: LineReceiver, options: LineOptions, clock: Clock, quick?: MemoryLines) {
    this.#receiver = receiver
    this.#quick = quick
    this.#options = options
    this.#rules = frameRules(options)
    this.#clock = clock
  }

  get datagrams(): DatagramPlace | undefined {
    return this.#quick?.datagrams
  }

  datagram(bytes: Uint8Array, peer: Peer, budget?: Budget): Rest | undefined {
    const receiver = this.#receiver
    receiver.begin(peer)
    const rest = decodeDatagram(bytes, this.#rules, receiver, this.#quick, budget)
    if (rest === undefined) return undefined
    const { start, end, origin } = rest
    const isCallers = rest.bytes === bytes
    const own = isCallers
      ? {
          ...{ ...rest, bytes: new Uint8Array(bytes.subarray(start, end)) },
          ...{ start: 0, end: end - start, origin: origin - start },
        }
      : rest
    return new DatagramRest(own, peer, receiver, this.#rules, this.#quick, budget)
  }

  accept(
    socket: Socket,
    first: Uint8Array,
    _handBack?: (bytes: Uint8Array) => boolean,
    budget?: Budget,
  ): ConnectionProgress {
    const connection = new Connection(
      socket,
      this.#receiver,
      this.#rules,
      this.#options.frameTimeoutMs,
      this.#clock,
      this.#quick,
      budget,
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

/** Lines of a datagram that wait for a later turn. */
class DatagramRest implements Rest {
  #body: BodyRest | undefined
  readonly #peer: Peer
  readonly #receiver: LineReceiver
  readonly #rules: FrameRules
  readonly #quick: QuickLines | undefined
  readonly #budget: Budget | undefined

  constructor(
    body: BodyRest,
    peer: Peer,
    receiver: LineReceiver,
    rules: FrameRules,
    quick: QuickLines | undefined,
    budget: Budget | undefined,
  ) {
    this.#body = body
    this.#peer = peer
    this.#receiver = receiver
    this.#rules = rules
    this.#quick = quick
    this.#budget = budget
  }

  get hasRest(): boolean {
    return this.#body !== undefined
  }

  get bytesHeld(): number {
    return this.#body?.bytes.length ?? 0
  }

  goOn(): void {
    if (this.#body === undefined) return
    this.#receiver.begin(this.#peer)
    this.#body = decodeRest(this.#body, this.#rules, this.#receiver, this.#quick, this.#budget)
  }
}

/**
 * One connection. A read is taken in completely before the next one is asked for, in as many turns
 * as it takes: so a sender that is faster than the ingest is held back by TCP itself and no queue
 * can grow here.
 */
class Connection implements ConnectionProgress {
  readonly #accepted: Socket
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
  /** Whether the stream has ended behind what waits. */
  #isEnding = false

  constructor(
    socket: Socket,
    receiver: LineReceiver,
    rules: FrameRules,
    frameTimeoutMs: number,
    clock: Clock,
    quick: MemoryLines | undefined,
    budget: Budget | undefined,
  ) {
    this.#accepted = socket
    this.#socket = socket
    this.#receiver = receiver
    this.#landing = quick?.landing
    this.#scanner = new FrameScanner(rules, receiver, quick, budget)
    this.#clock = clock
    this.#frameTimeoutMs = frameTimeoutMs
    this.#sinceMs = clock.wallMs()
    const { remoteAddress = '', remotePort = 0 } = socket
    this.#peer = { transport: 'tcp', address: remoteAddress, port: remotePort }
  }

  start(first: Uint8Array): void {
    const accepted = this.#accepted
    this.#take(first)
    if (this.#scanner.isClosed) return
    accepted.on('data', (chunk: Uint8Array) => this.#take(chunk))
    if (this.#landing !== undefined) this.#socket = readInPlace(accepted, this.#landing)
    const socket = this.#socket
    socket.on('end', () => this.#end())
    // a reset connection ends like any other: 'close' follows
    socket.on('error', () => this.#end())
    socket.on('close', () => this.#end(true))
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

  get bytesInside(): number {
    return this.#scanner.bytesInside
  }

  get hasRest(): boolean {
    return this.#scanner.hasRest
  }

  goOn(): void {
    if (this.#isStopped || this.#scanner.isClosed) return
    this.#receiver.begin(this.#peer)
    this.#scanner.goOn()
    this.#settle()
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
    this.#settle()
  }

  #settle(): void {
    if (this.#scanner.isClosed) this.#socket.destroy()
    else if (this.#isEnding && !this.hasRest) this.#end()
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
    this.#startTimeout()
  }

  #startTimeout(): void {
    this.#cancelTimeout = this.#clock.after(this.#frameTimeoutMs, () => {
      // one that the hub holds back can't go on
      if (this.#accepted.isPaused()) this.#startTimeout()
      else this.#end(true)
    })
  }

  /** Ends the stream, or the time for a frame; what waits is taken before, unless it is late. */
  #end(isLate = false): void {
    this.#isEnding = true
    if (this.hasRest && !isLate) return
    this.#cancelTimeout?.()
    this.#cancelTimeout = undefined
    if (this.#isStopped || this.#scanner.isClosed) return
    this.#receiver.begin(this.#peer)
    this.#scanner.end()
    this.#socket.destroy()
  }
}
