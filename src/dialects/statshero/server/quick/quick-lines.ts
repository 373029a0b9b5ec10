/**
 * Lines of known series, taken by WebAssembly (lines.as.ts) where the bytes lie: in memory that
 * holds the table of keys, too. JavaScript is called for what the module leaves: by the visitor,
 * through the one codec that knows all rules, so results are the same with and without it.
 *
 * What a call has gathered is added before anything else happens: nothing is pending between two
 * reads, nor while a line is visited.
 */
import { KEY_HEAD, KEY_HEAD_WORDS, type KeyMemory } from '../../../../arena/key-memory.ts'
import { type WasmModule, wasm } from '../../../../arena/wasm.ts'
import type { Budget } from '../../../../time/budget.ts'
import type { DatagramBatch, DatagramPlace, Peer } from '../../../endpoints.ts'
import type { LineIngest } from '../../../ingest.ts'
import { SAFE_DIGITS } from '../../codec/alphabet.ts'
import { scanLines, scanParts } from '../../codec/line-scan.ts'
import type { BodyRest, FrameRules, LineVisitor, QuickLines } from '../../codec/line-visitor.ts'
import { LF } from '../../spec.ts'
import { BASE64 } from './lines.wasm.ts'

/** Visitor of what the module leaves, which takes values of known series without a visit. */
interface KnownLines extends LineVisitor {
  known(slot: number, type: number, value: number): void
  /** Says from whom the next lines are. */
  begin(peer: Peer): void
}

/** Calls of the module. */
interface Calls {
  start(): void
  stream(at: number, end: number): void
  resumeStream(): void
  body(at: number, end: number, origin: number): void
  resumeBody(): void
  datagrams(
    first: number,
    count: number,
    at: number,
    stride: number,
    sizesAt: number,
    sizesStride: number,
  ): number
}

/** Words of the module's state, and the addresses of its lists (lines.as.ts). */
const STATE = {
  ...{ headAt: 0, maxFrame: 1, digitsMax: 2, at: 3, bodyEnd: 5, origin: 6, isInside: 8 },
  ...{ items: 9, places: 10, frames: 11 },
} as const
const ITEMS_AT = 256
const ITEM_WORDS = 4
const PLACES_AT = ITEMS_AT + 4100 * 16
const PLACES_MAX = 2048
const LINE = 4
const DATAGRAM = 5
const OTHER = 6

/** Size of a read: larger ones bring nothing, smaller ones cost more calls. */
const READ_BYTES = 131_072
/** Largest part of a body that is taken at once where it has to be copied. */
const PART_BYTES = 65_536
/** Largest piece of a batch of datagrams that is taken at once. */
const PIECE_BYTES = 1_048_576
/** Bytes behind a text that are read with it, and mean nothing. */
const READ_AHEAD = 16
/** Most datagrams of a batch. */
const DATAGRAMS_MAX = 1024
const TICKETS_AT = PLACES_AT + PLACES_MAX * 4
/** Lines that the module looks up together. */
const GROUP_AT = TICKETS_AT + DATAGRAMS_MAX * 4
const GROUP_BYTES = 16 * 24
const PART_AT = GROUP_AT + GROUP_BYTES
/** Room before a read for what came of its first frame before. */
const FRONT_AT = PART_AT + PART_BYTES + READ_AHEAD
const FRONT_BYTES = 131_072
const READ_AT = FRONT_AT + FRONT_BYTES
/** Room for a batch of datagrams, of which only what comes is ever touched: 127 of 64 KiB. */
const DATAGRAMS_AT = READ_AT + READ_BYTES + READ_AHEAD
const DATAGRAMS_BYTES = 8_454_144
const ROOM_BYTES = DATAGRAMS_AT + DATAGRAMS_BYTES
/** Bodies below that are scanned as soon as they are copied. */
const COPY_BYTES_MIN = 64

/** Largest buffer that is kept for the next frame that is cut. */
const SPARE_BYTES_MAX = 1_048_576

let compiled: WasmModule | undefined

export class MemoryLines implements QuickLines {
  /** Place for reads of any connection. */
  readonly landing: Uint8Array
  /** Place for datagrams of one socket. */
  readonly datagrams: DatagramPlace
  framesTaken = 0
  rest: BodyRest | undefined
  readonly #visitor: KnownLines
  readonly #rules: FrameRules
  readonly #keys: KeyMemory
  readonly #calls: Calls
  /** Views of the room, which stay when the memory grows. */
  readonly #bytes: Uint8Array
  readonly #ints: Int32Array
  readonly #doubles: Float64Array
  readonly #places: Int32Array
  /** Tickets of the senders of a batch, and the head of the keys, where each of them is found. */
  readonly #tickets: Int32Array
  readonly #head: Int32Array
  #spare: Uint8Array | undefined
  /** Whether the lists of a call are being read. */
  #isTaking = false

