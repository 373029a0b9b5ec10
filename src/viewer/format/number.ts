/**
 * Numbers as people read them: three significant digits, fixed, so that a value that moves does not
 * change its width. A quantity is a pair of number and unit, because the unit is set one shade
 * lighter.
 */
import { unitSymbol } from '../../model/text/unit.ts'

export type Quantity = readonly [number: string, unit: string]

export const NO_VALUE = '–'
const MINUS = '\u2212'
export const NO_BREAK_SPACE = '\u00a0'
const THIN_NO_BREAK_SPACE = '\u202f'

const SI = ['', 'k', 'M', 'G', 'T', 'P', 'E']
const IEC = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB']
const TIMES = [
  ['h', 3600],
  ['min', 60],
  ['s', 1],
  ['ms', 1e-3],
  ['µs', 1e-6],
  ['ns', 1e-9],
] as const

/** Seconds per time unit, by every spelling that senders use. */
const SECONDS_PER: Readonly<Record<string, number>> = {
  ns: 1e-9,
  nanoseconds: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  microseconds: 1e-6,
  ms: 1e-3,
  milliseconds: 1e-3,
  s: 1,
  seconds: 1,
  sec: 1,
  min: 60,
  minutes: 60,
  h: 3600,
  hours: 3600,
  days: 86_400,
}
/** Bytes per unit; a megabyte of .NET and of disks is a million of them. */
const BYTES_PER: Readonly<Record<string, number>> = {
  ...{ B: 1, bytes: 1, byte: 1, kB: 1e3, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 },
  ...{ KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 },
}
/** Units that take prefixes, with one or without. */
const PREFIXED = /^([TGMkmµun]?)(Hz|W|V|A|J|bit)$/
const PREFIXES = [
  ['T', 1e12],
  ['G', 1e9],
  ['M', 1e6],
  ['k', 1e3],
  ['', 1],
  ['m', 1e-3],
  ['µ', 1e-6],
  ['n', 1e-9],
] as const
/** Words for things that are counted, as `requests`: too long for a symbol. */
const NOUN = /^[A-Za-z]{4,}$/
const NO_UNITS: ReadonlySet<string> = new Set(['', 'count'])

const SIGNIFICANT = 3
/** Most digits that values are told apart by: more, and the roundings of doubles show. */
const MOST_SIGNIFICANT = 15
/** Number from which on a value rounds up to the next prefix: 999.5 is shown as 1.00 k. */
const NEXT_PREFIX = 999.5
/** Smaller values than this are written with an exponent. */
const SMALLEST_FIXED = 1e-6
/** Number from which on it does, too: more digits than a double has are not worth their width. */
const LARGEST_FIXED = 1e15

interface ParsedUnit {
  readonly base: string
  /** Time that a rate is stated per, with its slash. */
  readonly tail: string
  /** Number of `base` in one of the unit. */
  readonly factor: number
  readonly sort: 'plain' | 'bytes' | 'time' | 'prefixed' | 'noun' | 'other'
}

/** Times that rates are stated per, as rate.ts writes them. */
const TAIL = /\/(?:s|min|h|[\d.]+ s)$/

/** Splits `B/s` into bytes and the rate's tail; a time per second is kept as it is written. */
export function parseUnit(unit: string): ParsedUnit {
  const tail = TAIL.exec(unit)?.[0] ?? ''
  const isRate = tail !== ''
  const base = unitSymbol(isRate ? unit.slice(0, -tail.length) : unit)
  if (NO_UNITS.has(base)) return { base: '', tail, factor: 1, sort: 'plain' }
  if (Object.hasOwn(BYTES_PER, base)) {
    return { base: 'B', tail, factor: BYTES_PER[base]!, sort: 'bytes' }
  }
  if (Object.hasOwn(SECONDS_PER, base) && !isRate) return { base, tail, factor: 1, sort: 'time' }
  const [, prefix, symbol] = PREFIXED.exec(base) ?? []
  if (symbol !== undefined) {
    return { base: symbol, tail, factor: factorOf(prefix!), sort: 'prefixed' }
  }
  return { base, tail, factor: 1, sort: NOUN.test(base) ? 'noun' : 'other' }
}

