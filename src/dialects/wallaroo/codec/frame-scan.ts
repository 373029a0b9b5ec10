/**
 * Frames in a stream (§3): they follow each other without padding, whatever the reads cut.
 *
 *   [length:u32be] [type:u8] [body: length - 1 bytes]   [length:u32be]…
 *
 * A frame that lies whole in one read is visited in place. One that does not is gathered in a
 * buffer that grows with what has come, up to the announced length, which has been checked by then:
 * a connection holds at most one frame, whatever is sent and however slowly. Every frame is judged
 * alone and skipped by its length; only a length above the limit ends the connection.
 */
import type { Budget } from '../../../time/budget.ts'
import {
  CONNECT,
  type ErrorCode,
  JOIN,
  LENGTH_BYTES,
  METRICS,
  noteBit,
  TOPIC_PREFIX,
} from '../spec.ts'
import { Conversation } from './conversation.ts'
import { hasPrefix } from './frame-head.ts'
import type { FrameVisitor, UsualFrames } from './frame-visitor.ts'
import { MetricsFrame } from './metrics-frame.ts'
import { isUtf8 } from './text.ts'

interface FrameRules {
  readonly maxFrameBytes: number
  /** False for frames of which no connection is known: nothing is said about Connect and Join. */
  readonly isConversation?: boolean
}

/** Whether a length counts the bytes after its field (as the peer's) or itself too (§6.2). */
export type LengthReading = 'undecided' | 'exclusive' | 'inclusive'

/** Buffer that a frame which is not complete takes at first: the usual ones fit. */
const BUFFER_BYTES_FIRST = 1024
/** Bytes of a frame that are pushed again with the rest of it. */
const HELD_AGAIN_MAX = 4096
/** Frames between two looks at the budget, each of which may define series. */
const FRAMES_BETWEEN = 32
/** A larger buffer is given back once its frame is complete. */
const BUFFER_BYTES_KEPT = 16_384

/** `[00 00 00 05][01][length of the next:u32][type of the next:u8]`, if lengths are inclusive. */
const SELF_COUNTED_CONNECT = 5
const CONNECT_AND_LENGTH = 9
const CONNECT_AND_TYPE = 10

const JOIN_WITHOUT_WORKER = noteBit('join_without_worker')
const INVALID_UTF8 = noteBit('invalid_utf8')

const NOTHING = new Uint8Array(0)
const NO_VIEW = new DataView(NOTHING.buffer)

export class FrameScanner {
  /** Frames complete so far, good and bad. */
  frames = 0
  reading: LengthReading = 'undecided'
  readonly #rules: FrameRules
  readonly #visitor: FrameVisitor
  readonly #conversation: Conversation | undefined
  readonly #budget: Budget | undefined
  readonly #frame = new MetricsFrame()
  #buffer = new Uint8Array(0)
  #held = 0
  /** Frames that a turn had no time for. */
  #rest = NOTHING
  #framesRead = 0
  #isClosed = false
  /** Bytes that are being read: the caller's or the buffer. */
  #bytes: Uint8Array = NOTHING
  #view: DataView = NO_VIEW
  /** End of the application in the Join that was judged last. */
  #applicationEnd = 0
  #offset = 0

  /** @param budget without it a read is taken as a whole */
  constructor(rules: FrameRules, visitor: FrameVisitor, budget?: Budget) {
    this.#rules = rules
    this.#visitor = visitor
    this.#budget = budget
    this.#conversation = rules.isConversation === false ? undefined : new Conversation()
  }

  /** Whether nothing more will be read: a length was above the limit, or the stream has ended. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  get isInsideFrame(): boolean {
    return this.#held > 0
  }

  /** Bytes of the frame that is not complete, as many as have come. */
  get bytesInside(): number {
    return this.#held
  }

  /** Whether frames of what was pushed wait for another turn. */
  get hasRest(): boolean {
    return this.#rest.length > 0
  }

  /** Bytes held for the frame that is not complete, and for those that wait. */
  get bytesHeld(): number {
    return this.#buffer.length + this.#rest.length
  }

