/**
 * A range that may grow at once and shrinks only after a full window without need, so that scales
 * do not breathe. One per chart.
 */
import type { Range } from './scale.ts'

export class SteadyRange {
  #range: Range | undefined
  #key = ''
  #hiNeeded = 0
  #loNeeded = 0

  /**
   * @param range what the data need now, with round ends
   * @param second the right edge of the picture
   * @param key another key is another picture: nothing is kept
   */
  update(range: Range, second: number, window: number, key: string): Range {
    const kept = this.#range
    const isOther = key !== this.#key || kept === undefined || second < this.#hiNeeded - window
    if (isOther) {
      this.#key = key
      this.#hiNeeded = second
      this.#loNeeded = second
      this.#range = range
      return range
    }
    if (range.hi >= kept.hi) this.#hiNeeded = second
    if (range.lo <= kept.lo) this.#loNeeded = second
    const mayLower = second - this.#hiNeeded >= window
    const mayRaise = second - this.#loNeeded >= window
    if (mayLower) this.#hiNeeded = second
    if (mayRaise) this.#loNeeded = second
    this.#range = {
      lo: mayRaise ? range.lo : Math.min(range.lo, kept.lo),
      hi: mayLower ? range.hi : Math.max(range.hi, kept.hi),
    }
    return this.#range
  }
}
