/**
 * Several chunks of one series as one: hours of distributions are made of those of five minutes as
 * they are, for to read and write each of their cells again would cost as much as all the rest.
 *
 *   [count:varint] count x [places before its window:varint][size:varint], then count x chunk
 *
 * Bundles of version 2 have such chunks. Windows of parts may be the same one: their cells add up.
 */
import { pushVarint } from '../../codec/bundle.ts'
import { faultOf } from '../../codec/fault.ts'

export interface ChunkPart {
  /** Places of the long window before those of the part's. */
  readonly shift: number
  readonly bytes: Uint8Array
}

/** Limit of parts that are read: more are never written. */
const PARTS_MAX = 255
const VARINT_MAX = 2 ** 28

export function encodeParts(parts: readonly ChunkPart[]): Uint8Array {
  const head: number[] = []
  pushVarint(head, parts.length)
  for (const { shift, bytes } of parts) {
    pushVarint(head, shift)
    pushVarint(head, bytes.length)
  }
  const size = parts.reduce((sum, { bytes }) => sum + bytes.length, head.length)
  const whole = new Uint8Array(size)
  whole.set(head)
  let at = head.length
  for (const { bytes } of parts) {
    whole.set(bytes, at)
    at += bytes.length
  }
  return whole
}

/**
 * Finds the parts of a chunk, which are its bytes.
 * @throws {DecodeError} `chunk_layout` for what no encoder made
 */
export function decodeParts(whole: Uint8Array): ChunkPart[] {
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let factor = 1; at < whole.length && factor <= VARINT_MAX; factor *= 128) {
      const byte = whole[at++]!
      value += (byte & 127) * factor
      if (byte < 128) return value
    }
    throw faultOf('chunk_layout', at, 'a number of a part without an end')
  }
  const count = varint()
  if (count > PARTS_MAX) throw faultOf('chunk_layout', at, `${count} parts`)
  const heads = Array.from({ length: count }, () => ({ shift: varint(), size: varint() }))
  const parts = heads.map(({ shift, size }) => {
    const bytes = whole.subarray(at, at + size)
    at += size
    return { shift, bytes }
  })
  if (at !== whole.length) throw faultOf('chunk_layout', at, `parts up to byte ${at}`)
  return parts
}
