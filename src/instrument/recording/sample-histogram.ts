/**
 * A base-2 histogram that is cheap to record into: samples are counted as doubles in a window of
 * buckets around those seen last, and folded into the model's histogram, whose counts are bigints,
 * when one falls outside of it and when it is read. Recording allocates nothing but then, and a
 * fold lowers the scale until what is seen fits.
 */
import { addExact, bucketIndex, Histogram } from '../../model/index.ts'
import type { SampleTaker } from './recorded-counter.ts'

/** Buckets of the window: more than the 160 that the model keeps, with room on both sides. */
const WINDOW = 512
/** Sums of doubles are exact for integers up to here. */
const EXACT_MAX = 2 ** 53

export class SampleHistogram implements SampleTaker {
  readonly #folded = new Histogram()
  readonly #counts = new Float64Array(WINDOW)
  #scale = this.#folded.scale
  /** Index of the window's first bucket. */
  #offset = -WINDOW / 2
  #count = 0
  #sum = 0
  #min = Number.POSITIVE_INFINITY
  #max = Number.NEGATIVE_INFINITY

  take(values: Float64Array, from: number, to: number): void {
    for (let i = from; i < to; i++) this.#add(values[i]!)
  }

  #add(value: number): void {
    const sum = this.#sum + value
    const at = value > 0 ? bucketIndex(value, this.#scale) - this.#offset : -1
    if (at < 0 || at >= WINDOW || sum > EXACT_MAX) {
      this.#addOutside(value)
      return
    }
    this.#counts[at]!++
    this.#count++
    this.#sum = sum
    if (value < this.#min) this.#min = value
    if (value > this.#max) this.#max = value
  }

  /** Adds zero, a negative sample or one far from the others; the window moves to where it is. */
  #addOutside(value: number): void {
    this.#fold()
    this.#folded.record(value)
    this.#scale = this.#folded.scale
    if (value > 0) this.#offset = bucketIndex(value, this.#scale) - WINDOW / 2
  }

  #fold(): void {
    if (this.#count === 0) return
    const window = new Histogram(this.#scale)
    this.#counts.forEach((count, i) => {
      // Every bucket that does not fit lowers the window's scale, and with it the next indices.
      const index = (this.#offset + i) >> (this.#scale - window.scale)
      if (count > 0) window.addBucket(index, BigInt(count))
    })
    window.sum = addExact(0, this.#sum)
    window.min = this.#min
    window.max = this.#max
    this.#folded.mergeFrom(window)
    this.#counts.fill(0)
    this.#count = 0
    this.#sum = 0
    this.#min = Number.POSITIVE_INFINITY
    this.#max = Number.NEGATIVE_INFINITY
  }

  /** Reads everything so far, as a copy. */
  read(): Histogram {
    this.#fold()
    return this.#folded.clone()
  }
}
