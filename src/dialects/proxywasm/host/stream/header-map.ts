/**
 * A map of headers or trailers, in order and with repeated names, as filters read and change it.
 * Serialized (ABI, header maps; little-endian):
 *
 *   [pairs:u32] | [name size:u32][value size:u32] x pairs | (name 0x00 value 0x00) x pairs
 */

import { BUFFER_BYTES } from '../options.ts'
import type { Headers } from './exchange.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()
/** Size of one pair beside its texts: two sizes and two terminating zeros. */
const PAIR_BYTES = 10

export class HeaderMap {
  #pairs: (readonly [name: string, value: string])[]
  /** Size when serialized, but for the count. */
  #size = 0

  constructor(pairs: Headers = []) {
    this.#pairs = [...pairs]
    this.#measure()
  }

  get count(): number {
    return this.#pairs.length
  }

  get pairs(): Headers {
    return this.#pairs
  }

  /**
   * Reads a header. Names are compared without case; the values of a repeated name are joined, as
   * in HTTP.
   */
  get(name: string): string | undefined {
    const sought = name.toLowerCase()
    const values = this.#pairs.filter(([each]) => each.toLowerCase() === sought)
    return values.length === 0 ? undefined : values.map(([, value]) => value).join(', ')
  }

  /** @returns false, with nothing changed, when the map would grow beyond its limit */
  add(name: string, value: string): boolean {
    const size = sizeOf(name, value)
    if (this.#size + size > BUFFER_BYTES) return false
    this.#pairs.push([name, value])
    this.#size += size
    return true
  }

  /** Sets the first of a name and takes its repetitions away. As {@link add}. */
  replace(name: string, value: string): boolean {
    const sought = name.toLowerCase()
    const at = this.#pairs.findIndex(([each]) => each.toLowerCase() === sought)
    if (at === -1) return this.add(name, value)
    const kept = this.#pairs.filter(([each], i) => i === at || each.toLowerCase() !== sought)
    return this.set(kept.map((pair, i) => (i === at ? [pair[0], value] : pair)))
  }

  remove(name: string): void {
    const sought = name.toLowerCase()
    this.#pairs = this.#pairs.filter(([each]) => each.toLowerCase() !== sought)
    this.#measure()
  }

  /** Replaces all pairs; limits are as in {@link add}. */
  set(pairs: Headers): boolean {
    if (pairs.reduce((sum, pair) => sum + sizeOf(...pair), 0) > BUFFER_BYTES) return false
    this.#pairs = [...pairs]
    this.#measure()
    return true
  }

  serialize(): Uint8Array {
    const texts = this.#pairs.map(([name, value]) => [encoder.encode(name), encoder.encode(value)])
    const bytes = new Uint8Array(4 + this.#size)
    const view = new DataView(bytes.buffer)
    view.setUint32(0, texts.length, true)
    let sizeAt = 4
    let at = 4 + 8 * texts.length
    for (const text of texts.flat()) {
      view.setUint32(sizeAt, text.length, true)
      bytes.set(text, at)
      sizeAt += 4
      at += text.length + 1
    }
    return bytes
  }

  #measure(): void {
    this.#size = this.#pairs.reduce((sum, pair) => sum + sizeOf(...pair), 0)
  }
}

function sizeOf(name: string, value: string): number {
  return PAIR_BYTES + Buffer.byteLength(name) + Buffer.byteLength(value)
}

/** Reads a serialized map; undefined when its counts and sizes do not fit its length. */
export function parsePairs(bytes: Uint8Array): [string, string][] | undefined {
  if (bytes.length === 0) return []
  if (bytes.length < 4) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const count = view.getUint32(0, true)
  let at = 4 + 8 * count
  if (at > bytes.length) return undefined
  const pairs: [string, string][] = []
  for (let i = 0; i < count; i++) {
    const nameSize = view.getUint32(4 + 8 * i, true)
    const valueSize = view.getUint32(8 + 8 * i, true)
    const end = at + nameSize + valueSize + 2
    if (end > bytes.length) return undefined
    const name = decoder.decode(bytes.subarray(at, at + nameSize))
    pairs.push([name, decoder.decode(bytes.subarray(at + nameSize + 1, end - 1))])
    at = end
  }
  return pairs
}
