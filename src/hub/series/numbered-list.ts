/**
 * Things by a number of their own, in its order: a reference each, in pages that are given back
 * when the last one has left. It grows without moving what is in it, so that one more never costs
 * a million.
 */
const PAGE_SHIFT = 10
const PAGE_SIZE = 1 << PAGE_SHIFT

interface ListPage<T> {
  readonly items: (T | undefined)[]
  count: number
}

/** Numbers by a number: pages of them, -1 where none was set. */
export class NumberedInts {
  readonly #pages: (Int32Array | undefined)[] = []

  get(number: number): number {
    return this.#pages[number >>> PAGE_SHIFT]?.[number & (PAGE_SIZE - 1)] ?? -1
  }

  set(number: number, value: number): void {
    const index = number >>> PAGE_SHIFT
    while (this.#pages.length <= index) this.#pages.push(undefined)
    this.#pages[index] ??= new Int32Array(PAGE_SIZE).fill(-1)
    this.#pages[index][number & (PAGE_SIZE - 1)] = value
  }
}

export class NumberedList<T extends object> implements Iterable<T> {
  readonly #pages: (ListPage<T> | undefined)[] = []
  #size = 0

  get size(): number {
    return this.#size
  }

  get(number: number): T | undefined {
    return this.#pages[number >>> PAGE_SHIFT]?.items[number & (PAGE_SIZE - 1)]
  }

  set(number: number, item: T): void {
    const page = this.#pageOf(number >>> PAGE_SHIFT)
    const at = number & (PAGE_SIZE - 1)
    if (page.items[at] === undefined) {
      page.count++
      this.#size++
    }
    page.items[at] = item
  }

  #pageOf(index: number): ListPage<T> {
    while (this.#pages.length <= index) this.#pages.push(undefined)
    let page = this.#pages[index]
    if (page === undefined) {
      page = { items: new Array<T | undefined>(PAGE_SIZE).fill(undefined), count: 0 }
      this.#pages[index] = page
    }
    return page
  }

  delete(number: number): void {
    const page = this.#pages[number >>> PAGE_SHIFT]
    const at = number & (PAGE_SIZE - 1)
    if (page?.items[at] === undefined) return
    page.items[at] = undefined
    page.count--
    this.#size--
    if (page.count === 0) this.#pages[number >>> PAGE_SHIFT] = undefined
  }

  /** Lists what is there; what comes or leaves meanwhile may be among it or not. */
  *[Symbol.iterator](): IterableIterator<T> {
    for (let index = 0; index < this.#pages.length; index++) {
      const page = this.#pages[index]
      if (page === undefined) continue
      for (let at = 0; at < PAGE_SIZE; at++) {
        const item = page.items[at]
        if (item !== undefined) yield item
      }
    }
  }
}
