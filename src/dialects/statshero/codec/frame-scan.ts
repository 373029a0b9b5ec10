/**
 * Packets in a stream (§3.6): they follow each other without separator, whatever the reads cut.
 *
 *   [digits]["|"][length][LF]  [body: length bytes]  [digits]["|"]…
 *    at most 32 bytes before LF
 *
 * A body that lies whole in one read is visited in place; one that does not is gathered in a buffer
 * that grows with what has come, up to the announced length, which has been checked by then. So a
 * connection holds at most `maxFrameBytes` and one header, whatever is sent and however slowly, and
 * next to nothing for what is only announced.
 *
 * When a turn of the event loop is over in the midst of a read, the rest of it is kept, to be gone
 * on with; what comes before that is done waits behind it.
 */
import type { Budget } from '../../../time/budget.ts'
import { BAR, HEADER_BYTES_LIMIT, LF } from '../spec.ts'
import { ONE, ZERO } from './alphabet.ts'
import type { BodyRest, FrameRules, PacketVisitor, QuickLines } from './line-visitor.ts'
import { decodeBody, decodeRest, parseLength } from './packet.ts'

/** Buffer that a body which is not complete takes at first: the longest of real clients fit. */
const BODY_BYTES_FIRST = 16_384
/** Frames that are read byte by byte between two looks at the turn. */
const FRAMES_BETWEEN = 16

type State = 'header' | 'body' | 'skip' | 'closed'

export class FrameScanner {
  /** Frames begun so far: tells two frames apart for a time limit. */
  framesBegun = 0
  readonly #rules: FrameRules
  readonly #visitor: PacketVisitor
  readonly #quick: QuickLines | undefined
  readonly #header = new Uint8Array(HEADER_BYTES_LIMIT + 1)
  #headerSize = 0
  #state: State = 'header'
  /** Announced length of the body, and how much of it is still to come. */
  #length = 0
  #missing = 0
  #body: Uint8Array | undefined
  readonly #budget: Budget | undefined
  #framesRead = 0
  /** Lines of the frame at hand that wait, and what of a read waits behind them. */
  #lines: BodyRest | undefined
  #rest: Uint8Array | undefined

  /**
   * @param quick takes whole frames instead of the visitor, as far as it can
   * @param budget after which the rest of a read waits; none unless given
   */
  constructor(rules: FrameRules, visitor: PacketVisitor, quick?: QuickLines, budget?: Budget) {
    this.#rules = rules
    this.#visitor = visitor
    this.#quick = quick
    this.#budget = budget
  }

  /** Whether nothing more will be read: the framing is lost, or the stream has ended. */
  get isClosed(): boolean {
    return this.#state === 'closed'
  }

  /** A frame has begun and is not complete. */
  get isInsideFrame(): boolean {
    return this.#state === 'header' ? this.#headerSize > 0 : this.#state !== 'closed'
  }

  /** Whether a part of what was pushed waits for {@link goOn}. */
  get hasRest(): boolean {
    return this.#lines !== undefined || this.#rest !== undefined
  }

  /** Bytes held for the frame that is not complete, and for what waits. */
  get bytesHeld(): number {
    const body = this.#body?.length ?? 0
    return this.#headerSize + body + (this.#rest?.length ?? 0) + (this.#lines?.bytes.length ?? 0)
  }

  /** Bytes of the frame that is not complete, as many as have come. */
  get bytesInside(): number {
    return this.#headerSize + this.#length - this.#missing
  }

  /** Takes what a read gave; the bytes are not kept. */
  push(read: Uint8Array): void {
    if (this.hasRest) this.#rest = join(this.#rest, read)
    else this.#take(this.#joined(read) ?? this.#quick?.land(read) ?? read)
  }

