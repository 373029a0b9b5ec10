/**
 * Lines of a packet's body (§3.2 lenient, §3.3 strict): one walk over the bytes, no string and no
 * object per line. Line: `[key][":"][value]["|"][type]`, optional `["|@"][rate]`, then `[LF]`.
 *
 * The loop takes well-formed lines with values of up to 15 digits and hashes the key on its way. A
 * line in which it meets anything else it leaves to `checkLine`, which knows every rule and the
 * order of the errors.
 */
import type { Budget } from '../../../time/budget.ts'
import { BAR, COLON, GAUGE, HISTOGRAM, LF, METER, METER_READER } from '../spec.ts'
import { AT, LOWER_G, LOWER_H, LOWER_M, LOWER_R, MINUS, SAFE_DIGITS, ZERO } from './alphabet.ts'
import { addWord, mayEndKey, SEED } from './key-hash.ts'
import { checkLine } from './line-check.ts'
import type { LineRules, LineVisitor } from './line-visitor.ts'
import { parseRate } from './rate.ts'

/** 999,999,999 is the most that nine digits say: it fits 32 bits. */
const INT32_DIGITS = 9
/** A view of the bytes as words costs as much as it saves on about ten lines. */
const VIEW_BYTES_MIN = 512
const NO_VIEW = new DataView(new ArrayBuffer(0))
/** Bytes of lines that are visited between two looks at the turn: 8,192 bad ones. */
const PART_BYTES = 16_384

/**
 * Visits the lines in bytes[start, end).
 * @param origin index of the packet's first byte, from which offsets count; may be negative
 */
export function scanLines(
  bytes: Uint8Array,
  start: number,
  end: number,
  origin: number,
  rules: LineRules,
  visitor: LineVisitor,
): void {
  if (start >= end) return
  const lastLf = bytes[end - 1] === LF ? end - 1 : bytes.lastIndexOf(LF, end - 1)
  const wholeEnd = rules.isStrict ? start : Math.max(start, lastLf + 1)
  scanWholeLines(bytes, start, wholeEnd, origin, rules, visitor)
  for (let at = wholeEnd; at < end; ) at = checkLine(bytes, at, end, origin, rules, visitor)
}

/**
 * Does the same until the turn is over, if there is one.
 * @returns index of the next line; `end` when all are visited
 */
export function scanParts(
  bytes: Uint8Array,
  start: number,
  end: number,
  origin: number,
  rules: LineRules,
  visitor: LineVisitor,
  budget: Budget | undefined,
): number {
  let at = start
  while (at < end) {
    const lf = budget === undefined ? -1 : bytes.indexOf(LF, at + PART_BYTES - 1)
    const next = lf < 0 || lf >= end ? end : lf + 1
    scanLines(bytes, at, next, origin, rules, visitor)
    at = next
    if (at < end && budget?.isSpent) break
  }
  return at
}

/**
 * Scans lines of the lenient grammar. bytes[end - 1] is an LF, so that no step needs to look for
 * the end: that comparison per byte would double the time.
 */
function scanWholeLines(
  bytes: Uint8Array,
  start: number,
  end: number,
  origin: number,
  rules: LineRules,
  visitor: LineVisitor,
): void {
  const quickDigits = Math.min(rules.maxValueDigits, SAFE_DIGITS)
  const isShort = end - start < VIEW_BYTES_MIN
  const view = isShort ? NO_VIEW : new DataView(bytes.buffer, bytes.byteOffset, end)
  const lastWord = view.byteLength - 4
  let at = start
  while (at < end) {
    const lineStart = at
    let hash = SEED
    for (; at <= lastWord; at += 4) {
      const word = view.getInt32(at, true)
      if (mayEndKey(word)) break
      hash = addWord(hash, word)
    }
    let byte = bytes[at]!
    let word = 0
    for (let shift = 0; byte !== COLON && byte !== BAR && byte !== LF; byte = bytes[++at]!) {
      word |= byte << shift
      shift += 8
      if (shift === 32) {
        hash = addWord(hash, word)
        word = 0
        shift = 0
      }
    }
    hash = addWord(hash, word)
    const keyEnd = at
    let type = -1
    let value = 0
    let rate = Number.NaN
    if (byte === COLON && keyEnd > lineStart) {
      byte = bytes[++at]!
      const isNegative = byte === MINUS
      if (isNegative) byte = bytes[++at]!
      const digitsStart = at
      for (let digit = byte - ZERO; digit >>> 0 <= 9; digit = byte - ZERO) {
        value = (value * 10 + digit) | 0
        byte = bytes[++at]!
      }
      const digits = at - digitsStart
      if (digits > INT32_DIGITS) value = parseDigits(bytes, digitsStart, at)
      if (isNegative) value = 0 - value
      if (byte === BAR && digits > 0 && digits <= quickDigits) {
        type = typeAt(bytes, at + 1)
        at += type === METER_READER ? 3 : 2
        byte = bytes[at]!
      }
      if (byte === BAR && type >= 0) {
        const field = at + 1
        while (byte !== LF) byte = bytes[++at]!
        rate = bytes[field] === AT ? parseRate(bytes, field + 1, at) : Number.NaN
        if (Number.isNaN(rate)) type = -1
      }
    }
    if (type >= 0 && byte === LF) {
      visitor.line(bytes, lineStart, keyEnd, hash, type, value, rate)
      at++
    } else {
      at = checkLine(bytes, lineStart, end, origin, rules, visitor)
    }
  }
}

/** Tells the type that may begin at this place, by its letters alone; -1 for none. */
function typeAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at]
  if (byte === LOWER_M) return bytes[at + 1] === LOWER_R ? METER_READER : METER
  if (byte === LOWER_H) return HISTOGRAM
  return byte === LOWER_G ? GAUGE : -1
}

/** Reads at most 15 digits in bytes[start, end); of more, some number. */
function parseDigits(bytes: Uint8Array, start: number, end: number): number {
  let value = 0
  for (let at = start; at < end; at++) value = value * 10 + (bytes[at]! - ZERO)
  return value
}
