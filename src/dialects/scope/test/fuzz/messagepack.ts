/**
 * MessagePack of every form that its specification allows, also longer ones than needed, written
 * without the product's writer. Each function says what the value means.
 */
import { ByteBuilder } from '../../../../../test/fuzz/engine/bytes.ts'
import type { Random } from '../../../../../test/fuzz/engine/random.ts'
import { double, text, unsigned } from '../../../../../test/fuzz/engine/values.ts'

const encoder = new TextEncoder()

export class ValueWriter {
  readonly out = new ByteBuilder()
  random!: Random

  /** Head of a map or array; a lie about its count is the caller's. */
  map(count: number): void {
    this.#head(count, [0x80, 15], [0xde, 0xdf])
  }

  array(count: number): void {
    this.#head(count, [0x90, 15], [0xdc, 0xdd])
  }

  #head(count: number, [fixed, most]: readonly [number, number], wide: readonly number[]): void {
    const { out, random } = this
    const way = random.isOnceIn(8) ? random.below(3) : 0
    if (way === 0 && count <= most) out.u8(fixed | count)
    else if (way < 2 && count <= 0xffff) out.u8(wide[0]!).u16(count)
    else out.u8(wide[1]!).u32(count)
  }

  /** A text as str or, sometimes, as bin. */
  text(value: string): void {
    this.bytes(encoder.encode(value))
  }

  bytes(bytes: Uint8Array): void {
    const { out, random } = this
    const size = bytes.length
    const isBin = random.isOnceIn(12)
    const way = random.isOnceIn(8) ? random.below(4) : isBin ? 1 : 0
    if (way === 0 && size <= 31 && !isBin) out.u8(0xa0 | size)
    else if (way < 2 && size <= 0xff) out.u8(isBin ? 0xc4 : 0xd9).u8(size)
    else if (way < 3 && size <= 0xffff) out.u8(isBin ? 0xc5 : 0xda).u16(size)
    else out.u8(isBin ? 0xc6 : 0xdb).u32(size)
    out.raw(bytes)
  }

  /** An unsigned integer in its shortest form or any longer one. */
  uint(value: bigint): void {
    const { out, random } = this
    const way = random.isOnceIn(4) ? random.below(5) : 0
    if (way === 0 && value < 0x80n) out.u8(Number(value))
    else if (way < 2 && value < 0x100n) out.u8(0xcc).u8(Number(value))
    else if (way < 3 && value < 0x1_0000n) out.u8(0xcd).u16(Number(value))
    else if (way < 4 && value < 0x1_0000_0000n) out.u8(0xce).u32(Number(value))
    else out.u8(0xcf).u64(value)
  }

  /** A number of any format. @returns the double nearest to it */
  number(): number {
    const { out, random } = this
    switch (random.below(5)) {
      case 0:
      case 1: {
        const value = double(random)
        out.u8(0xcb).f64(value)
        return value
      }
      case 2: {
        const value = Math.fround(double(random))
        out.u8(0xca).f32(value)
        return value
      }
      case 3: {
        const value = unsigned(random, 64)
        this.uint(value)
        return Number(value)
      }
      default:
        return this.#int()
    }
  }

  /** A signed integer of a drawn width. */
  #int(): number {
    const { out, random } = this
    const way = random.below(5)
    if (way === 0) {
      const byte = 0xe0 | random.below(32)
      out.u8(byte)
      return byte - 256
    }
    const bits = 8 << (way - 1)
    const raw = unsigned(random, bits)
    out.u8(0xd0 + way - 1)
    if (way === 1) out.u8(Number(raw))
    else if (way === 2) out.u16(Number(raw))
    else if (way === 3) out.u32(Number(raw))
    else out.u64(raw)
    return Number(BigInt.asIntN(bits, raw))
  }

  /** A value that is neither number, text nor map: what no field of the protocol may be. */
  odd(): void {
    const { out, random } = this
    const way = random.below(5)
    if (way === 0) out.u8(0xc0)
    else if (way === 1) out.u8(0xc2 + random.below(2))
    else if (way === 2) out.u8(0xd4).u8(random.below(256)).u8(1)
    else if (way === 3) out.u8(0xc7).u8(3).u8(random.below(256)).zeros(3)
    else this.array(0)
  }

  /** Any value, nested a few levels deep. */
  any(depth = 0): void {
    const { random } = this
    const way = random.below(depth < 3 ? 6 : 4)
    if (way === 0) this.odd()
    else if (way === 1) this.text(text(random, 60))
    else if (way < 4) this.number()
    else {
      const count = random.below(4)
      if (way === 4) this.map(count)
      else this.array(count)
      for (let i = way === 4 ? 2 * count : count; i > 0; i--) this.any(depth + 1)
    }
  }
}
