/**
 * The coder of history's chunks in WebAssembly (coder.as.ts): the same bytes and numbers as the one
 * in JavaScript, in less time. Columns are copied into its memory and out of it.
 */
import { PAGE_BYTES, type WasmModule, wasm } from '../../arena/wasm.ts'
import { CHUNK_BYTES_MAX, ChunkCodec, scriptCodec } from '../codec/chunk.ts'
import type { Decoder, Encoder, Rows } from '../codec/coder/coder.ts'
import { USUAL } from '../codec/coder/models.ts'
import { faultOf } from '../codec/fault.ts'
import { BASE64 } from './coder.wasm.ts'

/** Calls of the module; what may fail gives other than 0 then. */
interface Calls {
  start(): void
  begin(): void
  end(): number
  bits(value: number, size: number): void
  sayPieces(count: number): void
  sayFlags(count: number): void
  sayWhole(count: number): void
  sayRows(width: number, count: number): void
  open(size: number): void
  setVersion(version: number): void
  offset(): number
  readBits(size: number): number
  readPieces(count: number): void
  readFlags(count: number): void
  readWhole(count: number): number
  readRows(width: number, count: number): number
}

/** Places in the module's memory, as coder.as.ts draws it. */
const COLUMN_AT = 65_536
const SIZES_AT = 98_304
const TOTALS_AT = 270_336
const FIRSTS_AT = 303_104
const LENGTHS_AT = 311_296
const COUNTS_AT = 327_680
const BYTES_AT = 17_104_896
const USUAL_AT = 33_882_624
const END = 33_928_704
const COLUMN_MAX = 4096
const COUNTS_MAX = 2_097_152
/** Memory of it all, of which only what is used is ever touched. */
const PAGES = Math.ceil(END / PAGE_BYTES)
/** Most pages that a module of the tree may have; its import names them. */
const PAGES_MAX = 65_536

/** Memory of an instance, and its calls. */
class Room {
  readonly calls: Calls
  readonly column: Float64Array
  readonly sizes: Uint8Array
  readonly totals: Float64Array
  readonly firsts: Uint16Array
  readonly lengths: Uint16Array
  readonly counts: Float64Array
  readonly bytes: Uint8Array

  constructor(module: WasmModule) {
    const memory = new wasm.Memory({ initial: PAGES, maximum: PAGES_MAX, shared: true })
    const { exports } = new wasm.Instance(module, { env: { memory } })
    this.calls = exports as unknown as Calls
    this.calls.start()
    const { buffer } = memory
    this.column = new Float64Array(buffer, COLUMN_AT, COLUMN_MAX)
    this.sizes = new Uint8Array(buffer, SIZES_AT, COLUMN_MAX)
    this.totals = new Float64Array(buffer, TOTALS_AT, COLUMN_MAX)
    this.firsts = new Uint16Array(buffer, FIRSTS_AT, COLUMN_MAX)
    this.lengths = new Uint16Array(buffer, LENGTHS_AT, COLUMN_MAX)
    this.counts = new Float64Array(buffer, COUNTS_AT, COUNTS_MAX)
    this.bytes = new Uint8Array(buffer, BYTES_AT, CHUNK_BYTES_MAX)
    let at = USUAL_AT
    for (const usual of USUAL) {
      new Uint16Array(buffer, at).set(usual)
      at += usual.byteLength
    }
  }
}

/** Copies the first numbers of a column: a loop is cheaper than a view for few of them. */
function copy(from: Float64Array, to: Float64Array, count: number): void {
  if (count < 64) for (let i = 0; i < count; i++) to[i] = from[i]!
  else to.set(from.length === count ? from : from.subarray(0, count))
}

class QuickEncoder implements Encoder {
  readonly #room: Room
  readonly #calls: Calls

  constructor(room: Room) {
    this.#room = room
    this.#calls = room.calls
  }

  begin(): void {
    this.#calls.begin()
  }

