/** Places for the connections of a port, counted where all threads that share it can see them. */
interface PlacesLayout {
  /** Index of the count of all connections of the port. */
  readonly open: number
  /** Index of the count of this thread's connections. */
  readonly own: number
  /** Index of the count of this thread's refusals. */
  readonly refused: number
  /** Limit of connections of the port at once. */
  readonly limit: number
}

export class ConnectionPlaces {
  readonly #ints: Int32Array
  readonly #layout: PlacesLayout

  constructor(ints: Int32Array, layout: PlacesLayout) {
    this.#ints = ints
    this.#layout = layout
  }

  /** Makes the places of a port that one thread has to itself. */
  static alone(limit: number): ConnectionPlaces {
    return new ConnectionPlaces(new Int32Array(3), { open: 0, own: 1, refused: 2, limit })
  }

  get used(): number {
    return Atomics.load(this.#ints, this.#layout.own)
  }

  get refused(): number {
    return Atomics.load(this.#ints, this.#layout.refused)
  }

  /** @returns false when all places are taken */
  take(): boolean {
    const { open, own, limit } = this.#layout
    if (Atomics.add(this.#ints, open, 1) < limit) {
      Atomics.add(this.#ints, own, 1)
      return true
    }
    Atomics.sub(this.#ints, open, 1)
    return false
  }

  /** Counts one that found no place. */
  refuse(): void {
    Atomics.add(this.#ints, this.#layout.refused, 1)
  }

  give(): void {
    Atomics.sub(this.#ints, this.#layout.own, 1)
    Atomics.sub(this.#ints, this.#layout.open, 1)
  }
}
