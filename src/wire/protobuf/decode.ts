/** Protobuf into the objects of its JSON, by a table of messages. */

import { FIXED64, LENGTH_DELIMITED, ProtobufReader, VARINT } from './reader.ts'
import {
  DEPTH_LIMIT,
  type Field,
  isDefault,
  type JsonMessage,
  type Scalar,
  type Schema,
} from './schema.ts'
import { base64Of, hexOf } from './texts.ts'

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const USUAL_NAN = 0x7ff8000000000000n

const WIRES: Readonly<Record<Scalar, number>> = {
  ...{ string: LENGTH_DELIMITED, bytes: LENGTH_DELIMITED, hex: LENGTH_DELIMITED },
  ...{ double: FIXED64, fixed64: FIXED64, sfixed64: FIXED64, bool: VARINT, int64: VARINT },
  ...{ uint64: VARINT, uint32: VARINT, sint32: VARINT, sint64: VARINT, enum: VARINT },
}

/** Reads bytes[start, end). @returns the message, or the code of what is wrong with it */
export function decodeMessage(
  schema: Schema,
  bytes: Uint8Array,
  start = 0,
  end = bytes.length,
  depth = 0,
): JsonMessage | 'bad_protobuf' | 'too_deep' {
  if (depth > DEPTH_LIMIT) return 'too_deep'
  const message: JsonMessage = {}
  const reader = new ProtobufReader()
  reader.open(bytes, start, end)
  while (reader.next()) {
    const field = schema.byNumber.get(reader.field)
    if (field === undefined) {
      reader.skip()
      continue
    }
    if (typeof field.type === 'string') {
      decodeScalars(message, field, field.type, reader)
      continue
    }
    if (reader.wire !== LENGTH_DELIMITED) return 'bad_protobuf'
    const inner = decodeMessage(field.type(), bytes, reader.from, reader.to, depth + 1)
    if (typeof inner === 'string') return inner
    put(message, field, inner)
  }
  return reader.isBroken ? 'bad_protobuf' : message
}

function put(message: JsonMessage, field: Field, value: unknown): void {
  const { name, isRepeated, hasPresence } = field
  if (!isRepeated && !hasPresence && isDefault(field, value)) delete message[name]
  else if (!isRepeated) message[name] = value
  else if (message[name] === undefined) message[name] = [value]
  else (message[name] as unknown[]).push(value)
}

/** Reads one value, or the packed values of a repeated field. */
function decodeScalars(
  message: JsonMessage,
  field: Field,
  type: Scalar,
  reader: ProtobufReader,
): void {
  const wire = WIRES[type]
  if (reader.wire === wire) {
    put(message, field, decodeScalar(type, reader))
    return
  }
  if (!field.isRepeated || reader.wire !== LENGTH_DELIMITED) {
    reader.break()
    return
  }
  const { end, from, to } = reader
  reader.at = from
  reader.end = to
  while (reader.at < reader.end) put(message, field, decodeScalar(type, reader))
  if (reader.isBroken) return
  reader.end = end
}

function decodeScalar(type: Scalar, reader: ProtobufReader): unknown {
  const { bytes, from, to } = reader
  switch (type) {
    case 'string':
      return decoder.decode(bytes.subarray(from, to))
    case 'bytes':
      return base64Of(bytes, from, to)
    case 'hex':
      return hexOf(bytes, from, to)
    case 'double': {
      const value = reader.double()
      if (Number.isFinite(value)) return value
      return Number.isNaN(value) ? nanText(reader) : String(value)
    }
    case 'fixed64':
    case 'sfixed64': {
      const at = reader.word()
      if (reader.isBroken) return '0'
      const { view } = reader
      return String(type === 'fixed64' ? view.getBigUint64(at, true) : view.getBigInt64(at, true))
    }
    case 'int64':
      return String(BigInt.asIntN(64, reader.varint64()))
    case 'uint64':
      return String(reader.varint64())
    case 'bool':
      return reader.varint() !== 0
    case 'sint32':
      return reader.sint32()
    case 'sint64':
      return String(reader.sint64())
    case 'enum':
    case 'uint32':
      return reader.varint32()
  }
}

/** Writes the NaN in front of a reader; one of other bits than usual with them, as C writes it. */
function nanText({ view, at, isBroken }: ProtobufReader): string {
  const bits = isBroken ? USUAL_NAN : view.getBigUint64(at - 8, true)
  return bits === USUAL_NAN ? 'NaN' : `NaN(0x${bits.toString(16)})`
}
