/**
 * What a server sends, told apart by structure: first an Info (usable `metrics`), then a Snapshot
 * (usable `t` and `d`). The strict reading is the real parser's verdict; the lenient one keeps the
 * good entries of a packet that strict reading refuses.
 *
 *   Info     = {"metrics": {name: {"labels": {key: value}}}}
 *   Snapshot = {"t": nanoseconds, "d": {name: number}}
 */
import { runNow, type Task } from '../../../time/task.ts'
import { DecodeError } from '../../../wire/decode-error.ts'
import { isContainer, MessagePackReader } from '../../../wire/messagepack.ts'
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
import { behind, findFieldsInParts, MISSING, PAIRS_PER_PART } from './fields.ts'
import { SnapshotWalker } from './snapshot-walker.ts'
import { readTime } from './time.ts'

export interface PacketOptions {
  /** Strictness of the real parser: what it refuses is refused. */
  readonly strict?: boolean
  /** Limits of what is kept of one packet; none unless given. */
  readonly limits?: PacketLimits
}

/** Limits of what one packet may say: the rest of it is left out, and counted as omitted. */
interface PacketLimits {
  /** Metrics, labels of all metrics, or values. */
  readonly pairs: number
  /** Bytes of one name, key or label. */
  readonly textBytes: number
}

const NO_LIMITS: PacketLimits = {
  pairs: Number.POSITIVE_INFINITY,
  textBytes: Number.POSITIVE_INFINITY,
}
/** Bytes that are scanned, or read as texts, in one part. */
const BYTES_PER_PART = 65_536

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
  return runNow(decodeInParts(payload, options))
}

function* decodeInParts(payload: Uint8Array, options: PacketOptions): Task<Packet> {
  const scanner = new MessagePackScanner()
  const size = payload.length
  let verdict = scanner.scan(payload, 0, Math.min(BYTES_PER_PART, size), size)
  for (let end = BYTES_PER_PART; end < size && verdict === 'incomplete'; ) {
    yield
    end = Math.min(end + BYTES_PER_PART, size)
    verdict = scanner.scan(payload, 0, end, size)
  }
  if (verdict !== 'complete') {
    throw packetError('bad_msgpack', scanner.size, `packet is ${verdict}`)
  }
  return yield* readInParts(new MessagePackReader(payload), options)
}

/** Reads a packet as decodePacket, over a value that was scanned before. */
export function readPacket(reader: MessagePackReader, options: PacketOptions): Packet {
  return runNow(readInParts(reader, options))
}

function* readInParts(
  reader: MessagePackReader,
  { strict = false, limits = NO_LIMITS }: PacketOptions,
): Task<Packet> {
  const packet =
    (yield* new PacketReading(reader, limits, false).packet()) ??
    (strict ? undefined : yield* new PacketReading(reader, limits, true).packet())
  if (packet !== undefined) return packet
  const metrics = (yield* findFieldsInParts(reader, 0, INFO_FIELDS))?.[0]
  const isInfo = metrics !== undefined && isMap(reader, metrics)
  const fields = yield* findFieldsInParts(reader, 0, SNAPSHOT_FIELDS)
  // an array of two is never an Info: metrics in front of anything are a snapshot's time
  const isArrayOfTwo = reader.family(0) === 'array' && reader.length(0) === SNAPSHOT_FIELDS.length
  const isSnapshot = fields !== undefined && isMap(reader, fields[1]!)
  if (
    fields !== undefined &&
    !isInfo &&
    (isSnapshot || (isArrayOfTwo && isMap(reader, fields[0]!)))
  ) {
    const at = fields[0]!
    if (at !== MISSING && readTime(reader, at, !strict) === undefined) {
      throw packetError('bad_time', at, `t is of type ${reader.family(at)} and no time`)
    }
  }
  throw packetError('bad_shape', 0, 'neither an information packet nor a snapshot')
}

/** Tells whether a value has no others inside, so that nothing has to be gone through. */
function isFlat(reader: MessagePackReader, at: number): boolean {
  return !isContainer(reader.bytes[at]!)
}

function isMap(reader: MessagePackReader, at: number): boolean {
  return at !== MISSING && reader.family(at) === 'map'
}

/** Text that is longer than the limit. */
const TOO_LONG = Symbol('too long')

/** One reading, strict or lenient, of one packet. */
class PacketReading {
  readonly #reader: MessagePackReader
  readonly #limits: PacketLimits
  readonly #isLenient: boolean
  #dropped = 0
  #omitted = 0
  #pairsLeft = 0
  /** Pairs since the last part, and where that ended. */
  #pairs = 0
  #partAt = 0

  constructor(reader: MessagePackReader, limits: PacketLimits, isLenient: boolean) {
    this.#reader = reader
    this.#limits = limits
    this.#isLenient = isLenient
  }

  *packet(): Task<Packet | undefined> {
    this.#begin()
    const info = yield* this.#info()
    if (info !== undefined) return info
    this.#begin()
    return yield* this.#snapshot()
  }

