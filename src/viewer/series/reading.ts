/** The number beside a chart and the quiet line under it, at one second. */
import type { ExactJson, SeriesInfo } from '../../http/api.ts'
import { allDigits, changeText, format, type Quantity, text, totalText } from '../format/number.ts'
import { type Per, shownAs } from '../format/rate.ts'
import { ageText, clockText, durationText, lifeText } from '../format/time.ts'
import { MAIN_LANE, type SeriesData, secondOf } from '../store/series-data.ts'
import type { Finding } from '../store/usual/watch.ts'
import { type PacedRate, pacedRate } from './pace.ts'

export interface Reading {
  readonly caption: string
  readonly main: Quantity
  /** All digits, for hover. */
  readonly title: string
  readonly sub: string
  /** The quiet line says that something is unusual, or silent. */
  readonly isWarning: boolean
}

export interface ReadingContext {
  readonly info: SeriesInfo
  readonly second: number
  readonly hasCursor: boolean
  readonly isStale: boolean
  readonly lastDataMs: number
  readonly nowMs: number
  /** Seconds since that one in which nothing was heard of the hub. */
  readonly awayS?: number
  readonly finding: Finding
  /** Time that the person wants rates stated per. */
  readonly per: Per
}

/** Silence from which on the age is told, ms. */
export const SILENT_MS = 60_000
/** Seconds for which the last value of a distribution stays. */
const SPARSE_SECONDS = 300
/** Age in seconds from which on it is told. */
export const AGED_SECONDS = 3
const EN_SPACE = '\u2002'

export function readSeries(data: SeriesData | undefined, context: ReadingContext): Reading {
  const { info, hasCursor, isStale } = context
  const second = hasCursor ? context.second : readAt(data, context)
  const unit = info.unit ?? ''
  const shown = shownAs(info, context.per)
  const isGone = isStale && !hasCursor
  const known = isGone || !data ? Number.NaN : data.at(MAIN_LANE[info.kind], second)
  const paced =
    hasCursor || isGone || info.kind !== 'counter' ? undefined : data && pacedRate(data, second)
  const value = (paced?.rate ?? known) * shown.factor
  const caption = info.kind === 'histogram' ? 'p99' : info.kind === 'summary' ? 'mean' : ''
  const main = format(value, shown.unit)
  const reading = {
    caption: Number.isNaN(value) ? '' : caption,
    main,
    title: allDigits(value, shown.unit),
  }
  const warning = hasCursor ? undefined : warningOf(context)
  if (warning !== undefined) return { ...reading, sub: warning, isWarning: true }
  const age = context.second - second + (hasCursor ? 0 : (context.awayS ?? 0))
  if (age >= AGED_SECONDS) return { ...reading, sub: ageText(age), isWarning: false }
  if (paced !== undefined) return { ...reading, sub: pacedWords(paced), isWarning: false }
  return { ...reading, sub: data ? quietLine(data, info, second, unit) : '', isWarning: false }
}

/** Says of which time a rate is the mean, where points come slower than the seconds shown. */
export function pacedWords({ interval, age }: PacedRate): string {
  return `mean of ${durationText(interval)}${age < AGED_SECONDS ? '' : `, ${ageText(age)}`}`
}

/** Seconds for which the last value stays while those since then are being read. */
const UNREAD_SECONDS = 60

/** Finds the last second of which something is known: one that is still to be read says nothing. */
export function lastReadSecond(data: SeriesData, newest: number): number {
  const { coveredTo } = data
  return coveredTo < newest && newest - coveredTo <= UNREAD_SECONDS ? coveredTo : newest
}

/**
 * Finds the second that a series is read at, where there is no cursor. A distribution that is
 * observed now and then has none in most seconds: its last one stays, and says its age.
 */
