/**
 * One line of NDJSON to the window it states, in either spelling (eventcounters.md §4.9); pure.
 *
 *   {"event":"EventCounters","provider":…,"time":…,"Payload":{…},"marks":[…],"buckets":{…}}
 *   or Payload alone
 */
import type { Histogram } from '../../../model/index.ts'
import type { Profile } from '../../decoder.ts'
import { type ErrorCode, EVENT_NAME, type Mark } from '../spec.ts'
import type { CounterDescription, MeanStatistics, Statistics } from '../window.ts'
import { readBuckets } from './buckets.ts'
import { parseSeries } from './interval.ts'
import { isTextSayable, parseMetaData } from './metadata.ts'
import { parseRateScale, rateScaleProfile } from './rate-scale.ts'

/** Assumption that a reader had to make; the window is good nevertheless. */
export type Warning = 'profile_assumed' | 'series' | 'rate_scale' | 'interval' | 'count' | 'buckets'

export interface ReadWindow {
  /** Empty for a payload without an envelope; also in `counter`. */
  readonly provider: string
  /** End of the window, Unix milliseconds; undefined where none is stated. */
  readonly timeMs: number | undefined
  /** The spelling it was read in. */
  readonly profile: Profile
  /**
   * Labels as read; a rate scale that is missing or makes no sense is 0, and so is the document's
   * one second, unless the line marks it as chosen.
   */
  readonly counter: CounterDescription
  readonly seriesMs: number | undefined
  /** Length of the window; undefined: no rate can be given. */
  readonly intervalSec: number | undefined
  /** NaN = no value (.NET sends it, JSON says null). */
  readonly statistics: Statistics
  /** Buckets of the samples, where the line has them. */
  readonly histogram?: Histogram
  readonly warnings: readonly Warning[]
  /** Number of pieces of the metadata text that were lost: dropped, or their key came again. */
  readonly malformed: number
}

export type IgnoredReason = 'keep_alive' | 'other_event'

type LineResult =
  | { readonly kind: 'window'; readonly window: ReadWindow }
  | { readonly kind: 'ignored'; readonly reason: IgnoredReason }
  | { readonly kind: 'error'; readonly code: ErrorCode }

type Json = Readonly<Record<string, unknown>>

/**
 * Reads a line; never throws.
 * @param fixedProfile what the connection has shown so far, for payloads that do not show it
 */
export function readLine(text: string, fixedProfile?: Profile): LineResult {
  if (/^[\t\r ]*$/.test(text)) return { kind: 'ignored', reason: 'keep_alive' }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return error('not_json')
  }
  if (!isObject(json)) return error('not_an_object')
  if (Object.hasOwn(json, 'event') && json.event !== EVENT_NAME) {
    return { kind: 'ignored', reason: 'other_event' }
  }
  if (isObject(json.Payload)) return readPayload(json.Payload, json, fixedProfile)
  const isBare = Object.hasOwn(json, 'Name') && Object.hasOwn(json, 'CounterType')
  return isBare ? readPayload(json, {}, fixedProfile) : error('no_payload')
}

