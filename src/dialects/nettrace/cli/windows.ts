/**
 * Readings of a process as windows that viewers show: a meter's instruments in the labels of
 * dotnet-counters, each quantile of a histogram as a value with the tag `Percentile`.
 */
import type { FeedWindow } from '../../command-line.ts'
import type { NetTraceEvent } from '../codec/event.ts'
import type { Reading } from '../map.ts'

/** Tag that dotnet-counters adds to a quantile's value. */
const QUANTILE_TAG = 'Percentile'
/** Fields of an event with a value, of which an empty one is no measurement. */
const VALUE_FIELDS = ['rate', 'value', 'lastValue', 'quantiles'] as const

type Statistics = FeedWindow['statistics']

/**
 * Makes windows of a reading: one, none where an instrument has not measured anything, or one for
 * each quantile of a histogram.
 * @param intervalMs that was asked for, of instruments, which tell none
 */
export function windowsOf(
  reading: Reading,
  event: NetTraceEvent,
  timeMs: number,
  intervalMs: number,
): readonly FeedWindow[] {
  const { identity, values, displayName, unit, intervalSec, rateScaleSec } = reading
  const { provider, tags, instrument } = reading
  const isMeter = reading.sessionId !== undefined
  if (isMeter && hasNoValue(event)) return []
  const { meterTags = [], instrumentTags = [] } = instrument ?? {}
  const metaData = [...meterTags, ...instrumentTags, ...tags]
  const counter = {
    ...{ provider, name: identity.name, displayName, units: unit, metaData },
    rateScaleSec: rateScaleSec > 0 ? rateScaleSec : 0,
    ...(isMeter ? { hasTags: true, meterTags, instrumentTags } : {}),
  }
  const window = {
    counter,
    timeMs: Number.isNaN(timeMs) ? undefined : timeMs,
    seriesMs: isMeter ? intervalMs : knownOf(reading.seriesMs),
    intervalSec: isMeter ? intervalMs / 1000 : knownOf(intervalSec),
  }
  if (values.kind !== 'summary' || !isMeter) {
    return [{ ...window, statistics: statisticsOf(values) }]
  }
  return values.quantiles.map(([quantile, value]) => {
    // 0.07 * 100 is 7.000000000000001
    const percent = Number((quantile * 100).toPrecision(12))
    const tagged = [...metaData, [QUANTILE_TAG, String(percent)] as const]
    return { ...window, counter: { ...counter, metaData: tagged }, statistics: single(value) }
  })
}

function hasNoValue({ payload }: NetTraceEvent): boolean {
  const field = VALUE_FIELDS.find((name) => payload?.[name] !== undefined)
  return field === undefined || payload?.[field] === ''
}

function statisticsOf(values: Reading['values']): Statistics {
  if (values.kind === 'counter') {
    const { increment, total } = values
    return { kind: 'sum', increment, ...(Number.isNaN(total) ? {} : { total }) }
  }
  if (values.kind === 'gauge') return single(values.value)
  const { count, mean, deviation, min, max } = values
  return { kind: 'mean', count, mean, deviation, min, max }
}

function single(value: number): Statistics {
  return { kind: 'mean', count: 1, mean: value, deviation: 0, min: value, max: value }
}

function knownOf(number: number): number | undefined {
  return number > 0 && Number.isFinite(number) ? number : undefined
}