/**
 * @param unit '', '/s', 'B', 'B/min', '%', 'ns' to 's', or any text, which is kept as it is
 * @param like number whose prefix is taken, where several are to have the same
 * @param significant digits, see {@link digitsApart}
 */
export function format(
  value: number | null | undefined,
  unit = '',
  like: number | undefined = value ?? undefined,
  significant = SIGNIFICANT,
): Quantity {
  if (value === null || value === undefined || Number.isNaN(value)) return [NO_VALUE, '']
  if (!Number.isFinite(value)) return [value > 0 ? '∞' : `${MINUS}∞`, '']
  const { base, tail, factor, sort } = parseUnit(unit)
  const size = Math.abs(like ?? value)
  const write = (number: number): string => digits(number, significant)
  if (sort === 'time') return formatTime(value, base, size, write)
  if (sort === 'other') return [write(value), base + tail]
  if (sort === 'prefixed') return formatPrefixed(value * factor, base + tail, size * factor, write)
  const isWhole = Number.isInteger(value) && tail === '' && size < 1000
  if (sort === 'plain') {
    const [number, prefix] = scale(value, 1000, SI, size)
    return [isWhole ? withMinus(String(value)) : write(number), prefix + tail]
  }
  if (sort === 'noun') {
    const [number, prefix] = scale(value, 1000, SI, size)
    const words = prefix === '' ? base : prefix + NO_BREAK_SPACE + base
    return [isWhole ? withMinus(String(value)) : write(number), words + tail]
  }
  const bytes = value * factor
  const [number, name] = scale(bytes, 1024, IEC, size * factor)
  const isExact = isWhole && name === IEC[0]
  return [isExact ? withMinus(String(bytes)) : write(number), name + tail]
}

function factorOf(prefix: string): number {
  return PREFIXES.find(([name]) => name === (prefix === 'u' ? 'µ' : prefix))![1]
}

/** Writer of a number without its unit. */
type Write = (number: number) => string

function formatPrefixed(value: number, unit: string, size: number, write: Write): Quantity {
  if (size === 0) return ['0', unit]
  const last = PREFIXES.at(-1)!
  // A little below a prefix already rounds to 1.00 of it.
  const [name, factor] = PREFIXES.find(([, each]) => size >= each * 0.9995) ?? last
  return [write(value / factor), name + unit]
}

function formatTime(value: number, unit: string, size: number, write: Write): Quantity {
  const per = SECONDS_PER[unit]!
  if (size === 0) return ['0', TIMES.find(([, factor]) => factor === per)?.[0] ?? unit]
  for (const [name, factor] of TIMES) {
    // A little below the unit already rounds to 1.00 of it.
    if (size * per >= factor * 0.9995) return [write((value * per) / factor), name]
  }
  return [write((value * per) / 1e-9), 'ns']
}

function scale(
  value: number,
  base: number,
  names: readonly string[],
  size: number,
): [number, string] {
  let rest = size
  let power = 0
  while (rest >= NEXT_PREFIX && power < names.length - 1) {
    rest /= base
    power += 1
  }
  // Beyond the last prefix the exponent says it all: no `1.00e64 E`.
  return rest >= NEXT_PREFIX ? [value, names[0]!] : [value / base ** power, names[power]!]
}

/** Writes three significant digits, zeros kept: 12 is `12.0`, 0.5 is `0.500`; zero is `0`. */
export function digits(value: number, significant = SIGNIFICANT): string {
  if (value === 0) return '0'
  const rounded = Math.abs(Number(value.toPrecision(significant)))
  if (rounded < SMALLEST_FIXED || rounded >= LARGEST_FIXED) {
    return withMinus(value.toExponential(significant - 1).replace('e+', 'e'))
  }
  const decimals = Math.max(0, significant - 1 - Math.floor(Math.log10(rounded)))
  return withMinus(value.toFixed(decimals))
}