  bits(value: number, size: number): void {
    this.#calls.bits(value, size)
  }

  pieces(values: Float64Array, sizes: Uint8Array, count: number): void {
    copy(values, this.#room.column, count)
    this.#room.sizes.set(sizes.subarray(0, count))
    this.#calls.sayPieces(count)
  }

  flags(flags: Uint8Array, count: number): void {
    this.#room.sizes.set(flags.subarray(0, count))
    this.#calls.sayFlags(count)
  }

  whole(values: Float64Array, count: number): void {
    copy(values, this.#room.column, count)
    this.#calls.sayWhole(count)
  }

  rows({ width, totals, firsts, lengths, counts }: Rows, count: number): void {
    const room = this.#room
    copy(totals, room.totals, count)
    room.firsts.set(firsts.subarray(0, count))
    room.lengths.set(lengths.subarray(0, count))
    let filled = 0
    for (let i = 0; i < count; i++) filled += lengths[i]!
    copy(counts, room.counts, filled)
    this.#calls.sayRows(width, count)
  }

  take(): Uint8Array {
    let size = this.#calls.end()
    if (size > CHUNK_BYTES_MAX) {
      throw new RangeError(`chunk of ${size} bytes, limit ${CHUNK_BYTES_MAX}`)
    }
    const { bytes } = this.#room
    while (size > 0 && bytes[size - 1] === 0) size--
    const chunk = new Uint8Array(size)
    chunk.set(bytes.subarray(0, size))
    return chunk
  }
}

class QuickDecoder implements Decoder {
  readonly #room: Room
  readonly #calls: Calls
  #version: 1 | 2 = 2

  constructor(room: Room) {
    this.#room = room
    this.#calls = room.calls
  }

  get offset(): number {
    return this.#calls.offset()
  }

  get version(): 1 | 2 {
    return this.#version
  }

  set version(version: 1 | 2) {
    this.#version = version
    this.#calls.setVersion(version)
  }

  open(bytes: Uint8Array): void {
    this.#room.bytes.set(bytes)
    this.#calls.open(bytes.length)
  }

  bits(size: number): number {
    return this.#calls.readBits(size)
  }

  pieces(values: Float64Array, sizes: Uint8Array, count: number): void {
    this.#room.sizes.set(sizes.subarray(0, count))
    this.#calls.readPieces(count)
    copy(this.#room.column, values, count)
  }

  flags(flags: Uint8Array, count: number): void {
    this.#calls.readFlags(count)
    flags.set(this.#room.sizes.subarray(0, count))
  }

  whole(values: Float64Array, count: number): void {
    if (this.#calls.readWhole(count) !== 0) throw this.#fault('a number in a column')
    copy(this.#room.column, values, count)
  }

  rows(width: number, totals: Float64Array, count: number): Rows {
    const room = this.#room
    copy(totals, room.totals, count)
    if (this.#calls.readRows(width, count) !== 0) throw this.#fault('a count in a bucket')
    const firsts = room.firsts.slice(0, count)
    const lengths = room.lengths.slice(0, count)
    let filled = 0
    for (let i = 0; i < count; i++) filled += lengths[i]!
    return { width, totals, firsts, lengths, counts: room.counts.slice(0, filled) }
  }

  #fault(detail: string): Error {
    return faultOf('chunk_value', this.offset, detail)
  }
}

let codec: ChunkCodec | undefined

/** Gives the codec in WebAssembly, or that in JavaScript where there is none; one of a thread. */
export function quickCodec(): ChunkCodec {
  codec ??= openQuick() ?? scriptCodec()
  return codec
}

function openQuick(): ChunkCodec | undefined {
  try {
    const room = new Room(new wasm.Module(Buffer.from(BASE64, 'base64')))
    return new ChunkCodec(new QuickEncoder(room), new QuickDecoder(room))
  } catch {
    return undefined
  }
}
