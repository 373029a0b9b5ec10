/**
 * Our own throughput (§8.3): a window's messages over its seconds so that the sums always match.
 * Second t is the time (t-1, t]. Whole seconds get equal parts, others by their overlap, rounded
 * down; what is left goes to the newest, one each. A period of 0 is the second of its end.
 *
 *   oldest      middle, all alike        newest
 *   |..======|==========|==========|======....|
 *       period ----------------------------> end
 */
import { type Exact, exact } from '../../../model/index.ts'

const NS_PER_SECOND = 1_000_000_000

/** One object serves for all windows: nothing is made for counts below 2^53. */
export class WindowSpread {
  /** Seconds that the window covers, the newest first. */
  length = 0
  #newest: Exact = 0
  #middle: Exact = 0
  #oldest: Exact = 0
  /** Age of the second that is covered in part only, at the beginning; -1 for none. */
  #oldestAge = -1
  /** Number of the newest seconds that get one message more. */
  #left = 0

  /**
   * @param restNs of the end: what it lies above a whole second
   * @param periodNs a whole number below 2^53
   */
  lay(total: Exact, restNs: number, periodNs: number): void {
    const newestNs = restNs === 0 ? NS_PER_SECOND : restNs
    const earlierNs = periodNs - newestNs
    if (earlierNs <= 0) {
      this.#one(total)
      return
    }
    const middles = Math.floor(earlierNs / NS_PER_SECOND)
    const oldestNs = earlierNs - middles * NS_PER_SECOND
    this.#newest = partOf(total, newestNs, periodNs)
    this.#middle = middles === 0 ? 0 : partOf(total, NS_PER_SECOND, periodNs)
    this.#oldest = oldestNs === 0 ? 0 : partOf(total, oldestNs, periodNs)
    this.#oldestAge = oldestNs === 0 ? -1 : 1 + middles
    this.length = 1 + middles + (oldestNs === 0 ? 0 : 1)
    this.#left = this.#leftOf(total, middles)
  }

  #one(total: Exact): void {
    this.length = 1
    this.#newest = total
    this.#oldestAge = -1
    this.#left = 0
  }

  #leftOf(total: Exact, middles: number): number {
    const [newest, middle, oldest] = [this.#newest, this.#middle, this.#oldest]
    if (typeof total === 'number') {
      return total - Number(newest) - middles * Number(middle) - Number(oldest)
    }
    return Number(total - BigInt(newest) - BigInt(middles) * BigInt(middle) - BigInt(oldest))
  }

  /** @param age 0 for the second of the end, up to `length` - 1 */
  at(age: number): Exact {
    const earlier = age === this.#oldestAge ? this.#oldest : this.#middle
    const part = age === 0 ? this.#newest : earlier
    if (age >= this.#left) return part
    return typeof part === 'number' ? part + 1 : part + 1n
  }
}

function partOf(total: Exact, overlapNs: number, periodNs: number): Exact {
  if (typeof total === 'number') {
    const product = total * overlapNs
    // the quotient of integers below 2^53 never rounds up to the next whole number
    if (product <= Number.MAX_SAFE_INTEGER) return Math.floor(product / periodNs)
    const seconds = periodNs / NS_PER_SECOND
    if (overlapNs === NS_PER_SECOND && Number.isInteger(seconds)) return Math.floor(total / seconds)
  }
  return exact((BigInt(total) * BigInt(overlapNs)) / BigInt(periodNs))
}
