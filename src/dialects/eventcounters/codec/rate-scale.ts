/**
 * DisplayRateTimeScale in both spellings (eventcounters.md §3.2, §4.9); pure.
 *
 *   document   seconds as shortest decimal, `1` when unset
 *   peer       [-][d.]hh:mm:ss[.fffffff], empty when unset; the fraction in units of 100 ns
 */
import type { Profile } from '../../decoder.ts'
import { decimalText, readDecimal } from './decimal.ts'

const TICKS_PER_SECOND = 10_000_000n
/** Limit of a TimeSpan: an i64 of ticks. */
const TICKS_MAX = 9_223_372_036_854_775_807n

/**
 * @param seconds 0 = not set
 * @throws {RangeError} for what is not finite, negative in the document's spelling, or beyond the
 *   range of a TimeSpan (about 29,000 years) in the peer's
 */
export function rateScaleText(seconds: number, profile: Profile): string {
  if (!Number.isFinite(seconds)) throw new RangeError(`rate scale ${seconds} is not finite`)
  if (profile === 'peer') return timeSpanText(ticksOf(seconds))
  if (seconds < 0) throw new RangeError(`rate scale ${seconds} is negative`)
  return seconds === 0 ? '1' : decimalText(seconds)
}

/** Converts to ticks, to the nearest one. */
function ticksOf(seconds: number): bigint {
  const whole = Math.trunc(seconds)
  const fraction = Math.round((seconds - whole) * Number(TICKS_PER_SECOND))
  const ticks = BigInt(whole) * TICKS_PER_SECOND + BigInt(fraction)
  if (ticks > TICKS_MAX || ticks < -TICKS_MAX - 1n) {
    throw new RangeError(`rate scale ${seconds} is beyond the range of a TimeSpan`)
  }
  return ticks
}

function timeSpanText(signedTicks: bigint): string {
  if (signedTicks === 0n) return ''
  const ticks = signedTicks < 0n ? -signedTicks : signedTicks
  const seconds = ticks / TICKS_PER_SECOND
  const fraction = ticks % TICKS_PER_SECOND
  const days = seconds / 86_400n
  const clock = [(seconds / 3600n) % 24n, (seconds / 60n) % 60n, seconds % 60n]
  const sign = signedTicks < 0n ? '-' : ''
  const tail = fraction === 0n ? '' : `.${String(fraction).padStart(7, '0')}`
  const body = clock.map((part) => String(part).padStart(2, '0')).join(':')
  return `${sign}${days === 0n ? '' : `${days}.`}${body}${tail}`
}

/** Reads seconds above 0; 0 for the peer's empty text; undefined for any other text. */
export function parseRateScale(text: string, profile: Profile): number | undefined {
  if (profile === 'peer' && text === '') return 0
  const seconds = profile === 'peer' ? parseTimeSpan(text) : readDecimal(text)
  return seconds !== undefined && seconds > 0 && Number.isFinite(seconds) ? seconds : undefined
}

/** Tells whose spelling a text is; undefined for neither's. */
export function rateScaleProfile(text: string): Profile | undefined {
  if (readDecimal(text) !== undefined) return 'document'
  return text === '' || parseTimeSpan(text) !== undefined ? 'peer' : undefined
}

const TIME_SPAN = /^(-?)(?:(\d{1,8})\.)?(\d\d):(\d\d):(\d\d)(?:\.(\d{1,7}))?$/

/** Reads the seconds of a TimeSpan, below 0 too; undefined for any other text. */
export function parseTimeSpan(text: string): number | undefined {
  const match = TIME_SPAN.exec(text)
  if (match === null) return undefined
  const [, sign, days = '0', hours, minutes, seconds, fraction = ''] = match
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined
  const whole = Number(days) * 86_400 + Number(hours) * 3600 + Number(minutes) * 60
  const ticks = BigInt(whole + Number(seconds)) * TICKS_PER_SECOND + BigInt(fraction.padEnd(7, '0'))
  if (ticks > TICKS_MAX) return undefined
  return (sign === '-' ? -1 : 1) * (Number(ticks) / Number(TICKS_PER_SECOND))
}
