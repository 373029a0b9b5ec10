/**
 * What stands in front of a frame's bins (§3): names as byte ranges, and the numbers beside them.
 *
 *   [length:u32] [type:u8] [event:str] [topic:str] [payloadSize:u32] [payloadHeader:u32]
 *   [name:str] [category:str] [worker:str] [pipeline:str] [id:u16] ([count of the bins:u32])
 */
import {
  BINS,
  type ErrorCode,
  EVENT,
  LENGTH_BYTES,
  noteBit,
  TAIL_BYTES,
  TOPIC_PREFIX,
} from '../spec.ts'
import { NameHash } from './name-hash.ts'
import { isUtf8 } from './text.ts'

export type MetricsFault = Extract<ErrorCode, 'malformed_metrics' | 'unknown_event' | 'bad_topic'>

/** Bytes of a frame in front of its body: length and type. */
export const BODY_START = LENGTH_BYTES + 1
/** Counts that a literal reading of "arrays carry their size" puts in front of the bins. */
const ARRAY_COUNTS: readonly number[] = [BINS, 8 * BINS]
const TOO_SHORT = -1

const PAYLOAD_SIZE_MISMATCH = noteBit('payload_size_mismatch')
const ARRAY_COUNT_PREFIX = noteBit('array_count_prefix')
const INVALID_UTF8 = noteBit('invalid_utf8')

/** One walk at a time, so one object serves for all heads. */
const NAMES = new NameHash()

export class FrameHead {
  /** Places of names, of the id and of the bins, from the frame's first byte. */
  applicationStart = 0
  applicationEnd = 0
  nameStart = 0
  nameEnd = 0
  categoryStart = 0
  categoryEnd = 0
  workerStart = 0
  workerEnd = 0
  pipelineStart = 0
  pipelineEnd = 0
  binsStart = 0
  /** Size of the whole frame. */
  size = 0
  id = 0
  payloadSize = 0
  payloadHeader = 0
  /** Hash of the application's bytes and those of the four names with their sizes. */
  hash = 0
  /** Mask of `noteBit`: what is odd about the head. */
  notes = 0
  /** Place where reading stopped, after a fault. */
  faultAt = 0

  /**
   * Reads the head of a frame in bytes[start, end), whose length and type have been read.
   * @param view of the same bytes
   * @returns what is wrong with it; the fields are good only where nothing is
   */
  read(bytes: Uint8Array, view: DataView, start: number, end: number): MetricsFault | undefined {
    this.notes = 0
    this.size = end - start
    const eventAt = start + BODY_START
    const topicAt = this.#endOfText(view, start, eventAt, end)
    if (topicAt === TOO_SHORT) return 'malformed_metrics'
    const sizeAt = this.#endOfText(view, start, topicAt, end)
    if (sizeAt === TOO_SHORT) return 'malformed_metrics'
    if (end - sizeAt < 4) return this.#fault('malformed_metrics', sizeAt - start)
    if (!isText(bytes, eventAt + 4, topicAt, EVENT)) {
      return this.#fault('unknown_event', eventAt + 4 - start)
    }
    if (!hasPrefix(bytes, topicAt + 4, sizeAt)) {
      return this.#fault('bad_topic', topicAt + 4 - start)
    }
    this.applicationStart = topicAt + 4 + TOPIC_PREFIX.length - start
    this.applicationEnd = sizeAt - start
    this.payloadSize = view.getUint32(sizeAt)
    if (this.payloadSize !== end - sizeAt - 4) this.notes |= PAYLOAD_SIZE_MISMATCH
    const fault = this.#readNames(view, start, sizeAt + 4, end)
    if (fault === undefined) this.#judgeNames(bytes, view, start)
    return fault
  }

