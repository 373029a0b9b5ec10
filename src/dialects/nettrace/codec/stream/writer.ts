/**
 * Writer of a stream of version 4 as the runtime writes it (nettrace.md §4, §11): every kind of
 * event described once, before the first of them, blobs compressed, blocks aligned by the offset in
 * the stream.
 */
import { type EventMetadata, type Field, SERIALIZER, STREAM_MAGIC, type Trace } from '../../spec.ts'
import { ByteWriter } from '../byte-writer.ts'
import type { Layout } from '../layouts.ts'
import { writeMetadata4 } from '../metadata.ts'
import { failure } from '../payload.ts'

const BEGIN_OBJECT = [5, 5, 1]
const END_OF_OBJECT = 6
const END_OF_STREAM = 1
const BLOCK_VERSION = 2
const TRACE_VERSION = 4
const HEADER_BYTES = 20
const COMPRESSED = 1
/** The runtime's word for a processor that is not known, and the step in front of number 0. */
const NO_PROCESSOR = 0xffff_ffffn
const STEP_TO_ZERO = 0xffff_ffffn
/** Size from which on the usual reader takes it for a smaller one, and gives up the stream. */
const PAYLOAD_BYTES_BELOW = 65_536

/** An event to write. */
export interface WrittenEvent {
  readonly metadata: EventMetadata
  /** Ticks since the session's start, whole. */
  readonly ticks: number
  /** Thread that the event is of, and that numbers it. */
  readonly thread: number
  /** Number among the events of its thread: the next one, or beyond it where some were dropped. */
  readonly sequence: number
  readonly isSorted: boolean
  readonly payload: Uint8Array
}

function checkName(name: string): void {
  if (name.includes('\0')) throw failure('bad_value', `U+0000 in name ${JSON.stringify(name)}`)
}

function checkNames(fields: readonly Field[]): void {
  for (const { name, fields: members = [] } of fields) {
    checkName(name)
    checkNames(members)
  }
}

export class StreamWriter {
  readonly #trace: Omit<Trace, 'version'>
  readonly #out = new ByteWriter()
  readonly #body = new ByteWriter()
  readonly #blob = new ByteWriter()
  /** Bytes of the stream in front of those that are not taken yet. */
  #offset = 0
  #ids = 0
  #isBegun = false
  readonly #fresh: EventMetadata[] = []
  /** Tick that no later event may be older than. */
  #sortedTicks = Number.NEGATIVE_INFINITY

  constructor(trace: Omit<Trace, 'version'>) {
    this.#trace = trace
  }

  /**
   * Gives a kind of event its number; it is described in front of the next events.
   * @throws {EncodeError} bad_value for a name with U+0000, which ends names of version 4
   */
  define(provider: string, layout: Layout): EventMetadata {
    checkName(provider)
    checkName(layout.name)
    checkNames(layout.fields)
    const metadata = { id: ++this.#ids, provider, ...layout }
    this.#fresh.push(metadata)
    return metadata
  }

  /**
   * Adds one block of events, descriptions that are new in front of it.
   * @throws {EncodeError} bad_value for a payload of 64 KiB and more, and for an event that is
   *   older than a sorted one; nothing is written then
   */
  events(events: readonly WrittenEvent[]): void {
    this.#check(events)
    this.#begin()
    const [first] = events
    if (first === undefined) return
    if (this.#fresh.length > 0) this.#describe(first.ticks)
    this.#header(events.map(({ ticks }) => ticks))
    let last: WrittenEvent | undefined
    for (const event of events) {
      this.#event(event, last)
      last = event
    }
    this.#block('EventBlock')
  }

  #check(events: readonly WrittenEvent[]): void {
    let sorted = this.#sortedTicks
    for (const { ticks, payload, isSorted } of events) {
      if (!Number.isSafeInteger(ticks)) throw failure('bad_value', `event at tick ${ticks}`)
      if (payload.length >= PAYLOAD_BYTES_BELOW) {
        throw failure('bad_value', `payload of ${payload.length} bytes`)
      }
      if (ticks < sorted) throw failure('bad_value', `tick ${ticks} behind a sorted ${sorted}`)
      if (isSorted) sorted = ticks
    }
    this.#sortedTicks = sorted
  }

  /** Adds a sequence point: the last number of each thread, as of this tick. */
  sequencePoint(ticks: number, threads: readonly (readonly [number, number])[]): void {
    this.#begin()
    this.#body.u64(this.#timestamp(ticks)).u32(threads.length)
    for (const [thread, sequence] of threads) this.#body.u64(BigInt(thread)).u32(sequence)
    this.#block('SPBlock')
  }

  /** Adds the end mark. */
  end(): void {
    this.#begin()
    this.#out.u8(END_OF_STREAM)
  }

  /** Gives what was added since the last call. */
  take(): Uint8Array {
    this.#begin()
    this.#offset += this.#out.size
    return this.#out.take()
  }

  #begin(): void {
    if (this.#isBegun) return
    this.#isBegun = true
    const { syncTimeMs, syncTicks, frequency, pointerSize, pid, cpus, samplingRate } = this.#trace
    const out = this.#out
    out.ascii(STREAM_MAGIC).u32(SERIALIZER.length).ascii(SERIALIZER)
    this.#object('Trace', TRACE_VERSION)
    const date = new Date(syncTimeMs)
    out
      .u16(date.getUTCFullYear())
      .u16(date.getUTCMonth() + 1)
      .u16(date.getUTCDay())
    out.u16(date.getUTCDate()).u16(date.getUTCHours()).u16(date.getUTCMinutes())
    out.u16(date.getUTCSeconds()).u16(date.getUTCMilliseconds())
    out.u64(syncTicks).u64(frequency).u32(pointerSize).u32(pid).u32(cpus).u32(samplingRate)
    out.u8(END_OF_OBJECT)
  }

  #timestamp(ticks: number): bigint {
    return this.#trace.syncTicks + BigInt(ticks)
  }

