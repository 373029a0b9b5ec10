/**
 * Bytes of a stream that are not yet a whole message, in one contiguous piece. Capacity follows
 * what has arrived, never what a header claims; a large buffer is given back once it is empty.
 */
const FIRST_CAPACITY = 4096
/** An empty queue keeps at most this much. */
const KEPT_CAPACITY = 1 << 20

export class ByteQueue {
  #buffer: Uint8Array = new Uint8Array(0)
  #start = 0
  #end = 0

  get size(): number {
    return this.#end - this.#start
  }

  /** Copies the bytes in. */
  append(bytes: Uint8Array): void {
    if (this.#end + bytes.length > this.#buffer.length) this.#makeRoom(bytes.length)
    this.#buffer.set(bytes, this.#end)
    this.#end += bytes.length
  }

  #makeRoom(count: number): void {
    const size = this.size
    // Moving is worth it only when it frees half the buffer: otherwise small appends would each
    // move.
    if (2 * size + count > this.#buffer.length) {
      const capacity = Math.max(FIRST_CAPACITY, 2 * this.#buffer.length, size + count)
      const grown = new Uint8Array(capacity)
      grown.set(this.peek())
      this.#buffer = grown
    } else {
      this.#buffer.copyWithin(0, this.#start, this.#end)
    }
    this.#start = 0
    this.#end = size
  }

  /** Views everything in the queue; valid until the next append or drop. */
  peek(): Uint8Array {
    return this.#buffer.subarray(this.#start, this.#end)
  }

  /** Removes bytes from the front. */
  drop(count: number): void {
    this.#start += count
    if (this.#start < this.#end) return
    this.#start = 0
    this.#end = 0
    if (this.#buffer.length > KEPT_CAPACITY) this.#buffer = new Uint8Array(0)
  }

  clear(): void {
    this.drop(this.size)
  }
}