  /** Goes on with what waits, until it is done or the turn is over. */
  goOn(): void {
    const lines = this.#lines
    if (lines !== undefined) {
      this.#lines = decodeRest(lines, this.#rules, this.#visitor, this.#quick, this.#budget)
      if (this.#lines !== undefined) return
    }
    const rest = this.#rest
    this.#rest = undefined
    if (rest !== undefined) this.#take(this.#quick?.land(rest) ?? rest)
  }

  #take(bytes: Uint8Array): void {
    let at = 0
    while (at < bytes.length && !this.#isSpent) {
      if (this.#state === 'header') {
        at = this.#takeWhole(bytes, at)
        if (this.#lines === undefined) at = this.#readHeader(bytes, at)
      } else if (this.#state === 'body') at = this.#readBody(bytes, at)
      else if (this.#state === 'skip') at = this.#skipBody(bytes, at)
      else return
    }
    if (at < bytes.length) this.#rest = new Uint8Array(bytes.subarray(at))
    const lines = this.#lines
    if (lines?.bytes !== bytes) return
    // the read is the caller's: what waits of it is copied
    const { start, end, origin } = lines
    const copy = new Uint8Array(bytes.subarray(start, end))
    this.#lines = { ...lines, bytes: copy, start: 0, end: end - start, origin: origin - start }
  }

  /** Whether the rest of a read has to wait. */
  get #isSpent(): boolean {
    if (this.#lines !== undefined) return true
    if (this.#framesRead < FRAMES_BETWEEN) return false
    this.#framesRead = 0
    return this.#budget?.isSpent === true
  }

  /** Ends the stream, or the time for a frame; what is not complete, or waits, is lost. */
  end(): void {
    if (this.hasRest) {
      this.#refuse('truncated', `closed with ${this.bytesHeld} bytes that were not taken`, 0)
    } else if (this.isInsideFrame) {
      const offset = this.#headerSize + this.#length - this.#missing
      this.#refuse('truncated', `stream ends inside a frame after ${offset} bytes`, offset)
    }
    this.#state = 'closed'
  }

  /** Puts a frame whose end has come before that, so that it is taken in one piece. */
  #joined(read: Uint8Array): Uint8Array | undefined {
    const body = this.#body
    if (this.#quick === undefined || body === undefined || this.#missing > read.length) return
    const received = body.subarray(0, this.#length - this.#missing)
    const joined = this.#quick.joined(this.#header.subarray(0, this.#headerSize), received, read)
    if (joined === undefined) return
    this.#nextFrame()
    this.framesBegun--
    return joined
  }

  /** Has whole frames taken. @returns index of the frame that is to be read byte by byte */
  #takeWhole(bytes: Uint8Array, start: number): number {
    const quick = this.#quick
    if (quick === undefined || this.#headerSize > 0) return start
    const at = quick.frames(bytes, start, this.#budget)
    this.framesBegun += quick.framesTaken
    this.#lines = quick.rest
    return at
  }

  #readHeader(bytes: Uint8Array, start: number): number {
    let at = start
    if (at === bytes.length) return at
    if (this.#headerSize === 0) {
      this.framesBegun++
      if ((bytes[at]! - ZERO) >>> 0 > 9) {
        this.#header[this.#headerSize++] = bytes[at]!
        this.#refuse('bad_version', 'frame does not begin with a digit', 0)
        return at
      }
    }
    while (at < bytes.length) {
      const byte = bytes[at++]!
      this.#header[this.#headerSize++] = byte
      if (byte === LF) {
        this.#openFrame()
        break
      }
      if (this.#headerSize > HEADER_BYTES_LIMIT) {
        this.#refuse('bad_length', `header longer than ${HEADER_BYTES_LIMIT} bytes`, 0)
        break
      }
    }
    return at
  }

  /** Decides what becomes of a frame's body once its header is complete. */
  #openFrame(): void {
    const header = this.#header
    const lf = this.#headerSize - 1
    let bar = 0
    while (bar < lf && header[bar] !== BAR) bar++
    const length = parseLength(header, bar + 1, lf)
    if (length < 0) {
      this.#refuse('bad_length', 'length is no number', Math.min(bar + 1, lf))
    } else if (length > this.#rules.maxFrameBytes) {
      const detail = `frame of ${length} bytes, limit ${this.#rules.maxFrameBytes}`
      this.#refuse('too_long', detail, bar + 1)
    } else {
      this.#length = length
      this.#missing = length
      this.#state = bar === 1 && header[0] === ONE ? 'body' : 'skip'
      if (length === 0) this.#closeFrame(header, this.#headerSize, this.#headerSize)
    }
  }

  #readBody(bytes: Uint8Array, start: number): number {
    const size = Math.min(this.#missing, bytes.length - start)
    if (this.#body === undefined && size === this.#missing) {
      this.#closeFrame(bytes, start, start + size)
      return start + size
    }
    const received = this.#length - this.#missing
    const body = this.#coverBody(received, received + size)
    body.set(bytes.subarray(start, start + size), received)
    this.#missing -= size
    if (this.#missing === 0) this.#closeFrame(body, 0, this.#length)
    return start + size
  }

  /** Gives the buffer of the body, with room up to `end`; the bytes received so far are kept. */
  #coverBody(received: number, end: number): Uint8Array {
    const body = this.#body
    if (body !== undefined && body.length >= end) return body
    const size = Math.min(this.#length, Math.max(2 * end, BODY_BYTES_FIRST))
    const larger = this.#quick?.lend(size) ?? new Uint8Array(size)
    if (body !== undefined) {
      larger.set(body.subarray(0, received))
      this.#quick?.giveBack(body)
    }
    this.#body = larger
    return larger
  }

  #skipBody(bytes: Uint8Array, start: number): number {
    const size = Math.min(this.#missing, bytes.length - start)
    this.#missing -= size
    if (this.#missing === 0) this.#closeFrame(bytes, start, start + size)
    return start + size
  }

  /** Closes a frame whose body is complete in bytes[start, end); the next header follows. */
  #closeFrame(bytes: Uint8Array, start: number, end: number): void {
    this.#framesRead++
    if (this.#state === 'body') {
      const origin = start - this.#headerSize
      const rules = this.#rules
      const visitor = this.#visitor
      const budget = this.#budget
      this.#lines = decodeBody(bytes, start, end, origin, rules, visitor, this.#quick, budget)
    } else {
      this.#report('bad_version', 'version is not 1', 0, true)
    }
    this.#nextFrame()
  }

  #nextFrame(): void {
    this.#state = 'header'
    this.#headerSize = 0
    this.#length = 0
    this.#missing = 0
    const body = this.#body
    if (body !== undefined && this.#lines?.bytes !== body) this.#quick?.giveBack(body)
    this.#body = undefined
  }

  /** Reports an error behind which no frame can be found. */
  #refuse(
    code: 'bad_version' | 'bad_length' | 'too_long' | 'truncated',
    detail: string,
    at: number,
  ) {
    this.#report(code, detail, at, false)
    this.#state = 'closed'
    this.#body = undefined
    this.#lines = undefined
    this.#rest = undefined
  }

  #report(
    code: 'bad_version' | 'bad_length' | 'too_long' | 'truncated',
    detail: string,
    offset: number,
    isResync: boolean,
  ): void {
    const size = this.#headerSize
    this.#visitor.badPacket(code, detail, this.#header, 0, size, offset, isResync, 0)
  }
}

function join(first: Uint8Array | undefined, second: Uint8Array): Uint8Array {
  const size = first?.length ?? 0
  const both = new Uint8Array(size + second.length)
  if (first !== undefined) both.set(first)
  both.set(second, size)
  return both
}
