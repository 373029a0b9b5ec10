/**
 * Snapshots of a fixed list of names at little cost: the names are encoded once, the doubles are
 * written into their places. The entries are rendered once for all viewers; only the head, with the
 * viewer's own `t` and framing, is made per viewer.
 *
 *   head    = [length:u32le]? [82][a1 "t"][t:uint][a1 "d"]
 *   entries = [map n]{[name][cb][value:f64be]}*n
 */
import { MessagePackWriter, writeFloat64 } from '../../../wire/messagepack-writer.ts'
import type { Framing } from '../spec.ts'
import { writeSnapshotHead } from './encode.ts'
import { LENGTH_SIZE } from './framing.ts'

export class SnapshotTemplate {
  readonly #entries: Uint8Array<ArrayBuffer>
  /** Offset of each value's eight bytes in the entries. */
  readonly #places: Int32Array

  /** @param names distinct, sorted by their UTF-8 bytes */
  constructor(names: readonly string[]) {
    const writer = new MessagePackWriter()
    this.#places = new Int32Array(names.length)
    writer.map(names.length)
    names.forEach((name, i) => {
      writer.text(name)
      writer.float(Number.NaN)
      this.#places[i] = writer.size - 8
    })
    this.#entries = writer.finish()
  }

  /** Bytes of the entries. */
  get size(): number {
    return this.#entries.length
  }

  /** Makes new bytes of the entries, every value NaN. */
  blank(): Uint8Array<ArrayBuffer> {
    return this.#entries.slice()
  }

  /**
   * Writes the values into bytes that `blank` made, which may be used again and again.
   * @param values one per name, in the order of the names
   */
  fill(entries: Uint8Array<ArrayBuffer>, values: ArrayLike<number>): void {
    const view = new DataView(entries.buffer)
    const places = this.#places
    for (let i = 0; i < places.length; i++) writeFloat64(view, places[i]!, values[i]!)
  }

  /** Makes what goes in front of the entries for one viewer; new bytes each call. */
  head(t: bigint, framing: Framing): Uint8Array<ArrayBuffer> {
    scratch.size = 0
    if (framing === 'framed') scratch.raw(LENGTH_PLACE)
    writeSnapshotHead(scratch, t)
    const bytes = scratch.finish()
    if (framing === 'framed') {
      const length = bytes.length - LENGTH_SIZE + this.size
      for (let i = 0; i < LENGTH_SIZE; i++) bytes[i] = length >>> (8 * i)
    }
    return bytes
  }
}

const LENGTH_PLACE = new Uint8Array(LENGTH_SIZE)
/** Heads are written here and copied out; no call leaves anything behind. */
const scratch = new MessagePackWriter()
