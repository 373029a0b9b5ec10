/** The list of series: filtering, paging, and what is said of one series (api.ts SeriesInfo). */
import type { FoundRecords, PastRecord } from '../../hub/history/past-list.ts'
import { closedValue } from '../../hub/live/canonical-values.ts'
import {
  type GaugeRecord,
  isDecrements,
  type SeriesRecord,
  type Total,
} from '../../hub/series/record.ts'
import type { HubView } from '../../hub/view.ts'
import { type Exact, MINUTE, rateSuffix } from '../../model/index.ts'
import { type SeriesWords, seriesFilter } from '../../model/text/series-filter.ts'
import type { ExactJson, SeriesInfo } from '../api.ts'
import { type Pieces, ROWS_PER_STEP } from '../pieces.ts'
import {
  currentExact,
  histogramStatistics,
  jsonText,
  knownExact,
  summaryStatistics,
} from './cell-json.ts'

const COMPARISONS_PER_STEP = 1000

interface SeriesQuery extends SeriesWords {
  /** Ids of the series that are looked at; all where it is left out. */
  readonly series?: readonly number[] | undefined
  readonly limit: number
  /** Id behind which the page begins. */
  readonly after: number
}

/**
 * Tells how many series may be compared with a pattern of so many characters between two looks at
 * the clock. To look for 1000 characters in a name of 4 kB takes up to 3 ms where peers chose both.
 */
export function looksPerStep(patternLength: number): number {
  return Math.max(1, Math.min(ROWS_PER_STEP, Math.floor(COMPARISONS_PER_STEP / patternLength)))
}

/** Writes a SeriesPage in pieces: the values of a row are those of the moment it is made. */
export function* seriesJson(view: HubView, query: SeriesQuery): Pieces<string> {
  const isMatch = seriesFilter(query)
  const rowsPerStep = looksPerStep(query.filter.length)
  // as the list was at the beginning: what changes meanwhile makes a client ask again
  const { revision } = view.series
  let shown = 0
  let last = 0
  let isMore = false
  let total = 0
  let rows = ''
  let seen = 0
  yield '{"series":['
  for (const record of query.series === undefined ? view.series : listed(view, query.series)) {
    if (++seen % rowsPerStep === 0) {
      yield rows
      rows = ''
    }
    if (isDecrements(record) || !isMatch(record)) continue
    total++
    if (record.id <= query.after) continue
    if (shown === query.limit) {
      isMore = true
      continue
    }
    rows += `${shown === 0 ? '' : ','}${rowJson(describe(view, record))}`
    shown++
    last = record.id
  }
  const next = isMore ? `"next":${last},` : ''
  yield `${rows}],${next}"total":${total},"revision":${revision}}`
}

function* listed({ series }: HubView, ids: readonly number[]): Iterable<SeriesRecord> {
  for (const id of ids.toSorted((a, b) => a - b)) {
    const record = series.get(id)
    if (record !== undefined && series.isListed(record)) yield record
  }
}

function rowJson(info: SeriesInfo): string {
  const isInfinite = info.kind === 'gauge' && !Number.isFinite(Number(info.current))
  return isInfinite ? jsonText(info) : JSON.stringify(info)
}

/** Describes one series with everything the hub knows of it. */
export function detailSeries(view: HubView, record: SeriesRecord): SeriesInfo {
  const rates = view.rates(record)
  return {
    ...describe(view, record),
    ...(rates === undefined ? {} : { rates }),
    ...statisticsOf(view.total(record)),
  }
}

function statisticsOf(total: Total): Pick<SeriesInfo, 'statistics'> {
  if (total.kind === 'histogram') return { statistics: histogramStatistics(total.histogram) }
  if (total.kind !== 'summary') return {}
  return { statistics: summaryStatistics(total.summary, total.sum) }
}

/**
 * Total and time go together: what comes later is in seconds that end later. A second that is
 * still on its way is in neither.
 */
