/** Options of a zone: their ranges, defaults, and what they mean in pages, segments and words. */
import { BACKINGS, type Backing, DESCRIPTORS_PER_PAGE, HEADER, PAGE_BYTES } from './layout.ts'
import type { MemoryLimits } from './memory/memory.ts'
import type { ZoneLimits } from './succession/build.ts'

export interface ZoneOptions {
  /** `wasm` where WebAssembly code is to work on the zone; default `sab`. */
  readonly backing?: Backing
  /** Bytes of the whole zone; 1 MiB to 1 GiB, default 256 MiB. Reserved, not resident. */
  readonly zoneBytesLimit?: number
  /**
   * `error`: definitions are refused beyond `slabSize`; default `grow`: only beyond
   * `zoneBytesLimit`.
   */
  readonly onFull?: 'grow' | 'error'
  /** Bytes that definitions may be charged where `onFull` is `error`; default 5 MiB. */
  readonly slabSize?: number
  /** Segments prepared at once, and charged for in every definition; default 1. */
  readonly workers?: number
  /** Metrics that can be defined; default 1,000,000. */
  readonly metricsLimit?: number
  /** Bytes of one key; at most 65,535, default 4,096. */
  readonly keyBytesLimit?: number
  /** Writers attached at one time; default 256. */
  readonly workersLimit?: number
}

/** Options that {@link Zone.reconfigure} can change; what is not named stays. */
export type ZoneChange = Pick<
  ZoneOptions,
  'workers' | 'workersLimit' | 'zoneBytesLimit' | 'slabSize' | 'keyBytesLimit'
>

/** Most bytes of a zone: above it, a chunk table would not fit a page. */
export const ZONE_BYTES_MAX = 1_073_741_824

/** `[default, least, most]`. */
const RANGES = {
  zoneBytesLimit: [268_435_456, 1_048_576, ZONE_BYTES_MAX],
  slabSize: [5_242_880, 4_096, ZONE_BYTES_MAX],
  workers: [1, 1, 1_024],
  metricsLimit: [1_000_000, 1, 16_777_216],
  keyBytesLimit: [4_096, 1, 65_535],
  workersLimit: [256, 1, 1_024],
} as const

type NumberOption = keyof typeof RANGES

/** @throws {RangeError} for an option out of its range */
export function limitsOf(
  options: ZoneOptions,
  { zoneId, hashKey }: Pick<MemoryLimits, 'zoneId' | 'hashKey'>,
): MemoryLimits {
  const backing = options.backing ?? 'sab'
  if (!BACKINGS.includes(backing)) throw new RangeError(`backing "${backing}" is none`)
  const onFull = options.onFull ?? 'grow'
  if (onFull !== 'grow' && onFull !== 'error') throw new RangeError(`onFull "${onFull}" is none`)
  const metricsLimit = numberOf(options, 'metricsLimit')
  const slabSize = numberOf(options, 'slabSize')
  const workersLimit = numberOf(options, 'workersLimit')
  return {
    backing,
    zoneId,
    hashKey,
    ordinal: 0,
    metricsLimit,
    descriptorPages: Math.ceil(metricsLimit / DESCRIPTORS_PER_PAGE),
    pagesMax: Math.floor(numberOf(options, 'zoneBytesLimit') / PAGE_BYTES),
    keyBytesLimit: numberOf(options, 'keyBytesLimit'),
    segmentsMax: 1 + workersLimit,
    workers: workersWithin(numberOf(options, 'workers'), workersLimit),
    budget: onFull === 'error' ? Math.floor(slabSize / 8) : 0,
  }
}

/** @throws {RangeError} as {@link limitsOf} */
export function changedLimits(header: Int32Array, change: ZoneChange): ZoneLimits {
  const given = (option: keyof ZoneChange, held: number): number =>
    change[option] === undefined ? held : numberOf(change, option)
  const pages = Math.floor(
    given('zoneBytesLimit', header[HEADER.pagesMax]! * PAGE_BYTES) / PAGE_BYTES,
  )
  const workersLimit = given('workersLimit', header[HEADER.segmentsMax]! - 1)
  const budget = header[HEADER.budget]! >>> 0
  return {
    pagesMax: pages,
    keyBytesLimit: given('keyBytesLimit', header[HEADER.keyBytesLimit]!),
    segmentsMax: 1 + workersLimit,
    workers: workersWithin(
      given('workers', Math.min(header[HEADER.workers]!, workersLimit)),
      workersLimit,
    ),
    budget: budget === 0 ? 0 : Math.floor(given('slabSize', 8 * budget) / 8),
  }
}

/** Tells whether the change needs another zone: another size, or another number of segments. */
export function needsSuccessor(header: Int32Array, limits: ZoneLimits): boolean {
  return (
    limits.pagesMax !== header[HEADER.pagesMax] ||
    limits.segmentsMax !== header[HEADER.segmentsMax] ||
    limits.workers !== header[HEADER.workers] ||
    limits.budget !== header[HEADER.budget]! >>> 0
  )
}

function workersWithin(workers: number, workersLimit: number): number {
  if (workers > workersLimit) {
    throw new RangeError(`workers ${workers} is above workersLimit ${workersLimit}`)
  }
  return workers
}

function numberOf(options: ZoneOptions, name: NumberOption): number {
  const [standard, min, max] = RANGES[name]
  const value = options[name] ?? standard
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new RangeError(`${name} ${value} is not an integer of ${min} to ${max}`)
  }
  return value
}
