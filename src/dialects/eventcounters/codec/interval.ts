/**
 * The text of EventCounterIntervalSec in both grammars, and the Series text that answers it
 * (eventcounters.md §4.1); pure. Linear in the text's length.
 */
import type { Profile } from '../../decoder.ts'
import { INT32_MAX, LIMITS } from '../spec.ts'
import { decimalText } from './decimal.ts'

/** Meaning of an interval text for its session. */
export type IntervalArgument =
  | { readonly kind: 'run'; readonly intervalMs: number }
  /** The session exists and receives nothing. */
  | { readonly kind: 'stop'; readonly isInvalid?: true }
  /** Peer: missing or no number; the session keeps the interval it has. */
  | { readonly kind: 'ignored' }
  /** Peer: a number outside 1 ms … 2147483647 ms; as ignored, and counted. */
  | { readonly kind: 'invalid' }

export function parseInterval(text: string | undefined, profile: Profile): IntervalArgument {
  return profile === 'document' ? parseWholeSeconds(text) : parseSeconds(text)
}

/** White space of both grammars is U+0009 to U+000D and U+0020. */
const UINT = /^[\t-\r ]*([+-]?)(\d+)[\t-\r ]*$/

/** Reads like `uint.TryParse`: 0 to 4294967295, a minus sign with value 0 only. */
function parseWholeSeconds(text: string | undefined): IntervalArgument {
  if (text === undefined) return { kind: 'stop' }
  const match = UINT.exec(text)
  if (match === null) return { kind: 'stop', isInvalid: true }
  const seconds = Number(match[2])
  if (seconds === 0) return { kind: 'stop' }
  const isOutside = match[1] === '-' || seconds > LIMITS.documentIntervalSecMax
  return isOutside ? { kind: 'stop', isInvalid: true } : { kind: 'run', intervalMs: seconds * 1000 }
}

const FLOAT = /^([+-]?)(?:(\d[\d,]*)(?:\.(\d*))?|\.(\d+))(?:e([+-]?\d+))?$/i
const NON_FINITE = /^([+-]?)(infinity|nan)$/i
const WHITE_AROUND = /^[\t-\r ]+|(?<![\t-\r ])[\t-\r ]+$/g

/**
 * Reads like `float.TryParse` with thousands, then converts to milliseconds in float32 arithmetic.
 */
function parseSeconds(text: string | undefined): IntervalArgument {
  const seconds = text === undefined ? undefined : parseFloat32(text)
  if (seconds === undefined) return { kind: 'ignored' }
  if (seconds <= 0) return { kind: 'stop' }
  const intervalMs = Math.trunc(Math.fround(seconds * 1000))
  const isInRange = intervalMs >= LIMITS.peerIntervalMsMin && intervalMs <= INT32_MAX
  return isInRange ? { kind: 'run', intervalMs } : { kind: 'invalid' }
}

/** Reads a float32; undefined for what is no number; numbers too large are infinite, as in .NET. */
function parseFloat32(text: string): number | undefined {
  const trimmed = text.replace(WHITE_AROUND, '')
  const match = FLOAT.exec(trimmed)
  if (match !== null) {
    const [, sign, whole = '', fraction = '', bare = '', exponent = '0'] = match
    const digits = `${whole.replaceAll(',', '')}.${fraction}${bare}`
    return Math.fround(Number(`${sign}0${digits}e${exponent}`))
  }
  const named = NON_FINITE.exec(trimmed)
  if (named === null) return undefined
  if (named[2]!.length === 3) return Number.NaN
  return named[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
}

/** Writes `Interval=T`: T in seconds (document) or milliseconds (peer). */
export function seriesText(intervalMs: number, profile: Profile): string {
  return `Interval=${decimalText(profile === 'document' ? intervalMs / 1000 : intervalMs)}`
}

const SERIES = /^interval=(\d{1,16})$/i

/** Reads the milliseconds of a Series text; undefined where it is not `Interval=<integer>`. */
export function parseSeries(text: unknown, profile: Profile): number | undefined {
  const match = typeof text === 'string' ? SERIES.exec(text) : null
  if (match === null) return undefined
  const intervalMs = Number(match[1]) * (profile === 'document' ? 1000 : 1)
  return Number.isSafeInteger(intervalMs) ? intervalMs : undefined
}
