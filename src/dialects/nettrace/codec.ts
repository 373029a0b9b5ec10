/**
 * Codec of captured bytes: streams of events, and the messages that ask for them and answer, told
 * apart by their first byte. A reply that opens a session may stand in front of its stream.
 */
import { ByteQueue } from '../../wire/byte-queue.ts'
import type { DecodeErrorFields } from '../../wire/decode-error.ts'
import { type CodecOptions, type Decoded, type Decoder, decodeWhole } from '../decoder.ts'
import { ByteWriter } from './codec/byte-writer.ts'
import type { IpcMessage } from './codec/ipc/messages.ts'
import { readAdvertisement, readCommand, readReply } from './codec/ipc/read.ts'
import { REPLY_SET, writeIpc } from './codec/ipc/write.ts'
import { counterLayout, type Layout, layoutOf, MEAN_FIELDS, SUM_FIELDS } from './codec/layouts.ts'
import { COUNTERS_EVENT, type EventMessage, isCounters, messageOf } from './codec/message.ts'
import { failure, isoTicks, writePayload } from './codec/payload.ts'
import { NetTraceReader } from './codec/stream/reader.ts'
import { StreamWriter, type WrittenEvent } from './codec/stream/writer.ts'
import {
  ADVERTISE_BYTES,
  ADVERTISE_MAGIC,
  type ErrorCode,
  type EventMetadata,
  IPC_HEADER_BYTES,
  IPC_MAGIC,
  NAME,
  type Payload,
} from './spec.ts'

/** One event of a stream, or one message beside it. */
export type NetTraceMessage = EventMessage | IpcMessage

/** Errors that are kept one by one; the rest is counted. */
const ERRORS_KEPT = 10_000
const FREQUENCY = 1_000_000_000
const EVENTS_PER_BLOCK = 200

/**
 * Reads a stream from its beginning, or messages of Diagnostics IPC.
 *
 * @example
 * import { decodeNetTrace } from 'pentameter/nettrace'
 *
 * const bytes = Buffer.from('444f544e45545f4950435f563100140004040000', 'hex')
 * console.log(decodeNetTrace(bytes).messages) // [ { message: 'ProcessInfo2' } ]
 */
export function decodeNetTrace(bytes: Uint8Array): Decoded<NetTraceMessage> {
  return decodeWhole(createDecoder(), bytes)
}

export function createDecoder(_options: CodecOptions = {}): Decoder {
  return new CaptureDecoder()
}

class CaptureDecoder implements Decoder {
  readonly messages: NetTraceMessage[] = []
  readonly errors: DecodeErrorFields[] = []
  readonly notes: string[] = []
  readonly #held = new ByteQueue()
  #reader: NetTraceReader | undefined
  /** Bytes in front of the stream, or of the message that is not complete. */
  #taken = 0
  #isOver = false
  #errorsLeftOut = 0

  push(bytes: Uint8Array): void {
    if (this.#isOver || bytes.length === 0) return
    if (this.#reader !== undefined) this.#reader.push(bytes)
    else this.#begin(bytes)
  }

  /** Reads messages up to the first byte of a stream. */
  #begin(bytes: Uint8Array): void {
    this.#held.append(bytes)
    while (this.#reader === undefined && !this.#isOver && this.#held.size > 0) {
      const held = this.#held.peek()
      const size = this.#isMessage(held[0]!) ? this.#message(held) : this.#stream(held)
      if (size === 0) return
      this.#held.drop(size)
      this.#taken += size
    }
    if (this.#isOver) this.#held.clear()
  }

  end(): void {
    const reader = this.#reader
    if (reader === undefined && !this.#isOver) {
      if (this.#held.size > 0 || this.#taken === 0) this.#fail('truncated', this.#held.size)
    }
    reader?.end()
    this.#held.clear()
    this.#isOver = true
    if (reader !== undefined) this.#remark(reader)
  }

  #isMessage(first: number): boolean {
    return first === IPC_MAGIC.charCodeAt(0) || first === ADVERTISE_MAGIC.charCodeAt(0)
  }

  /** @returns bytes that were read */
  #stream(held: Uint8Array): number {
    const start = this.#taken
    const reader = new NetTraceReader({
      onEvent: (event) => this.messages.push(messageOf(event, reader.trace!)),
      onError: (error) => this.#keep({ ...error, offset: error.offset + start }),
    })
    this.#reader = reader
    reader.push(held)
    return held.length
  }

  /** @returns bytes that were read; 0 while some are missing */
  #message(held: Uint8Array): number {
    const isAdvertised = held[0] === ADVERTISE_MAGIC.charCodeAt(0)
    const magic = isAdvertised ? ADVERTISE_MAGIC : IPC_MAGIC
    if (held.length < (isAdvertised ? ADVERTISE_BYTES : IPC_HEADER_BYTES)) return 0
    if (!startsWith(held, magic)) {
      this.#fail('bad_magic', 0)
      return 0
    }
    const size = isAdvertised ? ADVERTISE_BYTES : held[14]! | (held[15]! << 8)
    if (!isAdvertised && size < IPC_HEADER_BYTES) {
      this.#fail('too_large', 14)
      return 0
    }
    if (held.length < size) return 0
    this.#read(held.slice(0, size), isAdvertised)
    return size
  }

