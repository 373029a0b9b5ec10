/** Totals of very many counters at one instant, without garbage and without a lock. */
import { U64_MAX } from '../../model/index.ts'
import type { Descriptors } from '../definitions/descriptors.ts'
import { PAGE_SHIFT, PAGE_WORDS } from '../layout.ts'
import type { Page, ZoneMemory } from '../memory/memory.ts'
import type { Segment, Segments } from '../segments/segments.ts'

const NO_METRICS = new Uint32Array(0)

export class CountersReader {
  readonly #memory: ZoneMemory
  readonly #descriptors: Descriptors
  readonly #segments: Segments
  #metrics: Uint32Array = NO_METRICS
  #slots: Uint32Array = NO_METRICS
  /** Slot that is being added. */
  readonly #word = new BigUint64Array(1)

  constructor(memory: ZoneMemory, descriptors: Descriptors, segments: Segments) {
    this.#memory = memory
    this.#descriptors = descriptors
    this.#segments = segments
  }

  /**
   * Reads totals, fastest when the metrics ascend.
   * @returns the index of a metric that is no counter, with nothing read; or -1
   */
  read(metrics: Uint32Array, target: BigUint64Array): number {
    if (this.#slots.length < metrics.length) this.#slots = new Uint32Array(target.length)
    this.#metrics = metrics
    const unfit = this.#memory.generation.consistently(this.#sum, target)
    this.#metrics = NO_METRICS
    return unfit
  }

  readonly #sum = (totals: BigUint64Array): number => {
    totals.fill(0n, 0, this.#metrics.length)
    const unfit = this.#descriptors.slotsOf(this.#metrics, 'counter', this.#slots)
    if (unfit >= 0) return unfit
    for (let i = 0; i < this.#segments.count; i++) this.#add(this.#segments.at(i), totals)
    return -1
  }

  /**
   * Adds what one segment has. Mostly all is in one, which is copied; a slot is read whole, as its
   * writer may be in the middle of a carry, and looked at in the copy.
   */
  #add(segment: Segment, totals: BigUint64Array): void {
    const slots = this.#slots
    const { length } = this.#metrics
    const sums = new Int32Array(totals.buffer, totals.byteOffset, 2 * totals.length)
    const word = this.#word
    const halves = new Int32Array(word.buffer)
    let chunk = -1
    let page: Page | undefined
    for (let i = 0; i < length; i++) {
      const slotAt = slots[i]!
      if (slotAt >>> PAGE_SHIFT !== chunk) {
        chunk = slotAt >>> PAGE_SHIFT
        page = segment.pageOf(slotAt)
      }
      if (page === undefined) continue
      const at = slotAt & (PAGE_WORDS - 1)
      if ((sums[2 * i]! | sums[2 * i + 1]!) === 0) {
        totals[i] = page.words[at]!
        continue
      }
      word[0] = page.words[at]!
      if ((halves[0]! | halves[1]!) === 0) continue
      if (sums[2 * i + 1]! < 0 || halves[1]! < 0) {
        totals[i] = cappedTotal(this.#descriptors, this.#metrics[i]!, totals[i]! + word[0])
      } else totals[i]! += word[0]
    }
  }
}

/** Gives what a sum of slots counts as: at most 2^64 - 1, or modulo 2^64 where a counter wraps. */
export function cappedTotal(descriptors: Descriptors, metric: number, sum: bigint): bigint {
  if (sum <= U64_MAX) return sum
  return descriptors.mode(metric) === 'wrapping' ? BigInt.asUintN(64, sum) : U64_MAX
}
