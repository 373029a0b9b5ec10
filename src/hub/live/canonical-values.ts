/**
 * One number per series for viewers that know numbers only: gauges as they are now, counters as the
 * rate of the last closed second (net of its decrements), distributions as the mean of that second.
 * Of series that come in windows it is the rate or mean of the newest window, whatever its length,
 * until the next one is overdue.
 */
import type { CanonicalSeries, SnapshotSource, Statistic } from '../../dialects/snapshot-source.ts'
import {
  canonicalMean,
  type Exact,
  type Histogram,
  incrementRate,
  MINUTE,
  subtractExact,
  summaryMean,
} from '../../model/index.ts'
import { type CounterRecord, isDecrements, type SeriesRecord } from '../series/record.ts'
import type { SeriesStore } from '../series/series.ts'
import type { Frame } from './frame.ts'
import type { Totals } from './totals.ts'

interface CanonicalOptions {
  /** Silence after which a gauge has no value. */
  readonly staleAfterMs: number
  readonly select: readonly Statistic[]
}

/** Windows that may be missed before the newest value is no longer shown. */
const OVERDUE_WINDOWS = 2
/** Length of a window that does not say its own: what clients of ours ask for. */
const UNKNOWN_WINDOW_S = 1

/** One place in the list of values. */
interface Entry {
  readonly record: SeriesRecord
  /** Statistic; undefined for the canonical value itself. */
  readonly statistic: Statistic | undefined
}

export class CanonicalValues implements SnapshotSource {
  readonly #store: SeriesStore
  readonly #totals: Totals
  readonly #nowMs: () => number
  readonly #options: CanonicalOptions
  #revision = -1
  #entries: Entry[] = []
  #series: CanonicalSeries[] = []
  /** Values of the last closed second, by place in the list; gauges are read anew. */
  #closed = new Float64Array(0)
  /** The last closed second while its values were not read, and the newest series then. */
  #unread: { readonly frame: Frame; readonly lastId: number } | undefined
  #hasReader = false

  constructor(store: SeriesStore, totals: Totals, nowMs: () => number, options: CanonicalOptions) {
    this.#store = store
    this.#totals = totals
    this.#nowMs = nowMs
    this.#options = options
  }

  get revision(): number {
    return this.#store.revision
  }

  list(): readonly CanonicalSeries[] {
    this.#refresh()
    return this.#series
  }

  read(target: Float64Array): void {
    this.#refresh()
    this.#hasReader = true
    this.#takeUnread()
    const staleBeforeMs = this.#nowMs() - this.#options.staleAfterMs
    for (let i = 0; i < this.#entries.length; i++) {
      const { record } = this.#entries[i]!
      if (record.kind !== 'gauge') target[i] = this.#closed[i]!
      else if (record.lastDataMs < staleBeforeMs) target[i] = Number.NaN
      else target[i] = Number(this.#totals.gauge(record) ?? Number.NaN)
    }
  }

  /** Takes the values of a closed second: at once, or when they are read if the last were not. */
  take(frame: Frame): void {
    this.#unread = { frame, lastId: this.#store.lastId }
    if (!this.#hasReader) return
    this.#hasReader = false
    this.#refresh()
    this.#takeUnread()
  }

  #takeUnread(): void {
    if (this.#unread === undefined) return
    const { frame, lastId } = this.#unread
    this.#unread = undefined
    for (let i = 0; i < this.#entries.length; i++) {
      const entry = this.#entries[i]!
      if (entry.record.id <= lastId) this.#closed[i] = closedValue(entry, frame)
    }
  }

  /** Follows the list of series; values of those that stay are kept. */
  #refresh(): void {
    if (this.#revision === this.#store.revision) return
    const kept = new Map(this.#entries.map((entry, i) => [keyOf(entry), this.#closed[i]!]))
    this.#entries = [...this.#store].filter(isShown).flatMap((record) => this.#entriesOf(record))
    this.#series = this.#entries.map(describeEntry)
    this.#closed = Float64Array.from(this.#entries, (entry) => kept.get(keyOf(entry)) ?? Number.NaN)
    this.#revision = this.#store.revision
  }

  #entriesOf(record: SeriesRecord): Entry[] {
    const isDistribution = record.kind === 'histogram'
    const statistics = isDistribution ? this.#options.select : []
    return [undefined, ...statistics].map((statistic) => ({ record, statistic }))
  }
}

function keyOf({ record, statistic }: Entry): string {
  return `${record.id} ${statistic ?? ''}`
}

function describeEntry({ record, statistic }: Entry): CanonicalSeries {
  const { identity, metadata } = record
  const isEstimated = metadata.lacksSum === true || statistic?.startsWith('p') === true
  const entry = { identity, metadata, isEstimated }
  return statistic === undefined ? entry : { ...entry, statistic }
}

/**
 * Tells whether a series is shown. The hub's own are for /metrics and the page; viewers of an
 * application see its own only.
 */
function isShown(record: SeriesRecord): boolean {
  return !isDecrements(record) && record.metadata.dialect !== 'hub'
}

function closedValue({ record, statistic }: Entry, frame: Frame): number {
  switch (record.kind) {
    case 'counter':
      return counterValue(record, frame)
    case 'histogram': {
      const row = frame.row(record.id, 'histogram')
      return row < 0 ? emptyValue(statistic) : statisticOf(frame.histogramAt(row), statistic)
    }
    case 'summary': {
      const window = record.windows?.last
      if (window === undefined || isOverdue(record, window.seconds, frame)) return Number.NaN
      return summaryMean(window.summary)
    }
    case 'gauge':
      return Number.NaN
  }
}

function counterValue(record: CounterRecord, frame: Frame): number {
  const scaleS = record.metadata.rateTimeScaleS ?? MINUTE
  const window = record.windows?.last
  if (window !== undefined && window.seconds > 0) {
    if (isOverdue(record, window.seconds, frame)) return Number.NaN
    return incrementRate(window.delta, window.seconds, scaleS)
  }
  const decrements = record.decrements === undefined ? 0 : deltaOf(record.decrements, frame)
  return incrementRate(subtractExact(deltaOf(record, frame), decrements), frame.seconds, scaleS)
}

function deltaOf(record: CounterRecord, frame: Frame): Exact {
  const row = frame.row(record.id, 'counter')
  return row < 0 ? 0 : frame.deltaAt(row)
}

/** Tells whether the window after the newest one should have come long ago. */
function isOverdue({ lastDataMs }: SeriesRecord, windowSec: number, frame: Frame): boolean {
  const seconds = windowSec > 0 ? windowSec : UNKNOWN_WINDOW_S
  return frame.endMs - lastDataMs > OVERDUE_WINDOWS * Math.max(1, seconds) * 1000
}

/** Gives the value of an empty second: no observations, and no value. */
function emptyValue(statistic: Statistic | undefined): number {
  return statistic === 'count' ? 0 : Number.NaN
}

function statisticOf(histogram: Histogram, statistic: Statistic | undefined): number {
  switch (statistic) {
    case undefined:
      return canonicalMean(histogram)
    case 'count':
      return Number(histogram.count)
    case 'min':
      return Number(histogram.min)
    case 'max':
      return Number(histogram.max)
    default:
      return histogram.quantile(Number(`0.${statistic.slice(1)}`))
  }
}
