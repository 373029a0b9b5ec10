/**
 * What a tap has copied, read by the decoders of the dialects and written as events (api.ts,
 * TapEvents): once for all who watch a listener. Reading has a bound of time and of messages in
 * each tenth of a second; what is beyond is counted.
 */
import type { Decoder } from '../../dialects/decoder.ts'
import type { Dialect } from '../../dialects/dialect.ts'
import type { TapBatch, TapError, TapPacket } from '../../hub/listen/tap/tap.ts'
import { toHex } from '../../model/index.ts'
import { addressText } from '../../model/text/address.ts'
import type { Clock } from '../../time/clock.ts'
import type { TapErrorEvent, TapPacketEvent, TapSkippedEvent } from '../api.ts'

const WINDOW_NS = 100_000_000n
/** Time of reading in a window, and the messages that are written in it. */
const BUDGET_NS = 8_000_000n
const MESSAGES_LIMIT = 250
/** Text of a message beyond which it is left out. */
const MESSAGE_LIMIT = 16_384
/** Bytes of a packet that are shown. */
const HEX_BYTES_LIMIT = 2048
/** A packed body is unpacked to so many bytes at most. */
const UNPACKED_BYTES_LIMIT = 65_536
/** Connections whose messages are put together, and the bytes of one that is not complete. */
const CONNECTIONS_LIMIT = 64
const UNFINISHED_BYTES_LIMIT = 131_072

type Counts = { -readonly [K in keyof TapSkippedEvent]: number }

/** Events of a batch. */
export interface TapNews {
  /** Counts of what was left out before. */
  readonly skipped: TapSkippedEvent
  /** Counts of what the events tell of. */
  readonly told: TapSkippedEvent
  /** Gives the events as they are sent. @param hasHex whether packets have their bytes */
  text(hasHex: boolean): string
}

interface StreamDecoder {
  readonly decoder: Decoder
  /** Bytes since its last message. */
  bytes: number
}

/** A packet that has been read; its bytes are written for those who want them. */
interface ReadPacket {
  readonly event: TapPacketEvent
  readonly bytes: Uint8Array
}

export const NO_COUNTS: TapSkippedEvent = { packets: 0, bytes: 0, messages: 0, errors: 0 }

/** Adds counts up. */
export function addCounts(a: TapSkippedEvent, b: TapSkippedEvent): TapSkippedEvent {
  return {
    packets: a.packets + b.packets,
    bytes: a.bytes + b.bytes,
    messages: a.messages + b.messages,
    errors: a.errors + b.errors,
  }
}

/** Reader of one listener. */
export class TapReader {
  readonly #dialects: ReadonlyMap<string, Dialect>
  readonly #clock: Pick<Clock, 'monotonicNs'>
  readonly #ofDatagrams = new Map<string, Decoder>()
  /** Decoders of connections by their peers, the one that was heard last at the end. */
  readonly #ofConnections = new Map<string, StreamDecoder>()
  #windowNs = 0n
  #spentNs = 0n
  #messages = 0

  constructor(dialects: ReadonlyMap<string, Dialect>, clock: Pick<Clock, 'monotonicNs'>) {
    this.#dialects = dialects
    this.#clock = clock
  }

  read({ items, losses }: TapBatch): TapNews {
    const nowNs = this.#clock.monotonicNs()
    if (nowNs - this.#windowNs >= WINDOW_NS) {
      this.#windowNs = nowNs
      this.#spentNs = 0n
      this.#messages = 0
    }
    const skipped: Counts = { ...losses, messages: 0 }
    const read: (ReadPacket | TapError)[] = []
    for (const item of items) {
      const each = 'code' in item ? item : this.#packet(item, skipped)
      if (each !== undefined) read.push(each)
    }
    return newsOf(read, skipped)
  }