  #header(ticks: readonly number[]): void {
    const times = ticks.reduce(
      ({ least, most }, each) => ({ least: Math.min(least, each), most: Math.max(most, each) }),
      { least: ticks[0]!, most: ticks[0]! },
    )
    this.#body.u16(HEADER_BYTES).u16(COMPRESSED)
    this.#body.u64(this.#timestamp(times.least)).u64(this.#timestamp(times.most))
  }

  /** Writes the descriptions; the first blob has what the runtime says there. */
  #describe(ticks: number): void {
    const body = this.#body
    this.#header([ticks])
    for (const [i, metadata] of this.#fresh.entries()) {
      writeMetadata4(this.#blob, metadata)
      const description = this.#blob.take()
      if (i === 0) body.u8(0xc6).varuint(STEP_TO_ZERO).u8(0).varuint(NO_PROCESSOR).u8(0)
      else body.u8(0xc0)
      body.varuint(i === 0 ? this.#timestamp(ticks) : 0n)
      body.varuint(BigInt(description.length)).raw(description)
    }
    this.#fresh.length = 0
    this.#block('MetadataBlock')
  }

  #event(event: WrittenEvent, last: WrittenEvent | undefined): void {
    const { metadata, ticks, thread, sequence, isSorted, payload } = event
    const isSameId = last?.metadata.id === metadata.id
    const isSameThread = last?.thread === thread
    const isNext = isSameThread && sequence === (last.sequence + 1) >>> 0
    const isSameSize = last?.payload.length === payload.length
    const body = this.#body
    body.u8(
      (isSameId ? 0 : 1) |
        (isNext ? 0 : 2) |
        (isSameThread ? 0 : 4) |
        (isSorted ? 64 : 0) |
        (isSameSize ? 0 : 128),
    )
    if (!isSameId) body.varuint(BigInt(metadata.id))
    if (!isNext) {
      const step = BigInt.asUintN(32, BigInt(sequence) - BigInt(last?.sequence ?? 0) - 1n)
      body.varuint(step).varuint(BigInt(thread)).varuint(NO_PROCESSOR)
    }
    if (!isSameThread) body.varuint(BigInt(thread))
    body.varuint(last === undefined ? this.#timestamp(ticks) : BigInt(ticks - last.ticks))
    if (!isSameSize) body.varuint(BigInt(payload.length))
    body.raw(payload)
  }

  #object(name: string, version: number): void {
    for (const tag of BEGIN_OBJECT) this.#out.u8(tag)
    this.#out.u32(version).u32(version).u32(name.length).ascii(name).u8(END_OF_OBJECT)
  }

  /** Writes the body as one block, aligned by the offset of the whole stream. */
  #block(name: string): void {
    const out = this.#out
    this.#object(name, BLOCK_VERSION)
    out.u32(this.#body.size)
    out.zeros(-(this.#offset + out.size) & 3)
    out.raw(this.#body.take()).u8(END_OF_OBJECT)
  }
}
