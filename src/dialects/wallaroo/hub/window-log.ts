/**
 * The windows of one series as they came, packed (kept-window.ts): late ones and those of several
 * reporters stand beside the others, and every view adds them up at their own end. Bounded: the
 * oldest to arrive leave first.
 */
import { toNumber } from '../codec/halves.ts'
import type { MetricsFrame } from '../codec/metrics-frame.ts'
import {
  END_AT,
  type KeptWindow,
  WINDOW_BYTES_MAX,
  WORD_BYTES,
  windowWords,
  wordsOf,
  writeWindow,
} from './kept-window.ts'

const WORDS_MAX = WINDOW_BYTES_MAX / WORD_BYTES
const WORDS_FIRST = 64
/** A log grows twofold, at last by what is left below its limit, if that is worth the copying. */
const GROWTH_MIN = 1.25

/** Memory that the logs of all series take together, and what they had to let go. */
export class WindowMemory {
  readonly bytesLimit: number
  bytes = 0
  /** Windows that left for want of memory, not of age. */
  dropped = 0

  constructor(bytesLimit: number) {
    this.bytesLimit = bytesLimit
  }
}

export class WindowLog {
  readonly #memory: WindowMemory
  #words = NO_WORDS
  #start = 0
  #end = 0
  #length = 0
  #position = 0
  #droppedEndMs = Number.NEGATIVE_INFINITY

  /** @param memory that is shared with other logs */
  constructor(memory: WindowMemory) {
    this.#memory = memory
  }

  /** Memory taken, in bytes. */
  get size(): number {
    return this.#words.byteLength
  }

  get length(): number {
    return this.#length
  }

  /** Place where the next window will stand: it grows with each one, whatever leaves. */
  get position(): number {
    return this.#position
  }

  /** Latest end of the windows that left for want of memory; -Infinity where none did. */
  get droppedEndMs(): number {
    return this.#droppedEndMs
  }

  /**
   * Adds a window.
   * @param limit of {@link size}; less than {@link WINDOW_BYTES_MAX} counts as that
   */
  append(frame: MetricsFrame, limit: number): void {
    const size = windowWords(frame)
    const isTooLarge = this.size > limit && this.size > WINDOW_BYTES_MAX
    if (isTooLarge || this.#end + size > this.#words.length) this.#makeRoom(size, limit)
    writeWindow(this.#words, this.#end, size, frame)
    this.#end += size
    this.#length++
    this.#position += size
  }

  /**
   * Makes room: at the limit a quarter goes at once, so that not every window moves the others. A
   * log below its own limit does not grow either, where all together are at theirs.
   */
  #makeRoom(size: number, limitBytes: number): void {
    const limit = Math.floor(limitBytes / WORD_BYTES)
    const held = this.#end - this.#start
    const capacity = this.#words.length
    const wanted = Math.max(WORDS_FIRST, Math.min(2 * capacity, limit))
    const { bytes, bytesLimit } = this.#memory
    const isRoom = wanted <= WORDS_MAX || bytes + (wanted - capacity) * WORD_BYTES <= bytesLimit
    if (this.#start < held && isRoom && wanted >= GROWTH_MIN * capacity) {
      this.#moveTo(new Uint32Array(wanted))
    } else {
      const kept = Math.max(Math.min(capacity, limit), WORDS_MAX)
      const target = Math.max(0, Math.min(Math.floor(kept * 0.75), kept - size))
      while (this.#end - this.#start > target) this.#forgetOldest()
      this.#moveTo(capacity === kept ? this.#words : new Uint32Array(kept))
    }
    if (this.#end + size > this.#words.length) this.#makeRoom(size, limitBytes)
  }

  #moveTo(words: Uint32Array<ArrayBuffer>): void {
    words.set(this.#words.subarray(this.#start, this.#end))
    this.#end -= this.#start
    this.#start = 0
    this.#use(words)
  }

  #use(words: Uint32Array<ArrayBuffer>): void {
    this.#memory.bytes += words.byteLength - this.#words.byteLength
    this.#words = words
  }

  #endMsAt(at: number): number {
    return toNumber(this.#words[at + END_AT]!, this.#words[at + END_AT + 1]!) / 1e6
  }

  #forgetOldest(): void {
    this.#droppedEndMs = Math.max(this.#droppedEndMs, this.#endMsAt(this.#start))
    this.#memory.dropped++
    this.#dropOldest()
  }

  #dropOldest(): void {
    this.#start += wordsOf(this.#words, this.#start)
    this.#length--
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
    const shift = this.#position - this.#end
    const end = to - shift
    let at = Math.max(from - shift, this.#start)
    for (let left = count; at < end && left > 0; left--) {
      window.read(this.#words, at)
      visit(window)
      at += wordsOf(this.#words, at)
    }
    return at < end ? at + shift : to
  }

  /** Gives its memory back. */
  release(): void {
    this.#use(NO_WORDS)
    this.#start = 0
    this.#end = 0
    this.#length = 0
  }

  /** Gives up what it takes above a limit. */
  trim(limit: number): void {
    if (this.size > limit && this.size > WINDOW_BYTES_MAX) this.#makeRoom(0, limit)
  }

  /** Drops the oldest windows as long as they end before an instant. */
  dropBefore(endMs: number): void {
    while (this.#start < this.#end) {
      if (this.#endMsAt(this.#start) >= endMs) return
      this.#dropOldest()
    }
    this.release()
  }
}

const NO_WORDS = new Uint32Array(0)