function error(code: ErrorCode): LineResult {
  return { kind: 'error', code }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function readPayload(payload: Json, envelope: Json, fixed: Profile | undefined): LineResult {
  const name = textOf(payload.Name)
  const provider = textOf(envelope.provider)
  // Without its provider, a counter would be taken for another of the same name.
  if (name === '' || (provider === '' && envelope.provider)) return error('missing_name')
  const type = payload.CounterType
  if (type !== 'Mean' && type !== 'Sum') return error('unknown_counter_type')
  const shown = shownProfile(payload)
  const profile = shown ?? fixed ?? 'document'
  const warnings: Warning[] = []
  if (shown === undefined && fixed === undefined) warnings.push('profile_assumed')
  const seriesMs = parseSeries(payload.Series, profile)
  if (seriesMs === undefined) warnings.push('series')
  const hasMark = (mark: Mark) => Array.isArray(envelope.marks) && envelope.marks.includes(mark)
  const scale = type === 'Sum' ? readScale(payload, profile, warnings) : 0
  // one second stands for none as well, unless it is marked
  const isChosen = scale !== 1 || profile === 'peer' || hasMark('scale')
  const intervalSec = readInterval(payload.IntervalSec, warnings)
  const statistics = type === 'Sum' ? readSum(payload) : readMean(payload, warnings)
  if (statistics === undefined) return error('missing_value')
  const histogram = histogramOf(envelope.buckets, statistics, warnings)
  const { labels, units, malformed } = readLabels(payload, profile)
  const window: ReadWindow = {
    provider,
    timeMs: readTime(envelope.time),
    profile,
    counter: {
      provider,
      name,
      displayName: textOf(payload.DisplayName),
      units,
      rateScaleSec: isChosen ? scale : 0,
      metaData: labels,
      ...(hasMark('tags') ? { hasTags: true } : {}),
    },
    seriesMs,
    intervalSec,
    statistics,
    ...(histogram === undefined ? {} : { histogram }),
    warnings,
    malformed,
  }
  return { kind: 'window', window }
}

/** Reads the buckets of a Mean; what is none is as if it were missing. */
function histogramOf(
  buckets: unknown,
  statistics: Statistics,
  warnings: Warning[],
): Histogram | undefined {
  if (buckets === undefined) return undefined
  const histogram = statistics.kind === 'mean' ? readBuckets(buckets, statistics) : undefined
  if (histogram === undefined) warnings.push('buckets')
  return histogram
}

/** Reads a text; empty for what is no text, is too long or holds U+0000. */
function textOf(value: unknown): string {
  return typeof value === 'string' && isTextSayable(value) ? value : ''
}

/** Tells the profile by the first field that one spelling has and the other has not. */
function shownProfile(payload: Json): Profile | undefined {
  if (Object.hasOwn(payload, 'MetaData')) return 'document'
  if (Object.hasOwn(payload, 'Metadata')) return 'peer'
  if (Object.hasOwn(payload, 'DisplayUnits')) return 'peer'
  if (!Object.hasOwn(payload, 'DisplayRateTimeScale')) return undefined
  if (payload.CounterType === 'Mean') return 'document'
  const scale = payload.DisplayRateTimeScale
  return typeof scale === 'string' ? rateScaleProfile(scale) : undefined
}

/** Reads the scale in seconds; 0 = none is stated. Empty and missing say nothing wrong. */
function readScale(payload: Json, profile: Profile, warnings: Warning[]): number {
  const scale = payload.DisplayRateTimeScale
  if (scale === undefined || scale === '') return 0
  const seconds = typeof scale === 'string' ? parseRateScale(scale, profile) : undefined
  if (seconds === undefined) warnings.push('rate_scale')
  return seconds ?? 0
}

function readInterval(value: unknown, warnings: Warning[]): number | undefined {
  if (typeof value === 'number' && value > 0 && Number.isFinite(value)) return value
  warnings.push('interval')
  return undefined
}

function readSum(payload: Json): Statistics | undefined {
  const increment = numberOf(payload.Increment)
  return increment === undefined ? undefined : { kind: 'sum', increment }
}

/** Reads a Mean; a payload that states no count is taken for one value. */
function readMean(payload: Json, warnings: Warning[]): MeanStatistics | undefined {
  const mean = numberOf(payload.Mean)
  if (mean === undefined) return undefined
  const hasCount = isCount(payload.Count)
  if (!hasCount) warnings.push('count')
  const count = hasCount ? (payload.Count as number) + 0 : 1
  const deviation = numberOf(payload.StandardDeviation) ?? Number.NaN
  let min = numberOf(payload.Min) ?? Number.NaN
  let max = numberOf(payload.Max) ?? Number.NaN
  if (count === 0) {
    if (Number.isNaN(min)) min = Number.POSITIVE_INFINITY
    if (Number.isNaN(max)) max = Number.NEGATIVE_INFINITY
  }
  return { kind: 'mean', count, mean, deviation, min, max }
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

/**
 * Reads a number: NaN for null; undefined for what is no number. JSON can say 1e999 and -0: neither
 * is kept.
 */
function numberOf(value: unknown): number | undefined {
  if (value === null) return Number.NaN
  if (typeof value !== 'number') return undefined
  return Number.isFinite(value) ? value + 0 : Number.NaN
}

function readLabels(payload: Json, profile: Profile) {
  const text = profile === 'document' ? payload.MetaData : payload.Metadata
  const parsed = parseMetaData(typeof text === 'string' ? text : '', profile)
  const units = profile === 'document' ? (parsed.units ?? '') : textOf(payload.DisplayUnits)
  return { labels: parsed.pairs, units, malformed: parsed.malformed }
}

const TIME = /^\d{4}-\d\d-\d\dt\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:z|[+-]\d\d:\d\d)$/i

/** Reads RFC 3339; undefined for anything else. */
function readTime(value: unknown): number | undefined {
  if (typeof value !== 'string' || !TIME.test(value)) return undefined
  const timeMs = Date.parse(value.toUpperCase())
  return Number.isNaN(timeMs) ? undefined : timeMs
}