/**
 * Counts the digits with which values of one unit are told apart: three, and more where all are so
 * near to each other that their span would not be seen.
 */
export function digitsApart(values: readonly number[]): number {
  const known = values.filter(Number.isFinite)
  const span = Math.max(...known) - Math.min(...known)
  if (!(span > 0)) return SIGNIFICANT
  const largest = Math.max(...known.map(Math.abs))
  const needed = Math.floor(Math.log10(largest)) - Math.floor(Math.log10(span)) + 1
  return Math.min(MOST_SIGNIFICANT, Math.max(SIGNIFICANT, needed))
}

function withMinus(number: string): string {
  return number.replaceAll('-', MINUS)
}

/** Writes number and unit in one text, with a no-break space between them. */
export function text(
  value: number | null | undefined,
  unit?: string,
  significant?: number,
): string {
  return join(format(value, unit, undefined, significant))
}

export function join([number, unit]: Quantity): string {
  return unit === '' ? number : number + NO_BREAK_SPACE + unit
}

/**
 * Writes a label of an axis, which is a round number: no forced zeros (`10 ms`, not `10.0 ms`).
 * `/s` is left out of plain rates, but not where the rest would be another unit, as `m` of `m/s`.
 */
export function axisText(
  value: number,
  unit = '',
  like = value,
  significant = SIGNIFICANT,
): string {
  const [number, name] = format(value, unit, like, significant)
  const { base, tail } = parseUnit(unit)
  if (base === '' && value === 0) return number
  return join([roundNumber(number), base === '' ? name.slice(0, name.length - tail.length) : name])
}

/**
 * Writes the labels of one axis alike: all have the prefix of the largest, `0.5 MiB` below `1 MiB`,
 * but for those of a logarithmic one, which ends far from where it begins. Where one of them does
 * not fit with what its rate is stated per, bytes are without that, as plain rates are; where that
 * does not fit or would be another unit, all are numbers with prefixes and without a unit, which
 * the values beside the axis have. Labels that would read alike have more digits; where those do
 * not fit, all but the least say how far they are above that one: `+2.5 k`.
 */
export function axisTexts(
  values: readonly number[],
  unit: string,
  isFitting: (text: string) => boolean,
  isLogarithmic = false,
): readonly string[] {
  const distinct = new Set(values).size
  const isApart = (texts: readonly string[]): boolean => new Set(texts).size === distinct
  const write = (significant: number): readonly string[] =>
    alikeTexts(values, unit, isFitting, { isLogarithmic, significant })
  const few = write(SIGNIFICANT)
  if (isApart(few)) return few
  for (let significant = SIGNIFICANT + 1; significant < MOST_SIGNIFICANT; significant += 1) {
    const more = write(significant)
    // Labels are round numbers: one that further digits would change is not whole yet.
    if (!isApart(more) || more.join() !== write(MOST_SIGNIFICANT).join()) continue
    return more.every(isFitting) ? more : offsetTexts(values, unit, isFitting)
  }
  return offsetTexts(values, unit, isFitting)
}

/**
 * Writes the least of several labels, with as many digits as fit, and others as more than it: `≈`
 * says that it has more.
 */
function offsetTexts(
  values: readonly number[],
  unit: string,
  isFitting: (text: string) => boolean,
): readonly string[] {
  const least = Math.min(...values)
  const offsets = values.map((value) => value - least)
  const manner = { isLogarithmic: false, significant: SIGNIFICANT }
  const texts = alikeTexts(offsets, unit, (words) => isFitting(`+${words}`), manner)
  const write = (significant: number): string =>
    alikeTexts([least], unit, isFitting, { ...manner, significant })[0]!
  let significant = MOST_SIGNIFICANT
  while (significant > SIGNIFICANT && !isFitting(write(significant))) significant -= 1
  const isWhole = write(significant) === write(MOST_SIGNIFICANT)
  const base = `${isWhole ? '' : '≈'}${write(significant)}`
  return texts.map((words, i) => (values[i] === least ? base : `+${words}`))
}

