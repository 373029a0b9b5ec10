/**
 * From the model to Stats Hero lines (§7.5): one cell of one series becomes no, one or many lines.
 * What the protocol cannot say exactly is counted, never silent.
 */
import {
  addToSummary,
  type Bounds,
  bucketIndex,
  type Cell,
  EMPTY_SUMMARY,
  type Exact,
  Histogram,
  hashBytes,
  type Identity,
  identityKey,
  isInteger,
  type Kind,
  lowerBound,
  summaryMean,
  upperBound,
} from '../../model/index.ts'
import type { Profile } from '../decoder.ts'
import { type Line, roundHalfAway } from './codec/encode.ts'
import { WEIGHT_MAX } from './spec.ts'

export interface EmitMapping {
  readonly profile: Profile
  /** `mr` sends totals, which survive lost datagrams; the real server ignores them. */
  readonly counterAs: 'm' | 'mr'
  /** `repeat` writes plain lines, for receivers that drop sample rates as the real server does. */
  readonly histogramAs: 'rate' | 'repeat'
}

/** Change to values or observations on their way out, or their loss; counted by how many. */
type EmitNote = 'rounded' | 'not_finite' | 'negative' | 'repeat_limit'

/** Plain lines that one histogram cell may become. */
const REPEAT_LIMIT = 1000

interface Output {
  line(line: Line): void
  note(code: EmitNote, count: number): void
}

/**
 * Says a cell in lines.
 * @param key as {@link emitKey} gives it
 * @param total of the counter since it began, for `counterAs: 'mr'`
 */
export function cellLines(
  key: string,
  cell: Cell,
  total: Exact | undefined,
  mapping: EmitMapping,
  output: Output,
): void {
  switch (cell.kind) {
    case 'counter':
      if (mapping.counterAs === 'm') {
        const value = wholeOf(cell.delta, mapping, output)
        if (value) output.line({ key, value, type: 'm' })
      } else if (total !== undefined) {
        const value = wholeOf(total, mapping, output)
        if (value !== undefined) output.line({ key, value, type: 'mr' })
      }
      return
    case 'gauge':
      gaugeLine(key, cell.value, mapping, output)
      return
    case 'histogram':
      histogramLines(key, cell.histogram, mapping, output)
      return
    case 'summary':
      gaugeLine(`${key}.mean`, summaryMean(cell.summary), mapping, output)
  }
}

function gaugeLine(key: string, gauge: Exact, mapping: EmitMapping, output: Output): void {
  const value = wholeOf(gauge, mapping, output)
  if (value !== undefined) output.line({ key, value, type: 'g' })
}

/** Finds the integer that is sent for a value; undefined, and counted, where there is none. */
function wholeOf(value: Exact, mapping: EmitMapping, output: Output): Exact | undefined {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    output.note('not_finite', 1)
    return undefined
  }
  const whole = typeof value === 'bigint' || isInteger(value) ? value : roundHalfAway(value)
  if (mapping.profile === 'document' && whole < 0) {
    output.note('negative', 1)
    return undefined
  }
  if (whole !== value) output.note('rounded', 1)
  return sendable(whole)
}

/** Gives a number for the wire: one beyond 2^53 - 1 travels as bigint. */
function sendable(integer: Exact): Exact {
  return typeof integer === 'number' && !Number.isSafeInteger(integer) ? BigInt(integer) : integer
}

/** Writes a histogram as values ascending, each with its count. */
function histogramLines(
  key: string,
  histogram: Histogram,
  mapping: EmitMapping,
  output: Output,
): void {
  const runs = histogramRuns(histogram)
  const isDocument = mapping.profile === 'document'
  const sayable = runs.filter(([value]) => !isDocument || value >= 0)
  const negatives = runs.length === sayable.length ? 0n : total(runs) - total(sayable)
  if (negatives > 0n) output.note('negative', Number(negatives))
  if (mapping.histogramAs === 'repeat') repeatedLines(key, sayable, output)
  else for (const [value, count] of sayable) weightedLines(key, value, count, output)
}

/** Values, each with how often it was observed. */
type Run = readonly [value: Exact, count: bigint]

/** Lists a histogram's buckets, ascending, each as the integer that stands for it. */
export function histogramRuns(histogram: Histogram): Run[] {
  const { bounds, scale } = histogram
  const runs: Run[] = []
  histogram.negative.forEach((i, count) => {
    runs.push([limitTo(histogram, integerOfNegative(i, scale)), count])
  })
  runs.reverse()
  if (histogram.zeroCount > 0n) runs.push([0, histogram.zeroCount])
  histogram.positive.forEach((i, count) => {
    const value = bounds === undefined ? integerOfPositive(i, scale) : integerBetween(bounds, i)
    runs.push([limitTo(histogram, value), count])
  })
  if (histogram.overflow > 0n) {
    const least = limitTo(histogram, Math.ceil(histogram.overflowFrom))
    runs.push([least, histogram.overflow])
  }
  return runs
}

/**
 * Writes `key:V|h|@1/c`; a receiver takes weights up to 1e9, so a larger count makes several lines.
 */
function weightedLines(key: string, value: Exact, count: bigint, output: Output): void {
  for (let rest = count; rest > 0n; ) {
    const weight = rest > BigInt(WEIGHT_MAX) ? WEIGHT_MAX : Number(rest)
    output.line({ key, value, type: 'h', sampleRate: 1 / weight })
    rest -= BigInt(weight)
  }
}