  #read(packet: Uint8Array, isAdvertised: boolean): void {
    const { command, error } = isAdvertised || packet[16] === REPLY_SET ? {} : readCommand(packet)
    const message = command ?? (isAdvertised ? readAdvertisement(packet) : readReply(packet))
    if (message !== undefined) this.messages.push(message)
    else {
      this.#keep({ dialect: NAME, code: 'bad_message', offset: this.#taken, resync: true })
      if (error !== undefined) this.#note(`a runtime answers ${error}`)
    }
  }

  #fail(code: ErrorCode, behind: number): void {
    this.#isOver = true
    this.#keep({ dialect: NAME, code, offset: this.#taken + behind, resync: false })
  }

  #keep(error: DecodeErrorFields): void {
    // the one that ends the reading is always told
    if (this.errors.length < ERRORS_KEPT || !error.resync) this.errors.push(error)
    else this.#errorsLeftOut++
  }

  #note(note: string): void {
    if (this.notes.length < ERRORS_KEPT) this.notes.push(note)
  }

  #remark({ trace, lost, unordered, bytesBehind }: NetTraceReader): void {
    if (trace !== undefined) this.#note(`version ${trace.version}, process ${trace.pid}`)
    if (lost > 0) this.#note(`the process has dropped ${lost} events`)
    if (unordered > 0) this.#note(`${unordered} events in the order of the stream`)
    if (bytesBehind > 0) this.#note(`${bytesBehind} bytes behind the end`)
    if (this.#errorsLeftOut > 0) this.#note(`${this.#errorsLeftOut} more errors`)
  }
}

function startsWith(bytes: Uint8Array, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[i] !== text.charCodeAt(i)) return false
  return true
}

/**
 * Writes messages: those of Diagnostics IPC as a packet each, events as one stream of version 4.
 * Events of counters, of meters and of the session have known layouts; others can't be said.
 * @throws {EncodeError} bad_message, bad_value, not_sayable
 *
 * @example
 * import { encodeNetTrace } from 'pentameter/nettrace'
 *
 * const [packet] = encodeNetTrace([{ message: 'ResumeRuntime' }])
 * console.log(Buffer.from(packet!).toString('hex')) // 444f544e45545f4950435f563100140004010000
 */
export function encodeNetTrace(messages: readonly unknown[]): Uint8Array[] {
  const given = messages as readonly NetTraceMessage[]
  const isIpc = (each: NetTraceMessage): each is IpcMessage => 'message' in each
  const packets = given.filter(isIpc).map(writeIpc)
  const events = given.filter((each): each is EventMessage => !isIpc(each))
  return events.length === 0 && packets.length > 0 ? packets : [...packets, streamOf(events)]
}

