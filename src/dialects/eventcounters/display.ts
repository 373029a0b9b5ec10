/**
 * One value and one label per counter for viewers (eventcounters.md §7.2), and number texts as the
 * console of dotnet-counters writes them; pure.
 */
import type { CounterDescription, Statistics } from './window.ts'

/** Figures of a producer's window or of one that was read. */
export interface DisplayedWindow {
  readonly counter: Pick<CounterDescription, 'name' | 'displayName' | 'units' | 'rateScaleSec'>
  readonly seriesMs: number | undefined
  readonly intervalSec: number | undefined
  readonly statistics: Statistics
}

export interface Labelled {
  readonly label: string
  /** Value; undefined: a rate, but the interval is not known; NaN: the sender had none. */
  readonly value: number | undefined
}

/**
 * Shows a window as the document's simple viewer does: Mean as it is, Sum per minute.
 *
 * @example
 * import { EventCountersClient, simpleDisplay } from 'pentameter/eventcounters'
 *
 * new EventCountersClient({
 *   url: 'http://127.0.0.1:4000',
 *   onWindow: (window) => console.log(simpleDisplay(window).label, simpleDisplay(window).value),
 * })
 */
export function simpleDisplay(window: DisplayedWindow): Labelled {
  const { statistics } = window
  const label = labelOf(window.counter)
  if (statistics.kind === 'mean') return { label, value: statistics.mean }
  return { label: `${label} / Min`, value: ratePer(60, statistics.increment, window.intervalSec) }
}

export interface Rate {
  /** Seconds that it is stated per; 1 where the counter states none. */
  readonly scaleSec: number
  readonly value: number | undefined
}

/**
 * Gives the rate of a Sum, per its DisplayRateTimeScale; undefined for a Mean.
 *
 * @example
 * import { EventCountersClient, rateOf } from 'pentameter/eventcounters'
 *
 * new EventCountersClient({
 *   url: 'http://127.0.0.1:4000',
 *   onWindow: (window) => console.log(rateOf(window)?.value),
 * })
 */
export function rateOf({ counter, statistics, intervalSec }: DisplayedWindow): Rate | undefined {
  if (statistics.kind === 'mean') return undefined
  const scaleSec = counter.rateScaleSec > 0 ? counter.rateScaleSec : 1
  return { scaleSec, value: ratePer(scaleSec, statistics.increment, intervalSec) }
}

/** Computes the rate per so many seconds; undefined where the interval's length is not known. */
export function ratePer(
  scaleSec: number,
  increment: number,
  intervalSec: number | undefined,
): number | undefined {
  return intervalSec === undefined ? undefined : (increment * scaleSec) / intervalSec
}

export interface DotnetCountersDisplay {
  readonly label: string
  /** Value, never scaled. */
  readonly value: number
  readonly csvType: 'Metric' | 'Rate'
}

/**
 * Shows a window as dotnet-counters does on its screen and in its files.
 *
 * @example
 * import { dotnetCountersDisplay, EventCountersClient } from 'pentameter/eventcounters'
 *
 * new EventCountersClient({
 *   url: 'http://127.0.0.1:4000',
 *   onWindow: (window) => console.log(dotnetCountersDisplay(window)),
 * })
 */
export function dotnetCountersDisplay(window: DisplayedWindow): DotnetCountersDisplay {
  const { counter, statistics, seriesMs } = window
  const label = dotnetLabel(counter, statistics.kind, seriesMs)
  return statistics.kind === 'mean'
    ? { label, value: statistics.mean, csvType: 'Metric' }
    : { label, value: statistics.increment, csvType: 'Rate' }
}

/**
 * Names a counter as dotnet does: `CPU Usage (%)` of Mean kinds, `Exceptions (Count / 1 sec)` of
 * Sum kinds.
 */