interface Manner {
  readonly isLogarithmic: boolean
  readonly significant: number
}

function alikeTexts(
  values: readonly number[],
  unit: string,
  isFitting: (text: string) => boolean,
  { isLogarithmic, significant }: Manner,
): readonly string[] {
  const largest = Math.max(...values.map(Math.abs))
  const likeOf = (value: number): number => (isLogarithmic ? value : largest)
  const texts = values.map((value) => axisText(value, unit, likeOf(value), significant))
  const { base, tail, sort } = parseUnit(unit)
  if (base === '' || tail === '' || texts.every(isFitting)) return texts
  const bytes = sort === 'bytes' ? texts.map((words) => words.slice(0, -tail.length)) : []
  if (bytes.length > 0 && bytes.every(isFitting)) return bytes
  return values.map((value) => {
    const [number, name] = format(value, unit, likeOf(value), significant)
    const prefix = value === 0 ? '' : name.slice(0, -(base + tail).length).trimEnd()
    return join([roundNumber(number), prefix])
  })
}

function roundNumber(number: string): string {
  const isFixed = number.includes('.') && !number.includes('e')
  return isFixed ? number.replace(/\.?0+$/, '') : number.replace(/\.?0+e/, 'e')
}

/**
 * Writes exact counts, grouped by thin spaces: 8 412 334. Integers beyond 2^53 come as text or
 * bigint.
 */
export function exact(count: number | bigint | string): string {
  const number = typeof count === 'number' ? Math.round(count).toString() : count.toString()
  return withMinus(number.replace('e+', 'e').replace(/\B(?=(\d{3})+$)/g, THIN_NO_BREAK_SPACE))
}

/** Writes a total: exact, with what it has of a fraction, to thousandths. */
export function totalText(total: number | bigint | string): string {
  if (typeof total !== 'number' || Number.isInteger(total)) return exact(total)
  const [whole = '0', fraction = ''] = total
    .toFixed(3)
    .replace(/\.?0+$/, '')
    .split('.')
  return fraction === '' ? exact(whole) : `${exact(whole)}.${fraction}`
}

/** Significant digits of a value that stands for itself. */
const ALONE_SIGNIFICANT = 6

/** Writes a value that stands for itself: whole ones exactly, others with six digits. */
export function ownText(value: number, unit = ''): string {
  if (!Number.isFinite(value)) return text(value, unit)
  if (Number.isSafeInteger(value)) return join([exact(value), unit])
  return allDigits(Number(value.toPrecision(ALONE_SIGNIFICANT)), unit)
}

/** Writes all digits, for hover and copy. */
export function allDigits(value: number, unit: string): string {
  if (Number.isNaN(value)) return 'no value'
  return join([withMinus(String(value)), unit])
}

/** Writes `4.1×` from 2 up and `+12 %` below; `from 0` where usual is nothing. */
export function changeText(ratio: number): string {
  if (ratio === Number.POSITIVE_INFINITY) return 'from 0'
  if (!(ratio >= 0)) return NO_VALUE
  // 1.995 would be shown as 2.0 by the rounding of the factor.
  if (ratio >= 1.995) return `${ratio >= 1000 ? text(ratio) : digits(ratio, 2)}×`
  const percent = Math.round((ratio - 1) * 100)
  if (percent === 0) return `0${NO_BREAK_SPACE}%`
  return `${percent > 0 ? '+' : MINUS}${Math.abs(percent)}${NO_BREAK_SPACE}%`
}

/** Says an amount of something: `1 frame`, `1 200 frames`. */
export function counted(one: string, many = `${one}s`): (amount: Counted) => string {
  return (amount) =>
    `${exact(amount === true ? 1 : amount || 0)} ${Number(amount) === 1 ? one : many}`
}

type Counted = number | string | boolean
