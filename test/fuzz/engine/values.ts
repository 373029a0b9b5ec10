/**
 * Values that grammars are filled with: numbers at every edge, texts of every kind, lengths that
 * lie. The first choice of each is the plainest, since shrinking ends there.
 */
import type { Random } from './random.ts'

const U64_MAX = 2n ** 64n - 1n

/** An unsigned integer below 2^bits: 0, 1, beside a power of two, the largest, or any. */
export function unsigned(random: Random, bits: number): bigint {
  const top = (1n << BigInt(bits)) - 1n
  switch (random.below(6)) {
    case 0:
      return BigInt(random.below(3))
    case 1:
      return BigInt(random.below(1000)) & top
    case 2:
      return ((1n << BigInt(random.below(bits))) + BigInt(random.below(3) - 1)) & top
    case 3:
      return top - BigInt(random.below(2))
    case 4:
      return (BigInt(random.next()) << 32n) & top
    default:
      return ((BigInt(random.next()) << 32n) | BigInt(random.next())) & U64_MAX & top
  }
}

/** An integer of either sign, up to 2^bits. */
export function signed(random: Random, bits: number): bigint {
  const size = unsigned(random, bits)
  return random.isOnceIn(3) ? -size : size
}

const DOUBLES = [
  ...[0, 1, 0.5, -1, 1e3, 123.456, -0, 2 ** 53, 2 ** 53 + 2, -(2 ** 53), 2 ** 63, 2 ** 64],
  ...[Number.MAX_VALUE, Number.MIN_VALUE, 5e-324, 1e-7, 1e21, -1e308, Number.EPSILON],
]
const ODD_DOUBLES = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
const scratch = new DataView(new ArrayBuffer(8))

/** A finite double. */
export function finite(random: Random): number {
  if (!random.isOnceIn(4)) return random.pick(DOUBLES)
  scratch.setUint32(0, random.next())
  scratch.setUint32(4, random.next())
  const value = scratch.getFloat64(0)
  return Number.isFinite(value) ? value : 1
}

/** Any double. */
export function double(random: Random): number {
  return random.isOnceIn(6) ? random.pick(ODD_DOUBLES) : finite(random)
}

/** A length that is not the true one: beside it, far from it, at the edges of 31 and 32 bits. */
export function lyingLength(random: Random, length: number): number {
  const lie = random.pick([
    ...[length + 1, length - 1, length + 4, length - 4, 0, 2 * length, length + 1000],
    ...[2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32 - 4, random.below(70_000)],
  ])
  const inRange = Math.max(0, Math.min(lie, 2 ** 32 - 1))
  return inRange === length ? length + 1 : inRange
}

const PLAIN = ['a', 'requests', 'shop.checkout.requests', 'node-1', 'x y', '0', 'A.b_C-d:e']
const STRANGE = [
  ...[
    'é',
    'ß',
    '測定',
    '🚂',
    '👩‍👩‍👧',
    '\ufeffbom',
    '\u202egnp.exe',
    'a\u0000b',
    '\u001b[31m',
    '\u009b0m',
  ],
  ...['line\nfeed', 'carriage\rreturn', '\t', ' ', '"', '\\', "'", '__proto__', 'constructor'],
  ...['hasOwnProperty', '*', '[x]', '{}', '=', ',', ':', '|', '@', '<script>', '%', '%00', 'é'],
]
/** Code units that are no text. */
const LONE = ['\ud800', '\udc00', 'a\ud83d', '\udfffb']

/** A text that UTF-8 can carry: usual, empty, long, or strange. */
export function text(random: Random, lengthMax = 300): string {
  const way = random.below(10)
  if (way < 5) return random.pick(PLAIN)
  if (way < 7) return random.pick(STRANGE)
  if (way === 7) return random.pick(PLAIN) + random.pick(STRANGE) + random.below(100)
  if (way === 8) return ''
  return random.pick(['k', 'é', '🚂', '.']).repeat(1 + random.below(lengthMax >> 1))
}

/** A text of JavaScript, lone surrogates included. */
export function anyText(random: Random): string {
  return random.isOnceIn(12) ? random.pick(LONE) : text(random)
}

const encoder = new TextEncoder()
/** Bytes that are no UTF-8: stray, overlong, a surrogate, beyond U+10FFFF, cut off. */
const INVALID = [
  ...[[0xff], [0x80], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82]],
  ...[
    [0xf8, 0x88, 0x80, 0x80, 0x80],
    [0x61, 0xc3],
    [0xfe, 0xff],
  ],
].map((bytes) => Uint8Array.from(bytes))

/** Bytes of a name: mostly UTF-8. */
export function nameBytes(random: Random): Uint8Array {
  return random.isOnceIn(12) ? random.pick(INVALID) : encoder.encode(text(random))
}

/** Puts a list into another order. */
export function shuffled<T>(random: Random, list: readonly T[]): T[] {
  const copy = [...list]
  for (let i = copy.length - 1; i > 0; i--) {
    const j = random.below(i + 1)
    const held = copy[i]!
    copy[i] = copy[j]!
    copy[j] = held
  }
  return copy
}
