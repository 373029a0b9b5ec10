/**
 * Options of a store: the directives of the document under their own names, checked as the original
 * checks them and refused in its words, and what this store adds to them.
 */
import { type ZoneChange, type ZoneOptions, zoneBytes } from '../../../shm/index.ts'
import type { Profile } from '../../decoder.ts'
import type { HostMode } from '../host/abi.ts'
import { checkBounds, HISTOGRAM_FORMS, type HistogramRule } from './histogram-rule.ts'

export interface StoreOptions {
  /** Edition that names and output follow; `document`. */
  readonly profile?: Profile
  /** Host whose rules hold for counters and gauges: the ABI's text, nginx', or Envoy's; `spec`. */
  readonly host?: HostMode
  /**
   * Size of the zone, as the directive `slab_size`: bytes, or text with the suffix k or m; default
   * 5 MiB. Under `onFull: 'error'` it is all that definitions may take.
   */
  readonly slabSize?: number | string
  /** Bytes of a name with its prefix, equality allowed; at least 6, default 256. */
  readonly maxMetricNameLength?: number
  /** The other spelling in the document. */
  readonly maxMetricNameLen?: number
  /** Segments prepared at once; default 1. */
  readonly workers?: number
  /** Writers attached at one time; default 256. */
  readonly workersLimit?: number
  /** Form of histograms without bounds of their own, or the bounds of all; default `dense`. */
  readonly histogram?: HistogramRule
  /** `grow` goes on up to `zoneBytesLimit`; `error` refuses what `slabSize` does not hold. */
  readonly onFull?: 'grow' | 'error'
  /** Default 256 MiB. */
  readonly zoneBytesLimit?: number
  /** `wasm` is memory that WebAssembly can address; default `sab`. */
  readonly backing?: 'sab' | 'wasm'
  /** Metrics of one filter; default 10,000. */
  readonly metricsPerFilterLimit?: number
}

/** Rules that decide the names of metrics. */
export interface NameRules {
  readonly profile: Profile
  readonly host: HostMode
  /** Names are prefixed as Envoy does: under its host mode, unless a store's profile is given. */
  readonly hasCustomNames: boolean
}

/** Rules that decide their kinds as well. */
export interface DefinitionRules extends NameRules {
  readonly histogram: HistogramRule
}

/** Rules that every thread must know beside the zone; they go through structured clone. */
export interface StoreRules extends DefinitionRules {
  readonly onFull: 'grow' | 'error'
  readonly metricsPerFilterLimit: number
}

/** Options that can be changed while the store is in use. */
export type StoreChange = Pick<
  StoreOptions,
  'workers' | 'slabSize' | 'maxMetricNameLength' | 'maxMetricNameLen'
>

const SLAB_DEFAULT = 5_242_880
const NAME_LENGTH_DEFAULT = 256
const NAME_LENGTH_MIN = 6
const NAME_LENGTH_MAX = 65_535
const WORKERS_LIMIT_DEFAULT = 256
const WORKERS_LIMIT_MAX = 1_024
const METRICS_PER_FILTER_DEFAULT = 10_000
const METRICS_PER_FILTER_MAX = 16_777_216

/** @throws {RangeError} in the original's words where it has some */
export function checkRules(options: StoreOptions): StoreRules {
  const host = oneOf('host', options.host ?? 'spec', ['spec', 'nginx', 'envoy'])
  return {
    profile: oneOf('profile', options.profile ?? 'document', ['document', 'peer']),
    host,
    hasCustomNames: host === 'envoy' && options.profile === undefined,
    histogram: histogramRule(options.histogram ?? 'dense'),
    onFull: oneOf('onFull', options.onFull ?? 'grow', ['grow', 'error']),
    metricsPerFilterLimit: within(
      'metricsPerFilterLimit',
      options.metricsPerFilterLimit ?? METRICS_PER_FILTER_DEFAULT,
      1,
      METRICS_PER_FILTER_MAX,
    ),
  }
}

/** Selects the zone's options for what of a store can be changed; only those that are given. */
export function zoneChange(change: StoreChange, { host }: StoreRules): ZoneChange {
  const { workers, slabSize } = change
  const nameLength = change.maxMetricNameLength ?? change.maxMetricNameLen
  const keyBytesLimit = nameLength === undefined ? undefined : checkNameLength(nameLength)
  return {
    ...(workers === undefined ? {} : { workers: within('workers', workers, 1, WORKERS_LIMIT_MAX) }),
    ...(slabSize === undefined ? {} : { slabSize: zoneBytes(slabSize) }),
    // Envoy's names have no limit but the zone's own.
    ...(keyBytesLimit === undefined || host === 'envoy' ? {} : { keyBytesLimit }),
  }
}

/** @throws {RangeError} as {@link checkRules} */
export function zoneOptions(options: StoreOptions, rules: StoreRules): ZoneOptions {
  const { workersLimit = WORKERS_LIMIT_DEFAULT, zoneBytesLimit, backing } = options
  return {
    onFull: rules.onFull,
    slabSize: SLAB_DEFAULT,
    keyBytesLimit: rules.host === 'envoy' ? NAME_LENGTH_MAX : NAME_LENGTH_DEFAULT,
    workersLimit: within('workersLimit', workersLimit, 1, WORKERS_LIMIT_MAX),
    ...(zoneBytesLimit === undefined ? {} : { zoneBytesLimit }),
    ...(backing === undefined ? {} : { backing }),
    ...zoneChange(options, rules),
  }
}

function checkNameLength(length: number): number {
  if (length < NAME_LENGTH_MIN) throw new RangeError(`value too small (min: ${NAME_LENGTH_MIN})`)
  return within('maxMetricNameLength', length, NAME_LENGTH_MIN, NAME_LENGTH_MAX)
}

function within(name: string, value: number, min: number, max: number): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value
  throw new RangeError(`${name} ${value} is not an integer of ${min} to ${max}`)
}

function histogramRule(rule: HistogramRule): HistogramRule {
  if (typeof rule === 'object') return checkBounds(rule)
  return oneOf('histogram', rule, HISTOGRAM_FORMS)
}

function oneOf<T extends string>(name: string, value: T, choices: readonly T[]): T {
  if (choices.includes(value)) return value
  throw new RangeError(`${name} "${value}" is not one of ${choices.join(', ')}`)
}