  /** @returns undefined where lines have to be visited one by one */
  static open(ingest: LineIngest, rules: FrameRules, visitor: KnownLines): MemoryLines | undefined {
    if (rules.isStrict) return undefined
    try {
      compiled ??= new wasm.Module(Buffer.from(BASE64, 'base64'))
    } catch {
      return undefined
    }
    const keys = ingest.openKeys?.(ROOM_BYTES)
    return keys && new MemoryLines(compiled, keys, rules, visitor)
  }

  private constructor(module: WasmModule, keys: KeyMemory, rules: FrameRules, visitor: KnownLines) {
    this.#visitor = visitor
    this.#rules = rules
    this.#keys = keys
    const { memory, headAt } = keys
    const { exports } = new wasm.Instance(module, { env: { memory } })
    this.#calls = exports as unknown as Calls
    this.#calls.start()
    const { buffer } = memory
    this.#bytes = new Uint8Array(buffer, 0, ROOM_BYTES)
    this.#ints = new Int32Array(buffer, 0, ROOM_BYTES >> 2)
    this.#doubles = new Float64Array(buffer, 0, PLACES_AT >> 3)
    this.#places = new Int32Array(buffer, PLACES_AT, PLACES_MAX)
    this.#tickets = new Int32Array(buffer, TICKETS_AT, DATAGRAMS_MAX)
    this.#head = new Int32Array(buffer, headAt, KEY_HEAD_WORDS)
    this.landing = new Uint8Array(buffer, READ_AT, READ_BYTES)
    this.datagrams = {
      ...{ buffer, at: DATAGRAMS_AT, size: DATAGRAMS_BYTES },
      take: (batch, first, budget) => this.#takeDatagrams(batch, first, budget),
    }
    this.#ints[STATE.headAt] = headAt
    this.#ints[STATE.maxFrame] = Math.min(rules.maxFrameBytes, 2 ** 30)
    this.#ints[STATE.digitsMax] = Math.min(rules.maxValueDigits, SAFE_DIGITS)
  }

  frames(bytes: Uint8Array, start: number, budget?: Budget): number {
    this.#keys.refresh()
    const isHere = bytes.buffer === this.#bytes.buffer
    const size = isHere ? bytes.length - start : Math.min(bytes.length - start, READ_BYTES)
    const from = isHere ? bytes.byteOffset + start : READ_AT
    if (!isHere) this.#bytes.set(bytes.subarray(start, start + size), READ_AT)
    const ints = this.#ints
    this.#calls.stream(from, from + size)
    this.framesTaken = 0
    this.rest = undefined
    const shift = start - from
    for (;;) {
      const isInside = ints[STATE.isInside] !== 0
      this.framesTaken += ints[STATE.frames]!
      this.#takeLists()
      const at = ints[STATE.at]! + shift
      if (!isInside) return at
      if (budget?.isSpent) {
        const end = ints[STATE.bodyEnd]! + shift
        const origin = ints[STATE.origin]! + shift
        this.rest = { bytes, start: at, end, origin, isWhole: false }
        return end
      }
      this.#calls.resumeStream()
    }
  }

