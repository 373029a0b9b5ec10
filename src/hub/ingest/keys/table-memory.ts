/**
 * Memory of a table of keys: an ordinary buffer, or one of WebAssembly, which grows in place and
 * which a codec may look into, too.
 */
import { PAGE_BYTES, type WasmOwnMemory, wasm } from '../../../arena/wasm.ts'

/** Limit of a memory: places are signed numbers of 32 bits. */
const PAGES_MAX = 2 ** 31 / PAGE_BYTES
/** Bytes behind the last entry. */
const READ_AHEAD = 16

export class TableMemory {
  /** Memory that grows in place; undefined while the buffer is an ordinary one. */
  protected memory: WasmOwnMemory | undefined
  /** Byte from which on the buffer is the table's: a place is never 0. */
  protected startAt = 8
  /** End of what is laid out. */
  protected top = 0
  /** End of what was ever used: behind it, all is 0. */
  #usedTo = 0
  /** Views of the whole buffer. */
  protected ints = new Int32Array(0)
  protected ownBytes = new Uint8Array(0)
  protected view = new DataView(this.ownBytes.buffer)

  /**
   * Takes bytes at the top. What was in an ordinary buffer may be lost.
   * @throws {RangeError} where no memory is left
   */
  protected take(bytes: number): void {
    this.#cover(this.top + bytes + READ_AHEAD)
    this.top += bytes
    this.#usedTo = Math.max(this.#usedTo, this.top)
  }

  /** Takes bytes that are 0; those that were never used cost nothing. */
  protected takeEmpty(bytes: number): void {
    const { top } = this
    const usedTo = this.#usedTo
    this.take(bytes)
    if (top < usedTo) this.ints.fill(0, top >> 2, Math.min(this.top, usedTo) >> 2)
  }

  #cover(bytes: number): void {
    const { memory } = this
    if (memory === undefined) {
      if (this.ints.byteLength >= bytes) return
      this.ints = new Int32Array((bytes + 7) >> 2)
    } else {
      const missing = bytes - memory.buffer.byteLength
      if (missing > 0) memory.grow(Math.ceil(missing / PAGE_BYTES))
      if (this.ints.buffer === memory.buffer) return
      this.ints = new Int32Array(memory.buffer)
    }
    this.ownBytes = new Uint8Array(this.ints.buffer)
    this.view = new DataView(this.ints.buffer)
  }
}

/** Creates memory of at least so many bytes that grows in place; undefined where there is none. */
export function createMemory(bytes: number): WasmOwnMemory | undefined {
  try {
    const initial = Math.ceil(bytes / PAGE_BYTES)
    return new wasm.Memory({ initial, maximum: PAGES_MAX, shared: true })
  } catch {
    return undefined
  }
}
