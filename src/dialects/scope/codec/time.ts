/**
 * Forms in which a snapshot's `t` may come: unsigned nanoseconds, digits as text, a pair of seconds
 * and nanoseconds, and a float, which the real parser reads as SECONDS.
 */
import { U64_MAX } from '../../../model/index.ts'
import type { MessagePackReader } from '../../../wire/messagepack.ts'
import type { TimeForm } from '../spec.ts'

const NS_PER_S = 1_000_000_000n
const U32_MAX = 0xffff_ffffn

interface TimeReading {
  readonly t: bigint
  readonly form: TimeForm
}

/** Reads `t` at this offset; undefined when it is unusable. */
export function readTime(
  reader: MessagePackReader,
  at: number,
  isLenient: boolean,
): TimeReading | undefined {
  switch (reader.family(at)) {
    case 'uint':
      return inRange(reader.integer(at), 'unsigned')
    case 'int':
      return isLenient ? inRange(reader.integer(at), 'signed') : undefined
    case 'float':
      return inRange(secondsToNs(reader.number(at)!), 'float')
    case 'str':
      return inRange(digitsToNs(reader.text(at)), 'text')
    case 'array':
      return inRange(pairToNs(reader, at), 'pair')
    default:
      return undefined
  }
}

function inRange(t: bigint | undefined, form: TimeForm): TimeReading | undefined {
  return t === undefined || t < 0n || t > U64_MAX ? undefined : { t, form }
}

/** Digits of 2^64 - 1; longer text is refused before it is turned into a number. */
const DIGITS_MAX = 20

function digitsToNs(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^\+?[0-9]+$/.test(text)) return undefined
  const digits = text.replace(/^\+?0*/, '')
  return digits.length > DIGITS_MAX ? undefined : BigInt(digits)
}

/** Converts [seconds:integer][nanoseconds:integer]; nanoseconds up to 2^32 - 1 carry over. */
function pairToNs(reader: MessagePackReader, at: number): bigint | undefined {
  if (reader.length(at) !== 2) return undefined
  const first = reader.body(at)
  const seconds = reader.integer(first)
  const nanoseconds = reader.integer(reader.skip(first))
  if (seconds === undefined || nanoseconds === undefined) return undefined
  if (seconds < 0n || nanoseconds < 0n || nanoseconds > U32_MAX) return undefined
  return seconds * NS_PER_S + nanoseconds
}

const bits = new DataView(new ArrayBuffer(8))
const FRACTION_BITS = 52
/** Bias of a double's exponent, with the fraction read as an integer. */
const EXPONENT_BIAS = 1023 + FRACTION_BITS

/**
 * Converts seconds as a double to the nearest nanosecond, ties to even. Exact, in integers: a
 * double times 1e9 would already be rounded.
 */
function secondsToNs(seconds: number): bigint | undefined {
  if (!Number.isFinite(seconds) || seconds < 0) return undefined
  bits.setFloat64(0, seconds)
  const raw = bits.getBigUint64(0)
  const exponent = Number(raw >> BigInt(FRACTION_BITS)) & 0x7ff
  const fraction = raw & ((1n << BigInt(FRACTION_BITS)) - 1n)
  const implicit = exponent === 0 ? 0n : 1n << BigInt(FRACTION_BITS)
  const scaled = (fraction | implicit) * NS_PER_S
  const shift = Math.max(exponent, 1) - EXPONENT_BIAS
  if (shift >= 0) return scaled << BigInt(shift)
  const half = 1n << BigInt(-shift - 1)
  const whole = scaled >> BigInt(-shift)
  const rest = scaled - (whole << BigInt(-shift))
  return rest > half || (rest === half && (whole & 1n) === 1n) ? whole + 1n : whole
}
