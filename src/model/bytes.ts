/**
 * UTF-8 text as bytes, without any platform API: order, encoding and decoding.
 * Names sort by their UTF-8 bytes in every dialect; JavaScript's own order is by UTF-16 units.
 */

/**
 * Compares as UTF-8 bytes, that is by code point; negative, 0 or positive. A lone surrogate counts
 * as U+FFFD, which is what it is written as.
 *
 * @example
 * import { compareUtf8 } from 'pentameter/model'
 *
 * console.log(['b', 'ä', 'a'].sort(compareUtf8)) // [ 'a', 'b', 'ä' ]
 */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    if (a.charCodeAt(i) === b.charCodeAt(i)) continue
    const order = rankAt(a, i) - rankAt(b, i)
    if (order !== 0) return order
  }
  return a.length - b.length
}

/** Moves surrogates (astral code points) above U+E000..U+FFFF. */
function rankAt(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  if (unit < 0xd800) return unit
  if (unit > 0xdfff) return unit - 0x800
  const isHigh = unit < 0xdc00
  const other = text.charCodeAt(isHigh ? at + 1 : at - 1)
  const isPaired = isHigh ? other >= 0xdc00 && other < 0xe000 : other >= 0xd800 && other < 0xdc00
  return isPaired ? unit + 0x2000 : 0xfffd - 0x800
}

/**
 * Hashes bytes[start, end) by FNV-1a, the same in every process: for what is named by a hash. Peers
 * can choose names of one hash, so key tables are looked up by `keyedHash`. A signed 32-bit
 * integer.
 *
 * @example
 * import { hashBytes } from 'pentameter/model'
 *
 * const bytes = Buffer.from('a')
 * console.log(hashBytes(bytes, 0, bytes.length) >>> 0) // 3826002220
 */
export function hashBytes(
  bytes: Uint8Array,
  start: number,
  end: number,
  seed = 0x811c9dc5,
): number {
  let hash = seed | 0
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193)
  return hash
}

/**
 * Writes lower-case hex without separators.
 *
 * @example
 * import { toHex } from 'pentameter/model'
 *
 * console.log(toHex(Buffer.from('1|9'))) // 317c39
 */
export function toHex(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += (byte < 16 ? '0' : '') + byte.toString(16)
  return text
}

/**
 * Reads hex text of either case, without separators.
 * @throws {SyntaxError} on odd length or a digit that is not hex.
 *
 * @example
 * import { fromHex } from 'pentameter/model'
 *
 * console.log(fromHex('317C39').length) // 3
 */
export function fromHex(text: string): Uint8Array {
  if (text.length % 2 !== 0) throw new SyntaxError(`hex text of odd length ${text.length}`)
  if (!/^[0-9a-fA-F]*$/.test(text)) throw new SyntaxError('hex text with other characters')
  const bytes = new Uint8Array(text.length / 2)
  for (let i = 0; i < bytes.length; i++)
    bytes[i] = Number.parseInt(text.slice(2 * i, 2 * i + 2), 16)
  return bytes
}
