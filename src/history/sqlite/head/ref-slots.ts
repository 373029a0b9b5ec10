/**
 * Slots by the numbers that a hub has given to its series, and the number that holds each: the one
 * that came last. The hub's numbers are small and dense, but for a few from 2^32 down, so that a
 * table is several times as fast as a map, and smaller.
 */

/** Numbers below have a place in the table. */
const DENSE_MAX = 2 ** 26
const FIRST_LENGTH = 1024

export class RefSlots {
  #table = new Uint32Array(FIRST_LENGTH)
  readonly #others = new Map<number, number>()
  /** Holders by slot; 0 for none. */
  #holders = new Uint32Array(FIRST_LENGTH)

  /** Finds a slot; 0 for a number that has none. */
  get(ref: number): number {
    if (ref < this.#table.length) return this.#table[ref]!
    return this.#others.get(ref) ?? 0
  }

  /** Finds the number that holds a slot; 0 where none does. */
  holder(slot: number): number {
    return this.#holders[slot] ?? 0
  }

  set(ref: number, slot: number): void {
    if (slot >= this.#holders.length) this.#holders = grown(this.#holders, slot)
    this.#holders[slot] = ref
    if (ref >= DENSE_MAX) {
      this.#others.set(ref, slot)
      return
    }
    if (ref >= this.#table.length) this.#table = grown(this.#table, ref)
    this.#table[ref] = slot
  }

  /**
   * Forgets a number.
   * @returns the slot that it held; 0 where it had none, or another number has it by now
   */
  delete(ref: number): number {
    const slot = this.get(ref)
    if (ref < this.#table.length) this.#table[ref] = 0
    else this.#others.delete(ref)
    if (slot === 0 || this.holder(slot) !== ref) return 0
    this.#holders[slot] = 0
    return slot
  }

  /** Forgets slots that are no more. */
  deleteSlots(slots: ReadonlySet<number>): void {
    for (let ref = 0; ref < this.#table.length; ref++) {
      if (slots.has(this.#table[ref]!)) this.#table[ref] = 0
    }
    for (const [ref, slot] of this.#others) if (slots.has(slot)) this.#others.delete(ref)
    for (const slot of slots) if (slot < this.#holders.length) this.#holders[slot] = 0
  }
}

function grown(table: Uint32Array, place: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(Math.min(DENSE_MAX, 2 * place))
  larger.set(table)
  return larger
}
