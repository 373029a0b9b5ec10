/**
 * A piece of an OTLP request before it is written: one metric with some of its points. The words
 * are those of opentelemetry-proto, metrics/v1/metrics.proto.
 */
import type { Temporality } from '../../../dialects/export-rules.ts'
import type { BucketsField } from '../../../exposition/exponential.ts'
import type { Exact, Labels } from '../../../model/index.ts'

export interface OtlpScope {
  readonly name: string
  /** Version; absent for a scope that a series names. */
  readonly version?: string
}

export interface MetricHead {
  readonly scope: OtlpScope
  readonly name: string
  readonly description: string
  readonly unit: string
}

interface PointHead {
  readonly attributes: Labels
  /** Unix ms; a gauge has none. */
  readonly startMs?: number
  readonly timeMs: number
}

export interface NumberPoint extends PointHead {
  /** Value; undefined: none was recorded. */
  readonly value: Exact | undefined
  /** Whether its values are int64 and not double. */
  readonly isInteger: boolean
}

interface DistributionPoint extends PointHead {
  readonly count: bigint
  /** Sum; undefined where it is not known, or would mean nothing. */
  readonly sum?: number
  readonly min?: number
  readonly max?: number
}

export interface ExplicitPoint extends DistributionPoint {
  /** Upper bounds, inclusive. */
  readonly bounds: readonly number[]
  /** One more than there are bounds. */
  readonly counts: readonly bigint[]
}

export interface ExponentialPoint extends DistributionPoint {
  readonly scale: number
  readonly zeroThreshold: number
  readonly zeroCount: bigint
  readonly positive: BucketsField
  readonly negative: BucketsField
}

export interface SummaryPoint extends PointHead {
  readonly count: bigint
  readonly sum: number
  readonly quantiles: readonly (readonly [quantile: number, value: number])[]
}

/** The kinds, each with its points. */
export type MetricBody =
  | { readonly kind: 'gauge'; readonly points: readonly NumberPoint[] }
  | {
      readonly kind: 'sum'
      readonly temporality: Temporality
      readonly points: readonly NumberPoint[]
    }
  | {
      readonly kind: 'histogram'
      readonly temporality: Temporality
      readonly points: readonly ExplicitPoint[]
    }
  | {
      readonly kind: 'exponentialHistogram'
      readonly temporality: Temporality
      readonly points: readonly ExponentialPoint[]
    }
  | { readonly kind: 'summary'; readonly points: readonly SummaryPoint[] }

export type MetricPiece = MetricHead & MetricBody

export type Resource = Readonly<Record<string, string>>

/** Values of the enum AggregationTemporality. */
export const TEMPORALITIES: Readonly<Record<Temporality, number>> = { delta: 1, cumulative: 2 }
/** DataPointFlags: the point has no value. */
export const NO_RECORDED_VALUE = 1

export function toNanoseconds(ms: number): bigint {
  return BigInt(Math.round(ms)) * 1_000_000n
}