  #readNames(
    view: DataView,
    start: number,
    payloadAt: number,
    end: number,
  ): MetricsFault | undefined {
    if (end - payloadAt < 4) return this.#fault('malformed_metrics', payloadAt - start)
    this.payloadHeader = view.getUint32(payloadAt)
    const nameEnd = this.#endOfText(view, start, payloadAt + 4, end)
    if (nameEnd === TOO_SHORT) return 'malformed_metrics'
    const categoryEnd = this.#endOfText(view, start, nameEnd, end)
    if (categoryEnd === TOO_SHORT) return 'malformed_metrics'
    const workerEnd = this.#endOfText(view, start, categoryEnd, end)
    if (workerEnd === TOO_SHORT) return 'malformed_metrics'
    const pipelineEnd = this.#endOfText(view, start, workerEnd, end)
    if (pipelineEnd === TOO_SHORT) return 'malformed_metrics'
    const binsAt = this.#findBins(view, pipelineEnd, end)
    if (binsAt === TOO_SHORT) return this.#fault('malformed_metrics', pipelineEnd - start)
    this.nameStart = payloadAt + 8 - start
    this.nameEnd = nameEnd - start
    this.categoryStart = nameEnd + 4 - start
    this.categoryEnd = categoryEnd - start
    this.workerStart = categoryEnd + 4 - start
    this.workerEnd = workerEnd - start
    this.pipelineStart = workerEnd + 4 - start
    this.pipelineEnd = pipelineEnd - start
    this.id = view.getUint16(pipelineEnd)
    this.binsStart = binsAt - start
    return undefined
  }

  /** Finds where the bins begin, if exactly as many bytes are left as a tail has. */
  #findBins(view: DataView, tailAt: number, end: number): number {
    const size = end - tailAt
    if (size === TAIL_BYTES) return tailAt + 2
    if (size !== TAIL_BYTES + 4) return TOO_SHORT
    if (!ARRAY_COUNTS.includes(view.getUint32(tailAt + 2))) return TOO_SHORT
    this.notes |= ARRAY_COUNT_PREFIX
    return tailAt + 6
  }

  #judgeNames(bytes: Uint8Array, view: DataView, start: number): void {
    const names = NAMES
    names.reset()
    names.add(view, start + this.applicationStart, start + this.applicationEnd)
    names.add(view, start + this.nameStart - 4, start + this.pipelineEnd)
    this.hash = names.hash
    if (!names.isAscii && !this.#areNamesUtf8(bytes, start)) this.notes |= INVALID_UTF8
  }

  #areNamesUtf8(bytes: Uint8Array, start: number): boolean {
    return (
      isUtf8(bytes, start + this.applicationStart, start + this.applicationEnd) &&
      isUtf8(bytes, start + this.nameStart, start + this.nameEnd) &&
      isUtf8(bytes, start + this.categoryStart, start + this.categoryEnd) &&
      isUtf8(bytes, start + this.workerStart, start + this.workerEnd) &&
      isUtf8(bytes, start + this.pipelineStart, start + this.pipelineEnd)
    )
  }

  /** Finds the end of the text at a place, or TOO_SHORT where the frame ends inside of it. */
  #endOfText(view: DataView, start: number, at: number, end: number): number {
    if (end - at >= 4) {
      const size = view.getUint32(at)
      if (size <= end - at - 4) return at + 4 + size
    }
    this.faultAt = at - start
    return TOO_SHORT
  }

  #fault(code: MetricsFault, at: number): MetricsFault {
    this.faultAt = at
    return code
  }

  protected copyFrom(head: FrameHead): void {
    this.applicationStart = head.applicationStart
    this.applicationEnd = head.applicationEnd
    this.nameStart = head.nameStart
    this.nameEnd = head.nameEnd
    this.categoryStart = head.categoryStart
    this.categoryEnd = head.categoryEnd
    this.workerStart = head.workerStart
    this.workerEnd = head.workerEnd
    this.pipelineStart = head.pipelineStart
    this.pipelineEnd = head.pipelineEnd
    this.binsStart = head.binsStart
    this.size = head.size
    this.id = head.id
    this.payloadSize = head.payloadSize
    this.payloadHeader = head.payloadHeader
    this.hash = head.hash
    this.notes = head.notes
  }
}

/** Tells whether bytes[start, end) are the characters of an ASCII text. */
function isText(bytes: Uint8Array, start: number, end: number, text: string): boolean {
  if (end - start !== text.length) return false
  for (let i = 0; i < text.length; i++) if (bytes[start + i] !== text.charCodeAt(i)) return false
  return true
}

/** Tells whether a topic in bytes[start, end) is that of an application. */
export function hasPrefix(bytes: Uint8Array, start: number, end: number): boolean {
  const prefixEnd = start + TOPIC_PREFIX.length
  return prefixEnd <= end && isText(bytes, start, prefixEnd, TOPIC_PREFIX)
}

const EMPTY = new Uint8Array(0)
const EMPTY_VIEW = new DataView(EMPTY.buffer)

/**
 * Head of a series' last frame, kept with the series. Windows of one series begin with the same
 * bytes, and a worker sends its series in the same order, window after window: so it also keeps
 * which series came next, and a frame that begins as expected is known by one comparison, with
 * nothing of it parsed.
 */
export class KnownHead extends FrameHead {
  /** Head whose frame came after this one's, the last time. */
  next: KnownHead | undefined
  bytes: Uint8Array = EMPTY
  #view: DataView = EMPTY_VIEW

  /** @param frameStart of the frame with this head in `frame` */
  learn(head: FrameHead, frame: Uint8Array, frameStart: number): void {
    const size = head.binsStart
    if (this.bytes.length !== size) {
      this.bytes = new Uint8Array(size)
      this.#view = new DataView(this.bytes.buffer)
    }
    this.bytes.set(frame.subarray(frameStart, frameStart + size))
    this.copyFrom(head)
  }

  /** Tells whether a frame of `size` bytes at a place has this head, to the last byte of it. */
  isOf(frame: DataView, at: number, size: number): boolean {
    if (size !== this.size) return false
    const view = this.#view
    const end = this.binsStart
    let differing = 0
    let i = 0
    // sixteen bytes at a time and one branch in the end: a head that is expected is rarely wrong
    for (; i + 16 <= end; i += 16) {
      const j = at + i
      differing |= view.getInt32(i) ^ frame.getInt32(j)
      differing |= view.getInt32(i + 4) ^ frame.getInt32(j + 4)
      differing |= view.getInt32(i + 8) ^ frame.getInt32(j + 8)
      differing |= view.getInt32(i + 12) ^ frame.getInt32(j + 12)
    }
    for (; i < end; i++) differing |= view.getUint8(i) ^ frame.getUint8(at + i)
    return differing === 0
  }
}
