/**
 * Sample rates as text, both ways (§3.2):
 * `["+" / "-"] 1*DIGIT "." 1*DIGIT [ ("e" / "E") ["+" / "-"] 1*DIGIT ]`.
 */
import { DOT, LOWER_E, MINUS, PLUS, SAFE_DIGITS, ZERO } from './alphabet.ts'

/** Powers of ten that a double holds exactly: one division by them rounds only once. */
const POWERS = Array.from({ length: 23 }, (_, exponent) => 10 ** exponent)

const decoder = new TextDecoder()

/** Reads the rate in bytes[start, end), correctly rounded; NaN where it is none or not finite. */
export function parseRate(bytes: Uint8Array, start: number, end: number): number {
  let at = start
  const isNegative = bytes[at] === MINUS
  if (isNegative || bytes[at] === PLUS) at++
  const wholeStart = at
  let digits = 0
  while (at < end && isDigit(bytes[at]!)) digits = digits * 10 + (bytes[at++]! - ZERO)
  const dot = at
  if (dot === wholeStart || dot >= end || bytes[dot] !== DOT) return Number.NaN
  at++
  while (at < end && isDigit(bytes[at]!)) digits = digits * 10 + (bytes[at++]! - ZERO)
  const fraction = at - dot - 1
  if (fraction === 0) return Number.NaN
  if (at === end && at - wholeStart - 1 <= SAFE_DIGITS) {
    const size = digits / POWERS[fraction]!
    return isNegative ? 0 - size : size
  }
  if (at < end && !isExponent(bytes, at, end)) return Number.NaN
  const rate = Number(decoder.decode(bytes.subarray(start, end)))
  return Number.isFinite(rate) ? rate + 0 : Number.NaN
}

function isExponent(bytes: Uint8Array, start: number, end: number): boolean {
  let at = start
  if ((bytes[at]! | 0x20) !== LOWER_E) return false
  at++
  if (bytes[at] === PLUS || bytes[at] === MINUS) at++
  const digitsStart = at
  while (at < end && isDigit(bytes[at]!)) at++
  return at === end && at > digitsStart
}

function isDigit(byte: number): boolean {
  return (byte - ZERO) >>> 0 <= 9
}

/**
 * Writes the shortest text that reads back as this rate, without an exponent: `0.0000001`.
 * @param rate in (0, 1)
 */
export function rateText(rate: number): string {
  const text = String(rate)
  const e = text.indexOf('e')
  if (e < 0) return text
  const digits = text.slice(0, e).replace('.', '')
  return `0.${'0'.repeat(-Number(text.slice(e + 1)) - 1)}${digits}`
}
