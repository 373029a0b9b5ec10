/**
 * Exemplars: single observations of a series that say more than their number, as a rule the trace
 * they belong to (OpenMetrics 1.0, "Exemplars"). Of a series some are kept, spread over its range.
 */
import type { Labels } from '../series.ts'

/** One observation with what tells where it came from. */
export interface Exemplar {
  readonly value: number
  /** Unix ms at which it was observed. */
  readonly timeMs: number
  /** Its own labels, `trace_id` for instance; none of those of its series. */
  readonly labels: Labels
}

/** Code points that names and values of an exemplar's labels have at most: OpenMetrics' bound. */
export const EXEMPLAR_LENGTH_LIMIT = 128
/** Exemplars kept of one series. */
const EXEMPLARS_LIMIT = 10

/**
 * Counts the code points of labels, names and values.
 *
 * @example
 * import { lengthOfLabels } from 'pentameter/model'
 *
 * console.log(lengthOfLabels([['trace_id', '4bf92f35']])) // 16
 */
export function lengthOfLabels(labels: Labels): number {
  let length = 0
  for (const [key, value] of labels) {
    for (const _ of key) length++
    for (const _ of value) length++
  }
  return length
}

/**
 * The exemplars of one series: the newest of each power of two, at most ten of them, so that rare
 * large values stay beside many small ones.
 */
class ExemplarSet {
  /** Those kept, the oldest in front. */
  readonly #kept: Exemplar[] = []

  add(exemplar: Exemplar): void {
    const kept = this.#kept
    const band = bandOf(exemplar.value)
    const known = kept.findIndex(({ value }) => bandOf(value) === band)
    if (known >= 0) {
      // who tells cumulatively tells an old one again and again
      if (kept[known]!.timeMs > exemplar.timeMs) return
      kept.splice(known, 1)
    }
    const later = kept.findIndex(({ timeMs }) => timeMs > exemplar.timeMs)
    kept.splice(later < 0 ? kept.length : later, 0, exemplar)
    if (kept.length > EXEMPLARS_LIMIT) kept.shift()
  }

  /** Lists them, the newest at the end; to be read at once. */
  get list(): readonly Exemplar[] {
    return this.#kept
  }
}

/**
 * Joins the exemplars of two parts of one series, the newest at the end; no more than one series
 * has.
 *
 * @example
 * import { mergeExemplars } from 'pentameter/model'
 *
 * const older = { value: 3, timeMs: 1, labels: [['trace_id', 'a']] as const }
 * const newer = { value: 3.5, timeMs: 2, labels: [['trace_id', 'b']] as const }
 * console.log(mergeExemplars([newer], [older]).length) // 1
 */
export function mergeExemplars(
  a: readonly Exemplar[],
  b: readonly Exemplar[],
): readonly Exemplar[] {
  if (a.length === 0 || b.length === 0) return a.length === 0 ? b : a
  const set = new ExemplarSet()
  for (const exemplar of [...a, ...b]) set.add(exemplar)
  return set.list
}

const NO_EXEMPLARS: readonly Exemplar[] = Object.freeze([])

/**
 * Exemplars of many series, by number: of those that had one last, as many as the limit says. What
 * a series costs that never has one is nothing.
 *
 * @example
 * import { Exemplars } from 'pentameter/model'
 *
 * const exemplars = new Exemplars(100)
 * exemplars.add(1, { value: 0.25, timeMs: Date.now(), labels: [['trace_id', '4bf92f35']] })
 * console.log(exemplars.of(1).length) // 1
 */
export class Exemplars {
  readonly #limit: number
  readonly #sets = new Map<number, ExemplarSet>()

  /** @param limit of series, each of which takes some 2 KiB at most */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Number of series that have any. */
  get size(): number {
    return this.#sets.size
  }

  add(series: number, exemplar: Exemplar): void {
    const set = this.#sets.get(series) ?? new ExemplarSet()
    set.add(exemplar)
    this.#sets.delete(series)
    this.#sets.set(series, set)
    if (this.#sets.size <= this.#limit) return
    for (const oldest of this.#sets.keys()) {
      this.#sets.delete(oldest)
      return
    }
  }

  /** Lists those of a series, the newest at the end. */
  of(series: number): readonly Exemplar[] {
    return this.#sets.get(series)?.list ?? NO_EXEMPLARS
  }
}

/** Exponents of doubles are above this, negated. */
const EXPONENTS = 1100

/** Gives a number for each power of two and sign; values of (2^(i-1), 2^i] have the same. */
function bandOf(value: number): number {
  return value === 0 ? 0 : Math.sign(value) * (Math.ceil(Math.log2(Math.abs(value))) + EXPONENTS)
}
