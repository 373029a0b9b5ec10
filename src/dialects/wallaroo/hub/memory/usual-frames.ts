/**
 * JavaScript's side of the module that takes usual frames (usual-frames.as.ts): its memory, into
 * which connections read, and what a connection has to do with it.
 */
import { READ_BYTES } from '../../../../arena/read-in-place.ts'
import { PAGE_BYTES, type WasmModule, type WasmOwnMemory, wasm } from '../../../../arena/wasm.ts'
import { MIDDLES as MIDDLES_OF_BINS } from '../../rollup/latency-totals.ts'
import type { UsualWindows } from '../../server/usual-windows.ts'
import {
  DOCUMENT_BINNING,
  DOCUMENT_ORDER,
  EVIDENCE,
  MIDDLES,
  NEXT,
  PEER_BINNING,
  PEER_ORDER,
  PREVIOUS,
  READ_AT,
  REST_BYTES,
  SHUFFLES,
  TAKEN,
  TAKEN_DOCUMENT,
  TAKEN_EMPTY,
  TAKEN_INCONSISTENT,
} from './layout.ts'
import { BASE64 } from './usual-frames.wasm.ts'
import type { Backing, WindowMemory } from './window-memory.ts'

interface Exports {
  take(at: number, end: number, connection: number, nowMs: number): number
  hash(at: number, size: number): number
}

/** All that 32 bits address: reserved, and taken as it is used. */
const PAGES_MAX = 65_536
/** Bytes behind a read that the module may look at. */
const BEHIND_BYTES = 64

/** Words whose bits are set, for each 4 bits, by the places of their bytes. */
const SHUFFLES_OF_BITS = Uint8Array.from({ length: 16 * 16 }, (_, i) => {
  const [bits, lane, byte] = [i >> 4, (i >> 2) & 3, i & 3]
  const words = [0, 1, 2, 3].filter((word) => (bits & (1 << word)) !== 0)
  return 4 * (words[lane] ?? 0) + byte
})

let compiled: WasmModule | undefined

/** The module with a memory of its own. */
export class UsualFramesModule implements Backing {
  readonly reserved = READ_AT + READ_BYTES + BEHIND_BYTES
  readonly exports: Exports
  /** Buffer that connections read into. */
  readonly reads: Uint8Array
  readonly #memory: WasmOwnMemory

  private constructor(memory: WasmOwnMemory, exports: Exports) {
    this.#memory = memory
    this.exports = exports
    this.reads = new Uint8Array(memory.buffer, READ_AT, READ_BYTES)
    new Uint8Array(memory.buffer).set(SHUFFLES_OF_BITS, SHUFFLES)
    new Float64Array(memory.buffer).set(MIDDLES_OF_BINS, MIDDLES / 8)
  }

  /** @returns undefined where the engine cannot run it, or has no address space for its memory */
  static open(): UsualFramesModule | undefined {
    try {
      compiled ??= new wasm.Module(Buffer.from(BASE64, 'base64'))
      const initial = Math.ceil((READ_AT + READ_BYTES + BEHIND_BYTES) / PAGE_BYTES)
      const memory = new wasm.Memory({ initial, maximum: PAGES_MAX, shared: true })
      const { exports } = new wasm.Instance(compiled, { env: { memory } })
      return new UsualFramesModule(memory, exports as unknown as Exports)
    } catch {
      // everything goes the way that does without it
      return undefined
    }
  }

  get buffer(): ArrayBuffer {
    return this.#memory.buffer
  }

  /** Grows by an eighth at least, in place: views of what there was stay. */
  growTo(size: number): boolean {
    const pages = this.buffer.byteLength / PAGE_BYTES
    const wanted = Math.ceil(size / PAGE_BYTES)
    if (wanted > PAGES_MAX) return false
    try {
      this.#memory.grow(Math.min(Math.max(wanted, Math.ceil((pages * 9) / 8)), PAGES_MAX) - pages)
      return true
    } catch (error) {
      if (error instanceof RangeError) return false
      throw error
    }
  }
}

/** Way of one connection's usual frames. */
export class ConnectionFrames implements UsualWindows {
  taken = 0
  empty = 0
  inDocumentOrder = 0
  inconsistent = 0
  order: 'peer' | 'document' | 'mixed' | undefined
  binning: 'peer' | 'document' | 'mixed' | undefined
  /** Address of what the module keeps of the connection. */
  readonly record: number
  readonly buffer: Uint8Array
  readonly #memory: WindowMemory
  readonly #exports: Exports
  readonly #took: (count: number) => void

  /**
   * @param memory whose backing is the module
   * @param record for a connection
   * @param took told how many windows have been taken
   */
  constructor(
    memory: WindowMemory,
    module: UsualFramesModule,
    record: number,
    took: (count: number) => void,
  ) {
    this.#memory = memory
    this.#exports = module.exports
    this.record = record
    this.#took = took
    this.buffer = module.reads
  }

  lay(held: Uint8Array, read: Uint8Array): Uint8Array | undefined {
    const { raw } = this.#memory
    if (held.length > REST_BYTES || read.length > READ_BYTES) return undefined
    // where it was not read in place
    if (read.buffer !== this.buffer.buffer) raw.set(read, READ_AT)
    else if (read.byteOffset !== READ_AT) return undefined
    const start = READ_AT - held.length
    raw.set(held, start)
    return raw.subarray(start, READ_AT + read.length)
  }

  take(bytes: Uint8Array, at: number, nowMs: number): number {
    const { byteOffset: start, length } = bytes
    this.#memory.makeReady()
    const end = this.#exports.take(start + at, start + length, this.record, nowMs) >>> 0
    const { words } = this.#memory
    this.taken = words[TAKEN / 4]!
    if (this.taken === 0) return at
    this.empty = words[TAKEN_EMPTY / 4]!
    this.inDocumentOrder = words[TAKEN_DOCUMENT / 4]!
    this.inconsistent = words[TAKEN_INCONSISTENT / 4]!
    const evidence = words[EVIDENCE / 4]!
    this.order = shown(evidence, PEER_ORDER, DOCUMENT_ORDER)
    this.binning = shown(evidence, PEER_BINNING, DOCUMENT_BINNING)
    this.#took(this.taken)
    return end - start
  }

  /** Notes which series a frame was of that was not taken here: the next ones go by it. */
  follow(series: number): void {
    const { words } = this.#memory
    const previous = words[(this.record + PREVIOUS) >>> 2]!
    if (previous !== 0) words[(previous + NEXT) >>> 2] = series
    words[(this.record + PREVIOUS) >>> 2] = series
  }
}

function shown(evidence: number, peer: number, document: number) {
  const isDocument = (evidence & document) !== 0
  if ((evidence & peer) !== 0) return isDocument ? 'mixed' : 'peer'
  return isDocument ? 'document' : undefined
}
