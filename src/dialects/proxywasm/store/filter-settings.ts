/**
 * What holds for the metrics of all filters of a hub, and may be changed while they run: the
 * document's directives, and what of the slab is used. Filters' threads read it at every
 * definition, under the lock of the quota, where the main thread changes it.
 *
 *   [slabBytes:f64][maxMetricNameLength:f64][workers:f64][histogram:f64][fixed:f64][slots:f64]
 *   [names:f64][bounds: f64 x 17]
 *
 * `histogram` is a place among the forms, or their number and that of the bounds, which follow.
 * A metric is charged as in a zone of its own (`estimateZone`): `fixed` is what all of them take
 * whatever the number of workers, `slots` what they take in the base and in each worker's segment.
 */
import {
  estimateZone,
  type MetricMode,
  type MetricType,
  SLAB_PAGE_BYTES,
  ZONE_BYTES_MAX,
  zoneBytes,
} from '../../../shm/index.ts'
import { USER_BOUNDS_LIMIT } from '../spec.ts'
import { HISTOGRAM_FORMS, type HistogramRule } from './histogram-rule.ts'

export const WORKERS_LIMIT = 64
export const SLAB_SIZE_DEFAULT = '5m'
const SLAB_MOST = `${ZONE_BYTES_MAX / 1_048_576}m`
export const NAME_LENGTH_MIN = 6
export const NAME_LENGTH_MAX = 65_535

/** Whether the filter is a label of its metrics, or the beginning of their names. */
export const METRIC_NAMES = ['label', 'prefix'] as const
export type MetricNames = (typeof METRIC_NAMES)[number]

export interface SettingValues {
  /** Bytes. */
  readonly slabSize: number
  /** Bytes of a name with its prefix. */
  readonly maxMetricNameLength: number
  readonly histogram: HistogramRule
  /** Threads of each filter. */
  readonly workers: number
  readonly metricNames: MetricNames
}

/** Shape of a metric, as far as it decides what it takes. */
export interface ChargedMetric {
  readonly type: MetricType
  readonly mode: MetricMode
  /** Bytes of the prefixed name. */
  readonly nameBytes: number
}

const SLAB = 0
const NAME_LENGTH = 1
const WORKERS = 2
const HISTOGRAM = 3
const FIXED = 4
const SLOTS = 5
const NAMES = 6
const BOUNDS = 7
const FIELDS = BOUNDS + USER_BOUNDS_LIMIT

export class FilterSettings {
  /** Memory to hand to the threads of filters. */
  readonly shared: SharedArrayBuffer
  readonly #values: Float64Array

  constructor(shared: SharedArrayBuffer) {
    this.shared = shared
    this.#values = new Float64Array(shared)
  }

  static create(values: SettingValues): FilterSettings {
    const settings = new FilterSettings(new SharedArrayBuffer(FIELDS * 8))
    settings.set(values)
    return settings
  }

  get slabSize(): number {
    return this.#values[SLAB]!
  }

  get maxMetricNameLength(): number {
    return this.#values[NAME_LENGTH]!
  }

  get workers(): number {
    return this.#values[WORKERS]!
  }

  get histogram(): HistogramRule {
    const form = this.#values[HISTOGRAM]!
    const count = form - HISTOGRAM_FORMS.length
    return HISTOGRAM_FORMS[form] ?? [...this.#values.subarray(BOUNDS, BOUNDS + count)]
  }

  get metricNames(): MetricNames {
    return METRIC_NAMES[this.#values[NAMES]!]!
  }

  get values(): SettingValues {
    const { slabSize, maxMetricNameLength, histogram, workers, metricNames } = this
    return { slabSize, maxMetricNameLength, histogram, workers, metricNames }
  }

  /** Bytes that the metrics take with so many workers, or with those that there are. */
  used(workers = this.workers): number {
    return this.#values[FIXED]! + this.#values[SLOTS]! * (1 + workers)
  }

  set(values: SettingValues): void {
    const { slabSize, maxMetricNameLength, histogram, workers, metricNames } = values
    const isForm = typeof histogram === 'string'
    if (!isForm) this.#values.set(histogram, BOUNDS)
    const form = isForm
      ? HISTOGRAM_FORMS.indexOf(histogram)
      : HISTOGRAM_FORMS.length + histogram.length
    this.#values.set([slabSize, maxMetricNameLength, workers, form])
    this.#values[NAMES] = METRIC_NAMES.indexOf(metricNames)
  }

  /** Tells whether the slab has room for one more metric. */
  hasRoomFor(metric: ChargedMetric): boolean {
    return this.used() + bytesOf(metric, this.workers) <= this.slabSize
  }

  /** Charges a metric that has been defined. */
  take(metric: ChargedMetric): void {
    const slots = bytesOf(metric, 2) - bytesOf(metric, 1)
    this.#values[FIXED]! += bytesOf(metric, 1) - 2 * slots
    this.#values[SLOTS]! += slots
  }
}

/** Counts the bytes of a metric, with so many workers. */
export function bytesOf({ type, mode, nameBytes }: ChargedMetric, workers: number): number {
  return estimateZone({ type, mode, keyBytes: nameBytes, workers }).total
}

/**
 * Reads a size as the directive `slab_size` has it: bytes, or text with the suffix k or m.
 * @throws {RangeError} in the original's words, or for more than shared memory can hold
 */
export function slabSizeOf(given: number | string): number {
  const size = zoneBytes(given)
  if (size <= ZONE_BYTES_MAX) return size
  throw new RangeError(`slab of ${size} bytes, limit ${ZONE_BYTES_MAX} (${SLAB_MOST})`)
}

/** Says what is wanted instead of a text that is no size; undefined for one that is. */
export function slabSizeProblem(text: string): string | undefined {
  try {
    slabSizeOf(text)
    return undefined
  } catch {
    return `want bytes or text as 512k or 5m, in pages of ${SLAB_PAGE_BYTES}, 12k to ${SLAB_MOST}`
  }
}

/**
 * Says why a zone of a hub can't hold a slab: that is a part of it. The default is no claim, also
 * in a smaller zone.
 */
export function slabMisfit(slabSize: number, zoneBytesLimit: number): string | undefined {
  if (slabSize <= Math.max(zoneBytesLimit, slabSizeOf(SLAB_SIZE_DEFAULT))) return undefined
  return `slab of ${slabSize} bytes, want at most ${zoneBytesLimit}, the hub’s zoneBytesLimit`
}
