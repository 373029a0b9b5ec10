/**
 * Packet: `[version:"1"]["|"][content-length:1*DIGIT][LF][body:content-length bytes]` (§3).
 * The length counts bytes behind the header's LF, each line's LF included; of a gzip body, the
 * compressed bytes.
 */
import type { Budget } from '../../../time/budget.ts'
import { BAR, GZIP_MAGIC, LF } from '../spec.ts'
import { ONE, ZERO } from './alphabet.ts'
import { scanParts } from './line-scan.ts'
import type { BodyRest, PacketRules, PacketVisitor, QuickLines } from './line-visitor.ts'

/** Lengths from here on are equal: more than any buffer holds, and below 2^53 / 10. */
const LENGTH_CEILING = 2 ** 48

/**
 * Visits one datagram, which must be exactly one packet (§3.5).
 * @param quick takes the lines instead of the visitor, as far as it can
 * @param budget after which the rest waits
 * @returns what waits
 */
export function decodeDatagram(
  bytes: Uint8Array,
  rules: PacketRules,
  visitor: PacketVisitor,
  quick?: QuickLines,
  budget?: Budget,
): BodyRest | undefined {
  const end = bytes.length
  if (end < 2 || bytes[0] !== ONE || bytes[1] !== BAR) {
    visitor.badPacket('bad_version', 'does not begin with 1|', bytes, 0, end, 0, true, 0)
    return undefined
  }
  // a few digits: looking for the LF among all bytes would be a call out of JavaScript
  let lf = 2
  while (lf < end && isDigit(bytes[lf]!)) lf++
  const length = bytes[lf] === LF ? parseLength(bytes, 2, lf) : -1
  if (length < 0) {
    const detail = bytes.includes(LF, 2) ? 'length is no number' : 'header without its LF'
    visitor.badPacket('bad_length', detail, bytes, 0, end, 2, true, 0)
    return undefined
  }
  const rest = end - lf - 1
  if (length !== rest) {
    const detail = `length ${length === LENGTH_CEILING ? 'above all' : length}, body of ${rest}`
    visitor.badPacket('length_mismatch', detail, bytes, 0, end, 2, true, 0)
    return undefined
  }
  return decodeBody(bytes, lf + 1, end, 0, rules, visitor, quick, budget)
}

/** Reads the content length in bytes[start, end): digits and nothing else; -1 otherwise. */
export function parseLength(bytes: Uint8Array, start: number, end: number): number {
  if (start >= end) return -1
  let length = 0
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!
    if (!isDigit(byte)) return -1
    length = Math.min(length * 10 + byte - ZERO, LENGTH_CEILING)
  }
  return length
}

function isDigit(byte: number): boolean {
  return (byte - ZERO) >>> 0 <= 9
}

/**
 * Visits the lines of a body in bytes[start, end), unpacked first where it is gzip (§3.4).
 * @param origin index of the packet's first byte, from which offsets count; may be negative
 * @returns what waits for a later turn
 */
export function decodeBody(
  bytes: Uint8Array,
  start: number,
  end: number,
  origin: number,
  rules: PacketRules,
  visitor: PacketVisitor,
  quick?: QuickLines,
  budget?: Budget,
): BodyRest | undefined {
  if (rules.isStrict && start === end) {
    visitor.badPacket(
      'bad_length',
      'body without a line',
      bytes,
      start,
      end,
      start - origin,
      true,
      origin,
    )
    return undefined
  }
  if (!isGzip(bytes, start, end)) {
    return visitLines(bytes, start, end, origin, rules, visitor, quick, budget)
  }
  // a hundred packed bytes may be a hundred thousand lines
  if (budget?.isSpent) return { bytes, start, end, origin, isWhole: true }
  const unpacked = unpack(bytes.subarray(start, end), rules)
  if (typeof unpacked === 'string') {
    visitor.badPacket('bad_gzip', unpacked, bytes, start, end, start - origin, true, origin)
    return undefined
  }
  return visitLines(unpacked, 0, unpacked.length, 0, rules, visitor, quick, budget)
}

/** Goes on with a body in a later turn. @returns what waits for yet another one */
export function decodeRest(
  { bytes, start, end, origin, isWhole }: BodyRest,
  rules: PacketRules,
  visitor: PacketVisitor,
  quick?: QuickLines,
  budget?: Budget,
): BodyRest | undefined {
  return isWhole
    ? decodeBody(bytes, start, end, origin, rules, visitor, quick, budget)
    : visitLines(bytes, start, end, origin, rules, visitor, quick, budget)
}

function visitLines(
  bytes: Uint8Array,
  start: number,
  end: number,
  origin: number,
  rules: PacketRules,
  visitor: PacketVisitor,
  quick: QuickLines | undefined,
  budget: Budget | undefined,
): BodyRest | undefined {
  const next =
    quick === undefined
      ? scanParts(bytes, start, end, origin, rules, visitor, budget)
      : quick.lines(bytes, start, end, origin, budget)
  if (next < end) return { bytes, start: next, end, origin, isWhole: false }
  visitor.packetEnd()
  return undefined
}

function unpack(body: Uint8Array, rules: PacketRules): Uint8Array | string {
  if (rules.isStrict) return 'outside the document'
  const unpacked = rules.inflate(body, rules.maxInflatedBytes)
  const isNested = typeof unpacked !== 'string' && isGzip(unpacked, 0, unpacked.length)
  return isNested ? 'nested' : unpacked
}

function isGzip(bytes: Uint8Array, start: number, end: number): boolean {
  return end - start >= 2 && bytes[start] === GZIP_MAGIC[0] && bytes[start + 1] === GZIP_MAGIC[1]
}