export function readAt(
  data: SeriesData | undefined,
  { info, second: newest }: Pick<ReadingContext, 'info' | 'second'>,
): number {
  if (data === undefined) return newest
  const second = lastReadSecond(data, newest)
  if (info.kind !== 'histogram' && info.kind !== 'summary') return second
  const lane = MAIN_LANE[info.kind]
  for (let at = second; at > second - SPARSE_SECONDS; at -= 1) {
    if (!Number.isNaN(data.at(lane, at))) return at
  }
  return second
}

function warningOf(context: ReadingContext): string | undefined {
  const { finding, info, lastDataMs, nowMs, isStale } = context
  if (info.isPast === true) return lifeText(info, nowMs)
  const silentMs = nowMs - lastDataMs
  if (isStale || silentMs >= SILENT_MS) return `last data ${ageText(silentMs / 1000)}`
  if (finding.since === 0) return undefined
  const { factor } = shownAs(context.info, context.per)
  return `${changeWords(finding, factor)} since ${clockText(finding.since * 1000)}`
}

/**
 * Writes the factor, or from where it came when a factor would tell nothing.
 * @param scale of what is shown: see `shownAs`
 */
export function changeWords({ ratio, usual }: Finding, scale = 1): string {
  if (ratio < 0) return `from ${text(usual * scale)}`
  return changeText(ratio)
}

function quietLine(data: SeriesData, info: SeriesInfo, second: number, unit: string): string {
  if (info.kind === 'counter') {
    const total = totalAt(data, info, second)
    return total === undefined ? '' : `total ${totalText(total)}`
  }
  const pair = (a: string, low: number, b: string, high: number): string =>
    Number.isNaN(low) && Number.isNaN(high)
      ? ''
      : `${a} ${text(low, unit)}${EN_SPACE}${b} ${text(high, unit)}`
  if (info.kind === 'histogram') {
    return pair('p50', data.at('p50', second), 'p90', data.at('p90', second))
  }
  const [min, max] = [data.at('min', second), data.at('max', second)]
  // Of most gauges one value a second is known: it is its own least and largest.
  return info.kind === 'gauge' && !(max > min) ? '' : pair('min', min, 'max', max)
}

/**
 * Finds the total of a counter at a second: the listed one, and what came since, or less what came
 * after. Undefined where a second in between is not known.
 */
function totalAt(
  data: SeriesData,
  { current, lastDataMs }: SeriesInfo,
  second: number,
): bigint | ExactJson | undefined {
  if (current === null) return undefined
  const listed = secondOf(lastDataMs)
  if (second === listed) return current
  const [from, to, sign] = second > listed ? [listed, second, 1] : [second, listed, -1]
  if (data.step > 1 || from < data.coveredFrom || to > data.coveredTo) return undefined
  let sum = 0
  for (let at = from + 1; at <= to; at += 1) sum += sign * (data.at('rate', at) || 0)
  // Rates of whole numbers leave roundings of divisions, those of fractions are what they are.
  const whole = Math.round(sum)
  const isWhole = Math.abs(sum - whole) < 1e-6 && Number.isInteger(+current)
  // A total that is text is an integer which no double holds.
  return isWhole || typeof current === 'string' ? BigInt(current) + BigInt(whole) : current + sum
}

/** Makes the last column of lines and tables: how far from usual, or how long silent. */
export function changeColumn(context: ReadingContext): {
  readonly words: string
  readonly isWarning: boolean
} {
  const silentMs = context.nowMs - context.lastDataMs
  if (context.isStale || silentMs >= SILENT_MS) {
    return { words: durationText(silentMs / 1000), isWarning: context.isStale }
  }
  const { factor } = shownAs(context.info, context.per)
  return { words: changeWords(context.finding, factor), isWarning: context.finding.since > 0 }
}

/** Writes what a chart says that has nothing to draw: that is known only once it was read. */
export function emptyWordsOf(data: { isReadFrom(second: number): boolean }, from: number): string {
  return data.isReadFrom(from) ? 'nothing in this window' : ''
}
