/** Set of ids of series, which are small and rise: a bit for each that there ever was. */
const FIRST_BYTES = 1024

export class IdSet {
  #bits = new Uint8Array(FIRST_BYTES)

  has(id: number): boolean {
    return ((this.#bits[id >>> 3] ?? 0) & (1 << (id & 7))) !== 0
  }

  add(id: number): void {
    if (id >>> 3 >= this.#bits.length) {
      const grown = new Uint8Array(Math.max((id >>> 3) + 1, 2 * this.#bits.length))
      grown.set(this.#bits)
      this.#bits = grown
    }
    this.#bits[id >>> 3]! |= 1 << (id & 7)
  }

  /** @returns whether it was there */
  delete(id: number): boolean {
    if (!this.has(id)) return false
    this.#bits[id >>> 3]! &= ~(1 << (id & 7))
    return true
  }
}
