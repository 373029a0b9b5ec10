/**
 * Messages by second over a stretch of time, added up exactly. A second without any entry is told
 * from one with 0 messages.
 */
import { type Exact, exact } from '../../../model/index.ts'

export interface ThroughputStatistics {
  readonly min: Exact
  readonly median: Exact
  readonly max: Exact
}

export class SecondCounts {
  /** NaN without an entry, Infinity where the count stands in `#wide`. */
  #counts: Float64Array
  readonly #sorted: Float64Array
  /** Counts beyond 2^53. */
  readonly #wide = new Map<number, bigint>()

  constructor(length: number) {
    this.#counts = new Float64Array(length).fill(Number.NaN)
    this.#sorted = new Float64Array(length)
  }

  get length(): number {
    return this.#counts.length
  }

  /** Begins anew. */
  clear(): void {
    this.#counts.fill(Number.NaN)
    this.#wide.clear()
  }

  /** @param count 0 or more */
  add(index: number, count: Exact): void {
    const held = this.#counts[index]!
    if (typeof count === 'number') {
      const sum = Number.isNaN(held) ? count : held + count
      if (sum <= Number.MAX_SAFE_INTEGER) {
        this.#counts[index] = sum
        return
      }
    }
    const known = this.#wide.get(index) ?? BigInt(Number.isNaN(held) ? 0 : held)
    this.#wide.set(index, known + BigInt(count))
    this.#counts[index] = Number.POSITIVE_INFINITY
  }

  /** Gives the count of a second; undefined without an entry. */
  at(index: number): Exact | undefined {
    const held = this.#counts[index]!
    if (held === Number.POSITIVE_INFINITY) return this.#wide.get(index)
    return Number.isNaN(held) ? undefined : held
  }

  /**
   * Computes over the seconds that have an entry, from an index on; undefined where none has. The
   * median of an even number is the mean of the middle two.
   */
  statistics(from = 0): ThroughputStatistics | undefined {
    let count = 0
    for (let i = from; i < this.#counts.length; i++) {
      const held = this.#counts[i]!
      if (!Number.isNaN(held)) this.#sorted[count++] = held
    }
    if (count === 0) return undefined
    if (this.#wide.size > 0) return statisticsOf(this.#entries(from))
    return statisticsOf(this.#sorted.subarray(0, count).sort())
  }

  #entries(from: number): Exact[] {
    const entries: Exact[] = []
    for (let i = from; i < this.length; i++) {
      const count = this.at(i)
      if (count !== undefined) entries.push(count)
    }
    return entries.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  }
}

function statisticsOf(sorted: ArrayLike<Exact>): ThroughputStatistics {
  const { length } = sorted
  const middle = Math.floor(length / 2)
  const median =
    length % 2 === 1 ? sorted[middle]! : exactMean(sorted[middle - 1]!, sorted[middle]!)
  return { min: sorted[0]!, median, max: sorted[length - 1]! }
}

/** Computes a mean, exact but for a half that no double of this size has: it is left out. */
function exactMean(a: Exact, b: Exact): Exact {
  const sum = Number(a) + Number(b)
  if (sum <= Number.MAX_SAFE_INTEGER) return sum / 2
  return exact((BigInt(a) + BigInt(b)) / 2n)
}
