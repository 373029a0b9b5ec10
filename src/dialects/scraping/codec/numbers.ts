/**
 * Numbers of the text formats: what Go's ParseFloat takes, integers to their last digit; times in
 * whole milliseconds (text 0.0.4) or in seconds (OpenMetrics).
 */
import { type Exact, exact } from '../../../model/index.ts'

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i
const INTEGER = /^[+-]?\d+$/
const HEX = /^([+-]?)0x([0-9a-f]*)\.?([0-9a-f]*)p([+-]?\d+)$/i
const INFINITE = /^[+-]?inf(?:inity)?$/i
const NOT_A_NUMBER = /^[+-]?nan$/i
/** Number from which on JavaScript itself writes an exponent. */
const PLAIN_LIMIT = 1e21
/** Digits of an integer that is a double whatever they are. */
const SAFE_DIGITS = 15
/** Longest text that is read as a number. */
const LENGTH_LIMIT = 400

/** @returns undefined for a text that is no number */
export function readNumber(text: string): Exact | undefined {
  if (text.length > LENGTH_LIMIT) return undefined
  if (INTEGER.test(text)) {
    return text.length <= SAFE_DIGITS ? Number(text) + 0 : wholeOf(text)
  }
  if (DECIMAL.test(text)) return exactDouble(Number(text))
  if (NOT_A_NUMBER.test(text)) return Number.NaN
  if (INFINITE.test(text)) {
    return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  }
  return hexNumber(text)
}

/** Gives a double in the one form of its value: -0 becomes 0, and a large integer a bigint. */
function exactDouble(value: number): Exact {
  const isLarge = Number.isInteger(value) && !Number.isSafeInteger(value)
  return isLarge && Math.abs(value) < PLAIN_LIMIT ? BigInt(value) : value + 0
}

function wholeOf(text: string): Exact {
  const digits = text.replace(/^[+-]/, '')
  const whole = exact(BigInt(digits))
  return text.startsWith('-') ? -whole : whole
}

/** Reads `0x1.8p-3`. */
function hexNumber(text: string): Exact | undefined {
  const [, sign, whole = '', fraction = '', exponent] = HEX.exec(text) ?? []
  const digits = whole + fraction
  if (exponent === undefined || digits === '') return undefined
  const size = Number(BigInt(`0x${digits}`)) * 2 ** (Number(exponent) - 4 * fraction.length)
  return exactDouble(sign === '-' ? -size : size)
}

/** Writes a number so that it is read as itself. */
export function writeNumber(value: Exact): string {
  if (typeof value === 'bigint' || Number.isFinite(value)) return String(value)
  if (Number.isNaN(value)) return 'NaN'
  return value > 0 ? '+Inf' : '-Inf'
}

/** Reads a time. @returns Unix ms; undefined for a text that is none */
export function readTime(text: string, isSeconds: boolean): number | undefined {
  if (!isSeconds) return /^-?\d{1,15}$/.test(text) ? Number(text) : undefined
  const seconds = DECIMAL.test(text) ? Number(text) : Number.NaN
  return Math.abs(seconds) < 1e12 ? Math.round(seconds * 1000) : undefined
}
