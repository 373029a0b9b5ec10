/**
 * Slots of a table of keys: small integers, given out again once they are free, each with the place
 * of its entry and the hash of its key. Columns of integers: as lists they would be large objects
 * of the heap, with more than twice the bytes.
 */
const FIRST_SLOTS = 64
/** Bytes of a place and a hash. */
const BYTES_PER_SLOT = 8

export class KeySlots {
  /** Slots that have been given out so far, free ones too. */
  count = 0
  /** Places of entries, 0 for a free slot. */
  places = new Int32Array(FIRST_SLOTS)
  /** Mixed hashes of keys. */
  hashes = new Int32Array(FIRST_SLOTS)
  readonly #free: number[] = []

  get bytes(): number {
    return this.places.length * BYTES_PER_SLOT
  }

  /** Slots that are not free. */
  get live(): number {
    return this.count - this.#free.length
  }

  /** Gives a slot out for a key whose entry is at this place. */
  take(place: number, hash: number): number {
    const slot = this.#free.pop() ?? this.#next()
    this.places[slot] = place
    this.hashes[slot] = hash
    return slot
  }

  #next(): number {
    if (this.count === this.places.length) {
      this.places = doubled(this.places)
      this.hashes = doubled(this.hashes)
    }
    return this.count++
  }

  /** Takes a slot back. */
  free(slot: number): void {
    this.places[slot] = 0
    this.#free.push(slot)
  }
}

function doubled(column: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * column.length)
  larger.set(column)
  return larger
}
