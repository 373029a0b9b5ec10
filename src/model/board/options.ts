/**
 * What a viewer's options say (page, command line and URL alike). Every function returns
 * undefined for a usage error. Keys end at the last `=`, so that names may contain one.
 */
import { isWindow, type Window } from './sma.ts'

export interface YRange {
  readonly plot: string
  /** null = automatic. */
  readonly min: number | null
  readonly max: number | null
}

export interface TriggerOption {
  readonly key: string
  /** null = none. */
  readonly below: number | null
  readonly above: number | null
}

export type SmaOption = { readonly key: string } & Window

/** Plot that was chosen by hand for a line, by its name. */
export interface PlotOption {
  readonly name: string
  readonly plot: string
}

export interface SourceAddress {
  readonly host: string
  readonly port: number
}

const DEFAULT_SOURCE_PORT = 5001
/** Bounds of the viewer's controls; values outside are moved to the nearest. */
export const TIME_WINDOW_S = { min: 1, max: 600, standard: 10 } as const
export const CHART_COLUMNS = { min: 1, max: 10, standard: 2 } as const
/** Width of a chart by its height. */
export const CHART_ASPECT = { min: 1, max: 5, standard: 2 } as const

interface Bounds {
  readonly min: number
  readonly max: number
}

const COLORS: ReadonlyMap<string, string> = new Map([
  ['red', '#ff0000'],
  ['green', '#00ff00'],
  ['blue', '#0000ff'],
  ['yellow', '#ffff00'],
  ['cyan', '#00ffff'],
  ['magenta', '#ff00ff'],
  ['orange', '#ff6900'],
  ['white', '#ffffff'],
  ['black', '#000000'],
])

const NUMBER = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/

