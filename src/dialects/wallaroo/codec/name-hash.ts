/**
 * Hash of a series' names: one walk over the bytes in words of four. It also tells whether all of
 * them are ASCII, which most names are and which spares the check for UTF-8.
 */

/** 2^32 / golden ratio. */
const FACTOR = 0x9e3779b1
const HIGH_BITS = 0x80808080
/** Another one in each process, so that no sender can make names that all have one hash. */
const SEED = Math.floor(Math.random() * 2 ** 32) | 0

export class NameHash {
  hash = 0
  /** All bytes seen so far, laid over each other in words. */
  #seen = 0

  reset(): void {
    this.hash = SEED
    this.#seen = 0
  }

  get isAscii(): boolean {
    return (this.#seen & HIGH_BITS) === 0
  }

  add(view: DataView, start: number, end: number): void {
    let hash = this.hash
    let seen = 0
    let at = start
    for (; at + 4 <= end; at += 4) {
      const word = view.getInt32(at)
      seen |= word
      hash = Math.imul(hash ^ word, FACTOR)
      // multiplying spreads bits upwards only; shifting brings them down to where tables look
      hash ^= hash >>> 15
    }
    let rest = end - at
    for (; at < end; at++) rest = (rest << 8) | view.getUint8(at)
    hash = Math.imul(hash ^ rest, FACTOR)
    this.hash = hash ^ (hash >>> 15)
    this.#seen |= seen | rest
  }
}
