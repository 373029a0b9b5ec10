/**
 * The border between the words of .NET and the model's: payloads of counters and events of meters
 * become readings of series (nettrace.md §7, §9). A Sum is a counter that grows by its Increment,
 * a Mean a summary; a meter's instruments are counters, gauges, and summaries with quantiles.
 */
import { type Identity, type Kind, type Labels, sortLabels } from '../../model/index.ts'
import type { NetTraceEvent } from './codec/event.ts'
import { METRICS_PROVIDER } from './codec/layouts.ts'
import { countersOf } from './codec/message.ts'
import type { Payload } from './spec.ts'

/** Label with the name of the event source or meter. */
const PROVIDER_LABEL = 'provider'
/** Label with the name of the process, which a hub adds. */
export const PROCESS_LABEL = 'process'
const OWN_LABELS: readonly string[] = [PROVIDER_LABEL, PROCESS_LABEL]
/** Prefix for a label of the sender that would hide ours, once more as long as it is taken. */
const EXPORTED = 'exported_'

/** Pairs of keys and values in the order of the sender. */
type Tags = readonly (readonly [key: string, value: string])[]

/** Facts of an instrument, which a process tells once, when it begins to tell its values. */
export interface Instrument {
  /** Text for people; empty for none. */
  readonly description: string
  readonly meterTags: Tags
  readonly instrumentTags: Tags
}

/** One interval of one series. */
export interface Reading {
  /** Labels are the provider's name and all tags: of a key that is there twice the last one. */
  readonly identity: Identity
  /** Name of the event source or meter. */
  readonly provider: string
  /** Metadata of the counter, or tags of the measurement, as the sender has them. */
  readonly tags: Tags
  /** Facts of a meter's instrument, where the process has told them. */
  readonly instrument: Instrument | undefined
  /** Texts of the sender; empty for none. */
  readonly displayName: string
  readonly unit: string
  readonly values: ReadingValues
  /** Measured length of the interval, seconds; NaN where none is told, as of meters. */
  readonly intervalSec: number
  /** Seconds that a rate of the counter is stated per; NaN where none is told. */
  readonly rateScaleSec: number
  /** Interval that the process sends in, ms; NaN where none is told. */
  readonly seriesMs: number
  /** Session of a meter's event, which every session of the process gets. */
  readonly sessionId: string | undefined
}

/** Values by kind of series; NaN is no value. */
export type ReadingValues =
  | { readonly kind: 'counter'; readonly increment: number; readonly total: number }
  | { readonly kind: 'gauge'; readonly value: number }
  | {
      readonly kind: 'summary'
      readonly count: number
      readonly mean: number
      /** Standard deviation; of a meter's histogram NaN, as are least and greatest. */
      readonly deviation: number
      readonly min: number
      readonly max: number
      readonly quantiles: readonly (readonly [quantile: number, value: number])[]
    }

/** Reads what a process tells of an instrument that begins. */
export function instrumentOf({ description, meterTags, instrumentTags }: Payload): Instrument {
  return {
    description: text(description),
    meterTags: parsePairs(text(meterTags), '='),
    instrumentTags: parsePairs(text(instrumentTags), '='),
  }
}

/**
 * Reads what a counter or an instrument says of one interval.
 * @param instrument that the event has a value of, where it is known
 * @returns undefined for all other events, and for a payload without a name or a value
 *
 * @example
 * import { NetTraceReader, readingOf } from 'pentameter/nettrace'
 *
 * const reader = new NetTraceReader({
 *   onEvent: (event) => console.log(readingOf(event)?.identity.name),
 * })
 */
export function readingOf(event: NetTraceEvent, instrument?: Instrument): Reading | undefined {
  const counter = countersOf(event)
  if (counter !== undefined) return counterReading(event.metadata.provider, counter)
  const { provider, name } = event.metadata
  if (provider !== METRICS_PROVIDER || event.payload === undefined) return undefined
  return meterReading(name, event.payload, instrument)
}

function counterReading(provider: string, payload: Payload): Reading | undefined {
  const name = text(payload.Name)
  const isSum = payload.Increment !== undefined
  if (name === '' || (!isSum && payload.Mean === undefined)) return undefined
  const tags = parsePairs(text(payload.Metadata), ':')
  const values: ReadingValues = isSum
    ? { kind: 'counter', increment: number(payload.Increment), total: Number.NaN }
    : {
        kind: 'summary',
        count: number(payload.Count),
        mean: number(payload.Mean),
        deviation: number(payload.StandardDeviation),
        min: number(payload.Min),
        max: number(payload.Max),
        quantiles: [],
      }
  const series = /^Interval=(\d+)$/.exec(text(payload.Series))
  return {
    identity: { name, kind: values.kind, labels: labelsOf(tags, provider) },
    ...{ provider, tags, instrument: undefined, values },
    displayName: text(payload.DisplayName),
    unit: text(payload.DisplayUnits),
    intervalSec: number(payload.IntervalSec),
    rateScaleSec: parseSpan(text(payload.DisplayRateTimeScale)),
    seriesMs: series === null ? Number.NaN : Number(series[1]),
    sessionId: undefined,
  }
}