  /**
   * Takes what a read gave; the bytes are not kept.
   * @param usual sees first what is not held already
   */
  push(bytes: Uint8Array, usual?: UsualFrames): void {
    if (this.#isClosed || bytes.length === 0) return
    if (this.hasRest) {
      const all = new Uint8Array(this.#rest.length + bytes.length)
      all.set(this.#rest)
      all.set(bytes, this.#rest.length)
      this.#rest = all
    } else {
      this.#read(bytes, usual)
      this.#forget()
    }
  }

  /** Gives back what waits, to be pushed again in another turn. */
  takeRest(): Uint8Array {
    const rest = this.#rest
    this.#rest = NOTHING
    return rest
  }

  /**
   * Gives back what is held of a frame, to be pushed again in front of what follows; valid until
   * then. Nothing once there is much: who sends it byte by byte must not have it moved with each.
   */
  takeHeld(): Uint8Array {
    if (this.#held > HELD_AGAIN_MAX) return NOTHING
    const held = this.#buffer.subarray(0, this.#held)
    this.#held = 0
    return held
  }

  #read(bytes: Uint8Array, usual?: UsualFrames): void {
    let at = this.#held > 0 ? this.#complete(bytes) : 0
    if (at === bytes.length) return
    this.#look(bytes)
    while (at < bytes.length) {
      if (usual !== undefined && this.reading === 'exclusive') {
        at = usual.take(bytes, at)
        this.frames += usual.taken
        if (at === bytes.length) return
      }
      const left = bytes.length - at
      const needed = this.#neededBytes(at, left)
      if (this.#isClosed) return
      if (needed > left) {
        this.#hold(bytes, at, bytes.length)
        return
      }
      at += this.#takeFrame(at, needed)
      if (this.#isSpent && at < bytes.length) {
        // the read is the caller's: what waits of it is copied
        this.#rest = new Uint8Array(bytes.subarray(at))
        return
      }
    }
  }

  /** Whether the rest of a read has to wait. */
  get #isSpent(): boolean {
    if (++this.#framesRead < FRAMES_BETWEEN) return false
    this.#framesRead = 0
    return this.#budget?.isSpent === true
  }

  /** Ends the stream; a frame that is not complete is lost. */
  end(): void {
    if (!this.#isClosed && this.#held > 0) {
      this.#look(this.#buffer)
      // whole under the usual reading: it only waited for what would have told the other one
      if (this.#isSelfCountedConnect(0, this.#held) && this.#held === CONNECT_AND_LENGTH) {
        this.#takeFrame(0, CONNECT_AND_LENGTH)
      } else {
        this.#visitor.note('truncated_at_close')
      }
    }
    this.#close()
    this.#forget()
  }

  /** Completes held frames from new bytes; returns how many of these were used. */
  #complete(bytes: Uint8Array): number {
    let at = 0
    while (this.#held > 0) {
      this.#look(this.#buffer)
      // so a report shows as much as if the length had not been cut
      if (this.#held === LENGTH_BYTES && this.#isTooLarge(0)) {
        this.#hold(bytes, at, Math.min(at + BUFFER_BYTES_FIRST, bytes.length))
        this.#look(this.#buffer)
      }
      const needed = this.#neededBytes(0, this.#held)
      if (this.#isClosed) return bytes.length
      if (needed > this.#held) {
        if (at === bytes.length) return at
        const end = Math.min(at + needed - this.#held, bytes.length)
        this.#hold(bytes, at, end)
        at = end
      } else {
        const used = this.#takeFrame(0, needed)
        this.#buffer.copyWithin(0, used, this.#held)
        this.#held -= used
      }
    }
    if (this.#buffer.length > BUFFER_BYTES_KEPT) this.#buffer = new Uint8Array(0)
    return at
  }

  #look(bytes: Uint8Array): void {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  }

  /**
   * Forgets the last read, 64 KiB for a byte, that a quiet connection would keep beside what it
   * holds.
   */
  #forget(): void {
    this.#bytes = NOTHING
    this.#view = NO_VIEW
    this.#frame.bytes = NOTHING
  }

  #hold(bytes: Uint8Array, start: number, end: number): void {
    const size = this.#held + end - start
    if (size > this.#buffer.length) {
      const limit = LENGTH_BYTES + this.#rules.maxFrameBytes
      const grown = new Uint8Array(
        Math.max(size, Math.min(limit, Math.max(2 * size, BUFFER_BYTES_FIRST))),
      )
      grown.set(this.#buffer.subarray(0, this.#held))
      this.#buffer = grown
    }
    this.#buffer.set(bytes.subarray(start, end), this.#held)
    this.#held = size
  }

  /**
   * Counts how many bytes from `at` on are needed to judge the frame there; as far as can be seen.
   */
  #neededBytes(at: number, left: number): number {
    if (left < LENGTH_BYTES) return LENGTH_BYTES
    const length = this.#view.getUint32(at)
    if (this.#isTooLarge(at)) {
      const detail = `frame of ${length} bytes, limit ${this.#rules.maxFrameBytes}`
      this.#visitor.reject('frame_too_large', detail, this.#bytes, at, at + left, 0)
      this.#close()
      return left
    }
    if (this.reading === 'inclusive') return Math.max(length, LENGTH_BYTES)
    if (this.reading === 'undecided' && length === SELF_COUNTED_CONNECT) {
      if (left === LENGTH_BYTES) return LENGTH_BYTES + 1
      if (this.#isSelfCountedConnect(at, left)) return CONNECT_AND_TYPE
    }
    return LENGTH_BYTES + length
  }

  #isTooLarge(at: number): boolean {
    return this.#view.getUint32(at) > this.#rules.maxFrameBytes
  }

  /**
   * Tells whether the first frame may be a Connect whose length counts itself, as far as it has
   * come.
   */
  #isSelfCountedConnect(at: number, left: number): boolean {
    if (this.reading !== 'undecided' || left <= LENGTH_BYTES) return false
    if (this.#view.getUint32(at) !== SELF_COUNTED_CONNECT) return false
    if (this.#bytes[at + LENGTH_BYTES] !== CONNECT) return false
    if (left < CONNECT_AND_LENGTH) return true
    const next = this.#view.getUint32(at + SELF_COUNTED_CONNECT)
    return next > LENGTH_BYTES && next <= this.#rules.maxFrameBytes
  }

  /** Judges and visits the frame at `at`, of which enough is there; returns its size. */
  #takeFrame(at: number, left: number): number {
    this.frames++
    const length = this.#view.getUint32(at)
    if (this.reading === 'undecided' && length > 0) this.#decide(at, left, length)
    const isInclusive = this.reading === 'inclusive'
    const size = isInclusive ? Math.max(length, LENGTH_BYTES) : LENGTH_BYTES + length
    if (size === LENGTH_BYTES) this.#reject('empty_frame', 'frame without a type', at, size, 0)
    else this.#visit(at, at + size)
    return size
  }

  #decide(at: number, left: number, length: number): void {
    const isInclusive =
      this.#bytes[at + LENGTH_BYTES] === CONNECT
        ? left === CONNECT_AND_TYPE && this.#isFollowedByFrame(at)
        : this.#isWholeWithoutFour(at, at + LENGTH_BYTES + length)
    this.reading = isInclusive ? 'inclusive' : 'exclusive'
    if (isInclusive) this.#visitor.note('length_includes_header')
  }

  #isFollowedByFrame(at: number): boolean {
    const type = this.#bytes[at + CONNECT_AND_LENGTH]!
    return this.#isSelfCountedConnect(at, CONNECT_AND_TYPE) && type >= CONNECT && type <= METRICS
  }

  /** Tells whether a frame is malformed as it is, and well-formed if it ends four bytes earlier. */
  #isWholeWithoutFour(at: number, end: number): boolean {
    const type = this.#bytes[at + LENGTH_BYTES]!
    const body = at + LENGTH_BYTES + 1
    if (end - LENGTH_BYTES < body || (type !== JOIN && type !== METRICS)) return false
    return this.#isMalformed(type, body, end) && !this.#isMalformed(type, body, end - LENGTH_BYTES)
  }

  #isMalformed(type: number, body: number, end: number): boolean {
    if (type === JOIN) return this.#judgeJoin(body, end) === 'malformed_join'
    return this.#frame.read(this.#bytes, this.#view, body, end) === 'malformed_metrics'
  }

  #visit(at: number, end: number): void {
    const body = at + LENGTH_BYTES + 1
    const type = this.#bytes[body - 1]!
    if (type === METRICS) this.#visitMetrics(at, body, end)
    else if (type === JOIN) this.#visitJoin(at, body, end)
    else if (type !== CONNECT) {
      this.#reject('unknown_type', `type ${type} is none of 1, 2, 3`, at, end - at, LENGTH_BYTES)
    } else if (end > body) {
      const detail = `Connect with ${end - body} bytes behind its type`
      this.#reject('malformed_connect', detail, at, end - at, LENGTH_BYTES + 1)
    } else this.#visitor.connect(this.#conversation?.connect() ?? 0)
  }

