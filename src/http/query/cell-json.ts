/** Cells as the API's JSON (api.ts), shared by the range answer and the live stream; pure. */
import {
  canonicalMean,
  type Exact,
  exactToJson,
  type Histogram,
  type Summary,
  summaryDeviation,
} from '../../model/index.ts'
import type { ExactJson, HistogramCellJson, SummaryCellJson } from '../api.ts'

/** A heat map needs no more than four rows per octave. */
const CELL_SCALE_MAX = 2

/**
 * Writes a number as JSON text. An infinite one is written as a literal beyond the range of
 * doubles, which parsers read as infinity; NaN becomes null.
 */
export function numberJson(value: number): string {
  if (Number.isFinite(value)) return String(value)
  if (Number.isNaN(value)) return 'null'
  return value > 0 ? '1e999' : '-1e999'
}

/** Writes a counter's increment: a number where JSON keeps it, otherwise decimal text. */
export function deltaJson(delta: Exact): string {
  return typeof delta === 'bigint' ? `"${delta}"` : numberJson(delta)
}

/** Gives null for NaN, which stands for "not known". */
function known(value: Exact | undefined): number | null {
  const number = Number(value)
  return Number.isFinite(number) ? number : null
}

export function knownExact(value: Exact | undefined): ExactJson | null {
  return value === undefined || !(Math.abs(Number(value)) <= Number.MAX_VALUE)
    ? null
    : exactToJson(value)
}

/** Gives null for what is not known; an infinite value is one. */
export function currentExact(value: Exact | undefined): ExactJson | null {
  return value === undefined || Number.isNaN(value) ? null : exactToJson(value)
}

/** Writes JSON whose infinite numbers are as {@link numberJson} has them; NaN is null. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    each === Number.POSITIVE_INFINITY || each === Number.NEGATIVE_INFINITY
      ? rawJSON(numberJson(each))
      : each,
  )
}

/** Function of Node that TypeScript does not know yet. */
const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): object }

export function histogramCell(histogram: Histogram): HistogramCellJson {
  const { bounds } = histogram
  const scale = bounds === undefined ? Math.min(histogram.scale, CELL_SCALE_MAX) : 0
  const { positive } = histogram.atScale(scale)
  const [low, high] = positive.span() ?? [0, -1]
  const held = positive.counts.subarray(low - positive.offset, high + 1 - positive.offset)
  const counts = high < low ? [] : Array.from(held, Number)
  return {
    count: Number(histogram.count),
    sum: known(histogram.sum),
    min: known(histogram.min),
    max: known(histogram.max),
    p50: histogram.quantile(0.5),
    p90: histogram.quantile(0.9),
    p99: histogram.quantile(0.99),
    scale,
    ...(bounds === undefined ? {} : { bounds }),
    offset: low,
    counts,
    zero: Number(histogram.zeroCount),
    negative: Number(histogram.negative.total()),
    ...(histogram.zeroThreshold === 0 ? {} : { zeroTo: histogram.zeroThreshold }),
    ...(histogram.overflow === 0n
      ? {}
      : { overflow: { from: histogram.overflowFrom, count: Number(histogram.overflow) } }),
  }
}

export function summaryCell(summary: Summary): SummaryCellJson {
  return {
    count: summary.count,
    mean: summary.mean,
    deviation: summaryDeviation(summary),
    min: known(summary.min),
    max: known(summary.max),
  }
}

/** Makes a summary since the series began; `sum` is what was added up, not mean * count. */
export function summaryStatistics(summary: Summary, sum: number) {
  return {
    count: summary.count,
    sum: summary.count === 0 ? null : known(sum),
    min: known(summary.min),
    max: known(summary.max),
    mean: summary.count === 0 ? null : summary.mean,
    stddev: summary.count === 0 ? null : summaryDeviation(summary),
  }
}

/** Makes the distribution since the series began, under Dropwizard's field names. */
export function histogramStatistics(histogram: Histogram) {
  const quantile = (q: number): number | null => known(histogram.quantile(q))
  return {
    count: exactToJson(
      histogram.count <= 9007199254740991n ? Number(histogram.count) : histogram.count,
    ),
    sum: knownExact(histogram.sum),
    min: knownExact(histogram.min),
    max: knownExact(histogram.max),
    mean: known(canonicalMean(histogram)),
    stddev: known(histogram.deviation()),
    median: quantile(0.5),
    p75: quantile(0.75),
    p95: quantile(0.95),
    p98: quantile(0.98),
    p99: quantile(0.99),
    p999: quantile(0.999),
    ...(histogram.bounds === undefined
      ? { relativeError: 2 ** (2 ** -histogram.scale) - 1 }
      : { bounds: histogram.bounds }),
  }
}