function meterReading(
  event: string,
  payload: Payload,
  instrument: Instrument | undefined,
): Reading | undefined {
  const values = meterValues(event, payload)
  const name = text(payload.instrumentName)
  if (values === undefined || name === '') return undefined
  const provider = text(payload.meterName)
  const tags = parsePairs(text(payload.tags), '=')
  const { meterTags = [], instrumentTags = [] } = instrument ?? {}
  const labels = labelsOf([...meterTags, ...instrumentTags, ...tags], provider)
  return {
    identity: { name, kind: values.kind satisfies Kind, labels },
    ...{ provider, tags, instrument, values },
    displayName: '',
    unit: text(payload.unit),
    intervalSec: Number.NaN,
    rateScaleSec: Number.NaN,
    seriesMs: Number.NaN,
    sessionId: text(payload.sessionId),
  }
}

/** Reads an empty text as no measurement: an observable counter's first interval has no rate. */
function meterValues(event: string, payload: Payload): ReadingValues | undefined {
  switch (event) {
    case 'CounterRateValuePublished':
      return {
        kind: 'counter',
        increment: parseNumber(payload.rate),
        total: parseNumber(payload.value),
      }
    case 'UpDownCounterRateValuePublished':
      return { kind: 'gauge', value: parseNumber(payload.value) }
    case 'GaugeValuePublished':
      return { kind: 'gauge', value: parseNumber(payload.lastValue) }
    case 'HistogramValuePublished': {
      const count = number(payload.count)
      const mean = count > 0 ? number(payload.sum) / count : Number.NaN
      const unknown = { deviation: Number.NaN, min: Number.NaN, max: Number.NaN }
      const quantiles = parseQuantiles(text(payload.quantiles))
      return { kind: 'summary', count, mean, ...unknown, quantiles }
    }
    default:
      return undefined
  }
}

/** Reads `0.5=50;0.95=54`; what is no pair of numbers is left out. */
function parseQuantiles(quantiles: string): [number, number][] {
  return quantiles
    .split(';')
    .map((pair): [number, number] => {
      const [quantile, value] = pair.split('=')
      return [parseNumber(quantile), parseNumber(value)]
    })
    .filter(([quantile, value]) => quantile >= 0 && quantile <= 1 && !Number.isNaN(value))
}

/**
 * Reads `key=value,key=value`, in which nothing is escaped: a piece without the separator belongs
 * to the value in front of it.
 */
function parsePairs(pairs: string, separator: ':' | '='): [string, string][] {
  if (pairs === '') return []
  const found: [string, string][] = []
  for (const piece of pairs.split(',')) {
    const at = piece.indexOf(separator)
    const last = found.at(-1)
    if (at >= 0) found.push([piece.slice(0, at), piece.slice(at + 1)])
    else if (last !== undefined) last[1] += `,${piece}`
  }
  return found
}

/** Adds the label of the provider; those of the sender that have a name of ours get another. */
function labelsOf(pairs: readonly (readonly [string, string])[], provider: string): Labels {
  const keys = new Set(pairs.map(([key]) => key))
  const own = pairs.map(([key, value]) => {
    if (!OWN_LABELS.includes(key)) return [key, value] as const
    let renamed = EXPORTED + key
    while (keys.has(renamed)) renamed = EXPORTED + renamed
    return [renamed, value] as const
  })
  return sortLabels([...own, [PROVIDER_LABEL, provider]])
}

const SPAN = /^(-)?(?:(\d+)\.)?(\d{2}):(\d{2}):(\d{2}(?:\.\d{1,7})?)$/

/** Reads `[-][d.]hh:mm:ss[.fffffff]` as seconds; NaN for another text. */
function parseSpan(span: string): number {
  const [, sign, days = '0', hours, minutes, seconds] = SPAN.exec(span) ?? []
  const size = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)
  return sign === undefined ? size : -size
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function number(value: unknown): number {
  return typeof value === 'number' ? value : Number.NaN
}

/** Reads a number of the invariant culture; NaN for an empty text, and for what is none. */
function parseNumber(value: unknown): number {
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN
}