  lines(bytes: Uint8Array, start: number, end: number, origin: number, budget?: Budget): number {
    // a datagram that was handed on comes while the lists are read
    const isHere = bytes.buffer === this.#bytes.buffer
    if (this.#isTaking || (!isHere && end - start < COPY_BYTES_MIN)) {
      return scanParts(bytes, start, end, origin, this.#rules, this.#visitor, budget)
    }
    if (isHere) {
      const shift = bytes.byteOffset
      return this.#takeBody(start + shift, end + shift, origin + shift, budget) - shift
    }
    let at = start
    while (at < end) {
      const next = partEnd(bytes, at, end)
      if (next - at > PART_BYTES) {
        scanLines(bytes, at, next, origin, this.#rules, this.#visitor)
        at = next
      } else {
        this.#bytes.set(bytes.subarray(at, next), PART_AT)
        const shift = PART_AT - at
        at = this.#takeBody(PART_AT, next + shift, origin + shift, budget) - shift
        if (at < next) return at
      }
      if (at < end && budget?.isSpent) return at
    }
    return at
  }

  land(bytes: Uint8Array): Uint8Array | undefined {
    if (bytes.buffer === this.#bytes.buffer) return bytes
    const end = READ_AT + READ_BYTES
    const at = end - bytes.length
    if (at < FRONT_AT) return undefined
    this.#bytes.set(bytes, at)
    return this.#bytes.subarray(at, end)
  }

  joined(header: Uint8Array, body: Uint8Array, bytes: Uint8Array): Uint8Array | undefined {
    const size = header.length + body.length
    if (size > FRONT_BYTES || bytes.length > READ_BYTES) return undefined
    const isHere = bytes.buffer === this.#bytes.buffer && bytes.byteOffset === READ_AT
    if (!isHere) this.#bytes.set(bytes, READ_AT)
    const at = READ_AT - size
    this.#bytes.set(header, at)
    this.#bytes.set(body, at + header.length)
    return this.#bytes.subarray(at, READ_AT + bytes.length)
  }

  lend(size: number): Uint8Array {
    const spare = this.#spare
    if (spare === undefined || spare.length < size) return new Uint8Array(size)
    this.#spare = undefined
    return spare.subarray(0, size)
  }

  giveBack({ buffer }: Uint8Array): void {
    const size = buffer.byteLength
    if (size > SPARE_BYTES_MAX || size <= (this.#spare?.length ?? 0)) return
    this.#spare = new Uint8Array(buffer)
  }

  /** @returns where it stopped */
  #takeBody(start: number, end: number, origin: number, budget: Budget | undefined): number {
    this.#keys.refresh()
    this.#calls.body(start, end, origin)
    for (;;) {
      const isInside = this.#ints[STATE.isInside] !== 0
      this.#takeLists()
      if (!isInside) return end
      if (budget?.isSpent) return this.#ints[STATE.at]!
      this.#calls.resumeBody()
    }
  }

  #takeDatagrams(batch: DatagramBatch, first: number, budget: Budget): number {
    const { count } = batch
    let next = first
    while (next < count) {
      next = this.#takePiece(batch, next, this.#pieceEnd(batch, next), budget)
      if (next < count && budget.isSpent) break
    }
    return next
  }

  /** Gives the end of a piece of so many bytes that known lines in them are some ms. */
  #pieceEnd({ count, sizesAt, sizesStride }: DatagramBatch, first: number): number {
    let end = first
    for (let bytes = 0; end < count && bytes < PIECE_BYTES; end++) {
      bytes += this.#ints[(sizesAt + end * sizesStride) >> 2]!
    }
    return end
  }

  /** Takes a piece of a batch, or as much of it as there is time for. @returns where it stopped */
  #takePiece(batch: DatagramBatch, first: number, end: number, budget: Budget): number {
    const { at, stride, sizesAt, sizesStride } = batch
    this.#keys.refresh()
    // a source is heard whatever becomes of its lines
    for (let i = first; i < end; i++) {
      if (i === first || !batch.isOfSameSender(i)) this.#begin(batch, i)
      this.#tickets[i] = this.#head[KEY_HEAD.ticketOfSource]!
    }
    let next = first
    while (next < end) {
      next = this.#calls.datagrams(next, end, at, stride, sizesAt, sizesStride)
      let isInside = this.#ints[STATE.isInside] !== 0
      this.#takeLists(batch)
      if (isInside) {
        // the rest of a datagram that was more than the lists hold
        for (this.#begin(batch, next); isInside; this.#takeLists(batch)) {
          this.#calls.resumeBody()
          isInside = this.#ints[STATE.isInside] !== 0
        }
        next++
      }
      if (next < end && budget.isSpent) break
    }
    return next
  }

  #begin(batch: DatagramBatch, index: number): void {
    const { address, port } = batch.sender(index)
    this.#visitor.begin({ transport: 'udp', address, port })
  }

  /**
   * Takes what the last call has gathered and noted.
   * @param batch of the datagrams that the items may name
   */
  #takeLists(batch?: DatagramBatch): void {
    const ints = this.#ints
    const places = ints[STATE.places]!
    if (places > 0) this.#keys.takeGathered(this.#places, places)
    const end = (ITEMS_AT >> 2) + ints[STATE.items]! * ITEM_WORDS
    this.#isTaking = true
    for (let at = ITEMS_AT >> 2; at < end; at += ITEM_WORDS) {
      const first = ints[at]!
      const kind = ints[at + 1]!
      if (kind === LINE) {
        const lineEnd = ints[at + 2]!
        scanLines(this.#bytes, first, lineEnd, ints[at + 3]!, this.#rules, this.#visitor)
      } else if (kind === DATAGRAM) {
        this.#begin(batch!, first)
      } else if (kind === OTHER) {
        batch!.handOn(first)
      } else {
        const slot = first < 0 ? this.#keys.refuse(first) : first
        this.#visitor.known(slot, kind, this.#doubles[(at >> 1) + 1]!)
      }
    }
    this.#isTaking = false
  }
}

/** Ends a part of whole lines: behind the last LF that it can hold, or behind a longer line. */
function partEnd(bytes: Uint8Array, start: number, end: number): number {
  if (end - start <= PART_BYTES) return end
  const last = bytes.lastIndexOf(LF, start + PART_BYTES - 1)
  if (last >= start) return last + 1
  const next = bytes.indexOf(LF, start + PART_BYTES)
  return next >= 0 && next < end ? next + 1 : end
}
