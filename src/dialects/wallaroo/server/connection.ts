/**
 * One worker's connection. A read is taken in completely before the next one is asked for, in as
 * many turns as it takes: so a sender that is faster than the hub is held back by TCP and no queue
 * can grow here. Nothing is ever written.
 */
import type { Socket } from 'node:net'
import { readInPlace } from '../../../arena/read-in-place.ts'
import { toHex } from '../../../model/index.ts'
import type { Budget } from '../../../time/budget.ts'
import type { Clock } from '../../../time/clock.ts'
import type { ConnectionProgress, Peer, PeerConnection, Reports } from '../../endpoints.ts'
import { FrameScanner } from '../codec/frame-scan.ts'
import type { FrameVisitor, UsualFrames } from '../codec/frame-visitor.ts'
import type { MetricsFrame } from '../codec/metrics-frame.ts'
import { textOf } from '../codec/text.ts'
import { type ErrorCode, NAME, type Note, noteBit } from '../spec.ts'
import { ConnectionFacts } from './connection-facts.ts'
import type { UsualWindows } from './usual-windows.ts'

/** Receiver of what one connection sends; the hub's side of it. */
export interface WindowReceiver {
  /** @param worker undefined where the short form names none */
  join(application: string, worker: string | undefined): void
  /**
   * Takes one window, to be added to its series; the frame is valid during the call only.
   * @param nowMs when the read was taken in that its last byte came with
   * @returns mask of notes on its times and its series
   */
  metrics(frame: MetricsFrame, nowMs: number): number
  /** Closes the receiver: the worker has gone. */
  close(): void
  /** Way of usual windows; absent where every frame goes to {@link WindowReceiver.metrics}. */
  readonly usual?: UsualWindows | undefined
}

/** Opener of receivers for what new connections will send: Wallaroo's resident in a hub. */
export interface WindowReceivers {
  open(peer: Peer): WindowReceiver
}

interface ConnectionContext {
  readonly maxFrameBytes: number
  readonly reports: Reports
  readonly clock: Clock
  readonly receiver: WindowReceiver
}

/** Bytes of an offending frame that a report keeps, and those that the log shows. */
const REPORT_BYTES = 128
const LOGGED_BYTES = 64
/** Pause between two log lines of one connection about one code. */
const LOG_PAUSE_NS = 60_000_000_000n
const EMPTY_WINDOW = noteBit('empty_window')
const DOCUMENT_ORDER = noteBit('document_order')
const MINMAX_INCONSISTENT = noteBit('minmax_inconsistent')

export class WorkerConnection implements FrameVisitor, UsualFrames, ConnectionProgress {
  /** The hub waits for a quiet worker for as long as it likes (§6). */
  readonly isTimed = false
  #socket: Socket
  readonly #context: ConnectionContext
  readonly #scanner: FrameScanner
  readonly #facts = new ConnectionFacts()
  readonly #loggedNs = new Map<ErrorCode, bigint>()
  readonly #peer: Peer
  readonly #sinceMs: number
  #isEnded = false
  /** Whether the stream has ended behind what waits. */
  #isEnding = false
  /** Time of the read at hand: one look at the clock serves for all its frames. */
  #nowMs = 0

  constructor(socket: Socket, peer: Peer, context: ConnectionContext, budget?: Budget) {
    this.#socket = socket
    this.#context = context
    this.#peer = peer
    this.#sinceMs = context.clock.wallMs()
    this.#scanner = new FrameScanner({ maxFrameBytes: context.maxFrameBytes }, this, budget)
  }

