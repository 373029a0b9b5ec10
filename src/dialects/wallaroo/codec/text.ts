/**
 * Names on the wire are UTF-8. Bytes that are none are shown as `\xNN`, so that names which differ
 * stay different (§6.1).
 */

/** A byte order mark is part of a name. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * Measures the bytes of the well-formed sequence at a place (Unicode 16, table 3-7); 0 where there
 * is none.
 *
 *   00..7F
 *   C2..DF 80..BF
 *   E0 A0..BF 80..BF    E1..EC, EE, EF 80..BF 80..BF    ED 80..9F 80..BF
 *   F0 90..BF 80..BF 80..BF    F1..F3 80..BF x3         F4 80..8F 80..BF 80..BF
 */
function sequenceSize(bytes: Uint8Array, at: number, end: number): number {
  const lead = bytes[at]!
  if (lead < 0x80) return 1
  if (lead < 0xc2 || lead > 0xf4) return 0
  const size = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
  if (at + size > end) return 0
  const second = bytes[at + 1]!
  const lowest = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80
  const highest = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf
  if (second < lowest || second > highest) return 0
  for (let i = 2; i < size; i++) if ((bytes[at + i]! & 0xc0) !== 0x80) return 0
  return size
}

export function isUtf8(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; ) {
    const size = sequenceSize(bytes, at, end)
    if (size === 0) return false
    at += size
  }
  return true
}

export function textOf(bytes: Uint8Array, start: number, end: number): string {
  let text = ''
  let run = start
  for (let at = start; at < end; ) {
    const size = sequenceSize(bytes, at, end)
    if (size === 0) {
      text += decoder.decode(bytes.subarray(run, at)) + escaped(bytes[at]!)
      run = at + 1
    }
    at += Math.max(size, 1)
  }
  return text + decoder.decode(bytes.subarray(run, end))
}

/** Escapes a byte, which is 0x80 or more: two digits. */
function escaped(byte: number): string {
  return `\\x${byte.toString(16)}`
}
