/** Protobuf into the objects of OTLP/JSON, by the table of messages. */
import { DEPTH_LIMIT } from '../spec.ts'
import { type Field, isDefault, type JsonMessage, type Scalar, type Schema } from './schema.ts'
import { base64Of, hexOf } from './texts.ts'
import { FIXED64, LENGTH_DELIMITED, VARINT, WireReader } from './wire-reader.ts'

const decoder = new TextDecoder()

const WIRES: Readonly<Record<Scalar, number>> = {
  ...{ string: LENGTH_DELIMITED, bytes: LENGTH_DELIMITED, hex: LENGTH_DELIMITED },
  ...{ double: FIXED64, fixed64: FIXED64, sfixed64: FIXED64, bool: VARINT, int64: VARINT },
  ...{ uint64: VARINT, uint32: VARINT, sint32: VARINT, enum: VARINT },
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
  const reader = new WireReader()
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
  if (!isRepeated && !hasPresence && isDefault(value)) delete message[name]
  else if (!isRepeated) message[name] = value
  else if (message[name] === undefined) message[name] = [value]
  else (message[name] as unknown[]).push(value)
}

/** Reads one value, or the packed values of a repeated field. */
function decodeScalars(message: JsonMessage, field: Field, type: Scalar, reader: WireReader): void {
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

function decodeScalar(type: Scalar, reader: WireReader): unknown {
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
      return Number.isFinite(value) ? value : String(value)
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
    case 'enum':
    case 'uint32':
      return reader.varint32()
  }
}
