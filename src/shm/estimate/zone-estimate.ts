/**
 * What metrics cost in this zone (docs/formats/zone.md): the same figures by which a definition is
 * charged to the zone's budget.
 *
 *   descriptor 32 | index 16 | key | slots: 8 bytes a word, in the base and every worker's
 */
import {
  DESCRIPTOR_INTS,
  INDEX_ENTRY_INTS,
  METRIC_TYPES,
  type MetricMode,
  type MetricType,
  SLOT_WORDS,
  slotClassOf,
} from '../layout.ts'

export interface ZoneQuestion {
  readonly type: MetricType
  /** Default: the type's first. */
  readonly mode?: MetricMode
  readonly keyBytes: number
  /** Segments of writers; the base comes on top. Default 1. */
  readonly workers?: number
}

/** Bytes of one metric, by what they are for. */
export interface ZoneEstimate {
  readonly descriptor: number
  /** Two entries: the table is at most three quarters full, and doubles. */
  readonly index: number
  /** The key, rounded up to whole words together with descriptor and index. */
  readonly key: number
  readonly slots: number
  readonly total: number
}

/** The most that a zone's options allow. */
const KEY_BYTES_MAX = 65_535
const WORKERS_MAX = 1_024

/**
 * Estimates what a metric costs in a zone of this package.
 * @throws {RangeError} when the type has no such mode, and for a number that no zone could have
 *
 * @example
 * import { estimateZone } from 'pentameter/shm'
 *
 * console.log(estimateZone({ type: 'counter', keyBytes: 24, workers: 4 }).total) // 112
 */
export function estimateZone({ type, mode, keyBytes, workers = 1 }: ZoneQuestion): ZoneEstimate {
  if (!METRIC_TYPES.includes(type)) throw new RangeError(`type "${type}" is none`)
  checkWithin('keyBytes', keyBytes, 0, KEY_BYTES_MAX)
  checkWithin('workers', workers, 1, WORKERS_MAX)
  const slotClass = slotClassOf(type, mode)
  if (slotClass === -1) throw new RangeError(`${type} has no mode ${mode}`)
  const descriptor = 4 * DESCRIPTOR_INTS
  const index = 8 * INDEX_ENTRY_INTS
  const key = 8 * Math.ceil(keyBytes / 8)
  const slots = 8 * SLOT_WORDS[slotClass]! * (1 + workers)
  return { descriptor, index, key, slots, total: descriptor + index + key + slots }
}

function checkWithin(name: string, value: number, min: number, max: number): void {
  if (Number.isInteger(value) && value >= min && value <= max) return
  throw new RangeError(`${name} ${value} is not an integer of ${min} to ${max}`)
}
