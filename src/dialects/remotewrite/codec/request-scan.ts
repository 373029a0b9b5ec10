/**
 * The first way through a request: all lengths down to the fields of series are gone through, and
 * what the series need is gathered, metadata of metrics of 1.0, symbols of 2.0. Field numbers are
 * those of prompb, where those of one version are no fields of the other:
 *
 *   WriteRequest    timeseries 1, metadata 3 (repeated)
 *   MetricMetadata  type 1 (enum), metric_family_name 2, help 4, unit 5
 *   Request         symbols 4, timeseries 5 (repeated); 1 to 3 are reserved
 */
import type { Task } from '../../../time/task.ts'
import { LENGTH_DELIMITED, ProtobufReader, VARINT } from '../../../wire/protobuf/reader.ts'
import {
  HELP_BYTES_LIMIT,
  NAME_BYTES_LIMIT,
  PART_BYTES_LIMIT,
  SYMBOLS_LIMIT,
  type Version,
} from '../spec.ts'

/** Fields of a request that hold series, by version, and the other two. */
export const SERIES_FIELDS: Readonly<Record<Version, number>> = { 1: 1, 2: 5 }
const METADATA = 3
const SYMBOLS = 4

/** Bytes that are gone through in one step, and what a message costs besides its own. */
const STEP_BYTES = 65_536
const MESSAGE_BYTES = 128
const METADATA_BYTES = 1024
const FIRST_SYMBOLS = 256

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
const strictUtf8 = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true })

/** Decodes bytes[from, to), as they are said to be text. */
export function textOf(bytes: Uint8Array, from: number, to: number): string {
  return utf8.decode(bytes.subarray(from, to))
}

/**
 * Decodes bytes[from, to) that name something; undefined where they are no UTF-8, for names that
 * differ in such bytes alone would become one.
 */
export function nameOf(bytes: Uint8Array, from: number, to: number): string | undefined {
  try {
    return strictUtf8.decode(bytes.subarray(from, to))
  } catch {
    return undefined
  }
}

/** Metadata of one metric, as it is sent. */
export interface MetricMetadata {
  /** Number of METRIC_TYPES. */
  readonly type: number
  readonly name: string
  readonly help: string
  readonly unit: string
}

/** Strings of a request of 2.0 by their places: nothing is decoded before it is asked for. */
export class Symbols {
  /** Ranges in the request: two numbers for each. */
  ranges = new Int32Array(2 * FIRST_SYMBOLS)
  count = 0

  add(from: number, to: number): void {
    if (2 * this.count === this.ranges.length) {
      const larger = new Int32Array(2 * this.ranges.length)
      larger.set(this.ranges)
      this.ranges = larger
    }
    this.ranges[2 * this.count] = from
    this.ranges[2 * this.count + 1] = to
    this.count++
  }
}

/** A request that was found whole: its series can be read. */
export interface OpenedRequest {
  readonly bytes: Uint8Array
  readonly version: Version
  /** Symbols that series refer to; none in 1.0. */
  readonly symbols: Symbols
}

type RequestProblem = 'bad_protobuf' | 'other_version' | 'bad_symbols' | 'too_large'

/**
 * Makes a task that goes through a request. What is read in one step may have
 * {@link PART_BYTES_LIMIT}: a series or metadata that is longer is left out, and what the request
 * has besides them and the symbols, tags and lengths included, makes it too large.
 * @param onMetadata takes what 1.0 says of metrics; 2.0 says it beside each series
 */
export function* openingRequest(
  bytes: Uint8Array,
  version: Version,
  onMetadata: (metadata: MetricMetadata) => void,
): Task<OpenedRequest | RequestProblem> {
  const reader = new ProtobufReader()
  const inner = new ProtobufReader()
  const symbols = new Symbols()
  const seriesField = SERIES_FIELDS[version]
  const ofOther = SERIES_FIELDS[version === 1 ? 2 : 1]
  const partField = version === 1 ? METADATA : SYMBOLS
  let besides = bytes.length
  let left = STEP_BYTES
  reader.open(bytes)
  while (reader.next()) {
    left -= MESSAGE_BYTES
    if (left < 0) {
      left = STEP_BYTES
      yield
    }
    const { field } = reader
    if (field !== seriesField && field !== partField) {
      if (field === ofOther && reader.wire === LENGTH_DELIMITED) return 'other_version'
      reader.skip()
      continue
    }
    if (reader.wire !== LENGTH_DELIMITED) return 'bad_protobuf'
    const { from, to } = reader
    besides -= to - from
    if (field === SYMBOLS) {
      if (symbols.count === SYMBOLS_LIMIT) return 'too_large'
      // reference 0 means none: what else stood there would be left out where it is referred to
      if (symbols.count === 0 && to > from) return 'bad_symbols'
      symbols.add(from, to)
      continue
    }
    left -= to - from
    if (to - from > PART_BYTES_LIMIT) continue
    if (field === METADATA) {
      const metadata = readMetadata(inner, bytes, from, to)
      if (metadata === undefined) continue
      onMetadata(metadata)
      left -= METADATA_BYTES
      continue
    }
    inner.open(bytes, from, to)
    while (inner.next()) inner.skip()
    if (inner.isBroken) return 'bad_protobuf'
  }
  if (reader.isBroken) return 'bad_protobuf'
  return besides > PART_BYTES_LIMIT ? 'too_large' : { bytes, version, symbols }
}

function readMetadata(
  reader: ProtobufReader,
  bytes: Uint8Array,
  from: number,
  to: number,
): MetricMetadata | undefined {
  let type = 0
  // where the last of each stands: those before it are not decoded
  const places = new Int32Array(6)
  reader.open(bytes, from, to)
  while (reader.next()) {
    const place = [0, 0, 1, 0, 2, 3][reader.field] ?? 0
    if (reader.field === 1 && reader.wire === VARINT) type = reader.varint32()
    else if (place > 0 && reader.wire === LENGTH_DELIMITED) {
      const limit = place === 2 ? HELP_BYTES_LIMIT : NAME_BYTES_LIMIT + 1
      const end = Math.min(reader.to, reader.from + limit)
      places[2 * place - 2] = reader.from
      places[2 * place - 1] = end
    } else reader.skip()
  }
  if (reader.isBroken || places[0] === places[1]) return undefined
  const text = (i: number): string => textOf(bytes, places[i]!, places[i + 1]!)
  const [name, help, unit] = [text(0), text(2), text(4)]
  const isLong = Math.max(name.length, unit.length) > NAME_BYTES_LIMIT
  return isLong ? undefined : { type, name, help, unit }
}
