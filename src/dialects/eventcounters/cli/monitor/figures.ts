/**
 * The ways to read one window (eventcounters.md §7.2): `raw` as dotnet-counters shows it, `rate`
 * per the counter's own time scale, `minute` as the document's simple viewer, `second` and `hour`
 * likewise, `total` as the sender tells it, or as it has run up since the monitor began. A Mean
 * kind has one value, whichever way is asked for.
 */

import { rateSuffix } from '../../../../model/index.ts'
import type { FeedWindow } from '../../../command-line.ts'
import { consoleNumber, dotnetLabel, rateOf, ratePer } from '../../display.ts'
import type { CounterDescription } from '../../window.ts'

export const VALUE_VIEWS = ['raw', 'rate', 'second', 'minute', 'hour', 'total'] as const
export type ValueView = (typeof VALUE_VIEWS)[number]

/**
 * Figures of a window; undefined = no value: the mean of nothing, or a rate without a measured
 * length.
 */
export type Figures = Readonly<Record<ValueView, number | undefined>>

/** Seconds of the ways that say their time in the label. */
const SECONDS = { second: 1, minute: 60, hour: 3600 } as const
type TimedView = keyof typeof SECONDS

/** @param total of the series before this window */
export function figuresOf(window: FeedWindow, total = 0): Figures {
  const { statistics } = window
  if (statistics.kind === 'mean') {
    const value = finite(statistics.mean)
    return { raw: value, rate: value, second: value, minute: value, hour: value, total: value }
  }
  const { increment, total: told } = statistics
  const per = (seconds: number) => finite(ratePer(seconds, increment, window.intervalSec))
  return {
    raw: finite(increment),
    rate: finite(rateOf(window)?.value),
    second: per(SECONDS.second),
    minute: per(SECONDS.minute),
    hour: per(SECONDS.hour),
    // A negative increment is a reset of its source (eventcounters.md §7.1).
    total: told ?? (increment >= 0 && Number.isFinite(increment) ? total + increment : total),
  }
}

interface LabelledSeries {
  readonly counter: CounterDescription
  readonly isSum: boolean
  readonly seriesMs: number | undefined
}

/** Names a counter as its column does that shows a figure of this kind. */
export function labelOf(series: LabelledSeries, view: ValueView): string {
  const { counter, isSum, seriesMs } = series
  if (!isSum || view === 'raw') return dotnetLabel(counter, isSum ? 'sum' : 'mean', seriesMs)
  const name = counter.displayName || counter.name
  if (view in SECONDS) return name + rateSuffix(SECONDS[view as TimedView])
  const units = counter.units === '' || counter.units === 'count' ? 'Count' : counter.units
  if (view === 'total') return `${name} (${units})`
  return `${name} (${units} / ${scaleSec(counter.rateScaleSec)} sec)`
}

/** Writes `/s`, `/min`, `/h`: beside a rate whose scale no label says. */
export function scaleText(rateScaleSec: number): string {
  const sec = scaleSec(rateScaleSec)
  return SCALES.get(sec) ?? `/${sec}s`
}

const SCALES = new Map([
  [1, '/s'],
  [60, '/min'],
  [3600, '/h'],
])

function scaleSec(rateScaleSec: number): number {
  return rateScaleSec > 0 ? rateScaleSec : 1
}

interface NumberStyle {
  readonly isAbbreviated: boolean
  /** Columns: what is wider is abbreviated in any case. */
  readonly width: number
}

/** Digits behind the point, and the point: so that points stand below each other. */
const FRACTION_WIDTH = 4

/** Aligns a number with its point where all points are; `–` for no value. */
export function numberText(value: number | undefined, { isAbbreviated, width }: NumberStyle) {
  if (value === undefined || Number.isNaN(value)) return alignPoint('–')
  const text = consoleNumber(value, isAbbreviated)
  const aligned = alignPoint(text)
  if (aligned.length <= width) return aligned
  return text.length <= width ? text : alignPoint(consoleNumber(value, true))
}

function alignPoint(text: string): string {
  const point = text.indexOf('.')
  if (text.includes('e')) return `${text}${' '.repeat(FRACTION_WIDTH - 1)}`
  return text + ' '.repeat(point === -1 ? FRACTION_WIDTH : FRACTION_WIDTH - (text.length - point))
}

function finite(value: number | undefined): number | undefined {
  return Number.isFinite(value) ? value : undefined
}
