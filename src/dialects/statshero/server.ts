/**
 * The receiving side: datagrams and connections into the ingest (§3.5, §3.6). Nothing is ever
 * written back. Errors of peers end here: reported once, with source and the first bytes.
 */
import type { Socket } from 'node:net'
import type { Ingest } from '../ingest.ts'
import type { Peer, PeerConnection } from '../peer.ts'
import type { Reports } from '../reports.ts'
import type { DialectServer, ServerContext } from '../server.ts'
import { frameRules } from './codec/decoder.ts'
import { decodeDatagram, type FrameRules, FrameScanner, type PacketVisitor } from './codec.ts'
import { LineMapper } from './map.ts'
import { RECEIVE_DEFAULTS, type ReceiveOptions } from './options.ts'
import { type ErrorCode, type LineErrorCode, NAME, type PacketErrorCode } from './spec.ts'

/** Bytes of an offending message that a report keeps. */
const REPORT_BYTES = 128

const LINE_FAULTS: Readonly<Record<LineErrorCode, string>> = {
  parse_error: 'line is not key:value|type',
  empty_key: 'key is empty',
  bad_key: 'key has other than letters, digits and single dots',
  bad_value: 'value is no integer, or too long',
  unknown_type: 'type is none of m, mr, g, h',
  bad_sample_rate: 'sample rate is not @ and a decimal with digits on both sides of the point',
}

export function createServer(context: ServerContext): DialectServer {
  return new StatsHeroServer(context)
}

class StatsHeroServer implements DialectServer {
  readonly #context: ServerContext
  readonly #options: ReceiveOptions
  readonly #rules: FrameRules
  readonly #receiver: Receiver
  readonly #connections = new Set<Connection>()

  constructor(context: ServerContext) {
    this.#context = context
    this.#options = { ...RECEIVE_DEFAULTS, ...context.options }
    this.#rules = frameRules(this.#options)
    this.#receiver = new Receiver(context.ingest, this.#options, context.reports)
  }

  datagram(bytes: Uint8Array, peer: Peer): void {
    this.#receiver.begin(peer)
    decodeDatagram(bytes, this.#rules, this.#receiver)
  }

  accept(socket: Socket, first: Uint8Array): void {
    const connection = new Connection(
      socket,
      this.#receiver,
      this.#rules,
      this.#options,
      this.#context,
    )
    this.#connections.add(connection)
    socket.once('close', () => this.#connections.delete(connection))
    connection.start(first)
  }

  connections(): readonly PeerConnection[] {
    return [...this.#connections].map((connection) => connection.status())
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#connections].map((connection) => connection.close()))
  }
}

/** Lines into the ingest, errors into the reports; one for all sockets of a server. */
class Receiver extends LineMapper implements PacketVisitor {
  readonly #ingest: Ingest
  readonly #reports: Reports
  #peer: Peer = { transport: 'udp', address: '', port: 0 }

  constructor(ingest: Ingest, options: ReceiveOptions, reports: Reports) {
    super(ingest, options)
    this.#ingest = ingest
    this.#reports = reports
  }

  /** Says from whom the next bytes are. */
  begin(peer: Peer): void {
    this.#peer = peer
    this.#ingest.begin(peer.address)
  }

  packetEnd(): void {}

  badLine(
    code: LineErrorCode,
    bytes: Uint8Array,
    lineStart: number,
    lineEnd: number,
    offset: number,
  ): void {
    this.#report(code, LINE_FAULTS[code], bytes, lineStart, lineEnd, offset, true)
  }

  badPacket(
    code: PacketErrorCode,
    detail: string,
    bytes: Uint8Array,
    start: number,
    end: number,
    offset: number,
    isResync: boolean,
  ): void {
    this.#report(code, detail, bytes, start, end, offset, isResync)
  }

  #report(
    code: ErrorCode,
    detail: string,
    bytes: Uint8Array,
    start: number,
    end: number,
    offset: number,
    resync: boolean,
  ): void {
    const message = bytes.subarray(start, Math.min(end, start + REPORT_BYTES))
    this.#reports.decodeError({ dialect: NAME, code, offset, resync }, message, this.#peer, detail)
  }
}

/**
 * One connection. A read is taken in completely before the next one is asked for, so a sender that
 * is faster than the ingest is held back by TCP itself and no queue can grow here.
 */
class Connection {
  readonly #socket: Socket
  readonly #receiver: Receiver
  readonly #scanner: FrameScanner
  readonly #context: ServerContext
  readonly #frameTimeoutMs: number
  readonly #peer: Peer
  readonly #sinceMs: number
  #timedFrame = 0
  #cancelTimeout: (() => void) | undefined
  #isStopped = false

  constructor(
    socket: Socket,
    receiver: Receiver,
    rules: FrameRules,
    options: ReceiveOptions,
    context: ServerContext,
  ) {
    this.#socket = socket
    this.#receiver = receiver
    this.#scanner = new FrameScanner(rules, receiver)
    this.#context = context
    this.#frameTimeoutMs = options.frameTimeoutMs
    this.#sinceMs = context.clock.wallMs()
    const { remoteAddress = '', remotePort = 0 } = socket
    this.#peer = { transport: 'tcp', address: remoteAddress, port: remotePort }
  }

  start(first: Uint8Array): void {
    const socket = this.#socket
    socket.on('data', (chunk: Uint8Array) => this.#take(chunk))
    socket.on('end', () => this.#end())
    // a reset connection ends like any other: 'close' follows
    socket.on('error', () => this.#end())
    socket.on('close', () => this.#end())
    this.#take(first)
    if (socket.readableEnded) this.#end()
    else socket.resume()
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
    this.#cancelTimeout = this.#context.clock.after(this.#frameTimeoutMs, () => this.#end())
  }

  /** End of stream or of the time for a frame. */
  #end(): void {
    this.#cancelTimeout?.()
    this.#cancelTimeout = undefined
    if (this.#isStopped || this.#scanner.isClosed) return
    this.#receiver.begin(this.#peer)
    this.#scanner.end()
    this.#socket.destroy()
  }
}
