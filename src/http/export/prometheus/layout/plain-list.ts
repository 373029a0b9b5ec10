/** Series of which each is all of its family, by number: nine bytes each. */

const FIRST_LENGTH = 256
/** Lists with fewer gaps than these are left alone. */
const GAPS_LEAST = 1024

export class PlainList {
  #ids = new Float64Array(FIRST_LENGTH)
  /** States by place: 0 where the series has left, else 1 and the number of its suffix. */
  #states = new Uint8Array(FIRST_LENGTH)
  #length = 0
  #gaps = 0

  get length(): number {
    return this.#length
  }

  /**
   * Adds a series that is newer than all, or was in it.
   * @returns its place, -1 where it has none
   */
  add(id: number, suffix: number): number {
    let place = this.#length
    if (place > 0 && id <= this.#ids[place - 1]!) {
      place = this.placeOf(id)
      if (place < 0) return -1
      this.#gaps--
    } else {
      if (place === this.#ids.length) this.#grow()
      this.#length++
    }
    this.#ids[place] = id
    this.#states[place] = 1 + suffix
    return place
  }

  #grow(): void {
    const length = Math.ceil(1.25 * this.#ids.length)
    const ids = new Float64Array(length)
    ids.set(this.#ids)
    this.#ids = ids
    const states = new Uint8Array(length)
    states.set(this.#states)
    this.#states = states
  }

  has(place: number): boolean {
    return this.#states[place] !== 0
  }

  idOf(place: number): number {
    return this.#ids[place]!
  }

  suffixOf(place: number): number {
    return this.#states[place]! - 1
  }

  /** Finds the place of a series that is or was in it; -1 for another one. */
  placeOf(id: number): number {
    let from = 0
    let to = this.#length
    while (from < to) {
      const middle = (from + to) >>> 1
      if (this.#ids[middle]! < id) from = middle + 1
      else to = middle
    }
    return from < this.#length && this.#ids[from] === id ? from : -1
  }

  remove(place: number): void {
    this.#states[place] = 0
    this.#gaps++
  }

  /** Makes a copy that stays as it is; it has the numbers in common. */
  copy(): PlainList {
    const copy = new PlainList()
    copy.#ids = this.#ids
    copy.#states = this.#states.slice(0, this.#length)
    copy.#length = this.#length
    return copy
  }

  /** Tells whether a quarter are gaps. */
  get isSparse(): boolean {
    return this.#gaps > GAPS_LEAST && 4 * this.#gaps > this.#length
  }

  /**
   * Makes one without gaps.
   * @returns it, and for each place of this one the place in it
   */
  compacted(): { list: PlainList; places: Uint32Array } {
    const list = new PlainList()
    const places = new Uint32Array(this.#length)
    for (let place = 0; place < this.#length; place++) {
      if (this.has(place)) places[place] = list.add(this.#ids[place]!, this.suffixOf(place))
    }
    return { list, places }
  }
}