  #begin(): void {
    this.#dropped = 0
    this.#omitted = 0
    this.#pairsLeft = this.#limits.pairs
    this.#partAt = 0
  }

  *#info(): Task<Info | undefined> {
    const reader = this.#reader
    const at = (yield* findFieldsInParts(reader, 0, INFO_FIELDS))?.[0]
    if (at === undefined || !isMap(reader, at)) return undefined
    const metrics = new Map<string, ReadonlyMap<string, string>>()
    let key = reader.body(at)
    for (let pairs = this.#take(reader.length(at)); pairs > 0; pairs--) {
      if (this.#isPartOver(key)) yield
      const value = isFlat(reader, key) ? reader.skip(key) : yield* behind(reader, key)
      const name = this.#text(key)
      const labels = typeof name === 'string' ? yield* this.#metric(value) : undefined
      if (typeof name === 'string' && labels !== undefined) metrics.set(name, labels)
      else if (!this.#drop(name)) return undefined
      key = isFlat(reader, value) ? reader.skip(value) : yield* behind(reader, value)
    }
    return { kind: 'info', metrics, reading: this.#reading() }
  }

  /** Reads the labels of one metric; undefined when the entry cannot be used. */
  *#metric(at: number): Task<ReadonlyMap<string, string> | undefined> {
    const reader = this.#reader
    const labelsAt = (yield* findFieldsInParts(reader, at, METRIC_FIELDS))?.[0]
    const isUsable = labelsAt !== undefined && isMap(reader, labelsAt)
    const labels = isUsable ? yield* this.#labels(labelsAt) : undefined
    if (labels !== undefined || !isMap(reader, at)) return labels
    return this.#drop(undefined) ? new Map() : undefined
  }

  *#labels(at: number): Task<Map<string, string> | undefined> {
    const reader = this.#reader
    const labels = new Map<string, string>()
    let key = reader.body(at)
    for (let pairs = this.#take(reader.length(at)); pairs > 0; pairs--) {
      if (this.#isPartOver(key)) yield
      const value = isFlat(reader, key) ? reader.skip(key) : yield* behind(reader, key)
      const name = this.#text(key)
      const text = this.#text(value)
      if (typeof name === 'string' && typeof text === 'string') labels.set(name, text)
      else if (!this.#drop(name === TOO_LONG ? name : text)) return undefined
      key = isFlat(reader, value) ? reader.skip(value) : yield* behind(reader, value)
    }
    return labels
  }

  *#snapshot(): Task<Snapshot | undefined> {
    const fields = yield* findFieldsInParts(this.#reader, 0, SNAPSHOT_FIELDS)
    if (fields === undefined || fields[0] === MISSING || !isMap(this.#reader, fields[1]!)) {
      return undefined
    }
    const time = readTime(this.#reader, fields[0]!, this.#isLenient)
    const values = time === undefined ? undefined : yield* this.#values(fields[1]!)
    if (time === undefined || values === undefined) return undefined
    return {
      kind: 'snapshot',
      t: time.t,
      names: [...values.keys()],
      values: Float64Array.from(values.values()),
      reading: { ...this.#reading(), time: time.form },
    }
  }

  *#values(at: number): Task<Map<string, number> | undefined> {
    const reader = this.#reader
    const values = new Map<string, number>()
    let key = reader.body(at)
    for (let pairs = this.#take(reader.length(at)); pairs > 0; pairs--) {
      if (this.#isPartOver(key)) yield
      const value = isFlat(reader, key) ? reader.skip(key) : yield* behind(reader, key)
      const name = this.#text(key)
      const number = reader.number(value)
      if (typeof name === 'string' && number !== undefined) values.set(name, number)
      else if (!this.#drop(name)) return undefined
      key = isFlat(reader, value) ? reader.skip(value) : yield* behind(reader, value)
    }
    return values
  }

  /** Takes pairs of a map to be read, as many as the limit still allows. */
  #take(pairs: number): number {
    const taken = Math.min(pairs, this.#pairsLeft)
    this.#pairsLeft -= taken
    this.#omitted += pairs - taken
    return taken
  }

  #isPartOver(at: number): boolean {
    if (++this.#pairs < PAIRS_PER_PART && at - this.#partAt < BYTES_PER_PART) return false
    this.#pairs = 0
    this.#partAt = at
    return true
  }

  #text(at: number): string | typeof TOO_LONG | undefined {
    const reader = this.#reader
    const { textBytes } = this.#limits
    if (!isFlat(reader, at) || reader.length(at) <= textBytes) return reader.text(at)
    return TOO_LONG
  }

  /** Leaves one entry out; false when this reading may not. One that is too long is omitted. */
  #drop(text: string | typeof TOO_LONG | undefined): boolean {
    if (text === TOO_LONG) this.#omitted++
    else if (this.#isLenient) this.#dropped++
    return this.#isLenient || text === TOO_LONG
  }

  #reading() {
    const omitted = this.#omitted > 0 ? { omitted: this.#omitted } : {}
    return { isStrict: !this.#isLenient, dropped: this.#dropped, ...omitted }
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
    return runNow(this.decodeInParts(payload))
  }

  /** Does what {@link decode} does, in parts. */
  *decodeInParts(payload: Uint8Array): Task<Packet> {
    const walked = this.#walker.walk(payload)
    if (walked !== undefined) return walked
    const packet = yield* decodeInParts(payload, this.#options)
    if (packet.kind === 'snapshot') {
      yield
      this.#walker.learn(payload, packet)
    }
    return packet
  }
}