/** Writes plain lines; above the limit every run keeps its share of them. */
function repeatedLines(key: string, runs: readonly Run[], output: Output): void {
  const all = total(runs)
  const limit = all > BigInt(REPEAT_LIMIT) ? BigInt(REPEAT_LIMIT) : all
  if (limit < all) output.note('repeat_limit', Number(all - limit))
  let seen = 0n
  for (const [value, count] of runs) {
    const from = (seen * limit) / all
    seen += count
    for (let i = from; i < (seen * limit) / all; i++) output.line({ key, value, type: 'h' })
  }
}

function total(runs: readonly Run[]): bigint {
  return runs.reduce((sum, [, count]) => sum + count, 0n)
}

/** Finds the largest integer between two bounds, or the nearest; above the last, the least. */
function integerBetween(bounds: Bounds, index: number): Exact {
  const upper = bounds[index]
  if (upper === undefined) return sendable(Math.floor(bounds.at(-1) ?? 0) + 1)
  const lower = bounds[index - 1] ?? Number.NEGATIVE_INFINITY
  const size = Math.floor(upper)
  return sendable(size > lower ? size : roundHalfAway((lower + upper) / 2))
}

/** Finds the largest integer of (lower, upper], or the nearest where it holds none. */
function integerOfPositive(index: number, scale: number): Exact {
  const upper = Math.min(upperBound(index, scale), Number.MAX_VALUE)
  let size = Math.floor(upper)
  // a computed bound that is no power of two may lie one place beside the true one
  if (size >= 1 && bucketIndex(size, scale) > index) size = size > 2 ** 53 ? below(size) : size - 1
  else if (size < 2 ** 53 && bucketIndex(size + 1, scale) === index) size++
  return size >= 1 && bucketIndex(size, scale) === index ? sendable(size) : nearest(index, scale)
}

/** Finds the largest integer of [-upper, -lower), that is the one nearest to zero. */
function integerOfNegative(index: number, scale: number): Exact {
  const lower = Math.floor(Math.min(lowerBound(index, scale), Number.MAX_VALUE))
  if (lower >= 2 ** 53) return -(BigInt(lower) + 1n)
  let size = lower + 1
  if (size > 1 && bucketIndex(size - 1, scale) === index) size--
  else if (bucketIndex(size, scale) < index) size++
  return 0 - (bucketIndex(size, scale) === index ? size : nearest(index, scale))
}

/** Finds the next lower double, for integers beyond 2^53. */
function below(size: number): number {
  return size * (1 - 2 ** -53)
}

function nearest(index: number, scale: number): number {
  return roundHalfAway((lowerBound(index, scale) + upperBound(index, scale)) / 2)
}

/** Limits a value to the integers of [min, max], as far as these are known. */
function limitTo(histogram: Histogram, value: Exact): Exact {
  const low = ceil(histogram.min)
  const high = floor(histogram.max)
  if (low > high) return value
  if (value < low) return sendable(low)
  return value > high ? sendable(high) : value
}

function ceil(value: Exact): Exact {
  return typeof value === 'bigint' ? value : Math.ceil(value)
}

function floor(value: Exact): Exact {
  return typeof value === 'bigint' ? value : Math.floor(value)
}

/** Writes the line by which a value of 1 leaves for another server. */
export function exampleLine(identity: Identity, mapping: Partial<EmitMapping>): string {
  const whole: EmitMapping = {
    ...{ profile: 'document', counterAs: 'm', histogramAs: 'rate' },
    ...mapping,
    ...(identity.qualifier?.[1] === 'mr' ? { counterAs: 'mr' } : {}),
  }
  let text = ''
  const line = ({ key, value, type }: Line): void => {
    text = `${key}:${value}|${type}`
  }
  cellLines(emitKey(identity, whole.profile), oneOf(identity.kind), 1, whole, { line, note() {} })
  return text
}

/** Makes a cell of one increment, value or observation of 1. */
function oneOf(kind: Kind): Cell {
  switch (kind) {
    case 'counter':
      return { kind, delta: 1 }
    case 'gauge':
      return { kind, value: 1, at: 0 }
    case 'histogram': {
      const histogram = new Histogram()
      histogram.record(1)
      return { kind, histogram }
    }
    case 'summary':
      return { kind, summary: addToSummary(EMPTY_SUMMARY, 1) }
  }
}

/**
 * Makes the key of a series: its name, then `.label.value` by label. Components keep letters,
 * digits, `_` and `-` (document: letters and digits); one more component tells apart what cleaning
 * made equal.
 */
export function emitKey(identity: Identity, profile: Profile): string {
  const name = identity.name.split('.')
  const components = [...name, ...identity.labels.flat()]
  const cleaned = components.map((part) => cleanPart(part, profile))
  const isSame =
    identity.nameBytes === undefined && cleaned.every((part, i) => part === components[i])
  if (isSame) return cleaned.join('.')
  const raw = identityKey(identity)
  const hash = (hashBytes(raw, 0, raw.length) >>> 0).toString(16).padStart(8, '0')
  return `${cleaned.join('.')}.${hash}`
}

function cleanPart(part: string, profile: Profile): string {
  if (profile === 'document') return part.replace(/[^A-Za-z0-9]/g, '') || 'x'
  return part.replace(/[^A-Za-z0-9_-]/gu, '_') || '_'
}
