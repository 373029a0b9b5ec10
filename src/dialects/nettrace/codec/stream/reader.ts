/**
 * Reader of a whole stream, versions 4 and 6, in pieces of any size (nettrace.md §4 to §8, §10). It
 * holds the block at hand, the descriptions of events, and what waits for its turn in time, each
 * within a limit.
 */
import type { DecodeErrorFields } from '../../../../wire/decode-error.ts'
import { checkOptions, type GivenOptions } from '../../../options.ts'
import { READER_OPTIONS } from '../../options.ts'
import {
  type ErrorCode,
  type EventMetadata,
  METADATA_BYTES_LIMIT,
  METADATA_LIMIT,
  NAME,
  type Payload,
  STREAM_ERROR_CODES,
  type Trace,
} from '../../spec.ts'
import { ByteReader, MALFORMED } from '../byte-reader.ts'
import type { NetTraceEvent } from '../event.ts'
import { readMetadata4, readMetadata6, sizeOfMetadata, text6 } from '../metadata.ts'
import { readPayload } from '../payload.ts'
import { type Blob, BlobScanner } from './blobs.ts'
import { EventOrder } from './event-order.ts'
import { type BlockKind, StreamFraming } from './framing.ts'
import { Losses } from './losses.ts'

/** Takers of what a reader finds, and its limits; `READER_OPTIONS` has the defaults. */
export interface NetTraceReaderOptions extends GivenOptions<typeof READER_OPTIONS> {
  /** Takes one event; must not throw. */
  readonly onEvent: (event: NetTraceEvent) => void
  /** Takes what could not be read; the stream goes on where `resync` says so. */
  readonly onError?: (error: DecodeErrorFields) => void
  readonly onTrace?: (trace: Trace) => void
  /** Takes the last numbers of all threads, at this tick since the start. */
  readonly onSequencePoint?: (
    ticks: number,
    threads: readonly (readonly [thread: number, sequence: number])[],
  ) => void
}

const STREAM_ERRORS: ReadonlySet<string> = new Set(STREAM_ERROR_CODES)
const THREAD_ID = 3
const THREAD_PROCESS = 2
const THREAD_PAIR = 4
const FORGETS_THREADS = 1
const FORGETS_METADATA = 2
const SAMPLING_RATE = 'ExpectedCPUSamplingRate'

/**
 * Events of a stream that arrives in pieces.
 *
 * @example
 * import { encodeNetTrace, NetTraceReader } from 'pentameter/nettrace'
 *
 * const reader = new NetTraceReader({ onEvent: ({ metadata }) => console.log(metadata.name) })
 * for (const piece of encodeNetTrace([])) reader.push(piece)
 * reader.end()
 * console.log(reader.isEnded, reader.lost) // true 0
 */
export class NetTraceReader {
  /** Start of the stream, once it has come. */
  trace: Trace | undefined
  /** Blocks by kind. */
  readonly blocks: Partial<Record<BlockKind, number>> = {}
  /** Errors by code. */
  readonly errors: Partial<Record<ErrorCode, number>> = {}
  /** Events given out. */
  events = 0
  readonly #options: NetTraceReaderOptions
  readonly #framing: StreamFraming
  readonly #order: EventOrder
  readonly #isInTime: boolean
  readonly #reader = new ByteReader()
  readonly #scanner = new BlobScanner()
  readonly #losses = new Losses()
  readonly #metadata = new Map<number, EventMetadata>()
  #metadataBytes = 0
  /** Ids that the system has for the threads of version 6. */
  readonly #threads = new Map<number, number>()
  #version = 4
  /** Offset in the stream of the reader's place 0. */
  #base = 0

