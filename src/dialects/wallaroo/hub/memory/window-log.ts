/**
 * The windows of one series as they came, packed (kept-window.ts): late ones and those of several
 * reporters stand beside the others, and every view adds them up at their own end. Bounded: the
 * oldest to arrive leave first, a block at a time.
 */

import { toNumber } from '../../codec/halves.ts'
import type { MetricsFrame } from '../../codec/metrics-frame.ts'
import { type KeptWindow, WORD_BYTES, windowWords, wordsOf, writeWindow } from './kept-window.ts'
import {
  BLOCK_BYTES,
  BLOCK_HEAD,
  BLOCK_LATEST,
  BLOCK_LENGTH,
  BLOCK_NEXT,
  BLOCK_OWNER,
  BLOCK_POSITION,
  BLOCK_USED,
  BLOCKS,
  DROPPED,
  DROPPED_END,
  FIRST_AT,
  FIRST_BLOCK,
  LAST_BLOCK,
  LENGTH,
  POSITION,
} from './layout.ts'
import type { WindowMemory } from './window-memory.ts'

export class WindowLog {
  readonly #memory: WindowMemory
  #series: number
  /** Its `droppedEndMs`, once the series has left the memory. */
  #lastDroppedEndMs: number | undefined
  /** Block in which the last walk stopped, and its position, which tells whether it still is it. */
  #hint = 0
  #hintPosition = 0

  /**
   * @param memory that is shared with other logs
   * @param series in this memory
   */
  constructor(memory: WindowMemory, series: number) {
    this.#memory = memory
    this.#series = series
  }

  #word(field: number): number {
    return this.#memory.words[(this.#series + field) >>> 2]!
  }

  #double(field: number): number {
    return this.#memory.doubles[(this.#series + field) >>> 3]!
  }

  /** Memory taken, in bytes. */
  get size(): number {
    return BLOCK_BYTES * this.#word(BLOCKS)
  }

  get length(): number {
    return this.#word(LENGTH)
  }

  /** Place where the next window will stand: it grows with each one, whatever leaves. */
  get position(): number {
    return this.#double(POSITION)
  }

  /** Latest end of the windows that left for want of memory; -Infinity where none did. */
  get droppedEndMs(): number {
    return this.#lastDroppedEndMs ?? this.#double(DROPPED_END)
  }

  /** Adds a window, within the memory's limits. */
  append(frame: MetricsFrame): void {
    const memory = this.#memory
    const series = this.#series
    const size = windowWords(frame)
    const at = memory.roomFor(series, size * WORD_BYTES)
    if (at === 0) {
      this.#lose(frame)
      return
    }
    const { words, doubles } = memory
    writeWindow(words, at >>> 2, size, frame)
    const block = words[(series + LAST_BLOCK) >>> 2]!
    words[(block + BLOCK_USED) >>> 2]! += size * WORD_BYTES
    words[(block + BLOCK_LENGTH) >>> 2]!++
    const latest = (block + BLOCK_LATEST) >>> 3
    doubles[latest] = Math.max(doubles[latest]!, toNumber(frame.endHigh, frame.endLow) / 1e6)
    words[(series + LENGTH) >>> 2]!++
    doubles[(series + POSITION) >>> 3]! += size
  }

  /** Counts a window as one that has left: the machine gives no more memory. */
  #lose({ endHigh, endLow }: MetricsFrame): void {
    const { doubles } = this.#memory
    doubles[DROPPED >>> 3]!++
    const endMs = toNumber(endHigh, endLow) / 1e6
    const place = (this.#series + DROPPED_END) >>> 3
    doubles[place] = Math.max(doubles[place]!, endMs)
  }

  /**
   * Calls back for windows in the order of arrival; one object serves for all. What has left in
   * between is passed over.
   * @param from a position, 0 for the oldest window
   * @param to a position, of which earlier windows are wanted
   * @param count most windows of this call
   * @returns where to go on; `to` when there is no more
   */
  walk(
    from: number,
    to: number,
    count: number,
    window: KeptWindow,
    visit: (window: KeptWindow) => void,
  ): number {
    const { words, doubles } = this.#memory
    let left = count
    for (let block = this.#blockAt(from); block !== 0; ) {
      const start = block + this.#startIn(block)
      const position = doubles[(block + BLOCK_POSITION) >>> 3]!
      if (position >= to) break
      const words0 = (block + BLOCK_HEAD) >>> 2
      const end = Math.min(
        (block + words[(block + BLOCK_USED) >>> 2]!) >>> 2,
        words0 + to - position,
      )
      let at = Math.max(start >>> 2, words0 + from - position)
      for (; at < end; at += wordsOf(words, at)) {
        if (left-- === 0) {
          this.#hint = block
          this.#hintPosition = position
          return position + at - words0
        }
        window.read(words, at)
        visit(window)
      }
      block = words[(block + BLOCK_NEXT) >>> 2]!
    }
    return to
  }

  /** Finds the block to begin with: that of the last walk, if it goes on and the block is there. */
  #blockAt(from: number): number {
    const { words, doubles } = this.#memory
    const hint = this.#hint
    const isHeld = hint !== 0 && words[(hint + BLOCK_OWNER) >>> 2] === this.#series
    const isSame = isHeld && doubles[(hint + BLOCK_POSITION) >>> 3] === this.#hintPosition
    return isSame && this.#hintPosition <= from ? hint : this.#word(FIRST_BLOCK)
  }

  #startIn(block: number): number {
    return block === this.#word(FIRST_BLOCK) ? this.#word(FIRST_AT) : BLOCK_HEAD
  }

  /** Leaves the series, whose room may become another one's. */
  release(): void {
    this.#lastDroppedEndMs = this.droppedEndMs
    this.#series = 0
    this.#hint = 0
  }

  /** Gives up what it takes above its share. */
  trim(): void {
    this.#memory.trim(this.#series)
  }

  /** Drops the oldest windows as long as they end before an instant. */
  dropBefore(endMs: number): void {
    this.#memory.dropBefore(this.#series, endMs)
  }
}
