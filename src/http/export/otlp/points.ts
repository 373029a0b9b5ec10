/** The points of a metric, made from totals or from what an interval brought. */
import type { HistogramRules, OtlpRules, Temporality } from '../../../dialects/export-rules.ts'
import { exportedSum } from '../../../exposition/distribution.ts'
import { exponentialBuckets } from '../../../exposition/exponential.ts'
import { beganMs, isDecrements, type SeriesRecord, type Total } from '../../../hub/series/record.ts'
import type { HubView } from '../../../hub/view.ts'
import type { Exact, Histogram } from '../../../model/index.ts'
import { isInteger, summaryMean } from '../../../model/index.ts'
import type { OpenDelta } from './deltas.ts'
import { explicitBuckets, momentsOf } from './histogram-points.ts'
import type { OtlpGroup, OtlpRow } from './layout.ts'
import type {
  ExplicitPoint,
  ExponentialPoint,
  MetricBody,
  NumberPoint,
  SummaryPoint,
} from './metric.ts'

/** Values that lost something on the way into the format. */
export type Inexact = 'above_int64' | 'overflow_folded'

export interface PointContext {
  readonly view: HubView
  readonly timeMs: number
  /** Sums that are estimates are said, too. */
  readonly estimatedSum: boolean
  noteInexact(what: Inexact): void
}

const INT64_MAX = 0x7fff_ffff_ffff_ffffn
const INT64_MIN = -0x8000_0000_0000_0000n
const NO_RULES: OtlpRules = {}
const NO_HISTOGRAM_RULES: HistogramRules = {}

/** Reading of a row: an interval's cell, or the total. */
interface Reading {
  readonly row: OtlpRow
  readonly total: Total
  readonly startMs: number
}

function rulesOf({ metadata }: SeriesRecord, { view }: PointContext): OtlpRules {
  return view.exportRules(metadata.dialect).otlp ?? NO_RULES
}

/** @param deltaOf what the interval brought to a series; undefined for totals */
export function bodyOf(
  { kind, rows }: OtlpGroup,
  context: PointContext,
  deltaOf?: (record: SeriesRecord) => OpenDelta | undefined,
): MetricBody {
  const temporality: Temporality = deltaOf === undefined ? 'cumulative' : 'delta'
  const readings = rows.flatMap((row) => readingOf(row, context, deltaOf))
  switch (kind) {
    case 'gauge':
      return { kind, points: readings.flatMap((each) => gaugePoint(each, context)) }
    case 'sum':
      return { kind, temporality, points: readings.flatMap((each) => sumPoint(each, context)) }
    case 'summary':
      return { kind, points: readings.flatMap((each) => summaryPoint(each, context)) }
    case 'histogram': {
      const points = readings.map((each) => explicitPoint(each, context, temporality))
      return { kind, temporality, points }
    }
    case 'exponentialHistogram': {
      const points = readings.map((each) => exponentialPoint(each, context, temporality))
      return { kind, temporality, points }
    }
  }
}

function readingOf(
  row: OtlpRow,
  { view, timeMs }: PointContext,
  deltaOf?: (record: SeriesRecord) => OpenDelta | undefined,
): Reading[] {
  const { record } = row
  if (deltaOf !== undefined) {
    const delta = deltaOf(record)
    return delta === undefined ? [] : [{ row, total: delta.gain, startMs: delta.sinceMs }]
  }
  // a series that has left since the layout was made has no total any more
  if (view.series.get(record.id) === undefined) return []
  // of a gauge it is the value that says so
  if (view.isAway(record) && record.kind !== 'gauge') return []
  const startMs = beganMs(record)
  // Younger than the export: a start that moved later on would read as a reset, and count twice.
  if (startMs > timeMs && record.kind !== 'gauge') return []
  return [{ row, total: view.total(record), startMs }]
}

