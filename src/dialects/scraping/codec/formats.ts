/** Formats of an answer: what its content type says, or its first bytes where nothing does. */
import { ProtobufReader } from '../../../wire/protobuf/reader.ts'
import { ProtobufScan } from './protobuf-scan.ts'
import type { SampleScan } from './sample.ts'
import { TextScan } from './text-scan.ts'

export type Format = 'text' | 'openmetrics' | 'protobuf'

const EOF_LINE = [0x23, 0x20, 0x45, 0x4f, 0x46, 0x0a]

export function scanOf(bytes: Uint8Array, format: Format): SampleScan {
  if (format === 'protobuf') return new ProtobufScan(bytes)
  return new TextScan(bytes, format === 'openmetrics')
}

/**
 * Reads a content type; text 0.0.4 where it is of no other format, as Prometheus takes it.
 * @returns undefined for one that is surely no exposition
 */
export function formatOfType(contentType: string | undefined): Format | undefined {
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(/\s*;\s*/)
  switch (type.trim()) {
    case 'application/openmetrics-text':
      return 'openmetrics'
    case 'application/vnd.google.protobuf':
      return parameters.includes('encoding=delimited') ? 'protobuf' : undefined
    case 'text/html':
    case 'application/json':
      return undefined
    default:
      return 'text'
  }
}

/** Guesses the format of a file. */
export function formatOfBytes(bytes: Uint8Array): Format {
  if (isProtobuf(bytes)) return 'protobuf'
  const start = bytes.length - EOF_LINE.length
  return start >= 0 && EOF_LINE.every((byte, i) => bytes[start + i] === byte)
    ? 'openmetrics'
    : 'text'
}

/** Tells whether bytes begin with the length of a message whose first field is a name. */
function isProtobuf(bytes: Uint8Array): boolean {
  const reader = new ProtobufReader()
  reader.open(bytes)
  const length = reader.varint()
  if (reader.isBroken || bytes[reader.at] !== 0x0a) return false
  const nameSize = bytes[reader.at + 1] ?? 0
  if (nameSize === 0 || nameSize + 2 > length) return false
  const name = bytes.subarray(reader.at + 2, reader.at + 2 + nameSize)
  return name.length === nameSize && name.every((byte) => byte > 0x20)
}
