/** Bytes as texts: hex and base64, as JSON has them; and attributes as labels. */
import type { JsonMessage } from './schema.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Writes base64 (RFC 4648 §4). */
export function base64Of(bytes: Uint8Array, from: number, to: number): string {
  let text = ''
  for (let at = from; at < to; at += 3) {
    const left = to - at
    const bits =
      (bytes[at]! << 16) | ((left > 1 ? bytes[at + 1]! : 0) << 8) | (left > 2 ? bytes[at + 2]! : 0)
    text += ALPHABET[bits >> 18]! + ALPHABET[(bits >> 12) & 63]!
    text += left > 1 ? ALPHABET[(bits >> 6) & 63]! : '='
    text += left > 2 ? ALPHABET[bits & 63]! : '='
  }
  return text
}

/**
 * Reads base64, or its form for addresses, padded or not.
 * @throws {SyntaxError} for other characters
 */
export function bytesOfBase64(text: string): Uint8Array {
  const digits = text
    .replace(/={1,2}$/, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
  const bytes = new Uint8Array(Math.floor((digits.length * 3) / 4))
  let bits = 0
  let held = 0
  let size = 0
  for (const digit of digits) {
    const value = ALPHABET.indexOf(digit)
    if (value < 0) throw new SyntaxError('a text that is not base64')
    bits = ((bits << 6) | value) & 0xffff
    held += 6
    if (held < 8) continue
    held -= 8
    bytes[size++] = (bits >> held) & 0xff
  }
  return bytes
}

export function hexOf(bytes: Uint8Array, from: number, to: number): string {
  let text = ''
  for (let at = from; at < to; at++) text += bytes[at]!.toString(16).padStart(2, '0')
  return text
}

/**
 * Writes an AnyValue as the text of a label: lists and maps as JSON, as the OpenTelemetry
 * specification has it for formats that know texts alone.
 */
export function labelText(value: JsonMessage | undefined): string {
  const plain = plainOf(value)
  if (typeof plain === 'string') return plain
  return plain === undefined ? '' : JSON.stringify(plain)
}

function plainOf(value: JsonMessage | undefined): unknown {
  if (value === undefined) return undefined
  if (value.stringValue !== undefined) return value.stringValue
  if (value.boolValue !== undefined) return value.boolValue
  if (value.intValue !== undefined) {
    const number = Number(value.intValue)
    return Number.isSafeInteger(number) ? number : value.intValue
  }
  if (value.doubleValue !== undefined) return value.doubleValue
  if (value.bytesValue !== undefined) return value.bytesValue
  const { arrayValue, kvlistValue } = value as {
    arrayValue?: { values?: JsonMessage[] }
    kvlistValue?: { values?: { key?: string; value?: JsonMessage }[] }
  }
  if (arrayValue !== undefined) {
    return (arrayValue.values ?? []).map((each) => plainOf(each) ?? null)
  }
  if (kvlistValue === undefined) return undefined
  const pairs = (kvlistValue.values ?? []).map((each) => [each.key ?? '', plainOf(each.value)])
  return Object.fromEntries(pairs) as unknown
}
