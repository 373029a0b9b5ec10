/**
 * Hash of a series' names: one walk over the bytes in words of four. It also tells whether all of
 * them are ASCII, which most names are and which spares the check for UTF-8.
 */
import { addWord, createWordSecrets, finishSum } from '../../../model/hash/word-hash.ts'

const HIGH_BITS = 0x80808080
/** Secrets, others in each thread, so that no sender can make names that all have one hash. */
const SECRETS = createWordSecrets()

export class NameHash {
  #sum = 0
  #place = 0
  /** All bytes seen so far, laid over each other in words. */
  #seen = 0

  reset(): void {
    this.#sum = 0
    this.#place = 0
    this.#seen = 0
  }

  /** Hash of what was added since {@link reset}. */
  get hash(): number {
    return finishSum(this.#sum)
  }

  get isAscii(): boolean {
    return (this.#seen & HIGH_BITS) === 0
  }

  /** Adds bytes [start, end) and their number, so that two ranges do not run into each other. */
  add(view: DataView, start: number, end: number): void {
    let sum = this.#sum
    let place = this.#place
    let seen = 0
    let at = start
    for (; at + 4 <= end; at += 4) {
      const word = view.getInt32(at)
      seen |= word
      sum = addWord(sum, word, SECRETS, place++)
    }
    let rest = 0
    for (; at < end; at++) rest = (rest << 8) | view.getUint8(at)
    sum = addWord(sum, rest, SECRETS, place++)
    this.#sum = addWord(sum, end - start, SECRETS, place++)
    this.#place = place
    this.#seen |= seen | rest
  }
}