  /**
   * @param first what has been read already
   * @param buffer for reads, which other connections may share
   */
  start(first: Uint8Array, buffer: Uint8Array): void {
    const accepted = this.#socket
    accepted.setNoDelay(true)
    accepted.setKeepAlive(true)
    this.#take(first)
    if (this.#isEnded) return
    accepted.on('data', (bytes: Uint8Array) => this.#take(bytes))
    this.#socket = readInPlace(accepted, buffer)
    const socket = this.#socket
    socket.on('end', () => this.#end())
    // a reset connection ends like any other: 'close' follows
    socket.on('error', () => this.#endNow())
    socket.on('close', () => this.#endNow())
    if (socket.readableEnded) this.#end()
    else if (!this.#isEnded) accepted.resume()
  }

  get messages(): number {
    return this.#scanner.frames
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
    this.#take(this.#scanner.takeRest())
    if (this.#isEnding && !this.hasRest) this.#end()
  }

  status(): PeerConnection {
    const { reading, bytesHeld } = this.#scanner
    const facts = { ...this.#facts.list(reading), bytesHeld }
    return { peer: this.#peer, sinceMs: this.#sinceMs, facts }
  }

  /** Closes without calling the frame at hand cut off. */
  close(): Promise<void> {
    this.#takeAll()
    this.#leave()
    if (this.#socket.closed) return Promise.resolve()
    return new Promise((resolve) => {
      this.#socket.once('close', () => resolve())
      this.#socket.destroy()
    })
  }

  #take(bytes: Uint8Array): void {
    if (this.#isEnded) return
    this.#nowMs = this.#context.clock.wallMs()
    const { usual } = this.#context.receiver
    if (usual === undefined || this.hasRest) this.#scanner.push(bytes)
    else this.#pushUsual(usual, bytes)
    if (this.#scanner.isClosed) this.#end()
  }

  #pushUsual(usual: UsualWindows, bytes: Uint8Array): void {
    const scanner = this.#scanner
    const held = scanner.takeHeld()
    const laid = scanner.isInsideFrame ? undefined : usual.lay(held, bytes)
    if (laid !== undefined) scanner.push(laid, this)
    else {
      // Copied: the scanner gathers it anew where it stands.
      scanner.push(held.slice())
      scanner.push(bytes)
    }
  }

  /** Frames taken ahead of the scanner by the last call. */
  get taken(): number {
    return this.#context.receiver.usual?.taken ?? 0
  }

  take(bytes: Uint8Array, at: number): number {
    const usual = this.#context.receiver.usual!
    const next = usual.take(bytes, at, this.#nowMs)
    if (next === at) return at
    this.#facts.usual(usual)
    for (let i = usual.empty; i > 0; i--) this.#note(EMPTY_WINDOW)
    for (let i = usual.inDocumentOrder; i > 0; i--) this.#note(DOCUMENT_ORDER)
    for (let i = usual.inconsistent; i > 0; i--) this.#note(MINMAX_INCONSISTENT)
    return next
  }

  /** Takes what waits at once: no other turn of this connection comes. */
  #takeAll(): void {
    while (this.hasRest && !this.#isEnded) this.#take(this.#scanner.takeRest())
  }

  #endNow(): void {
    this.#takeAll()
    this.#end()
  }

  #end(): void {
    if (this.#isEnded) return
    if (this.hasRest) {
      this.#isEnding = true
      return
    }
    this.#scanner.end()
    this.#leave()
    this.#socket.destroy()
  }

  #leave(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#context.receiver.close()
  }

  connect(notes: number): void {
    this.#facts.frames.connect++
    this.#note(notes)
  }

  join(
    bytes: Uint8Array,
    applicationStart: number,
    applicationEnd: number,
    workerStart: number,
    workerEnd: number,
    notes: number,
  ): void {
    this.#facts.frames.join++
    this.#note(notes)
    const application = textOf(bytes, applicationStart, applicationEnd)
    const worker = workerStart < 0 ? undefined : textOf(bytes, workerStart, workerEnd)
    this.#context.receiver.join(application, worker)
  }

  metrics(frame: MetricsFrame): void {
    this.#facts.metrics(frame)
    const notes = this.#context.receiver.metrics(frame, this.#nowMs)
    this.#note(frame.notes | notes)
  }

  note(note: Note): void {
    this.#note(noteBit(note))
  }

  #note(mask: number): void {
    if (mask === 0) return
    for (const note of this.#facts.noted(mask)) this.#context.reports.decodeNote(note)
  }

  reject(
    code: ErrorCode,
    detail: string,
    bytes: Uint8Array,
    start: number,
    end: number,
    offset: number,
  ): void {
    this.#facts.rejected(code)
    const { reports } = this.#context
    const message = bytes.subarray(start, Math.min(end, start + REPORT_BYTES))
    const resync = code !== 'frame_too_large'
    reports.decodeError({ dialect: NAME, code, offset, resync }, message, this.#peer, detail)
    this.#log(code, detail, message)
  }

  /** Logs the first of its kind on this connection, and then one a minute. */
  #log(code: ErrorCode, detail: string, message: Uint8Array): void {
    const { clock, reports } = this.#context
    const nowNs = clock.monotonicNs()
    const lastNs = this.#loggedNs.get(code)
    if (lastNs !== undefined && nowNs - lastNs < LOG_PAUSE_NS) return
    this.#loggedNs.set(code, nowNs)
    const hint = code === 'frame_too_large' ? explainForeign(message) : undefined
    const hex = toHex(message.subarray(0, LOGGED_BYTES))
    const { address, port } = this.#peer
    const facts = { detail, address, port, code, hex, ...(hint === undefined ? {} : { hint }) }
    reports.log('warn', 'frame rejected', facts)
  }
}

/** Explains first bytes that are a huge length. */
export function explainForeign(first: Uint8Array): string | undefined {
  const hex = toHex(first.subarray(0, 4))
  if (hex === '47455420') return 'looks like HTTP'
  return hex.startsWith('1603') ? 'looks like TLS' : undefined
}