  /** @throws {RangeError} for an option that cannot be used */
  constructor(options: NetTraceReaderOptions) {
    const { order, blockBytesLimit, waitingEventsLimit, waitingBytesLimit } = checkOptions(
      READER_OPTIONS,
      options,
    )
    this.#options = options
    this.#isInTime = order === 'time'
    const limits = { waitingEvents: waitingEventsLimit, waitingBytes: waitingBytesLimit }
    this.#order = new EventOrder(limits, (event) => this.#giveOut(event))
    this.#framing = new StreamFraming(blockBytesLimit, {
      block: (...block) => this.#block(...block),
      fail: (code, offset) => {
        this.#order.flush()
        this.#report(code, offset)
      },
    })
  }

  /** Takes the next bytes, which are read before it returns and not kept. */
  push(bytes: Uint8Array): void {
    this.#framing.push(bytes)
    if (this.#framing.isEnded) this.#order.flush()
  }

  /** Ends the stream; one without its end mark is truncated. */
  end(): void {
    this.#order.flush()
    this.#framing.end()
  }

  /** Whether the end mark has come. */
  get isEnded(): boolean {
    return this.#framing.isEnded
  }

  /** Bytes behind the end mark. */
  get bytesBehind(): number {
    return this.#framing.bytesBehind
  }

  /** Memory held for a block that is not complete, bytes. */
  get bytesHeld(): number {
    return this.#framing.bytesHeld
  }

  /** Events that the process has dropped, as far as their numbers say. */
  get lost(): number {
    return this.#losses.lost
  }

  /** Events that came in the order of the stream, because too many waited. */
  get unordered(): number {
    return this.#order.unordered
  }

  #giveOut(event: NetTraceEvent): void {
    this.events++
    this.#options.onEvent(event)
  }

  #report(code: ErrorCode, offset: number): void {
    this.errors[code] = (this.errors[code] ?? 0) + 1
    this.#options.onError?.({ dialect: NAME, code, offset, resync: !STREAM_ERRORS.has(code) })
  }

  #block(
    kind: BlockKind,
    version: number,
    bytes: Uint8Array,
    at: number,
    end: number,
    offset: number,
  ): void {
    this.blocks[kind] = (this.blocks[kind] ?? 0) + 1
    this.#version = version
    this.#base = offset - at
    const reader = this.#reader.open(bytes, at, end)
    try {
      this.#read(kind, reader)
    } catch (error) {
      if (error !== MALFORMED) throw error
      this.#report('bad_block', this.#base + reader.at)
    }
  }

  /** Reads one block; what is left of it, and not read by any version that is known, is skipped. */
  #read(kind: BlockKind, reader: ByteReader): void {
    const is4 = this.#version === 4
    if (kind === 'event') this.#readEvents(reader)
    else if (kind === 'metadata' && is4) this.#readMetadata4(reader)
    else if (kind === 'metadata') this.#readMetadata6(reader)
    else if (kind === 'trace') this.#readTrace(reader)
    else if (kind === 'sequencePoint' && is4) this.#readPoint4(reader)
    else if (kind === 'sequencePoint') this.#readPoint6(reader)
    else if (kind === 'thread') this.#readThreads(reader)
    else if (kind === 'removeThread') this.#readRemoved(reader)
  }

  #readTrace(reader: ByteReader): void {
    const parts = Array.from({ length: 8 }, () => reader.i16())
    const [year, month, , day, hour, minute, second, ms] = parts as [number, ...number[]]
    const syncTimeMs = Date.UTC(year, month! - 1, day, hour, minute, second, ms)
    const syncTicks = reader.i64()
    const frequency = reader.i64()
    const pointerSize = reader.i32()
    const facts = this.#version === 4 ? traceFacts4(reader) : traceFacts6(reader)
    this.trace = {
      ...{ version: this.#version, syncTimeMs, syncTicks, frequency, pointerSize },
      ...facts,
    }
    this.#options.onTrace?.(this.trace)
  }

  #readEvents(reader: ByteReader): void {
    const scanner = this.#scanner
    const blockEnd = reader.end
    // only that of version 6 can be too short, and then no time can be told
    if (this.trace === undefined) throw MALFORMED
    scanner.begin(reader, this.#version, this.trace.syncTicks)
    while (reader.left > 0) {
      const blob = scanner.next(reader)
      const next = reader.at
      this.#losses.event(blob.captureThread, blob.sequence)
      const event = this.#decode(blob, reader)
      if (event === undefined) this.#report('undecodable', this.#base + blob.payloadAt)
      else if (this.#isInTime) this.#order.add(event)
      else this.#giveOut(event)
      reader.at = next
      reader.end = blockEnd
    }
  }

  #decode(blob: Blob, reader: ByteReader): NetTraceEvent | undefined {
    const metadata = this.#metadata.get(blob.metadataId)
    if (metadata === undefined) return undefined
    const { ticks, thread, captureThread, sequence, stackId, isSorted, payloadSize } = blob
    let payload: Payload | undefined
    if (payloadSize > 0 && metadata.fields.length > 0) {
      reader.at = blob.payloadAt
      reader.end = blob.payloadAt + payloadSize
      payload = valuesOf(reader, metadata)
      if (payload === undefined) return undefined
    }
    return {
      metadata,
      ticks,
      thread,
      osThread: this.#threads.get(thread) ?? thread,
      captureThread,
      sequence,
      stackId,
      isSorted,
      payloadSize,
      payload,
    }
  }

  #readMetadata4(reader: ByteReader): void {
    const scanner = this.#scanner
    const blockEnd = reader.end
    scanner.begin(reader, 4, 0n)
    while (reader.left > 0) {
      const { payloadAt, payloadSize } = scanner.next(reader)
      const next = reader.at
      reader.at = payloadAt
      reader.end = payloadAt + payloadSize
      this.#define(reader, readMetadata4)
      reader.at = next
      reader.end = blockEnd
    }
  }

  #readMetadata6(reader: ByteReader): void {
    const blockEnd = reader.end
    reader.skip(reader.u16())
    while (reader.left > 0) {
      const end = rowEnd(reader)
      reader.end = end
      this.#define(reader, readMetadata6)
      reader.at = end
      reader.end = blockEnd
    }
  }

  /** Reads one description, and keeps it within the limits; a later one of the same id counts. */
  #define(reader: ByteReader, read: (reader: ByteReader) => EventMetadata): void {
    const offset = this.#base + reader.at
    let metadata: EventMetadata
    try {
      metadata = read(reader)
    } catch (error) {
      if (error !== MALFORMED) throw error
      this.#report('bad_metadata', offset)
      return
    }
    const known = this.#metadata.get(metadata.id)
    const held = known === undefined ? 0 : sizeOfMetadata(known)
    const bytes = this.#metadataBytes - held + sizeOfMetadata(metadata)
    const isFull = known === undefined && this.#metadata.size >= METADATA_LIMIT
    if (isFull || bytes > METADATA_BYTES_LIMIT) {
      this.#report('metadata_limit', offset)
      return
    }
    this.#metadataBytes = bytes
    this.#metadata.set(metadata.id, metadata)
  }

  #readPoint4(reader: ByteReader): void {
    const ticks = this.#ticksOf(reader.u64())
    const count = reader.u32()
    if (count > reader.left / 12) throw MALFORMED
    const threads: [number, number][] = []
    for (let i = 0; i < count; i++) threads.push([reader.count64(), reader.u32()])
    this.#takePoint(ticks, threads)
  }

  #readPoint6(reader: ByteReader): void {
    const ticks = this.#ticksOf(reader.u64())
    const flags = reader.u32()
    const count = reader.u32()
    if (count > reader.left / 2) throw MALFORMED
    const threads: [number, number][] = []
    for (let i = 0; i < count; i++) threads.push([reader.varuint(), reader.varuint()])
    this.#takePoint(ticks, threads)
    if (flags & FORGETS_THREADS) {
      this.#losses.forgetAll()
      this.#threads.clear()
    }
    if (flags & FORGETS_METADATA) {
      this.#metadata.clear()
      this.#metadataBytes = 0
    }
  }

  #takePoint(ticks: number, threads: readonly (readonly [number, number])[]): void {
    this.#order.flush()
    for (const [thread, sequence] of threads) this.#losses.point(thread, sequence)
    this.#options.onSequencePoint?.(ticks, threads)
  }

  #ticksOf(timestamp: bigint): number {
    return Number(BigInt.asIntN(64, timestamp - (this.trace?.syncTicks ?? 0n)))
  }

  #readThreads(reader: ByteReader): void {
    const blockEnd = reader.end
    while (reader.left > 0) {
      const end = rowEnd(reader)
      reader.end = end
      const index = reader.varuint()
      const id = threadId(reader)
      if (id !== undefined && this.#threads.size < METADATA_LIMIT) this.#threads.set(index, id)
      reader.at = end
      reader.end = blockEnd
    }
  }

  #readRemoved(reader: ByteReader): void {
    while (reader.left > 0) {
      const index = reader.varuint()
      this.#losses.point(index, reader.varuint())
      this.#losses.forget(index)
      this.#threads.delete(index)
    }
  }
}

