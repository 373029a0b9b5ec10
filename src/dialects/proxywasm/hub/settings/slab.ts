/**
 * The slab of a hub's filters: what their metrics take of it, what more would fit, and what the
 * same would be in the original (docs/zone-sizing.md).
 */
import { capacity, type EstimateKind, estimate } from '../../../../shm/index.ts'
import type { SlabAnswer } from '../../http/api.ts'
import type { FilterMetricType } from '../../spec.ts'
import {
  bytesOf,
  type ChargedMetric,
  type FilterSettings,
  type SettingValues,
} from '../../store/filter-settings.ts'

/** A metric that a filter has defined. */
export interface SlabMetric extends ChargedMetric {
  readonly metric: number
  readonly filter: string
  readonly kind: FilterMetricType
  readonly prefixed: Uint8Array
}

/** Name length that is reckoned with as long as there is no name. */
const USUAL_NAME_BYTES = 32
const KINDS: readonly EstimateKind[] = ['counter', 'gauge', 'histogram']

export function slabOf(
  settings: FilterSettings,
  metrics: ReadonlyMap<number, SlabMetric>,
): SlabAnswer {
  const { slabSize, workers, histogram } = settings
  // in the original a histogram begins with 5 bins, unless its bounds are known
  const bins = typeof histogram === 'string' ? {} : { bins: histogram.length + 1 }
  const usedBytes = settings.used()
  let nameBytes = 0
  let documentedBytes = 0
  let allocatedBytes = 0
  for (const { kind, prefixed } of metrics.values()) {
    nameBytes += prefixed.length
    const figures = estimate({ kind, prefixedNameBytes: prefixed.length, workers, ...bins })
    documentedBytes += figures.documented
    allocatedBytes += figures.allocated
  }
  const meanNameBytes = metrics.size === 0 ? USUAL_NAME_BYTES : Math.round(nameBytes / metrics.size)
  const free = Math.max(0, slabSize - usedBytes)
  const each = (kind: EstimateKind): number =>
    bytesOf({ ...shapeOf(kind, settings), nameBytes: meanNameBytes }, workers)
  const question = { prefixedNameBytes: meanNameBytes, workers, zoneBytes: slabSize, ...bins }
  return {
    bytes: slabSize,
    usedBytes,
    metrics: metrics.size,
    meanNameBytes,
    fits: byKind((kind) => Math.floor(free / each(kind))),
    original: {
      documentedBytes,
      allocatedBytes,
      fitsEmpty: byKind((kind) => capacity({ ...question, kind }).fits),
    },
  }
}

/** Gives type and mode that metrics of filters have. */
export function shapeOf(
  kind: EstimateKind,
  { histogram }: Pick<SettingValues, 'histogram'>,
): Pick<ChargedMetric, 'type' | 'mode'> {
  if (kind === 'counter') return { type: 'counter', mode: 'settable' }
  if (kind === 'gauge') return { type: 'gauge', mode: 'shared' }
  if (histogram === 'dense') return { type: 'dense', mode: 'integers' }
  return { type: histogram === 'expanding' ? 'expanding' : 'binned', mode: 'plain' }
}

function byKind(count: (kind: EstimateKind) => number): Readonly<Record<EstimateKind, number>> {
  const entries = KINDS.map((kind) => [kind, count(kind)] as const)
  return Object.fromEntries(entries) as Record<EstimateKind, number>
}

/**
 * Finds the first metric, in the order of definition, that settings have no room for: as the
 * original names it where it can't move its metrics into a new zone.
 */
export function misfitOf(
  metrics: Iterable<SlabMetric>,
  { slabSize, workers, maxMetricNameLength }: SettingValues,
): { readonly metric: SlabMetric; readonly why: string } | undefined {
  let bytes = 0
  for (const metric of metrics) {
    bytes += bytesOf(metric, workers)
    const { length } = metric.prefixed
    if (length > maxMetricNameLength) {
      return { metric, why: `its name has ${length} bytes, limit ${maxMetricNameLength}` }
    }
    if (bytes > slabSize) {
      return { metric, why: `a slab of ${slabSize} bytes has no room for it` }
    }
  }
  return undefined
}
