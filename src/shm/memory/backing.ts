/**
 * What a zone's memory is made of: a growable SharedArrayBuffer, or a shared WebAssembly.Memory,
 * the only memory that WebAssembly code can address. The layout in it is the same; pages of a zone
 * are as big as WebAssembly's.
 */
import { type Backing, PAGE_BYTES } from '../layout.ts'

/** A shared `WebAssembly.Memory`. */
export interface WasmMemory {
  /** Buffer: another object after each growth; older ones alias the same bytes. */
  readonly buffer: ArrayBufferLike
  /** @throws {RangeError} when there is no memory */
  grow(pages: number): number
}

/** Memory as it is handed to other threads, by workerData or postMessage. */
export type SharedZone = SharedArrayBuffer | WasmMemory

declare const WebAssembly: {
  readonly Memory: new (descriptor: {
    initial: number
    maximum: number
    shared: boolean
  }) => WasmMemory
}

export interface ZoneBacking {
  readonly kind: Backing
  readonly shared: SharedZone
  /** Bytes that can be addressed now. */
  readonly size: number
  /** Gives a buffer of at least that many bytes, which the zone is known to have. */
  buffer(size: number): ArrayBufferLike
  /** @returns false when the machine has no more memory */
  grow(size: number): boolean
}

/** Creates a memory of `pages` zeroed pages that can grow to `pagesMax`. */
export function createBacking(kind: Backing, pages: number, pagesMax: number): ZoneBacking {
  if (kind === 'wasm') {
    return new WasmBacking(
      new WebAssembly.Memory({ initial: pages, maximum: pagesMax, shared: true }),
    )
  }
  const maxByteLength = pagesMax * PAGE_BYTES
  return new BufferBacking(new SharedArrayBuffer(pages * PAGE_BYTES, { maxByteLength }))
}

/** Opens a memory; undefined for what is neither. */
export function openBacking(shared: SharedZone): ZoneBacking | undefined {
  if (shared instanceof SharedArrayBuffer) return new BufferBacking(shared)
  const isWasm = shared instanceof WebAssembly.Memory && isShared(shared.buffer)
  return isWasm ? new WasmBacking(shared) : undefined
}

function isShared(buffer: ArrayBufferLike): boolean {
  return buffer instanceof SharedArrayBuffer
}

class BufferBacking implements ZoneBacking {
  readonly kind = 'sab'
  readonly shared: SharedArrayBuffer

  constructor(shared: SharedArrayBuffer) {
    this.shared = shared
  }

  get size(): number {
    return this.shared.byteLength
  }

  buffer(): SharedArrayBuffer {
    return this.shared
  }

  grow(size: number): boolean {
    try {
      this.shared.grow(size)
      return true
    } catch {
      return false // the machine has no more memory: the same answer as a full zone
    }
  }
}

class WasmBacking implements ZoneBacking {
  readonly kind = 'wasm'
  readonly shared: WasmMemory

  constructor(shared: WasmMemory) {
    this.shared = shared
  }

  get size(): number {
    return this.shared.buffer.byteLength
  }

  /**
   * Gives the buffer. Another thread's growth may not have reached this thread's object: growing by
   * 0 fetches it.
   */
  buffer(size: number): ArrayBufferLike {
    if (this.shared.buffer.byteLength < size) this.shared.grow(0)
    return this.shared.buffer
  }

  grow(size: number): boolean {
    try {
      this.shared.grow(Math.ceil(size / PAGE_BYTES) - this.shared.grow(0))
      return true
    } catch {
      return false // as above
    }
  }
}
