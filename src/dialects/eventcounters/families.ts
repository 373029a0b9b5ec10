/**
 * EventCounters in Prometheus' formats (eventcounters.md §7.3): a Mean with statistics is several
 * families, and in dotnet-monitor's manner everything is a gauge of the last interval; pure.
 */

import { type Identity, type Metadata, type Summary, summaryDeviation } from '../../model/index.ts'
import { prometheusName as counterName, type PrometheusNaming } from './prometheus-names.ts'

export type { PrometheusNaming }

export const EVENT_COUNTERS = 'eventcounters'
export const PROVIDER = 'provider'

/** What of a series a family shows, where that is not its total or value. */
export type WindowPart = 'mean' | 'min' | 'max' | 'deviation' | 'increment'

export interface CounterFamily {
  /** Of a counter without `_total`. */
  readonly family: string
  readonly type: 'counter' | 'gauge' | 'summary' | 'histogram'
  /** Undefined for the total, the value, or sum and count. */
  readonly part?: WindowPart
}

interface CounterFamilies {
  readonly families: readonly CounterFamily[]
  /** Values are divided by 10^shift. */
  readonly shift: number
  readonly unit: string | undefined
}

/** Units that names end with once values are of them. */
const UNITS = ['bytes', 'ratio', 'seconds']
const TOTAL = '_total'

export function counterFamilies(
  { name, kind, labels }: Identity,
  metadata: Metadata,
  naming: PrometheusNaming,
): CounterFamilies {
  const named = counterName(
    {
      provider: labels.find(([key]) => key === PROVIDER)?.[1] ?? '',
      name,
      units: metadata.unit ?? '',
      kind: kind === 'counter' ? 'sum' : 'mean',
    },
    naming,
  )
  const isTotal = named.type === 'counter' && named.name.endsWith(TOTAL)
  const family = isTotal ? named.name.slice(0, -TOTAL.length) : named.name
  return {
    families: familiesOf(kind, family, naming),
    // powers of ten are divided exactly, where a factor of 0.001 would round
    shift: 0 - Math.round(Math.log10(named.factor)),
    unit: UNITS.find((unit) => family.endsWith(`_${unit}`)),
  }
}

function familiesOf(
  kind: Identity['kind'],
  family: string,
  naming: PrometheusNaming,
): readonly CounterFamily[] {
  const isMonitor = naming === 'dotnet-monitor'
  switch (kind) {
    case 'counter':
      return [isMonitor ? { family, type: 'gauge', part: 'increment' } : { family, type: kind }]
    case 'summary': {
      const mean = { family, type: 'gauge', part: 'mean' } as const
      return isMonitor ? [mean] : [mean, ...statisticsFamilies(family)]
    }
    default:
      return [{ family, type: kind }]
  }
}

function statisticsFamilies(family: string): readonly CounterFamily[] {
  return [
    { family: `${family}_samples`, type: 'summary' },
    { family: `${family}_min`, type: 'gauge', part: 'min' },
    { family: `${family}_max`, type: 'gauge', part: 'max' },
    { family: `${family}_stddev`, type: 'gauge', part: 'deviation' },
  ]
}

/** A statistic of a window; NaN where it is not known, which of an empty one is all. */
export function windowValue(summary: Summary, part: Exclude<WindowPart, 'increment'>): number {
  if (summary.count === 0) return Number.NaN
  return part === 'deviation' ? summaryDeviation(summary) : summary[part]
}
