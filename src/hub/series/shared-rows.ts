/** Things that many series share, by the number of a row; free when the last one has left. */
export class SharedRows<T extends object | string> {
  readonly #items: (T | undefined)[] = []
  readonly #uses: number[] = []
  readonly #free: number[] = []
  readonly #rows = new Map<T, number>()
  /** Taken last: series that come together mostly have the same. */
  #item: T | undefined
  #row = -1

  /** Takes the row of a thing once more; objects are the same only where they are identical. */
  take(item: T): number {
    if (item !== this.#item || this.#row < 0) {
      this.#row = this.#rows.get(item) ?? this.#add(item)
      this.#item = item
    }
    this.#uses[this.#row]!++
    return this.#row
  }

  #add(item: T): number {
    const row = this.#free.pop() ?? this.#items.length
    this.#items[row] = item
    this.#uses[row] = 0
    this.#rows.set(item, row)
    return row
  }

  /** Gives what has a row; one that was taken and not released. */
  get(row: number): T {
    return this.#items[row]!
  }

  release(row: number): void {
    if (--this.#uses[row]! > 0) return
    this.#rows.delete(this.#items[row]!)
    this.#items[row] = undefined
    this.#free.push(row)
    if (row === this.#row) this.#row = -1
  }
}