function streamOf(messages: readonly EventMessage[]): Uint8Array {
  for (const message of messages) check(message)
  const writer = new StreamWriter({
    syncTimeMs: messages.length === 0 ? 0 : startMs(messages[0]!),
    ...{ syncTicks: 0n, frequency: BigInt(FREQUENCY), pointerSize: 8, pid: 0, cpus: 1 },
    samplingRate: 0,
  })
  const events = new EventList(writer).add(messages)
  for (let i = 0; i < events.length; i += EVENTS_PER_BLOCK) {
    writer.events(events.slice(i, i + EVENTS_PER_BLOCK))
  }
  const last = new Map(events.map(({ thread, sequence }) => [thread, sequence]))
  const ticks = events.reduce((most, event) => Math.max(most, event.ticks), 0)
  writer.sequencePoint(ticks, [...last])
  writer.end()
  return writer.take()
}

function check({ provider, event, id, time, relMs, thread }: EventMessage): void {
  const isTold = typeof provider === 'string' && typeof event === 'string' && Number.isInteger(id)
  if (!isTold) throw failure('bad_message', 'no event: provider, event and id are wanted')
  if (isoTicks(time) === undefined || !Number.isFinite(relMs)) {
    throw failure('bad_value', `time ${String(time)}, relMs ${String(relMs)}`)
  }
  if (!Number.isSafeInteger(thread) || thread < 0) {
    throw failure('bad_value', `thread ${String(thread)}`)
  }
}

/** Computes when the session began, as far as the stream says it: to the millisecond. */
function startMs({ time, relMs }: EventMessage): number {
  return Math.round(Number(isoTicks(time)!) / 10_000 - relMs)
}

/** Events with their descriptions, one for each layout of each provider. */
class EventList {
  readonly #writer: StreamWriter
  readonly #out = new ByteWriter()
  readonly #metadata = new Map<string, EventMetadata>()
  readonly #sequences = new Map<number, number>()

  constructor(writer: StreamWriter) {
    this.#writer = writer
  }

  add(messages: readonly EventMessage[]): WrittenEvent[] {
    const events = messages.map((message) => this.#eventOf(message))
    let least = Number.POSITIVE_INFINITY
    return events
      .toReversed()
      .map((event) => {
        const isSorted = event.ticks <= least
        least = Math.min(least, event.ticks)
        return { ...event, isSorted }
      })
      .toReversed()
  }

  #eventOf(message: EventMessage): WrittenEvent {
    const { relMs, thread, payload } = message
    const metadata = this.#metadataOf(message)
    if (payload !== null) {
      const isCounter = isCounters(metadata)
      const whole = isCounter ? { '': { Payload: payload } } : payload
      writePayload(this.#out, metadata.fields, whole as Payload)
    }
    const sequence = (this.#sequences.get(thread) ?? 0) + 1
    this.#sequences.set(thread, sequence)
    const ticks = Math.round((relMs * FREQUENCY) / 1000)
    return { metadata, ticks, thread, sequence, isSorted: false, payload: this.#out.take() }
  }

  #metadataOf(message: EventMessage): EventMetadata {
    const { provider, event, id, payload } = message
    const names = payload === null ? [] : Object.keys(payload)
    const key = JSON.stringify([provider, event, id, names])
    const known = this.#metadata.get(key)
    if (known !== undefined) return known
    const metadata = this.#writer.define(provider, sayable(message, names))
    this.#metadata.set(key, metadata)
    return metadata
  }
}

/** Finds the layout that has these fields; a version of .NET may lack some of them. */
function sayable({ provider, event, id }: EventMessage, names: readonly string[]): Layout {
  const isSum = names.includes('Increment')
  const known = layoutOf(provider, event)
  const all = event === COUNTERS_EVENT ? (isSum ? SUM_FIELDS : MEAN_FIELDS) : known?.fields
  const fields = all?.filter(({ name }) => names.includes(name)) ?? []
  if (all === undefined || fields.length < names.length) {
    throw failure('not_sayable', `${provider}/${event} with the fields ${names.join(', ')}`)
  }
  return event === COUNTERS_EVENT && fields.length > 0
    ? counterLayout(fields, id)
    : { ...(known ?? counterLayout([], id)), eventId: id, fields }
}
