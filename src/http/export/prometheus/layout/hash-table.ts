/**
 * Numbers by 32-bit hashes, of which several may be alike: eight bytes a place, a hash and a number
 * each. The table consists of shards that grow one by one, so that no addition takes long.
 */

const SHARDS = 256
const SHARD_SHIFT = 24
/** Bits of a hash that choose the place in its shard, as a range. */
const PLACE_RANGE = 2 ** SHARD_SHIFT
const FIRST_PLACES = 8
/** Marks in place of a number; numbers are kept with {@link FIRST_NUMBER} added. */
const EMPTY = 0
const REMOVED = 1
const FIRST_NUMBER = 2

export class HashTable {
  readonly #shards: Shard[] = Array.from({ length: SHARDS }, () => new Shard())
  /** Shard, place and hash with which {@link next} goes on. */
  #shard = this.#shards[0]!
  #place = 0
  #hash = 0

  /** @param number from 0 to 2^32 - 3; not in it yet */
  add(hash: number, number: number): void {
    this.#shards[hash >>> SHARD_SHIFT]!.add(hash, number + FIRST_NUMBER)
  }

  /** Finds the first number of a hash; -1 where there is none. */
  first(hash: number): number {
    this.#shard = this.#shards[hash >>> SHARD_SHIFT]!
    this.#hash = hash
    this.#place = this.#shard.placeOf(hash)
    return this.next()
  }

  /** Finds the next number of the hash asked for last; nothing may be added in between. */
  next(): number {
    const { slots, places } = this.#shard
    for (;;) {
      const at = 2 * this.#place
      const held = slots[at + 1]!
      if (held === EMPTY) return -1
      this.#place = this.#place + 1 === places ? 0 : this.#place + 1
      if (held !== REMOVED && slots[at] === this.#hash) return held - FIRST_NUMBER
    }
  }

  delete(hash: number, number: number): void {
    this.#shards[hash >>> SHARD_SHIFT]!.delete(hash, number + FIRST_NUMBER)
  }

  /** Replaces all numbers. */
  renumber(replace: (number: number) => number): void {
    for (const { slots } of this.#shards) {
      for (let at = 1; at < slots.length; at += 2) {
        const held = slots[at]!
        if (held >= FIRST_NUMBER) slots[at] = replace(held - FIRST_NUMBER) + FIRST_NUMBER
      }
    }
  }
}

class Shard {
  places = FIRST_PLACES
  slots = new Uint32Array(2 * FIRST_PLACES)
  /** Places that are not empty. */
  #used = 0
  #removed = 0

  placeOf(hash: number): number {
    return Math.floor(((hash & (PLACE_RANGE - 1)) * this.places) / PLACE_RANGE)
  }

  add(hash: number, held: number): void {
    if (4 * (this.#used + 1) > 3 * this.places) this.#grow()
    this.#put(hash, held)
  }

  #put(hash: number, held: number): void {
    const { slots, places } = this
    let place = this.placeOf(hash)
    while (slots[2 * place + 1] !== EMPTY) place = place + 1 === places ? 0 : place + 1
    slots[2 * place] = hash
    slots[2 * place + 1] = held
    this.#used++
  }

  delete(hash: number, held: number): void {
    const { slots, places } = this
    for (let place = this.placeOf(hash); ; place = place + 1 === places ? 0 : place + 1) {
      const found = slots[2 * place + 1]!
      if (found === EMPTY) return
      if (found !== held || slots[2 * place] !== hash) continue
      slots[2 * place + 1] = REMOVED
      this.#removed++
      return
    }
  }

  /** Makes room for more, removed ones left out. */
  #grow(): void {
    const { slots } = this
    const kept = this.#used - this.#removed
    this.places = Math.max(FIRST_PLACES, Math.ceil(1.8 * kept))
    this.slots = new Uint32Array(2 * this.places)
    this.#used = 0
    this.#removed = 0
    for (let at = 0; at < slots.length; at += 2) {
      if (slots[at + 1]! >= FIRST_NUMBER) this.#put(slots[at]!, slots[at + 1]!)
    }
  }
}
