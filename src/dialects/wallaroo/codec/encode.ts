/**
 * Messages to frames (§3), byte for byte as real workers write them under the profile `peer`. The
 * length counts what follows it in both profiles, because every known receiver reads it so.
 */
import type { Exact } from '../../../model/index.ts'
import { EncodeError } from '../../../wire/encode-error.ts'
import type { Profile } from '../../decoder.ts'
import {
  BINS,
  CONNECT,
  type EncodeErrorCode,
  EVENT,
  HEADER_DOCUMENT,
  HEADER_PEER,
  JOIN,
  LENGTH_BYTES,
  METRICS,
  NAME,
  NAME_BYTES_LIMIT,
  NO_MAX,
  NO_MIN,
  PAYLOAD_BYTES,
  SKEW_BIN,
  TOPIC_PREFIX,
} from '../spec.ts'
import { highHalf, lowHalf } from './halves.ts'

/** One window of one item, as it goes on the wire. */
export interface Metrics {
  readonly application: string
  readonly category: string
  readonly name: string
  readonly worker: string
  readonly pipeline: string
  /** 0 to 65535. */
  readonly id: number
  /** Counts of all 65 bins, each 0 to 2^64 - 1. */
  readonly bins: ArrayLike<Exact>
  /** 2^64 - 1 where there are no samples. */
  readonly minNs: Exact
  /** 0 where there are no samples. */
  readonly maxNs: Exact
  readonly periodNs: Exact
  readonly endNs: Exact
}

/** Makes an error of the caller's; the codes are a closed set. */
export function encodeError(code: EncodeErrorCode, detail: string): EncodeError {
  return new EncodeError({ dialect: NAME, code }, detail)
}

const encoder = new TextEncoder()
const U64_END = 2 ** 64

export function encodeConnect(): Uint8Array {
  return Uint8Array.of(0, 0, 0, 1, CONNECT)
}

/** @throws {EncodeError} for a name that is too long */
export function encodeJoin(application: string, worker: string): Uint8Array {
  const topic = encodeTopic(application)
  const name = encodeName('worker', worker)
  const writer = new FrameWriter(JOIN, 4 + topic.length + 4 + name.length)
  writer.text(topic)
  writer.text(name)
  return writer.bytes
}

/**
 * @param hasArraySizes the size of the bins stands before them, as a literal reading of "arrays are
 *   prepended by their size" wants it; strings have theirs always
 * @throws {EncodeError} for a name that is too long or a number out of its range
 */
export function encodeMetrics(
  message: Metrics,
  profile: Profile,
  hasArraySizes = false,
): Uint8Array {
  const topic = encodeTopic(message.application)
  const names = (['name', 'category', 'worker', 'pipeline'] as const).map((field) =>
    encodeName(field, message[field]),
  )
  const nameBytes = names.reduce((sum, name) => sum + name.length, 0)
  const sizesBytes = hasArraySizes ? 4 : 0
  const payloadSize = PAYLOAD_BYTES + sizesBytes + nameBytes
  const size = 4 + EVENT.length + 4 + topic.length + 4 + payloadSize
  const writer = new FrameWriter(METRICS, size)
  writer.text(encoder.encode(EVENT))
  writer.text(topic)
  writer.u32(payloadSize)
  writer.u32((profile === 'peer' ? HEADER_PEER : HEADER_DOCUMENT) + sizesBytes + nameBytes)
  for (const name of names) writer.text(name)
  writer.u16(message.id)
  if (message.bins.length !== BINS) {
    throw encodeError('bad_message', `${message.bins.length} bins, not ${BINS}`)
  }
  if (hasArraySizes) writer.u32(BINS)
  for (let bin = 0; bin < BINS; bin++) writer.u64('bin', message.bins[bin]!)
  const [a, b] = profile === 'peer' ? (['min', 'max'] as const) : (['max', 'min'] as const)
  writer.u64(a, a === 'min' ? message.minNs : message.maxNs)
  writer.u64(b, b === 'min' ? message.minNs : message.maxNs)
  writer.u64('period', message.periodNs)
  writer.u64('end', message.endNs)
  return writer.bytes
}

function encodeTopic(application: string): Uint8Array {
  encodeName('application', application)
  return encoder.encode(TOPIC_PREFIX + application)
}

function encodeName(field: string, name: string): Uint8Array {
  const bytes = encoder.encode(name)
  if (bytes.length <= NAME_BYTES_LIMIT) return bytes
  const detail = `${field} of ${bytes.length} bytes, limit ${NAME_BYTES_LIMIT}`
  throw encodeError('name_too_long', detail)
}

/** Writer that fills one frame, whose size is known before. */
class FrameWriter {
  readonly bytes: Uint8Array
  readonly #view: DataView
  #at = LENGTH_BYTES + 1

  constructor(type: number, bodySize: number) {
    this.bytes = new Uint8Array(LENGTH_BYTES + 1 + bodySize)
    this.#view = new DataView(this.bytes.buffer)
    this.#view.setUint32(0, 1 + bodySize)
    this.#view.setUint8(LENGTH_BYTES, type)
  }

  text(bytes: Uint8Array): void {
    this.u32(bytes.length)
    this.bytes.set(bytes, this.#at)
    this.#at += bytes.length
  }

  u16(value: number): void {
    if (!Number.isInteger(value) || value < 0 || value > 0xffff) {
      throw encodeError('out_of_range', `id ${value} is not in 0 to 65535`)
    }
    this.#view.setUint16(this.#at, value)
    this.#at += 2
  }

  u32(value: number): void {
    this.#view.setUint32(this.#at, value)
    this.#at += 4
  }

  u64(what: string, value: Exact): void {
    const isWhole = typeof value === 'bigint' || Number.isInteger(value)
    if (!isWhole || value < 0 || value >= U64_END) {
      throw encodeError('out_of_range', `${what} ${value} is not in 0 to 2^64 - 1`)
    }
    this.u32(highHalf(value))
    this.u32(lowHalf(value))
  }
}

/** 2^63 in bin 63: the one skewed maximum that the document's binning has below bin 64. */
const SKEWED_IN_63 = 2n ** 63n

/**
 * Writes min and max that are not known, on a wire that has no way to say so (§4.4), as values that
 * a reader by the same rules takes for unknown: a skewed maximum as one; both of them as those of
 * an empty window, which the bins contradict.
 * @param min NaN where it is not known, and so is `max`
 */
export function extremesOnWire(
  min: Exact,
  max: Exact,
  bins: ArrayLike<Exact>,
): { minNs: Exact; maxNs: Exact } {
  const isMinKnown = !Number.isNaN(min)
  if (!Number.isNaN(max)) return { minNs: isMinKnown ? min : NO_MIN, maxNs: max }
  const isSkewed = bins[SKEW_BIN]! > 0
  if (isMinKnown) return { minNs: min, maxNs: isSkewed ? NO_MIN : SKEWED_IN_63 }
  // 0 would be the minimum of bin 0, and 2^64 - 1 the maximum of bin 64
  return { minNs: NO_MIN, maxNs: isSkewed ? NO_MIN : NO_MAX }
}
