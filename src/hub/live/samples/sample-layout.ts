/** Columns of samples: the series of a source, each once, by rising id. */

export class SampleLayout {
  /** Ids, rising. */
  readonly ids: Uint32Array
  /** Places in a row of the source, by column. */
  readonly #places: Uint32Array
  /** A row's ids as the source gave them. */
  readonly #row: Int32Array

  /** @param row ids by place; negative where one is of no series. Of equal ids the last counts. */
  constructor(row: Int32Array) {
    this.#row = row.slice()
    const places = new Uint32Array(row.length)
    let length = 0
    for (let place = 0; place < row.length; place++) if (row[place]! >= 0) places[length++] = place
    const sorted = places.subarray(0, length).sort((a, b) => row[a]! - row[b]! || a - b)
    const last = sorted.filter((place, i) => i + 1 === length || row[place] !== row[sorted[i + 1]!])
    this.#places = last
    this.ids = Uint32Array.from(last, (place) => row[place]!)
  }

  /** Bytes that it keeps alive. */
  get bytes(): number {
    return this.ids.byteLength + this.#places.byteLength + this.#row.byteLength
  }

  /** Tells whether a row of the source has these columns. */
  isOf(row: Int32Array): boolean {
    const known = this.#row
    if (row.length !== known.length) return false
    for (let place = 0; place < row.length; place++) if (row[place] !== known[place]) return false
    return true
  }

  /** Writes a row's values into columns that are `stride` apart. */
  write(values: Float64Array, columns: Float64Array, stride: number, at: number): void {
    const places = this.#places
    for (let column = 0; column < places.length; column++) {
      columns[column * stride + at] = values[places[column]!]!
    }
  }

  /** Finds the column of a series; -1 where it has none. */
  columnOf(id: number): number {
    const { ids } = this
    let [low, high] = [0, ids.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (ids[middle]! < id) low = middle + 1
      else high = middle
    }
    return ids[low] === id ? low : -1
  }
}
