/** Bytes as texts: hex and base64, as protobuf's JSON has them. */

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
 * Reads hex in either case.
 * @throws {SyntaxError} for other characters, or an odd number of them
 */
export function bytesOfHex(text: string): Uint8Array {
  if (!/^(?:[0-9a-f]{2})*$/i.test(text)) throw new SyntaxError('a text that is not hex')
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}
