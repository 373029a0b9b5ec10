/** Finding what can be jumped to, by words: all series too, in one walk over them. */

/** Something that can be jumped to. */
export interface Findable {
  /** Text that is searched, in lower case. */
  readonly search: string
}

export interface Found<T> {
  /** The best ones, best first. */
  readonly shown: readonly T[]
  /** All that match. */
  readonly count: number
}

interface Ranked<T> {
  readonly item: T
  readonly rank: number
}

/** Splits what is typed into words in lower case. */
function wordsOf(query: string): readonly string[] {
  return query.toLowerCase().split(/\s+/).filter(Boolean)
}

/**
 * Finds items in which all words stand. Those that begin with what is typed come first, then those
 * that have it at the beginning of a part, then shorter ones; equals stay in their order.
 * @param limit of those that are listed; all are counted
 */
export function find<T extends Findable>(
  query: string,
  items: Iterable<T>,
  limit: number,
): Found<T> {
  const words = wordsOf(query)
  const best: Ranked<T>[] = []
  let count = 0
  for (const item of items) {
    const { search } = item
    if (!words.every((word) => search.includes(word))) continue
    count += 1
    const rank = words.length === 0 ? 0 : rankOf(search, words)
    const worst = best.at(-1)
    if (best.length === limit && worst !== undefined && rank >= worst.rank) continue
    insert(best, { item, rank })
    if (best.length > limit) best.pop()
  }
  return { shown: best.map(({ item }) => item), count }
}

/** Length that counts: of texts beyond it none is better than another. */
const LENGTH_LIMIT = 999

/** Ranks a text in which all words stand; the smaller, the better. */
function rankOf(search: string, words: readonly string[]): number {
  const first = words[0]!
  const at = search.indexOf(first)
  const isPart = at > 0 && /[^a-z0-9]/.test(search[at - 1]!)
  const place = at === 0 ? 0 : isPart ? 1 : 2
  return place * (LENGTH_LIMIT + 1) + Math.min(search.length, LENGTH_LIMIT)
}

function insert<T>(best: Ranked<T>[], next: Ranked<T>): void {
  let low = 0
  let high = best.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (best[middle]!.rank <= next.rank) low = middle + 1
    else high = middle
  }
  best.splice(low, 0, next)
}
