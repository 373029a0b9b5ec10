/**
 * Simple moving average of a line: the value at a sample is the mean of the finite samples in the
 * window that ends there; nothing before the first full window.
 *
 * Sums slide without subtracting: what has left a window would otherwise leave its rounding behind,
 * and one sample of 1e300 would spoil all that follow. Two stacks instead: `#front` holds, for
 * every older sample, the sum from it up to the turning point; `#back` one sum of all newer ones.
 */
export class MovingAverage {
  readonly #window: Window
  /**
   * Samples in the window, oldest first, from `#start` on; those before `#turn` are in `#front`.
   * The newest is always behind it.
   */
  #samples: Sample[] = []
  #front: Total[] = []
  #start = 0
  #turn = 0
  #back: Total = NOTHING
  /** `#back` without the newest sample. */
  #older: Total = NOTHING
  #firstTime = Number.NaN

  /** @throws {RangeError} for a window that is none */
  constructor(window: Window) {
    checkWindow(window)
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
    this.#older = this.#back
    this.#back = add(this.#back, value)
    if ('samples' in window) {
      while (this.#count() > window.samples) this.#dropOldest()
    } else {
      while (time - this.#samples[this.#start]!.time >= window.seconds) this.#dropOldest()
    }
    return this.#isFull(time) ? this.#mean() : Number.NaN
  }

  /**
   * Takes another value for the newest sample.
   * @returns the average that ends there; NaN where there is none
   */
  replaceNewest(value: number): number {
    const newest = this.#samples.at(-1)
    if (newest === undefined) return Number.NaN
    this.#samples[this.#samples.length - 1] = { value, time: newest.time }
    this.#back = add(this.#older, value)
    return this.#isFull(newest.time) ? this.#mean() : Number.NaN
  }

  /** Begins anew: nothing before the next full window. */
  clear(): void {
    this.#samples = []
    this.#front = []
    this.#start = 0
    this.#turn = 0
    this.#back = NOTHING
    this.#older = NOTHING
    this.#firstTime = Number.NaN
  }

  #isFull(time: number): boolean {
    const window = this.#window
    return 'samples' in window
      ? this.#count() === window.samples
      : time - this.#firstTime >= window.seconds
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

  /** Turns all samples but the newest into the older ones; each takes part once. */
  #turnOver(): void {
    this.#samples = this.#samples.slice(this.#start)
    this.#start = 0
    this.#turn = this.#samples.length - 1
    this.#front = new Array<Total>(this.#turn)
    let total = NOTHING
    for (let i = this.#turn - 1; i >= 0; i--) {
      total = add(total, this.#samples[i]!.value)
      this.#front[i] = total
    }
    this.#older = NOTHING
    this.#back = add(NOTHING, this.#samples[this.#turn]!.value)
  }
}

/**
 * A number of samples or of seconds; 0 = off. A window in seconds leaves out its very beginning.
 */
export type Window = { readonly samples: number } | { readonly seconds: number }

/** Largest windows: ten minutes, of a thousand samples a second. */
const SECONDS_LIMIT = 600
const SAMPLES_LIMIT = 600_000

/** Tells whether a window is a number of samples or seconds within the limits. */
export function isWindow(window: Window): boolean {
  if ('seconds' in window) return window.seconds >= 0 && window.seconds <= SECONDS_LIMIT
  const { samples } = window
  return Number.isInteger(samples) && samples >= 0 && samples <= SAMPLES_LIMIT
}

/** @throws {RangeError} for a window that is none, or above the limits */
export function checkWindow(window: Window): void {
  if (isWindow(window)) return
  const [size, limit] =
    'samples' in window ? [window.samples, SAMPLES_LIMIT] : [window.seconds, SECONDS_LIMIT]
  throw new RangeError(`window of ${size}, must be 0 (off) to ${limit}`)
}

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

/**
 * Computes the average at every sample; NaN where there is none.
 *
 * @example
 * import { movingAverage } from 'pentameter/scope'
 *
 * console.log([...movingAverage([1, 2, 6], 2)]) // [ NaN, 1.5, 4 ]
 */
export function movingAverage(values: ArrayLike<number>, samples: number): Float64Array {
  const average = new MovingAverage({ samples })
  return Float64Array.from(values, (value) => average.push(value))
}

/**
 * Computes movingAverage over a window in seconds; `times` in seconds, rising.
 *
 * @example
 * import { movingAverageOver } from 'pentameter/scope'
 *
 * console.log([...movingAverageOver([0, 1, 2, 4], [1, 3, 5, 7], 2)]) // [ NaN, NaN, 4, 7 ]
 */
export function movingAverageOver(
  times: ArrayLike<number>,
  values: ArrayLike<number>,
  seconds: number,
): Float64Array {
  const average = new MovingAverage({ seconds })
  return Float64Array.from(values, (value, i) => average.push(value, times[i]!))
}