function valuesOf(reader: ByteReader, { fields }: EventMetadata): Payload | undefined {
  try {
    const payload = readPayload(reader, fields)
    return reader.left === 0 ? payload : undefined
  } catch (error) {
    if (error !== MALFORMED) throw error
    return undefined
  }
}

/** Reads the size of a row, and gives its end. */
function rowEnd(reader: ByteReader): number {
  const size = reader.u16()
  if (size > reader.left) throw MALFORMED
  return reader.at + size
}

/** Reads what is said of a thread, and gives the system's id of it. */
function threadId(reader: ByteReader): number | undefined {
  let id: number | undefined
  while (reader.left > 0) {
    const kind = reader.u8()
    if (kind === 1) text6(reader)
    else if (kind === THREAD_PROCESS) reader.varuint()
    else if (kind === THREAD_ID) id = reader.varuint()
    else if (kind === THREAD_PAIR) text6(reader) + text6(reader)
    else break
  }
  return id
}

type TraceFacts = Pick<Trace, 'pid' | 'cpus' | 'samplingRate'>

function traceFacts4(reader: ByteReader): TraceFacts {
  return { pid: reader.i32(), cpus: reader.i32(), samplingRate: reader.i32() }
}

/** Reads pairs of texts, of which three have a meaning here. */
function traceFacts6(reader: ByteReader): TraceFacts {
  const count = reader.u32()
  if (count > reader.left / 2) throw MALFORMED
  const pairs = new Map<string, number>()
  for (let i = 0; i < count; i++) {
    const key = text6(reader)
    pairs.set(key, Number(text6(reader)))
  }
  const number = (key: string): number => pairs.get(key) ?? 0
  return {
    pid: number('ProcessId'),
    cpus: number('HardwareThreadCount'),
    samplingRate: number(SAMPLING_RATE),
  }
}
