/**
 * One line by the full rules (§3.2, §3.3): large values, and what is wrong with a bad line.
 * Checks in this order, the first error counts: structure, key, value, type, rate.
 */
import { BAR, COLON, GAUGE, HISTOGRAM, LF, METER, METER_READER } from '../spec.ts'
import { AT, DOT, LOWER_G, LOWER_H, LOWER_M, LOWER_R, MINUS, PLUS, ZERO } from './alphabet.ts'
import { hashKey } from './key-hash.ts'
import type { LineRules, LineVisitor } from './line-visitor.ts'
import { parseRate } from './rate.ts'

/**
 * Visits the line that begins at `start`, as a good or as a bad one.
 * @returns index behind the line and its LF
 */
export function checkLine(
  bytes: Uint8Array,
  start: number,
  end: number,
  origin: number,
  rules: LineRules,
  visitor: LineVisitor,
): number {
  const lineEnd = find(bytes, LF, start, end)
  if (lineEnd === start && !rules.isStrict) return lineEnd + 1
  const colon = find(bytes, COLON, start, lineEnd)
  const valueEnd = find(bytes, BAR, start, lineEnd)
  if (valueEnd === lineEnd || colon > valueEnd || (rules.isStrict && lineEnd === end)) {
    visitor.badLine('parse_error', bytes, start, lineEnd, start - origin, origin)
  } else if (colon === start) {
    visitor.badLine('empty_key', bytes, start, lineEnd, start - origin, origin)
  } else if (rules.isStrict && !isStrictKey(bytes, start, colon)) {
    visitor.badLine('bad_key', bytes, start, lineEnd, start - origin, origin)
  } else if (!isValue(bytes, colon + 1, valueEnd, rules)) {
    visitor.badLine('bad_value', bytes, start, lineEnd, colon + 1 - origin, origin)
  } else {
    checkTail(bytes, start, colon, valueEnd, lineEnd, origin, rules, visitor)
  }
  return lineEnd + 1
}

/** Checks type and rate: `[type]` then optional `["|@"][rate]`, up to the end of the line. */
function checkTail(
  bytes: Uint8Array,
  start: number,
  colon: number,
  valueEnd: number,
  lineEnd: number,
  origin: number,
  rules: LineRules,
  visitor: LineVisitor,
): void {
  const typeEnd = find(bytes, BAR, valueEnd + 1, lineEnd)
  const type = typeOf(bytes, valueEnd + 1, typeEnd)
  if (type < 0) {
    visitor.badLine('unknown_type', bytes, start, lineEnd, valueEnd + 1 - origin, origin)
    return
  }
  let rate = Number.NaN
  if (typeEnd < lineEnd) {
    const field = typeEnd + 1
    if (field < lineEnd && bytes[field] === AT) rate = parseRate(bytes, field + 1, lineEnd)
    if (Number.isNaN(rate) || (rules.isStrict && !isStrictRate(bytes, field + 1, lineEnd))) {
      visitor.badLine('bad_sample_rate', bytes, start, lineEnd, field - origin, origin)
      return
    }
  }
  const hash = hashKey(bytes, start, colon)
  const value = parseValue(bytes, colon + 1, valueEnd)
  if (Number.isSafeInteger(value)) visitor.line(bytes, start, colon, hash, type, value, rate)
  else visitor.largeLine(bytes, start, colon, hash, type, colon + 1, valueEnd, rate)
}

/** Finds the index of a byte in bytes[start, end), or `end`. */
function find(bytes: Uint8Array, byte: number, start: number, end: number): number {
  let at = start
  while (at < end && bytes[at] !== byte) at++
  return at
}

function isValue(bytes: Uint8Array, start: number, end: number, rules: LineRules): boolean {
  const isSigned = bytes[start] === PLUS || bytes[start] === MINUS
  if (isSigned && rules.isStrict) return false
  const digitsStart = isSigned ? start + 1 : start
  const digits = end - digitsStart
  return digits > 0 && digits <= rules.maxValueDigits && areDigits(bytes, digitsStart, end)
}

function areDigits(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    if ((bytes[at]! - ZERO) >>> 0 > 9) return false
  }
  return true
}

/**
 * Reads a value, exact within the safe integers; a larger one gives some number that is not safe.
 * The digit is made before it is added: a sum with the byte itself would round just below 2^53.
 */
function parseValue(bytes: Uint8Array, start: number, end: number): number {
  const isNegative = bytes[start] === MINUS
  let size = 0
  for (let at = isNegative || bytes[start] === PLUS ? start + 1 : start; at < end; at++) {
    size = size * 10 + (bytes[at]! - ZERO)
  }
  return isNegative ? 0 - size : size
}

function typeOf(bytes: Uint8Array, start: number, end: number): number {
  const first = bytes[start]
  if (end - start === 2)
    return first === LOWER_M && bytes[start + 1] === LOWER_R ? METER_READER : -1
  if (end - start !== 1) return -1
  if (first === LOWER_M) return METER
  if (first === LOWER_G) return GAUGE
  return first === LOWER_H ? HISTOGRAM : -1
}

/** Tells whether a key is of ASCII letters and digits with single dots between its components. */
function isStrictKey(bytes: Uint8Array, start: number, end: number): boolean {
  let isAfterDot = true
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!
    const isLetter = ((byte | 0x20) - 0x61) >>> 0 < 26
    if (isLetter || (byte - ZERO) >>> 0 <= 9) isAfterDot = false
    else if (byte === DOT && !isAfterDot) isAfterDot = true
    else return false
  }
  return !isAfterDot
}

/** Tells whether a rate is `"0." 1*DIGIT`. */
function isStrictRate(bytes: Uint8Array, start: number, end: number): boolean {
  const isBelowOne = bytes[start] === ZERO && bytes[start + 1] === DOT
  return isBelowOne && end > start + 2 && areDigits(bytes, start + 2, end)
}
