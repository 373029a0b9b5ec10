/**
 * Slots by the numbers that a hub has given to its series. These are small and dense, but for a few
 * from 2^32 down, so that a table is several times as fast as a map, and smaller.
 */

/** Numbers below have a place in the table. */
const DENSE_MAX = 2 ** 26
const FIRST_LENGTH = 1024

export class RefSlots {
  #table = new Uint32Array(FIRST_LENGTH)
  readonly #others = new Map<number, number>()

  /** Finds a slot; 0 for a number that has none. */
  get(ref: number): number {
    if (ref < this.#table.length) return this.#table[ref]!
    return this.#others.get(ref) ?? 0
  }

  set(ref: number, slot: number): void {
    if (ref >= DENSE_MAX) {
      this.#others.set(ref, slot)
      return
    }
    if (ref >= this.#table.length) {
      const larger = new Uint32Array(Math.min(DENSE_MAX, 2 * ref))
      larger.set(this.#table)
      this.#table = larger
    }
    this.#table[ref] = slot
  }

  delete(ref: number): void {
    if (ref < this.#table.length) this.#table[ref] = 0
    else this.#others.delete(ref)
  }

  /** Forgets slots that are no more. */
  deleteSlots(slots: ReadonlySet<number>): void {
    for (let ref = 0; ref < this.#table.length; ref++) {
      if (slots.has(this.#table[ref]!)) this.#table[ref] = 0
    }
    for (const [ref, slot] of this.#others) if (slots.has(slot)) this.#others.delete(ref)
  }
}
