/**
 * A cell is what one series did between two neighbouring boundaries. Cells of a kind form a
 * commutative monoid, so everything that aggregates (a session of T seconds, a roll-up over
 * workers, a coarser history) merges cells and nothing else. Histograms are one as long as they
 * have the same zero threshold (histogram.ts says what holds beyond), summaries within rounding.
 */
import { addExact, type Exact } from './exact.ts'
import { Histogram, mergeHistograms } from './histogram/histogram.ts'
import { EMPTY_SUMMARY, mergeSummaries, type Summary } from './summary.ts'

export interface CounterCell {
  readonly kind: 'counter'
  /** Increase in the interval, 0 or more. */
  readonly delta: Exact
}

export interface GaugeCell {
  readonly kind: 'gauge'
  readonly value: Exact
  /** Order of the write: the larger wins. Any clock or sequence, the same one within a hub. */
  readonly at: number
  /** Values that it went through, where more than `value` is known of the interval. */
  readonly spread?: GaugeSpread
}

/** Values that a gauge had in an interval, besides the last one; doubles, the nearest ones. */
export interface GaugeSpread {
  readonly first: number
  /** Order of the first write, as `at` is that of the last. */
  readonly firstAt: number
  readonly min: number
  readonly max: number
  /** Number of values that are known; each is between min and max. */
  readonly count: number
}

export interface HistogramCell {
  readonly kind: 'histogram'
  /** Histogram; read only once it is in a cell. */
  readonly histogram: Histogram
}

export interface SummaryCell {
  readonly kind: 'summary'
  readonly summary: Summary
}

export type Cell = CounterCell | GaugeCell | HistogramCell | SummaryCell
export type Kind = Cell['kind']
export const KINDS: readonly Kind[] = ['counter', 'gauge', 'histogram', 'summary']

/**
 * Gives the neutral element of a kind.
 *
 * @example
 * import { emptyCell } from 'pentameter/model'
 *
 * console.log(emptyCell('counter')) // { kind: 'counter', delta: 0 }
 */
export function emptyCell(kind: Kind): Cell {
  switch (kind) {
    case 'counter':
      return { kind, delta: 0 }
    case 'gauge':
      return { kind, value: Number.NaN, at: Number.NEGATIVE_INFINITY }
    case 'histogram':
      return { kind, histogram: new Histogram() }
    case 'summary':
      return { kind, summary: EMPTY_SUMMARY }
  }
}

/**
 * Adds two cells of one kind.
 * @throws {TypeError} when the kinds differ: a programmer's error
 *
 * @example
 * import { mergeCells } from 'pentameter/model'
 *
 * const sum = mergeCells({ kind: 'counter', delta: 2 }, { kind: 'counter', delta: 3 })
 * console.log(sum) // { kind: 'counter', delta: 5 }
 */
export function mergeCells(a: Cell, b: Cell): Cell {
  if (a.kind === 'counter' && b.kind === 'counter') {
    return { kind: 'counter', delta: addExact(a.delta, b.delta) }
  }
  if (a.kind === 'gauge' && b.kind === 'gauge') return mergeGauges(a, b)
  if (a.kind === 'histogram' && b.kind === 'histogram') {
    return { kind: 'histogram', histogram: mergeHistograms(a.histogram, b.histogram) }
  }
  if (a.kind === 'summary' && b.kind === 'summary') {
    return { kind: 'summary', summary: mergeSummaries(a.summary, b.summary) }
  }
  throw new TypeError(`cells of kind ${a.kind} and ${b.kind} do not merge`)
}

/** Takes the latest value, and of all that are known the first one, the least and the largest. */
function mergeGauges(a: GaugeCell, b: GaugeCell): GaugeCell {
  const { kind, value, at } = laterGauge(a, b)
  const spread = mergeSpreads(gaugeSpread(a), gaugeSpread(b))
  const isSingle = spread?.count === 1 && Object.is(spread.first, Number(value))
  return spread === undefined || isSingle ? { kind, value, at } : { kind, value, at, spread }
}

/** Gives the spread of a gauge's cell; undefined where no value is known. */
function gaugeSpread({ value, at, spread }: GaugeCell): GaugeSpread | undefined {
  if (spread !== undefined) return spread
  const first = Number(value)
  return Number.isNaN(first) ? undefined : { first, firstAt: at, min: first, max: first, count: 1 }
}

/**
 * Adds two spreads of one gauge; undefined is none.
 *
 * @example
 * import { mergeSpreads } from 'pentameter/model'
 *
 * const early = { first: 4, firstAt: 1, min: 4, max: 9, count: 3 }
 * const late = { first: 7, firstAt: 2, min: 2, max: 7, count: 2 }
 * console.log(mergeSpreads(late, early)) // { first: 4, firstAt: 1, min: 2, max: 9, count: 5 }
 */
export function mergeSpreads(
  a: GaugeSpread | undefined,
  b: GaugeSpread | undefined,
): GaugeSpread | undefined {
  if (a === undefined || b === undefined) return a ?? b
  const { first, firstAt } = isEarlier(a, b) ? a : b
  return {
    first,
    firstAt,
    min: Math.min(a.min, b.min),
    max: Math.max(a.max, b.max),
    count: a.count + b.count,
  }
}

/** Orders by the first write; at the same instant the smaller value, so that order is no matter. */
function isEarlier(a: GaugeSpread, b: GaugeSpread): boolean {
  if (a.firstAt !== b.firstAt) return a.firstAt < b.firstAt
  return a.first === b.first ? Object.is(a.first, -0) : a.first < b.first
}

/**
 * Takes the latest; at the same instant the larger value, so that the order of merging is no
 * matter.
 */
function laterGauge(a: GaugeCell, b: GaugeCell): GaugeCell {
  if (a.at !== b.at) return a.at > b.at ? a : b
  if (a.value === b.value) return Object.is(a.value, -0) ? b : a
  return a.value > b.value || Number.isNaN(b.value) ? a : b
}
