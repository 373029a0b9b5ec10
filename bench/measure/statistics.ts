/** Medians, spreads and seeded randomness: what every question of the bench computes with. */

/** Middle of a list of figures, and its ends. */
export interface Spread {
  readonly median: number
  readonly low: number
  readonly high: number
}

/** @throws {RangeError} for an empty list, which has no middle */
export function spreadOf(figures: readonly number[]): Spread {
  if (figures.length === 0) throw new RangeError('no figures, so no median')
  const sorted = figures.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle]!
  const median = sorted.length % 2 === 1 ? upper : (sorted[middle - 1]! + upper) / 2
  return { median, low: sorted[0]!, high: sorted.at(-1)! }
}

/**
 * Ratios of figures of the same round. The machine's speed drifts from round to round; within one,
 * both sides had about the same machine.
 */
export function pairedRatios(over: readonly number[], under: readonly number[]): number[] {
  if (over.length !== under.length) {
    throw new RangeError(`${over.length} rounds against ${under.length}`)
  }
  return over.map((figure, i) => figure / under[i]!)
}

/** Numbers of [0, 1) that a seed repeats (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A shuffled copy (Fisher and Yates). */
export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const list = [...items]
  for (let i = list.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    const held = list[i]!
    list[i] = list[j]!
    list[j] = held
  }
  return list
}