  #visitMetrics(at: number, body: number, end: number): void {
    const frame = this.#frame
    const code = frame.read(this.#bytes, this.#view, body, end)
    if (code !== undefined) {
      this.#reject(code, METRICS_FAULTS[code], at, end - at, frame.faultAt - at)
      return
    }
    const { bytes, applicationStart, applicationEnd } = frame
    frame.notes |= this.#conversation?.metrics(bytes, applicationStart, applicationEnd) ?? 0
    this.#visitor.metrics(frame)
    frame.remember()
  }

  #visitJoin(at: number, body: number, end: number): void {
    const code = this.#judgeJoin(body, end)
    if (code !== undefined) {
      this.#reject(code, JOIN_FAULTS[code], at, end - at, this.#offset - at)
      return
    }
    const bytes = this.#bytes
    const start = this.#offset
    const applicationEnd = this.#applicationEnd
    const hasWorker = applicationEnd < end
    const workerStart = hasWorker ? applicationEnd + 4 : -1
    let notes = this.#conversation?.join(bytes, start, applicationEnd) ?? 0
    if (!hasWorker) notes |= JOIN_WITHOUT_WORKER
    const isText = isUtf8(bytes, start, applicationEnd) && isUtf8(bytes, applicationEnd + 4, end)
    if (!isText) notes |= INVALID_UTF8
    this.#visitor.join(bytes, start, applicationEnd, workerStart, hasWorker ? end : -1, notes)
  }

  /** Judges `[topic:str][worker:str]`, or the topic alone. */
  #judgeJoin(body: number, end: number): 'malformed_join' | 'bad_topic' | undefined {
    this.#offset = body
    if (end - body < 4) return 'malformed_join'
    const topicSize = this.#view.getUint32(body)
    if (topicSize > end - body - 4) return 'malformed_join'
    const topicEnd = body + 4 + topicSize
    this.#offset = topicEnd
    if (topicEnd < end) {
      if (end - topicEnd < 4) return 'malformed_join'
      if (this.#view.getUint32(topicEnd) !== end - topicEnd - 4) return 'malformed_join'
    }
    this.#offset = body + 4
    if (!hasPrefix(this.#bytes, body + 4, topicEnd)) return 'bad_topic'
    this.#offset = body + 4 + TOPIC_PREFIX.length
    this.#applicationEnd = topicEnd
    return undefined
  }

  #reject(code: ErrorCode, detail: string, at: number, size: number, offset: number): void {
    this.#visitor.reject(code, detail, this.#bytes, at, at + size, offset)
  }

  #close(): void {
    this.#isClosed = true
    this.#held = 0
    this.#buffer = new Uint8Array(0)
  }
}

const METRICS_FAULTS = {
  malformed_metrics: 'strings, names, 65 bins and times do not end where the frame ends',
  unknown_event: 'event is not metrics',
  bad_topic: 'topic does not begin with metrics:',
} as const

const JOIN_FAULTS = {
  malformed_join: 'topic and worker do not end where the frame ends',
  bad_topic: 'topic does not begin with metrics:',
} as const