  #packet(packet: TapPacket, skipped: Counts): ReadPacket | undefined {
    const { timeMs, dialect, transport, address, port, bytes } = packet
    if (this.#spentNs >= BUDGET_NS) {
      this.#ofConnections.delete(`${address} ${port}`)
      return skip(packet, skipped)
    }
    const decoder = transport === 'udp' ? this.#datagrams(dialect) : this.#connection(packet)
    if (decoder === undefined) return skip(packet, skipped)
    const beganNs = this.#clock.monotonicNs()
    decoder.push(bytes)
    const messages = this.#shown(take(decoder), skipped)
    this.#spentNs += this.#clock.monotonicNs() - beganNs
    if (transport === 'tcp') this.#note(packet, messages.length > 0)
    const peer = addressText(address, port)
    return { event: { timeMs, dialect, transport, peer, bytes: bytes.length, messages }, bytes }
  }

  /** Leaves out the messages that are too many or too long. */
  #shown(messages: readonly unknown[], skipped: Counts): unknown[] {
    const shown = messages.slice(0, Math.max(0, MESSAGES_LIMIT - this.#messages)).filter(isShort)
    this.#messages += messages.length
    skipped.messages += messages.length - shown.length
    return shown
  }

  #datagrams(dialect: string): Decoder | undefined {
    const known = this.#ofDatagrams.get(dialect)
    if (known !== undefined) return known
    const made = this.#createDecoder(dialect, 'udp')
    if (made !== undefined) this.#ofDatagrams.set(dialect, made)
    return made
  }

  /** Finds the decoder of a connection; none where it would have to begin within a message. */
  #connection({ address, port, dialect, isStart, isAfterGap }: TapPacket): Decoder | undefined {
    const key = `${address} ${port}`
    const known = this.#ofConnections.get(key)
    this.#ofConnections.delete(key)
    if (known !== undefined && !isAfterGap) {
      this.#ofConnections.set(key, known)
      return known.decoder
    }
    const decoder = isStart ? this.#createDecoder(dialect, 'tcp') : undefined
    if (decoder === undefined) return undefined
    if (this.#ofConnections.size >= CONNECTIONS_LIMIT) {
      this.#ofConnections.delete(this.#ofConnections.keys().next().value!)
    }
    this.#ofConnections.set(key, { decoder, bytes: 0 })
    return decoder
  }

  /** Forgets a connection whose message is longer than what may be kept of it. */
  #note({ address, port, bytes }: TapPacket, hasMessage: boolean): void {
    const key = `${address} ${port}`
    const stream = this.#ofConnections.get(key)
    if (stream === undefined) return
    stream.bytes = hasMessage ? 0 : stream.bytes + bytes.length
    if (stream.bytes > UNFINISHED_BYTES_LIMIT) this.#ofConnections.delete(key)
  }

  #createDecoder(dialect: string, transport: 'udp' | 'tcp'): Decoder | undefined {
    const unpackedBytesLimit = UNPACKED_BYTES_LIMIT
    const options = { role: 'server', transport, unpackedBytesLimit } as const
    return this.#dialects.get(dialect)?.createDecoder(options)
  }
}

function skip({ bytes }: TapPacket, skipped: Counts): undefined {
  skipped.packets++
  skipped.bytes += bytes.length
}

/** Takes the messages of a decoder, which keeps nothing; its errors are those of the listener. */
function take({ messages, errors, notes }: Decoder): unknown[] {
  errors.length = 0
  notes.length = 0
  return messages.splice(0)
}

function isShort(message: unknown): boolean {
  return JSON.stringify(message).length <= MESSAGE_LIMIT
}

function newsOf(read: readonly (ReadPacket | TapError)[], skipped: TapSkippedEvent): TapNews {
  const told: Counts = { ...NO_COUNTS }
  for (const each of read) {
    if ('code' in each) told.errors++
    else {
      told.packets++
      told.bytes += each.event.bytes
      told.messages += each.event.messages.length
    }
  }
  const texts = new Map<boolean, string>()
  return {
    skipped,
    told,
    text(hasHex) {
      const known = texts.get(hasHex)
      if (known !== undefined) return known
      const text = read.map((each) => eventText(each, hasHex)).join('')
      texts.set(hasHex, text)
      return text
    },
  }
}

function eventText(each: ReadPacket | TapError, hasHex: boolean): string {
  if ('code' in each) {
    const { timeMs, dialect, transport, address, port, bytes, ...error } = each
    const { code, offset, hexOffset, resync, detail } = error
    const event: TapErrorEvent = {
      ...{ timeMs, dialect, transport, peer: addressText(address, port) },
      ...{ code, offset, ...(hexOffset !== undefined && { hexOffset }) },
      ...{ resync, detail, hex: toHex(bytes) },
    }
    return `event: bad\ndata: ${JSON.stringify(event)}\n\n`
  }
  const { event, bytes } = each
  const shown = hasHex ? { ...event, hex: toHex(bytes.subarray(0, HEX_BYTES_LIMIT)) } : event
  return `event: packet\ndata: ${JSON.stringify(shown)}\n\n`
}