/** Reads a plain or exponent decimal, finite. */
export function parseNumber(text: string): number | undefined {
  if (!NUMBER.test(text)) return undefined
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

/** Reads a number, moved into the bounds. */
export function parseBounded(text: string, bounds: Bounds): number | undefined {
  const value = parseNumber(text)
  return value === undefined ? undefined : Math.min(Math.max(value, bounds.min), bounds.max)
}

/** Reads a whole number, moved into the bounds. */
export function parseBoundedCount(text: string, bounds: Bounds): number | undefined {
  return /^[+-]?[0-9]+$/.test(text) ? parseBounded(text, bounds) : undefined
}

/** Reads seconds, more than 0. */
export function parseSeconds(text: string): number | undefined {
  const value = parseNumber(text)
  return value !== undefined && value > 0 ? value : undefined
}

/**
 * Reads `PLOT=[MIN],[MAX]`.
 *
 * @example
 * import { parseYRange } from 'pentameter/scope'
 *
 * console.log(parseYRange('current=0,')) // { plot: 'current', min: 0, max: null }
 */
export function parseYRange(text: string): YRange | undefined {
  const parsed = parsePair(text)
  if (parsed === undefined) return undefined
  const { key: plot, first: min, second: max } = parsed
  return min !== null && max !== null && min >= max ? undefined : { plot, min, max }
}

/**
 * Reads `KEY=[BELOW],[ABOVE]`.
 *
 * @example
 * import { parseTrigger } from 'pentameter/scope'
 *
 * console.log(parseTrigger('motor=,9.5')) // { key: 'motor', below: null, above: 9.5 }
 */
export function parseTrigger(text: string): TriggerOption | undefined {
  const parsed = parsePair(text)
  return parsed && { key: parsed.key, below: parsed.first, above: parsed.second }
}

/**
 * Reads `KEY=SAMPLES`, 600,000 at most, or `KEY=SECONDSs`, 600 at most; 0 = off.
 *
 * @example
 * import { parseSma } from 'pentameter/scope'
 *
 * console.log(parseSma('current/motor=2s')) // { key: 'current/motor', seconds: 2 }
 */
export function parseSma(text: string): SmaOption | undefined {
  const parts = splitKey(text)
  if (parts === undefined) return undefined
  const { key, rest } = parts
  if (rest.endsWith('s')) {
    const seconds = parseNumber(rest.slice(0, -1)) ?? Number.NaN
    return isWindow({ seconds }) ? { key, seconds } : undefined
  }
  const samples = Number(rest)
  return /^\+?[0-9]+$/.test(rest) && isWindow({ samples }) ? { key, samples } : undefined
}

/**
 * Reads `METRIC=PLOT`: a plot that is chosen by hand; in PLOT `%3D` is `=`, and `%25` is `%`.
 *
 * @example
 * import { parsePlot } from 'pentameter/scope'
 *
 * console.log(parsePlot('motor=all motors')) // { name: 'motor', plot: 'all motors' }
 */
export function parsePlot(text: string): PlotOption | undefined {
  const parts = splitKey(text)
  if (parts === undefined) return undefined
  return { name: parts.key, plot: parts.rest.replaceAll('%3D', '=').replaceAll('%25', '%') }
}

/**
 * Reads `HOST`, `HOST:PORT`, `[V6]`, `[V6]:PORT` or a bare V6.
 *
 * @example
 * import { parseSource } from 'pentameter/scope'
 *
 * console.log(parseSource('plc1')) // { host: 'plc1', port: 5001 }
 */
export function parseSource(text: string): SourceAddress | undefined {
  const match = /^(?:\[([^[\]]*)\]|([^:[\]]*))(?::([0-9]{1,5}))?$/.exec(text)
  if (match === null) return isV6(text) ? { host: text, port: DEFAULT_SOURCE_PORT } : undefined
  const [, v6, name, digits] = match
  const port = digits === undefined ? DEFAULT_SOURCE_PORT : Number(digits)
  if (port < 1 || port > 65_535) return undefined
  if (v6 !== undefined) return isV6(v6) ? { host: v6, port } : undefined
  return name === undefined || name === '' || /\s/.test(name) ? undefined : { host: name, port }
}

/**
 * Tells whether a text has the form of an IPv6 address, with or without a zone; the resolver has
 * the last word.
 */
function isV6(text: string): boolean {
  if (!/^[0-9a-fA-F:.]*:[0-9a-fA-F:.]*(?:%[^\s%]+)?$/.test(text)) return false
  // Eight groups, the last two maybe as one IPv4 address, unless `::` stands for some.
  const groups = text.split(':').length
  return text.includes('::') || groups === 8 || (groups === 7 && text.includes('.'))
}

function splitKey(text: string): { key: string; rest: string } | undefined {
  const cut = text.lastIndexOf('=')
  return cut < 0 ? undefined : { key: text.slice(0, cut), rest: text.slice(cut + 1) }
}

/** Reads `KEY=[A],[B]`: either may be empty, the comma must be there. */
function parsePair(text: string) {
  const parts = splitKey(text)
  const numbers = parts?.rest.split(',')
  if (parts === undefined || numbers?.length !== 2) return undefined
  const [first, second] = numbers.map((each) => (each === '' ? null : parseNumber(each)))
  if (first === undefined || second === undefined) return undefined
  return { key: parts.key, first, second }
}

/**
 * Reads the colour that a metric's `color` label names, as `#rrggbb` in lower case: nine words in
 * lower case, `#RGB` and `#RRGGBB`. For all else the viewer takes an automatic colour and says so.
 *
 * @example
 * import { parseColor } from 'pentameter/scope'
 *
 * console.log(parseColor('orange'), parseColor('Orange')) // #ff6900 undefined
 */
export function parseColor(label: string): string | undefined {
  if (!label.startsWith('#')) return COLORS.get(label)
  if (!/^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(label)) return undefined
  const digits = label.slice(1).toLowerCase()
  return digits.length === 6 ? label.toLowerCase() : `#${digits.replace(/./g, '$&$&')}`
}
