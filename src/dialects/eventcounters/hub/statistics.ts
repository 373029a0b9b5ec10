/**
 * A window of a series of the hub as EventCounters say it: counters are Sum kinds, all others Mean
 * kinds (eventcounters.md §7.1, the other way round).
 */

import type { Frame } from '../../../hub/live/frame.ts'
import type { CounterRecord, SeriesRecord } from '../../../hub/series/record.ts'
import type { HubView } from '../../../hub/view.ts'
import { canonicalMean, type Exact, type Histogram, subtractExact } from '../../../model/index.ts'
import { EMPTY_MEAN, fromSummary, singleMean } from '../summary.ts'
import type { MeanStatistics, Statistics } from '../window.ts'

/**
 * Gives the window's statistics of the series; undefined for a gauge that has no value now, and
 * where nothing came because the peer that it comes from was not there.
 */
export function statisticsOf(
  record: SeriesRecord,
  frame: Frame,
  view: Pick<HubView, 'total' | 'wasAway'>,
): Statistics | undefined {
  const { endMs, seconds } = frame
  const row = frame.row(record.id, record.kind)
  if (row < 0 && view.wasAway(record.source, endMs - seconds * 1000, endMs)) return undefined
  switch (record.kind) {
    case 'counter':
      return { kind: 'sum', increment: incrementOf(record, frame) }
    case 'gauge':
      return gaugeStatistics(row < 0 ? heldValue(record, view) : frame.gaugeAt(row))
    case 'histogram':
      return row < 0 ? EMPTY_MEAN : histogramStatistics(frame.histogramAt(row))
    case 'summary':
      return row < 0 ? EMPTY_MEAN : fromSummary(frame.summaryAt(row))
  }
}

/** Gives the increment, net of the series' decrements. */
function incrementOf(record: CounterRecord, frame: Frame): number {
  const up = deltaOf(record.id, frame)
  return Number(
    record.decrements === undefined ? up : subtractExact(up, deltaOf(record.decrements.id, frame)),
  )
}

function deltaOf(id: number, frame: Frame): Exact {
  const row = frame.row(id, 'counter')
  return row < 0 ? 0 : frame.deltaAt(row)
}

/** Gives a gauge's value: one that was not written in the window still holds. */
function heldValue(record: SeriesRecord, view: Pick<HubView, 'total'>): Exact | undefined {
  const total = view.total(record)
  return total.kind === 'gauge' ? total.value : undefined
}

/** Gives the statistics of a gauge, as a PollingCounter's; infinities have no spelling. */
function gaugeStatistics(value: Exact | undefined): MeanStatistics | undefined {
  const mean = Number(value)
  if (!Number.isFinite(mean)) return undefined
  return singleMean(mean)
}

/**
 * Gives the statistics of a histogram: mean, min and max are exact where known; the deviation is an
 * estimate from the buckets.
 */
function histogramStatistics(histogram: Histogram): MeanStatistics {
  if (histogram.isEmpty) return EMPTY_MEAN
  const count = Number(histogram.count)
  const min = Number.isNaN(histogram.min) ? histogram.quantile(0) : Number(histogram.min)
  const max = Number.isNaN(histogram.max) ? histogram.quantile(1) : Number(histogram.max)
  return {
    kind: 'mean',
    count,
    mean: limited(canonicalMean(histogram), min, max),
    // the model's divisor is n - 1, that of an EventCounter n
    deviation: count < 2 ? 0 : histogram.deviation() * Math.sqrt((count - 1) / count),
    min,
    max,
  }
}

/** Limits a mean, whose sum may have left the doubles. */
function limited(mean: number, min: number, max: number): number {
  if (mean >= min) return mean <= max ? mean : max
  return min
}
