/** Answers of OTLP/HTTP receivers to requests that they took, partial success among them. */
import { ProtobufReader } from '../../../wire/protobuf/reader.ts'
import { JSON_TYPE } from '../spec.ts'

const utf8 = new TextDecoder()

/** Points that a receiver left out of a request that it took, and the reason. */
export interface PartialSuccess {
  readonly rejectedPoints: number
  /** Text for people; empty for none. */
  readonly message: string
}

/**
 * Reads ExportMetricsServiceResponse: partial_success 1 with rejected_data_points 1 and
 * error_message 2. Bytes that are none state nothing.
 * @throws {SyntaxError} for JSON that is none
 */
export function readAnswer(contentType: string, bytes: Uint8Array): PartialSuccess {
  return contentType.startsWith(JSON_TYPE) ? ofJson(utf8.decode(bytes)) : ofProtobuf(bytes)
}

function ofJson(text: string): PartialSuccess {
  const { partialSuccess } = JSON.parse(text === '' ? '{}' : text) as {
    partialSuccess?: { rejectedDataPoints?: string | number; errorMessage?: string }
  }
  const { rejectedDataPoints = 0, errorMessage = '' } = partialSuccess ?? {}
  return { rejectedPoints: Number(rejectedDataPoints) || 0, message: String(errorMessage) }
}

function ofProtobuf(bytes: Uint8Array): PartialSuccess {
  const reader = new ProtobufReader()
  let rejectedPoints = 0
  let message = ''
  reader.open(bytes)
  while (reader.next() && reader.field !== 1) reader.skip()
  if (reader.field !== 1 || reader.isBroken) return { rejectedPoints, message }
  reader.open(bytes, reader.from, reader.to)
  while (reader.next()) {
    if (reader.field === 1) rejectedPoints = reader.varint()
    else if (reader.field === 2) message = utf8.decode(bytes.subarray(reader.from, reader.to))
    else reader.skip()
  }
  return { rejectedPoints, message }
}