function describe(view: HubView, record: SeriesRecord): SeriesInfo {
  return {
    ...descriptionOf(view, record),
    lastDataMs: Math.min(record.lastDataMs, view.told.endMs),
    isStale: view.clock.wallMs() - record.lastDataMs > view.staleAfterMs,
    current: currentValue(view, record),
    canonical: canonicalOf(view, record),
    ...resetsOf(record),
  }
}

/** Describes a series of the past, which has no values of now. */
export function describePast(view: HubView, record: PastRecord): SeriesInfo {
  const { identity, metadata } = record
  return {
    ...descriptionOf(view, record),
    isStale: true,
    current: null,
    canonical: { name: metadata.displayName || identity.name, value: null },
    isPast: true,
  }
}

/** Writes a PastAnswer in pieces. */
export function* pastJson(view: HubView, { series, total }: FoundRecords): Pieces<string> {
  yield '{"series":['
  for (let at = 0; at < series.length; at += ROWS_PER_STEP) {
    const rows = series.slice(at, at + ROWS_PER_STEP)
    const texts = rows.map((record) => JSON.stringify(describePast(view, record)))
    yield `${at === 0 ? '' : ','}${texts.join()}`
  }
  yield `],"total":${total}}`
}

type Listed = Pick<
  SeriesRecord,
  'id' | 'identity' | 'metadata' | 'source' | 'firstSeenMs' | 'lastDataMs'
>

/** Says what a series is, wherever it is. */
function descriptionOf(view: HubView, record: Listed) {
  const { identity, metadata } = record
  const { type, displayName, unit, rateTimeScaleS, sourceLabel } = metadata
  const { bounds, description, plot, color } = metadata
  const { namespaceLabel } = view.exportRules(metadata.dialect)
  const namespace = identity.labels.find(([key]) => key === namespaceLabel)?.[1]
  return {
    id: record.id,
    name: identity.name,
    kind: identity.kind,
    labels: identity.labels,
    dialect: metadata.dialect,
    source: record.source,
    ...withoutUndefined({ namespace, sourceLabel, type, displayName, unit, rateTimeScaleS }),
    ...withoutUndefined({ bounds, description, plot, color }),
    firstSeenMs: record.firstSeenMs,
    lastDataMs: record.lastDataMs,
  }
}

/** Tells how often and when a cumulative counter's reading, or a filter's counter, began anew. */
function resetsOf(record: SeriesRecord): Pick<SeriesInfo, 'resets' | 'startMs'> {
  if (record.kind !== 'counter') return {}
  const { reading, falls } = record
  if (reading !== undefined) return { resets: reading.resets }
  return falls === undefined ? {} : { resets: falls.count, startMs: falls.lastMs }
}

/** Gives the one value of a series for simple viewers: a counter is a rate per minute. */
function canonicalOf(view: HubView, record: SeriesRecord): SeriesInfo['canonical'] {
  const { identity, metadata } = record
  const name = metadata.displayName || identity.name
  if (record.kind === 'gauge') return { name, value: currentNumber(gaugeValue(view, record)) }
  const { live } = view
  const isKnown = live.newest !== undefined && !view.isAway(record)
  const value = isKnown ? closedValue(record, live.newest, live, MINUTE) : Number.NaN
  const ending = record.kind === 'counter' ? rateSuffix(MINUTE) : ''
  return { name: name + ending, value: currentNumber(value) }
}

function currentNumber(value: Exact | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : Number(value)
}

function currentValue(view: HubView, record: SeriesRecord): ExactJson | null {
  if (record.kind === 'gauge') return currentExact(gaugeValue(view, record))
  return knownExact(view.told.of(record))
}

function gaugeValue(view: HubView, record: GaugeRecord): Exact | undefined {
  const total = view.total(record)
  return total.kind === 'gauge' ? total.value : undefined
}

function withoutUndefined<T extends object>(
  fields: { [K in keyof T]: T[K] | undefined },
): Partial<T> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as Partial<T>
}
