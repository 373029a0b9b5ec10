/**
 * What a definition asks for beside key and type: the mode, and the bounds of a binned histogram
 * (docs/formats/zone.md, "Metrics"), and what the budget charges it. Wrong options are a mistake in
 * the program and throw.
 */
import {
  BOUND_MAX,
  BOUNDS_MAX,
  DESCRIPTOR_INTS,
  INDEX_ENTRY_INTS,
  METRIC_MODES,
  type MetricMode,
  type MetricType,
  slotClassOf,
} from '../layout.ts'

export interface DefinitionOptions {
  /** One of the type's METRIC_MODES; the first of them when left out. */
  readonly mode?: MetricMode
  /**
   * Bounds of a binned histogram, and only there: inclusive upper ones, 1 to 17 ascending integers
   * of 1 to 4294967294. One more bin, up to 4294967295, takes all that is greater.
   */
  readonly bounds?: readonly number[]
}

export interface Definition {
  readonly slotClass: number
  readonly bounds: readonly number[]
}

const NO_BOUNDS: readonly number[] = []
const PLAIN = Object.fromEntries(
  Object.keys(METRIC_MODES).map((type) => [
    type,
    Object.freeze({ slotClass: slotClassOf(type as MetricType), bounds: NO_BOUNDS }),
  ]),
) as Readonly<Record<MetricType, Definition>>

/**
 * @throws {TypeError} for a type that is none, a mode that it has not, and bounds that are not due
 * @throws {RangeError} for bounds that are no such list
 */
export function definitionOf(type: MetricType, options?: DefinitionOptions): Definition {
  if (!Object.hasOwn(PLAIN, type)) throw new TypeError(`type "${type}" is none`)
  if (options === undefined && type !== 'binned') return PLAIN[type]
  const slotClass = slotClassOf(type, options?.mode)
  if (slotClass === -1) throw new TypeError(`a ${type} has no mode ${options?.mode}`)
  const bounds = options?.bounds
  if (type !== 'binned') {
    if (bounds !== undefined) throw new TypeError(`a ${type} has no bounds of its own`)
    return { slotClass, bounds: NO_BOUNDS }
  }
  if (bounds === undefined) throw new TypeError('a binned histogram needs its bounds')
  return { slotClass, bounds: checkBounds(bounds) }
}

function checkBounds(bounds: readonly number[]): readonly number[] {
  if (bounds.length === 0 || bounds.length > BOUNDS_MAX) {
    throw new RangeError(`${bounds.length} bounds, a binned histogram has 1 to ${BOUNDS_MAX}`)
  }
  bounds.forEach((bound, i) => {
    const isAbove = bound > (i === 0 ? 0 : bounds[i - 1]!)
    if (!Number.isInteger(bound) || !isAbove || bound > BOUND_MAX) {
      throw new RangeError(`bound ${bound} is not an ascending integer of 1 to ${BOUND_MAX}`)
    }
  })
  return bounds
}

/** Descriptor, and two index entries: the index is three eighths to three quarters full. */
const METRIC_BYTES = 4 * (DESCRIPTOR_INTS + 2 * INDEX_ENTRY_INTS)

/**
 * Counts the words of 8 bytes that a metric is charged: descriptor, index, key, and the slots of
 * the base and of every worker that segments are prepared for, whether it writes the metric or not.
 */
export function definitionWords(keyBytes: number, slotWords: number, workers: number): number {
  return Math.ceil((METRIC_BYTES + keyBytes) / 8) + slotWords * (1 + workers)
}
