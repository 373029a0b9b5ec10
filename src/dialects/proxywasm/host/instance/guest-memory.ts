/**
 * A filter's linear memory as the host sees it. Every access is checked against the length that the
 * memory has at that moment: pointers come from the filter and may be lies, and the memory grows
 * (which takes the old buffer away) whenever the filter runs.
 */
import type { WasmMemory } from '../../../../arena/wasm.ts'

export class GuestMemory {
  readonly #memory: WasmMemory
  #bytes: Uint8Array
  #view: DataView

  constructor(memory: WasmMemory) {
    this.#memory = memory
    this.#bytes = new Uint8Array(memory.buffer)
    this.#view = new DataView(memory.buffer)
  }

  get byteLength(): number {
    return this.#memory.buffer.byteLength
  }

  /** Tells whether a range lies within the memory; to be asked before every access below. */
  has(at: number, size: number): boolean {
    const { buffer } = this.#memory
    if (buffer !== this.#bytes.buffer) {
      this.#bytes = new Uint8Array(buffer)
      this.#view = new DataView(buffer)
    }
    return (at >>> 0) + (size >>> 0) <= buffer.byteLength
  }

  /** Views the filter's own bytes, valid until the filter runs again. */
  view(at: number, size: number): Uint8Array {
    return this.#bytes.subarray(at >>> 0, (at >>> 0) + (size >>> 0))
  }

  text(at: number, size: number): string {
    return decoder.decode(this.view(at, size))
  }

  u32(at: number): number {
    return this.#view.getUint32(at >>> 0, true)
  }

  u64(at: number): bigint {
    return this.#view.getBigUint64(at >>> 0, true)
  }

  setU32(at: number, value: number): void {
    this.#view.setUint32(at >>> 0, value, true)
  }

  /** Writes both halves of a u64: no BigInt where the value comes in halves. */
  setU64Halves(at: number, low: number, high: number): void {
    this.#view.setInt32(at >>> 0, low, true)
    this.#view.setInt32((at >>> 0) + 4, high, true)
  }

  setU64(at: number, value: bigint): void {
    this.#view.setBigUint64(at >>> 0, value, true)
  }

  setBytes(at: number, bytes: Uint8Array): void {
    this.#bytes.set(bytes, at >>> 0)
  }
}

/** Invalid UTF-8 becomes U+FFFD, as everywhere in text for people. */
const decoder = new TextDecoder()
