/**
 * Windows as messages: the plain objects of the golden vectors, in which `NaN`, `Infinity` and
 * `-Infinity` are texts and what is unknown is null; pure.
 */
import type { Profile } from '../../decoder.ts'
import { type BucketsMember, bucketsMember } from './buckets.ts'
import type { ReadWindow, Warning } from './read.ts'

type JsonNumber = number | 'NaN' | 'Infinity' | '-Infinity'

interface AnyMessage {
  readonly profile: Profile
  readonly name: string
  readonly displayName: string
  readonly seriesMs: number | null
  readonly intervalSec: number | null
  readonly units: string
  readonly labels: Readonly<Record<string, string>>
  readonly warnings: readonly Warning[]
}

interface MeanMessage extends AnyMessage {
  readonly kind: 'mean'
  readonly mean: JsonNumber
  readonly standardDeviation: JsonNumber
  readonly count: number
  readonly min: JsonNumber
  readonly max: JsonNumber
  /** Buckets of the samples, where the line has them. */
  readonly buckets?: BucketsMember
}

interface SumMessage extends AnyMessage {
  readonly kind: 'sum'
  readonly increment: JsonNumber
  /** 1 where none is stated. */
  readonly rateScaleSec: number
}

export type CounterMessage = MeanMessage | SumMessage

export function toMessage(window: ReadWindow): CounterMessage {
  const { counter, statistics } = window
  const names = { name: counter.name, displayName: counter.displayName }
  const times = { seriesMs: window.seriesMs ?? null, intervalSec: window.intervalSec ?? null }
  const rest = {
    units: counter.units,
    labels: Object.fromEntries(counter.metaData),
    warnings: window.warnings,
  }
  const { profile } = window
  if (statistics.kind === 'sum') {
    const increment = jsonNumber(statistics.increment)
    const rateScaleSec = counter.rateScaleSec === 0 ? 1 : counter.rateScaleSec
    return { profile, kind: 'sum', ...names, ...times, increment, rateScaleSec, ...rest }
  }
  const numbers = {
    mean: jsonNumber(statistics.mean),
    standardDeviation: jsonNumber(statistics.deviation),
    count: statistics.count,
    min: jsonNumber(statistics.min),
    max: jsonNumber(statistics.max),
  }
  const buckets = window.histogram && bucketsMember(window.histogram)
  const distribution = buckets === undefined ? {} : { buckets }
  return { profile, kind: 'mean', ...names, ...times, ...numbers, ...distribution, ...rest }
}

function jsonNumber(value: number): JsonNumber {
  return Number.isFinite(value) ? value : (String(value) as JsonNumber)
}
