/**
 * What a server sends, told apart by structure: first an Info (usable `metrics`), then a Snapshot
 * (usable `t` and `d`). The strict reading is the real parser's verdict; the lenient one keeps the
 * good entries of a packet that strict reading refuses.
 *
 *   Info     = {"metrics": {name: {"labels": {key: value}}}}
 *   Snapshot = {"t": nanoseconds, "d": {name: number}}
 */
import { DecodeError } from '../../../wire/decode-error.ts'
import { MessagePackReader } from '../../../wire/messagepack.ts'
import { MessagePackScanner } from '../../../wire/messagepack-scan.ts'
import {
  INFO_FIELDS,
  type Info,
  METRIC_FIELDS,
  NAME,
  type Packet,
  type PacketErrorCode,
  SNAPSHOT_FIELDS,
  type Snapshot,
} from '../spec.ts'
import { findFields, MISSING } from './fields.ts'
import { SnapshotWalker } from './snapshot-walker.ts'
import { readTime } from './time.ts'

export interface PacketOptions {
  /** Strictness of the real parser: what it refuses is refused. */
  readonly strict?: boolean
}

/** Makes the error of one packet. `resync`: the boundary of the next packet is known. */
export function packetError(
  code: PacketErrorCode,
  offset: number,
  detail: string,
  resync = true,
): DecodeError {
  return new DecodeError({ dialect: NAME, code, offset, resync }, detail)
}

/**
 * Reads one packet; bytes behind its value are ignored.
 * @throws {DecodeError} `bad_msgpack`, `bad_shape` or `bad_time`
 */
export function decodePacket(payload: Uint8Array, options: PacketOptions = {}): Packet {
  const scanner = new MessagePackScanner()
  const verdict = scanner.scan(payload, 0, payload.length, payload.length)
  if (verdict !== 'complete') {
    throw packetError('bad_msgpack', scanner.size, `packet is ${verdict}`)
  }
  return readPacket(new MessagePackReader(payload), options.strict === true)
}

/** Reads a packet as decodePacket, over a value that was scanned before. */
export function readPacket(reader: MessagePackReader, isStrict: boolean): Packet {
  const packet =
    new PacketReading(reader, false).packet() ??
    (isStrict ? undefined : new PacketReading(reader, true).packet())
  if (packet !== undefined) return packet
  const metrics = findFields(reader, 0, INFO_FIELDS)?.[0]
  const isInfo = metrics !== undefined && isMap(reader, metrics)
  const fields = findFields(reader, 0, SNAPSHOT_FIELDS)
  if (!isInfo && fields !== undefined && isMap(reader, fields[1]!)) {
    const at = fields[0]!
    if (at !== MISSING && readTime(reader, at, !isStrict) === undefined) {
      throw packetError('bad_time', at, `t is of type ${reader.family(at)} and no time`)
    }
  }
  throw packetError('bad_shape', 0, 'neither an information packet nor a snapshot')
}

function isMap(reader: MessagePackReader, at: number): boolean {
  return at !== MISSING && reader.family(at) === 'map'
}

/** One reading, strict or lenient, of one packet. */
class PacketReading {
  readonly #reader: MessagePackReader
  readonly #isLenient: boolean
  #dropped = 0

  constructor(reader: MessagePackReader, isLenient: boolean) {
    this.#reader = reader
    this.#isLenient = isLenient
  }

  packet(): Packet | undefined {
    const info = this.#info()
    if (info !== undefined) return info
    this.#dropped = 0
    return this.#snapshot()
  }

  #info(): Info | undefined {
    const at = findFields(this.#reader, 0, INFO_FIELDS)?.[0]
    if (at === undefined || !isMap(this.#reader, at)) return undefined
    const metrics = new Map<string, ReadonlyMap<string, string>>()
    let key = this.#reader.body(at)
    for (let pairs = this.#reader.length(at); pairs > 0; pairs--) {
      const value = this.#reader.skip(key)
      const name = this.#reader.text(key)
      const labels = name === undefined ? undefined : this.#metric(value)
      if (name !== undefined && labels !== undefined) metrics.set(name, labels)
      else if (!this.#drop()) return undefined
      key = this.#reader.skip(value)
    }
    return { kind: 'info', metrics, reading: this.#reading() }
  }

  /** Reads the labels of one metric; undefined when the entry cannot be used. */
  #metric(at: number): ReadonlyMap<string, string> | undefined {
    const labelsAt = findFields(this.#reader, at, METRIC_FIELDS)?.[0]
    const labels =
      labelsAt !== undefined && isMap(this.#reader, labelsAt) ? this.#labels(labelsAt) : undefined
    if (labels !== undefined || !isMap(this.#reader, at)) return labels
    return this.#drop() ? new Map() : undefined
  }

  #labels(at: number): Map<string, string> | undefined {
    const labels = new Map<string, string>()
    let key = this.#reader.body(at)
    for (let pairs = this.#reader.length(at); pairs > 0; pairs--) {
      const value = this.#reader.skip(key)
      const name = this.#reader.text(key)
      const text = this.#reader.text(value)
      if (name !== undefined && text !== undefined) labels.set(name, text)
      else if (!this.#drop()) return undefined
      key = this.#reader.skip(value)
    }
    return labels
  }

  #snapshot(): Snapshot | undefined {
    const fields = findFields(this.#reader, 0, SNAPSHOT_FIELDS)
    if (fields === undefined || fields[0] === MISSING || !isMap(this.#reader, fields[1]!)) {
      return undefined
    }
    const time = readTime(this.#reader, fields[0]!, this.#isLenient)
    const values = time === undefined ? undefined : this.#values(fields[1]!)
    if (time === undefined || values === undefined) return undefined
    return {
      kind: 'snapshot',
      t: time.t,
      names: [...values.keys()],
      values: Float64Array.from(values.values()),
      reading: { ...this.#reading(), time: time.form },
    }
  }

  #values(at: number): Map<string, number> | undefined {
    const values = new Map<string, number>()
    let key = this.#reader.body(at)
    for (let pairs = this.#reader.length(at); pairs > 0; pairs--) {
      const value = this.#reader.skip(key)
      const name = this.#reader.text(key)
      const number = this.#reader.number(value)
      if (name !== undefined && number !== undefined) values.set(name, number)
      else if (!this.#drop()) return undefined
      key = this.#reader.skip(value)
    }
    return values
  }

  /** Leaves one entry out; false when this reading may not. */
  #drop(): boolean {
    if (this.#isLenient) this.#dropped++
    return this.#isLenient
  }

  #reading() {
    return { isStrict: !this.#isLenient, dropped: this.#dropped }
  }
}

/** Payloads of one connection to packets: along the last snapshot where possible, else in full. */
export class PacketDecoder {
  readonly #options: PacketOptions
  readonly #walker = new SnapshotWalker()

  constructor(options: PacketOptions = {}) {
    this.#options = options
  }

  /**
   * Reads one payload. A snapshot's `values` are valid until the next call, its `names` for good.
   * @throws {DecodeError} `bad_msgpack`, `bad_shape` or `bad_time`
   */
  decode(payload: Uint8Array): Packet {
    const walked = this.#walker.walk(payload)
    if (walked !== undefined) return walked
    const packet = decodePacket(payload, this.#options)
    if (packet.kind === 'snapshot') this.#walker.learn(payload, packet)
    return packet
  }
}