export function dotnetLabel(
  counter: Pick<CounterDescription, 'name' | 'displayName' | 'units'>,
  kind: Statistics['kind'],
  seriesMs: number | undefined,
): string {
  const label = labelOf(counter)
  const units = counter.units === 'count' ? 'Count' : counter.units
  if (kind === 'mean') return units === '' ? label : `${label} (${units})`
  const per = seriesMs === undefined ? '' : ` / ${Math.trunc(seriesMs / 1000)} sec`
  return `${label} (${units === '' ? 'Count' : units}${per})`
}

/** Names a counter for people; by its name where it has no display name. */
function labelOf(counter: Pick<CounterDescription, 'name' | 'displayName'>): string {
  return counter.displayName === '' ? counter.name : counter.displayName
}

/** Bound above which abbreviated numbers have an exponent. */
const ABBREVIATED_FROM = 1e8
/** Digits that .NET's custom formats look at. */
const CUSTOM_PRECISION = 15

/**
 * Writes `1,421,893.21`: thousands separators, up to 3 decimals; with `isAbbreviated` from 1e8 on
 * `1.2346e+08`: up to 4 decimals, exponent of at least 2 digits. As .NET does it, a value is first
 * rounded to 15 digits, a tie to the even one, and what is shown of them away from zero.
 */
export function consoleNumber(value: number, isAbbreviated: boolean): string {
  if (!Number.isFinite(value)) return String(value)
  const decimal = Decimal.of(Math.abs(value))
  const hasExponent = isAbbreviated && Math.abs(value) >= ABBREVIATED_FROM
  const text = hasExponent ? exponentText(decimal) : groupedText(decimal)
  return value < 0 && /[1-9]/.test(text) ? `-${text}` : text
}

/** 0.DIGITS times a power of ten. */
class Decimal {
  readonly digits: string
  readonly exponent: number

  constructor(digits: string, exponent: number) {
    this.digits = digits
    this.exponent = exponent
  }

  static of(value: number): Decimal {
    const [mantissa = '', exponent] = value.toExponential(CUSTOM_PRECISION - 1).split('e')
    const digits = mantissa.replace('.', '')
    const isAbove = Number(digits) % 2 === 1 && isTie(value)
    const even = isAbove ? String(Number(digits) - 1) : digits
    return new Decimal(even, value === 0 ? 0 : Number(exponent) + 1)
  }

  /** Rounds to so many digits, half away from zero; trailing zeros are dropped. */
  rounded(count: number): Decimal {
    if (count < 0) return new Decimal('', 0)
    const kept = BigInt(`0${this.digits.slice(0, count)}`)
    const isUp = (this.digits[count] ?? '0') >= '5'
    const text = String(isUp ? kept + 1n : kept).padStart(Math.min(count, this.digits.length), '0')
    const carried = text.length > Math.min(count, this.digits.length) && isUp ? 1 : 0
    return new Decimal(text.replace(/0+$/, ''), this.exponent + carried)
  }
}

/**
 * Tells whether a value lies in the middle between two numbers of that many digits: .NET takes the
 * even one, toExponential the larger one.
 */
function isTie(value: number): boolean {
  return TIE.test(value.toExponential(DIGITS_MOST))
}

/** Largest number of digits behind the point that toExponential writes, all of them exact. */
const DIGITS_MOST = 100
const TIE = /^\d\.\d{14}50*e/

function groupedText(decimal: Decimal): string {
  const { digits, exponent } = decimal.rounded(decimal.exponent + 3)
  const whole = exponent <= 0 ? '0' : digits.slice(0, exponent).padEnd(exponent, '0')
  const fraction = exponent <= 0 ? '0'.repeat(-exponent) + digits : digits.slice(exponent)
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ',')
  return /[1-9]/.test(fraction) ? `${grouped}.${fraction}` : grouped
}

function exponentText(decimal: Decimal): string {
  const { digits, exponent } = decimal.rounded(5)
  const fraction = digits.slice(1)
  const power = String(exponent - 1).padStart(2, '0')
  return `${digits[0]}${fraction === '' ? '' : `.${fraction}`}e+${power}`
}
