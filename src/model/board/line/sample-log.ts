/**
 * Samples of one line with their own times, oldest first, in chunks that are dropped as a whole.
 * Each block of a chunk knows its least and greatest value, so that ten minutes at 1 kHz are drawn
 * without looking at every sample.
 */

/** Samples of a first chunk: most lines are slow. Chunks double up to the limit. */
const FIRST_CAPACITY = 32
const CAPACITY_LIMIT = 1024
/** Samples of a block. */
export const BLOCK = 32
/** Memory of a sample: time, value, mark, and its part of the block's extremes. */
const SAMPLE_BYTES = 8 + 8 + 1 + 16 / BLOCK
/** Memory of a chunk's objects, rather more than less. */
const CHUNK_BYTES = 512
/** A step this many times the usual one is a gap. */
const GAP_STEPS = 2.5
/** Part by which the usual step follows each step: a running median. */
const STEP_PART = 0.05

/** Part of a log; `times` rise, and what is at or beyond `length` is not there yet. */
export class Chunk {
  readonly times: Float64Array
  readonly values: Float64Array
  /** 1 where the line is not joined to the sample before. */
  readonly breaks: Uint8Array
  readonly lows: Float64Array
  readonly highs: Float64Array
  length = 0

  constructor(capacity: number) {
    this.times = new Float64Array(capacity)
    this.values = new Float64Array(capacity)
    this.breaks = new Uint8Array(capacity)
    this.lows = new Float64Array(capacity / BLOCK)
    this.highs = new Float64Array(capacity / BLOCK)
  }

  get isFull(): boolean {
    return this.length === this.times.length
  }

  get bytes(): number {
    return CHUNK_BYTES + SAMPLE_BYTES * this.times.length
  }

  get firstTime(): number {
    return this.times[0]!
  }

  get lastTime(): number {
    return this.times[this.length - 1]!
  }

  push(time: number, value: number, isBreak: boolean): void {
    const at = this.length++
    this.times[at] = time
    this.values[at] = value
    this.breaks[at] = isBreak ? 1 : 0
    const block = Math.floor(at / BLOCK)
    const isFirst = at % BLOCK === 0
    if (isFirst || value < this.lows[block]!) this.lows[block] = value
    if (isFirst || value > this.highs[block]!) this.highs[block] = value
  }

  replaceLast(value: number): void {
    const at = this.length - 1
    this.values[at] = value
    const block = Math.floor(at / BLOCK)
    const inBlock = this.values.subarray(block * BLOCK, at + 1)
    this.lows[block] = inBlock.reduce((least, each) => Math.min(least, each))
    this.highs[block] = inBlock.reduce((most, each) => Math.max(most, each))
  }

  /** Finds the first sample at or behind a time; `length` where there is none. */
  indexAt(time: number): number {
    let low = 0
    let high = this.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.times[middle]! < time) low = middle + 1
      else high = middle
    }
    return low
  }
}

export class SampleLog {
  readonly #chunks: Chunk[] = []
  #bytes = 0
  #isBroken = true
  #stepS = Number.NaN

  get chunks(): readonly Chunk[] {
    return this.#chunks
  }

  /** Memory, rather more than less. */
  get bytes(): number {
    return this.#bytes
  }

  get firstTime(): number | undefined {
    return this.#chunks[0]?.firstTime
  }

  get lastTime(): number | undefined {
    return this.#chunks.at(-1)?.lastTime
  }

  /** Usual step between two samples, seconds; NaN before there are two. */
  get stepS(): number {
    return this.#stepS
  }

  /**
   * Adds a sample; one of the same time replaces the last. NaN is no value: the line ends there.
   * @param time seconds
   * @returns false for a sample that comes too late: it is left out
   */
  push(time: number, value: number): boolean {
    const last = this.lastTime
    if (last !== undefined && time < last) return false
    if (Number.isNaN(value)) {
      this.#isBroken = true
      return true
    }
    if (time === last) {
      this.#chunks.at(-1)!.replaceLast(value)
      return true
    }
    const isGap = last === undefined || this.#isGap(time - last)
    this.#room().push(time, value, this.#isBroken || isGap)
    this.#isBroken = false
    return true
  }

  /** Ends the line here: the next sample begins another piece. */
  break(): void {
    this.#isBroken = true
  }

  /** Takes a step as one of the usual ones, or says that something is missing between its ends. */
  #isGap(stepS: number): boolean {
    if (this.#isBroken) return true
    const usual = this.#stepS
    if (Number.isNaN(usual)) {
      this.#stepS = stepS
      return false
    }
    this.#stepS = stepS > usual ? Math.min(stepS, usual * (1 + STEP_PART)) : usual
    if (stepS < usual) this.#stepS = Math.max(stepS, usual * (1 - STEP_PART))
    return stepS > GAP_STEPS * usual
  }

  #room(): Chunk {
    const newest = this.#chunks.at(-1)
    if (newest !== undefined && !newest.isFull) return newest
    const capacity = newest === undefined ? FIRST_CAPACITY : newest.times.length * 2
    const chunk = new Chunk(Math.min(capacity, CAPACITY_LIMIT))
    this.#chunks.push(chunk)
    this.#bytes += chunk.bytes
    return chunk
  }

  /**
   * Drops chunks that end before a time, but for those that reach into what is kept besides.
   * @param kept seconds that are still looked at, however old
   */
  drop(before: number, kept?: { readonly from: number; readonly to: number }): void {
    const chunks = this.#chunks
    let left = 0
    let wasDropped = false
    for (let i = 0; i < chunks.length; i++) {
      const chunk = chunks[i]!
      const isKept =
        chunk.lastTime >= before ||
        (kept !== undefined && chunk.lastTime >= kept.from && chunk.firstTime <= kept.to)
      if (isKept) {
        if (wasDropped) chunk.breaks[0] = 1
        chunks[left++] = chunk
      } else {
        this.#bytes -= chunk.bytes
      }
      wasDropped = !isKept
      if (isKept && chunk.lastTime >= before && left === i + 1) return
    }
    chunks.length = left
  }

  /**
   * Reads the value at a time: that of the newest sample until then, unless the line has ended
   * since. NaN where there is none.
   */
  valueAt(time: number): number {
    const { chunks } = this
    for (let i = chunks.length - 1; i >= 0; i--) {
      const chunk = chunks[i]!
      if (chunk.firstTime > time) continue
      let at = chunk.indexAt(time)
      if (at === chunk.length || chunk.times[at]! > time) at -= 1
      return this.#endsBefore(time, chunk, i, at) ? Number.NaN : chunk.values[at]!
    }
    return Number.NaN
  }

  #endsBefore(time: number, chunk: Chunk, index: number, at: number): boolean {
    const isLast = at === chunk.length - 1
    const next = isLast ? this.#chunks[index + 1] : chunk
    const isCut = next === undefined ? this.#isBroken : next.breaks[isLast ? 0 : at + 1] === 1
    return isCut && time > chunk.times[at]! + (this.#stepS || 0) * (GAP_STEPS / 2)
  }
}
