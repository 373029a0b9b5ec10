/**
 * How series of a dialect leave the house as its document says: their names in Prometheus' formats,
 * their scope, units, temporality and buckets in OTLP. Data, and one function for a dialect whose
 * series are several families; pure. Whatever a rule leaves out is as the house has it.
 */
import {
  type Identity,
  type Kind,
  type Metadata,
  type Summary,
  summaryDeviation,
} from '../model/index.ts'

export interface ExportRules {
  /**
   * Label whose value is the namespace of a series, and its scope in OTLP in place of an attribute.
   */
  readonly namespaceLabel?: string
  readonly prometheus?: PrometheusRules
  readonly otlp?: OtlpRules
}

export interface PrometheusRules {
  /** Colons stay in names, though Prometheus leaves them to recording rules. */
  readonly keepsColons?: boolean
  /** A name that had to be cleaned stays readable in a label `metric`. */
  readonly keepsRawName?: boolean
  /** Every byte of a name is cleaned by itself, so that an `é` becomes two `_`. */
  readonly cleansBytes?: boolean
  /** The unit ends the name, as Prometheus advises; documents' names stay as they are. */
  readonly appendsUnit?: boolean
  /** Words for units, by their text: `By` is bytes. A name that ends with its own stays. */
  readonly units?: Readonly<Record<string, string>>
  /** Distributions of milli-, micro- and nanoseconds are not exported in seconds. */
  readonly keepsTimeUnit?: boolean
  /** Labels that go in front of the name, each with what stands for it where a series lacks it. */
  readonly prefixLabels?: readonly (readonly [label: string, absent: string])[]
  /** Samples carry the time of the series' last data. */
  readonly isTimed?: boolean
  /** Names all families of a series, in place of the one of its kind. */
  families?(identity: Identity, metadata: Metadata): ExportFamilies
}

export interface ExportFamilies {
  readonly families: readonly ExportFamily[]
  /** Values are divided by 10^shift. */
  readonly shift: number
  /** Unit of the exported values. */
  readonly unit: string | undefined
}

export interface ExportFamily {
  /** Family of a counter without `_total`. */
  readonly family: string
  readonly type: Kind
  /** Part of the window; undefined for the total, the value, or sum and count. */
  readonly part?: WindowPart
}

/** Part of a series' last window that a family shows. */
export type WindowPart = 'mean' | 'min' | 'max' | 'deviation' | 'increment'

/** Reads a statistic of a window; NaN where it is not known, which of an empty one is all. */
export function windowValue(summary: Summary, part: Exclude<WindowPart, 'increment'>): number {
  if (summary.count === 0) return Number.NaN
  return part === 'deviation' ? summaryDeviation(summary) : summary[part]
}

export interface OtlpRules {
  /** Name of the instrumentation scope; the product's unless stated. */
  readonly scope?: string
  /** Units that UCUM writes in another way, by their text in lower case. */
  readonly units?: Readonly<Record<string, string>>
  /** Kinds whose whole values are sent as integers: counters unless stated. */
  readonly integers?: 'none' | 'counters' | 'counters_and_gauges'
  /** Points of gauges have the time of the last data, and say so where there is no value. */
  readonly isTimed?: boolean
  /**
   * Temporality of counters and histograms: since the start, or of an interval; cumulative unless
   * stated.
   */
  readonly temporality?: Temporality
  readonly histogram?: HistogramRules
}

export type Temporality = 'cumulative' | 'delta'
export type HistogramForm = 'explicit' | 'exponential'

export interface HistogramRules {
  /** Exponential unless stated. */
  readonly form?: HistogramForm
  /** Explicit bounds 2^0 to 2^(n-1), always all of them; those of filled buckets unless stated. */
  readonly boundsCount?: number
  /** Explicit values are divided by 10^shift, to be in `unit`. */
  readonly shift?: number
  readonly unit?: string
  /** Min and max only in points of an interval: those since the start say nothing any more. */
  readonly hasExtremesOfDeltasOnly?: boolean
}

/** A dialect whose document says nothing of exports. */
export const HOUSE_RULES: ExportRules = {}
