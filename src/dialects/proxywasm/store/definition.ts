/**
 * What a definition asks for, and what it is in the zone:
 *
 *   counter                  counter, settable under `spec`, else modulo 2^64
 *   gauge of an application  the mode asked for, `last` unless said
 *   gauge of a filter        one value of all threads, which `increment` needs; under nginx `last`
 *   histogram                dense or expanding; with bounds of its own binned; of fractions dense
 */
import type { DefinitionOptions, GaugeMode, MetricType } from '../../../shm/index.ts'
import { isOfFilter, type Origin } from '../names.ts'
import { OPERATIONS } from '../operations.ts'
import type { FilterMetricType } from '../spec.ts'
import { checkBounds } from './histogram-rule.ts'
import type { DefinitionRules } from './options.ts'

export interface MetricDefinition {
  /** Origin that defines it: a filter when one is named, else the application (`library`). */
  readonly origin?: Exclude<Origin, 'wa'>
  readonly filter?: string
  /** Name without its prefix; bytes are taken as they are. */
  readonly name: string | Uint8Array
  readonly type: FilterMetricType
  /** Mode of an application's gauge: how the threads' values become one. */
  readonly mode?: GaugeMode
  /** Bounds of a histogram in profile `peer`: 1 to 17 ascending positive integers. */
  readonly bounds?: readonly number[]
  /** Sum of an application's histogram: `f64` takes fractions, and sums them up as a double. */
  readonly sum?: 'u64' | 'f64'
  /** Unit for exports; known in this thread only. */
  readonly unit?: string
}

/** Part of a definition that decides the kind. */
type DefinedKind = Pick<MetricDefinition, 'type' | 'mode' | 'bounds' | 'sum'>

export interface ZoneDefinition {
  readonly type: MetricType
  readonly options: DefinitionOptions
}

/**
 * @throws {RangeError} for bounds that are none
 * @throws {TypeError} for options that do not go together
 */
export function zoneDefinition(
  definition: DefinedKind,
  origin: Origin,
  rules: DefinitionRules,
): ZoneDefinition {
  const { type, mode, bounds, sum } = definition
  if (mode !== undefined && type !== 'gauge') throw new TypeError(`a ${type} has no mode`)
  if ((bounds ?? sum) !== undefined && type !== 'histogram') {
    throw new TypeError(`a ${type} has neither bounds nor a sum`)
  }
  switch (type) {
    case 'counter':
      return { type, options: { mode: OPERATIONS[rules.host].counterMode } }
    case 'gauge':
      return { type, options: { mode: gaugeMode(mode, origin, rules) } }
    case 'histogram':
      return histogramDefinition(definition, origin, rules)
    default:
      throw new RangeError(`type "${type}" is not counter, gauge or histogram`)
  }
}

function gaugeMode(
  mode: GaugeMode | undefined,
  origin: Origin,
  { host }: DefinitionRules,
): GaugeMode {
  if (!isOfFilter(origin)) return mode ?? 'last'
  if (mode !== undefined) throw new TypeError('the mode of a filter’s gauge is not chosen')
  return OPERATIONS[host].incrementsGauges ? 'shared' : 'last'
}

function histogramDefinition(
  { bounds, sum }: DefinedKind,
  origin: Origin,
  { profile, histogram }: DefinitionRules,
): ZoneDefinition {
  if (sum === 'f64') {
    if (origin !== 'library') throw new TypeError('only an application’s histogram takes fractions')
    if (bounds !== undefined) throw new TypeError('bounds of its own are of integers')
    return { type: 'dense', options: { mode: 'fractions' } }
  }
  if (bounds === undefined) {
    if (typeof histogram === 'string') return { type: histogram, options: {} }
    return { type: 'binned', options: { bounds: histogram } }
  }
  if (profile !== 'peer') throw new TypeError('bounds of its own are known in profile peer only')
  if (isOfFilter(origin)) {
    throw new TypeError('a filter’s histogram has no bounds of its own')
  }
  return { type: 'binned', options: { bounds: checkBounds(bounds) } }
}
