/**
 * A counter that grows by windows. Its metric in the zone holds the whole part of the total; what
 * is left over is kept here, so that a total of fractions is as exact as one of integers.
 */
import { addExact, type Exact, exact, U64_MAX } from '../../../model/index.ts'
import type { CounterHandle } from '../../../shm/index.ts'
import { RunningSum } from './running-sum.ts'

/** Number from which on a double has no place for a fraction. */
const NO_FRACTIONS_FROM = 2n ** 53n

/** Sum of what the windows of one second brought. */
interface CounterWindow {
  readonly delta: Exact
  /** Their length together; NaN where one did not say. */
  readonly seconds: number
}

export class CounterWindows {
  #isOpen = false
  /** Window lengths of the open second. */
  #seconds = 0
  /** The fractional increments of the open second, and the part of them that the metric took. */
  readonly #open = new RunningSum()
  #taken = 0n
  /** Rest that the metric lacks of the total: less than 1. */
  readonly #rest = new RunningSum()
  /** The same as far as seconds that were handed on have told of it. */
  readonly #told = new RunningSum()
  #hasLast = false
  #lastDelta: Exact = 0
  #lastSeconds = 0

  /**
   * Adds an increment, 0 or more, its whole part to the counter's metric.
   * @returns false, with nothing added, when the total would pass 2^64 - 1
   */
  add(delta: Exact, intervalSec: number, counter: CounterHandle): boolean {
    if (!this.#addDelta(delta, counter)) return false
    this.#isOpen = true
    this.#seconds += intervalSec
    return true
  }

  /** Adds to the total what was counted before the first window; as {@link add} does. */
  begin(total: Exact, counter: CounterHandle): boolean {
    const isTaken = this.#addDelta(total, counter)
    this.#open.clear()
    this.#taken = 0n
    if (isTaken) this.#told.add(this.#rest.value)
    return isTaken
  }

  /**
   * Adds to the total what a cell of another second tells of: the open one knows nothing of it.
   * @returns the whole number that the metric has taken; undefined, with nothing added, when the
   *   total would pass 2^64 - 1
   */
  addApart(delta: number, counter: CounterHandle): bigint | undefined {
    const whole = this.#addFraction(delta, counter)
    return whole === undefined ? undefined : BigInt(whole)
  }

  #addDelta(delta: Exact, counter: CounterHandle): boolean {
    if (typeof delta === 'bigint') return delta <= U64_MAX && counter.addExact(delta)
    if (Number.isInteger(delta)) {
      return Number.isSafeInteger(delta) ? counter.add(delta) : counter.addExact(BigInt(delta))
    }
    const whole = this.#addFraction(delta, counter)
    if (whole === undefined) return false
    this.#open.add(delta)
    this.#taken += BigInt(whole)
    return true
  }

  /** Adds a number, of which the metric takes a whole one, that is returned, and the rest stays. */
  #addFraction(delta: number, counter: CounterHandle): number | undefined {
    const fraction = delta % 1
    const hasCarry = this.#rest.value + fraction >= 1
    const whole = delta - fraction + (hasCarry ? 1 : 0)
    if (!counter.add(whole)) return undefined
    this.#rest.add(fraction)
    if (hasCarry) this.#rest.add(-1)
    return whole
  }

  /** True when the open second had windows, with something in them or not. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** True when increments of the open second had fractions. */
  get hasFractions(): boolean {
    return this.#open.value !== 0
  }

  /**
   * Ends the second.
   * @param grown what the metric has gained in it
   * @returns what the series has gained
   */
  close(grown: bigint): Exact {
    const delta = addExact(exact(grown - this.#taken), this.#open.value)
    this.#hasLast = true
    this.#lastDelta = delta
    this.#lastSeconds = this.#seconds
    this.#open.clear()
    this.#taken = 0n
    this.#seconds = 0
    this.#isOpen = false
    return delta
  }

  /** Window of the newest second that had any. */
  get last(): CounterWindow | undefined {
    return this.#hasLast ? { delta: this.#lastDelta, seconds: this.#lastSeconds } : undefined
  }

  /**
   * Gives the total, of which the metric holds `whole`; a fraction as far as a double has place.
   */
  total(whole: bigint): Exact {
    return totalOf(whole, this.#rest.value)
  }

  /** Notes by how much a cell that was handed on differs from what the metric grew by. */
  tell(rest: number): void {
    this.#told.add(rest)
  }

  /**
   * Gives the total as far as was told, likewise, to which a further cell may come.
   * @param rest what that one would note by {@link tell}
   */
  told(whole: bigint, rest = 0): Exact {
    return totalOf(whole, this.#told.value + rest)
  }
}

function totalOf(whole: bigint, rest: number): Exact {
  return rest <= 0 || whole >= NO_FRACTIONS_FROM ? exact(whole) : Number(whole) + rest
}