function sumPoint({ row, total, startMs }: Reading, context: PointContext): NumberPoint[] {
  if (total.kind !== 'counter') return []
  const { record, attributes } = row
  if (isDecrements(record) && Number(total.total) === 0) return []
  const times = { startMs: Math.min(startMs, context.timeMs), timeMs: context.timeMs }
  const mayBeInteger = rulesOf(record, context).integers !== 'none'
  return [{ attributes, ...times, ...numberOf(total.total, mayBeInteger, context) }]
}

function gaugePoint({ row, total }: Reading, context: PointContext): NumberPoint[] {
  const { record, attributes } = row
  if (total.kind === 'summary') {
    // an interval without samples has no mean
    if (total.last.count === 0) return []
    const value = summaryMean(total.last)
    return [{ attributes, timeMs: context.timeMs, value, isInteger: false }]
  }
  if (total.kind !== 'gauge') return []
  const { isTimed, integers } = rulesOf(record, context)
  const timeMs = isTimed ? record.lastDataMs : context.timeMs
  if (total.value === undefined || Number.isNaN(total.value)) {
    return isTimed ? [{ attributes, timeMs, value: undefined, isInteger: false }] : []
  }
  const mayBeInteger = integers === 'counters_and_gauges'
  return [{ attributes, timeMs, ...numberOf(total.value, mayBeInteger, context) }]
}

function numberOf(
  value: Exact,
  mayBeInteger: boolean,
  context: PointContext,
): Pick<NumberPoint, 'value' | 'isInteger'> {
  if (!mayBeInteger || !isInteger(value)) return { value: Number(value), isInteger: false }
  if (value <= INT64_MAX && value >= INT64_MIN) return { value, isInteger: true }
  context.noteInexact('above_int64')
  return { value, isInteger: false }
}

function summaryPoint({ row, total, startMs }: Reading, context: PointContext): SummaryPoint[] {
  if (total.kind !== 'summary') return []
  const { last, summary, sum } = total
  const isKnown = last.count > 0 && !Number.isNaN(last.min) && !Number.isNaN(last.max)
  return [
    {
      attributes: row.attributes,
      startMs,
      timeMs: context.timeMs,
      count: BigInt(summary.count),
      sum,
      // of the newest window, as the gauge is: those since the start say nothing any more
      quantiles: isKnown
        ? [
            [0, last.min],
            [1, last.max],
          ]
        : [],
    },
  ]
}

function distributionOf(
  { row, total, startMs }: Reading,
  { timeMs, estimatedSum }: PointContext,
  rules: HistogramRules,
  temporality: Temporality,
  shift: number,
) {
  const { record, attributes } = row
  const { histogram } = total as { histogram: Histogram }
  const hasSum = estimatedSum || (record.metadata.lacksSum !== true && histogram.sum !== undefined)
  const hasExtremes = temporality === 'delta' || !rules.hasExtremesOfDeltasOnly
  const moments = momentsOf(
    histogram,
    hasSum ? exportedSum(histogram) : undefined,
    hasExtremes,
    shift,
  )
  const times = { startMs: Math.min(startMs, timeMs), timeMs }
  return { histogram, point: { attributes, ...times, count: histogram.count, ...moments } }
}

function explicitPoint(
  reading: Reading,
  context: PointContext,
  temporality: Temporality,
): ExplicitPoint {
  const rules = rulesOf(reading.row.record, context).histogram ?? NO_HISTOGRAM_RULES
  const { histogram, point } = distributionOf(
    reading,
    context,
    rules,
    temporality,
    rules.shift ?? 0,
  )
  return { ...point, ...explicitBuckets(histogram, rules) }
}

function exponentialPoint(
  reading: Reading,
  context: PointContext,
  temporality: Temporality,
): ExponentialPoint {
  const rules = rulesOf(reading.row.record, context).histogram ?? NO_HISTOGRAM_RULES
  const { histogram, point } = distributionOf(reading, context, rules, temporality, 0)
  if (histogram.overflow > 0n) context.noteInexact('overflow_folded')
  return { ...point, ...exponentialBuckets(histogram) }
}
