/**
 * Simple moving average of a line: the value at a sample is the mean of the finite samples in the
 * window that ends there; nothing before the first full window.
 *
 * Sums slide without subtracting: what has left a window would otherwise leave its rounding behind,
 * and one sample of 1e300 would spoil all that follow. Two stacks instead: `#front` holds, for
 * every older sample, the sum from it up to the turning point; `#back` one sum of all newer ones.
 */
class MovingAverage {
  readonly #window: Window
  /**
   * Samples in the window, oldest first, from `#start` on; those before `#turn` are in `#front`.
   */
  #samples: Sample[] = []
  #front: Total[] = []
  #start = 0
  #turn = 0
  #back: Total = NOTHING
  #firstTime = Number.NaN

  /** @throws {RangeError} for a window that is negative, not finite, or a fraction of a sample */
  constructor(window: Window) {
    const size = 'samples' in window ? window.samples : window.seconds
    const isWhole = !('samples' in window) || Number.isInteger(size)
    if (!Number.isFinite(size) || size < 0 || !isWhole) {
      throw new RangeError(`window of ${size}, must be 0 (off) or more`)
    }
    this.#window = window
  }

  /**
   * Adds a sample.
   * @param time in seconds, not before the last one; only windows in seconds need it
   * @returns the average that ends here; NaN where there is none
   */
  push(value: number, time = 0): number {
    const window = this.#window
    const isOff = 'samples' in window ? window.samples === 0 : window.seconds === 0
    if (isOff) return Number.NaN
    if (Number.isNaN(this.#firstTime)) this.#firstTime = time
    this.#samples.push({ value, time })
    this.#back = add(this.#back, value)
    if ('samples' in window) {
      while (this.#count() > window.samples) this.#dropOldest()
      return this.#count() === window.samples ? this.#mean() : Number.NaN
    }
    while (time - this.#samples[this.#start]!.time >= window.seconds) this.#dropOldest()
    return time - this.#firstTime >= window.seconds ? this.#mean() : Number.NaN
  }

  #count(): number {
    return this.#samples.length - this.#start
  }

  #mean(): number {
    const front = this.#start < this.#turn ? this.#front[this.#start]! : NOTHING
    const count = front.count + this.#back.count
    return count === 0 ? Number.NaN : (front.sum + this.#back.sum) / count
  }

  #dropOldest(): void {
    if (this.#start === this.#turn) this.#turnOver()
    this.#start++
  }

  /** Turns the newer samples into the older ones; each sample takes part once. */
  #turnOver(): void {
    this.#samples = this.#samples.slice(this.#start)
    this.#start = 0
    this.#turn = this.#samples.length
    this.#front = new Array<Total>(this.#turn)
    let total = NOTHING
    for (let i = this.#turn - 1; i >= 0; i--) {
      total = add(total, this.#samples[i]!.value)
      this.#front[i] = total
    }
    this.#back = NOTHING
  }
}

/**
 * A number of samples or of seconds; 0 = off. A window in seconds leaves out its very beginning.
 */
export type Window = { readonly samples: number } | { readonly seconds: number }

interface Sample {
  readonly value: number
  readonly time: number
}

/** Finite samples: how many, and their sum. */
interface Total {
  readonly count: number
  readonly sum: number
}

const NOTHING: Total = { count: 0, sum: 0 }

function add(total: Total, value: number): Total {
  if (!Number.isFinite(value)) return total
  return { count: total.count + 1, sum: total.sum + value }
}

/** Computes the average at every sample; NaN where there is none. */
export function movingAverage(values: ArrayLike<number>, samples: number): Float64Array {
  const average = new MovingAverage({ samples })
  return Float64Array.from(values, (value) => average.push(value))
}

/** Computes movingAverage over a window in seconds; `times` in seconds, rising. */
export function movingAverageOver(
  times: ArrayLike<number>,
  values: ArrayLike<number>,
  seconds: number,
): Float64Array {
  const average = new MovingAverage({ seconds })
  return Float64Array.from(values, (value, i) => average.push(value, times[i]!))
}
