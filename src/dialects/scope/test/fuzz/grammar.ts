/**
 * What a server and a viewer send, from the grammar, in every form that a reader takes: structs by
 * names, by indices or as arrays, fields in any order and unknown ones between them, times of five
 * forms, framed or bare; and with faults. What it means is told in the plain form of messages.ts.
 */
import type { Random } from '../../../../../test/fuzz/engine/random.ts'
import { lyingLength, text, unsigned } from '../../../../../test/fuzz/engine/values.ts'
import { ValueWriter } from './messagepack.ts'

const encoder = new TextEncoder()
const NO_UTF8 = [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80]].map((bytes) => Uint8Array.from(bytes))
/** Multiple of 2^-9 s is a whole number of nanoseconds: 10^9 = 2^9 x 5^9. */
const FRACTIONS_PER_S = 512n

type Pairs<T> = [string, T][]
/** Error code, or the plain form. */
export type Meant = { readonly code: string } | { readonly plain: unknown }

interface Field {
  readonly name: string
  readonly index: number
  write(): void
}

/** Fills one buffer with messages of one side. */
export class ScopeStream {
  readonly #writer = new ValueWriter()
  #random!: Random
  #isBare = false
  /** Whether the meaning of the stream is known. */
  #isMeant = true
  /** The strict reading refuses a packet, the lenient one reads it with something left out. */
  #isLenient = false
  #dropped = 0
  /** Names of the last snapshot: most snapshots repeat them. */
  #names: string[] = []
  meant: Meant[] = []

  get bytes(): Uint8Array {
    return this.#writer.out.bytes
  }

  #begin(random: Random): void {
    this.#random = random
    this.#writer.random = random
    this.#writer.out.reset(random.below(4))
    this.#isMeant = !random.isOnceIn(4)
    this.#isBare = random.isOnceIn(3)
    this.#names = []
    this.meant = []
  }

  /** @returns whether the meaning holds; of packets read by `isStrict` or not */
  makePackets(random: Random, isStrict: boolean): boolean {
    this.#begin(random)
    const { out } = this.#writer
    if (!random.isOnceIn(8)) out.u8(1).u8(0)
    for (let left = 1 + random.below(4); left > 0; left--) {
      this.#message(() => this.#packet(isStrict))
    }
    if (!this.#isMeant && random.isOnceIn(3)) out.truncate(random.below(out.size + 1))
    return this.#isMeant
  }

  /** The same of a viewer's only message; bytes behind it mean nothing. */
  makeSettings(random: Random): boolean {
    this.#begin(random)
    const { out } = this.#writer
    this.#message(() => this.#settings())
    if (random.isOnceIn(6)) this.#writer.any()
    if (!this.#isMeant && random.isOnceIn(3)) out.truncate(random.below(out.size + 1))
    return this.#isMeant
  }

  #message(write: () => void): void {
    const { out } = this.#writer
    const start = out.size
    if (!this.#isBare) out.u32(0)
    write()
    if (this.#isBare) return
    const size = out.size - start - 4
    const isTrue = this.#isMeant || !this.#random.isOnceIn(3)
    out.setU32(start, isTrue ? size : lyingLength(this.#random, size), true)
  }

  #packet(isStrict: boolean): void {
    this.#isLenient = false
    this.#dropped = 0
    const random = this.#random
    const way = random.below(8)
    if (!this.#isMeant && way === 7) {
      this.#writer.any()
      return
    }
    if (way < 3) this.#info(isStrict)
    else this.#snapshot(isStrict)
  }

  #mean(plain: object, isStrict: boolean, code: string): void {
    if (!this.#isLenient) this.meant.push({ plain })
    else if (isStrict) this.meant.push({ code })
    else this.meant.push({ plain: { ...plain, dropped: this.#dropped } })
  }

  #info(isStrict: boolean): void {
    let metrics: Pairs<Pairs<string>> = []
    this.#struct([
      {
        name: 'metrics',
        index: 0,
        write: () => {
          metrics = this.#pairs(this.#random.below(4), () => this.#metric())
        },
      },
    ])
    this.#mean({ kind: 'info', metrics }, isStrict, 'bad_shape')
  }

  #metric(): Pairs<string> {
    let labels: Pairs<string> = []
    this.#struct([
      {
        name: 'labels',
        index: 0,
        write: () => {
          labels = this.#pairs(this.#random.below(3), () => this.#label())
        },
      },
    ])
    return labels
  }

  #label(): string | undefined {
    if (this.#random.isOnceIn(30)) {
      this.#writer.odd()
      return undefined
    }
    const value = text(this.#random, 80)
    this.#writer.text(value)
    return value
  }

  #snapshot(isStrict: boolean): void {
    const random = this.#random
    let t = 0n
    let isSigned = false
    let d: Pairs<unknown> = []
    const count = random.isOnceIn(3) ? this.#names.length : random.below(6)
    this.#struct([
      {
        name: 't',
        index: 0,
        write: () => {
          if (random.isOnceIn(24)) {
            isSigned = true
            t = unsigned(random, 63)
            this.#writer.out.u8(0xd3).u64(t)
          } else t = this.#time()
        },
      },
      {
        name: 'd',
        index: 1,
        write: () => {
          d = this.#pairs(count, () => this.#number(), true)
        },
      },
    ])
    if (isSigned) this.#isLenient = true
    const code = isSigned ? 'bad_time' : 'bad_shape'
    this.#mean({ kind: 'snapshot', t: { $u64: String(t) }, d }, isStrict, code)
  }

  #number(): unknown {
    if (this.#random.isOnceIn(30)) {
      this.#writer.odd()
      return undefined
    }
    const value = this.#writer.number()
    if (Object.is(value, -0)) return { $f64: '-0' }
    return Number.isFinite(value) ? value : { $f64: String(value) }
  }

  /** A time in a form that both readings take. */
  #time(): bigint {
    const random = this.#random
    const writer = this.#writer
    const way = random.isOnceIn(3) ? 1 + random.below(3) : 0
    if (way === 1) {
      const t = unsigned(random, 64)
      writer.out.u8(0xd9)
      const digits = `${random.pick(['', '+', '0', '+000'])}${t}`
      writer.out.u8(digits.length).text(digits)
      return t
    }
    if (way === 2) {
      const [seconds, nanoseconds] = [unsigned(random, 33), unsigned(random, 32)]
      writer.array(2)
      writer.uint(seconds)
      writer.uint(nanoseconds)
      return seconds * 1_000_000_000n + nanoseconds
    }
    if (way === 3) {
      const parts = unsigned(random, 40)
      writer.out.u8(0xcb).f64(Number(parts) / Number(FRACTIONS_PER_S))
      return (parts * 1_000_000_000n) / FRACTIONS_PER_S
    }
    const t = unsigned(random, 64)
    writer.uint(t)
    return t
  }

  #settings(): void {
    const random = this.#random
    const way = random.below(16)
    let interval = unsigned(random, 64)
    this.#struct([
      {
        name: 'sampling_interval',
        index: 0,
        write: () => {
          if (way === 0) this.#writer.odd()
          else if (way === 1) this.#writer.out.u8(0xcb).f64(1e9)
          else if (way === 2) this.#writer.out.u8(0xff)
          else if (way === 3) {
            interval >>= 1n
            this.#writer.out.u8(0xd3).u64(interval)
          } else this.#writer.uint(interval)
        },
      },
    ])
    if (way < 2) this.meant.push({ code: 'settings_type' })
    else if (way === 2 || interval === 0n) this.meant.push({ code: 'settings_range' })
    else
      this.meant.push({ plain: { kind: 'settings', sampling_interval: { $u64: `${interval}` } } })
  }

  /**
   * A struct: a map by names or indices, or an array of exactly the fields. Bare messages begin
   * with a name, since other first bytes may be taken for a length (framing.ts).
   */
  #struct(fields: readonly Field[]): void {
    const random = this.#random
    const writer = this.#writer
    const isNested = writer.out.size > (this.#isBare ? 2 : 6)
    const isFree = !this.#isBare || isNested
    if (isFree && random.isOnceIn(8)) {
      writer.array(fields.length)
      for (const { write } of fields) write()
      return
    }
    const ordered = random.isOnceIn(3) ? fields.toReversed() : fields
    const extras = random.isOnceIn(6) ? 1 + random.below(2) : 0
    const twice = !this.#isMeant && random.isOnceIn(8)
    const count = fields.length + extras + (twice ? 1 : 0)
    if (isFree) writer.map(this.#isMeant || !random.isOnceIn(6) ? count : random.below(5))
    else writer.out.u8(0x80 | count)
    const hasExtraFirst = isFree && random.isOnceIn(2)
    if (hasExtraFirst) this.#extras(extras, fields.length)
    for (const field of twice ? [...ordered, ordered[0]!] : ordered) {
      if (isFree && random.isOnceIn(6)) writer.uint(BigInt(field.index))
      else if (isFree) writer.text(field.name)
      else writer.out.u8(0xa0 | field.name.length).text(field.name)
      field.write()
    }
    if (!hasExtraFirst) this.#extras(extras, fields.length)
  }

  #extras(count: number, known: number): void {
    for (let i = 0; i < count; i++) {
      if (this.#random.isOnceIn(4)) this.#writer.uint(BigInt(known + this.#random.below(300)))
      else this.#writer.text(this.#random.pick(['x', 'version', 'T', 'D', '']))
      this.#writer.any(2)
    }
  }

  /**
   * A map from names; of a name that comes again the last counts, and what can't be used is left
   * out by the lenient reading.
   */
  #pairs<T>(count: number, write: () => T | undefined, isRemembered = false): Pairs<T> {
    const random = this.#random
    const found = new Map<string, T>()
    const names: string[] = []
    this.#writer.map(count)
    for (let i = 0; i < count; i++) {
      const isBad = random.isOnceIn(60)
      const name = (isRemembered ? this.#names[i] : undefined) ?? text(random, 80)
      names.push(name)
      if (isBad) this.#writer.bytes(random.pick(NO_UTF8))
      else this.#writer.text(name)
      const dropped = this.#dropped
      const value = write()
      if (!isBad && value !== undefined) found.set(name, value)
      else {
        this.#isLenient = true
        // what stands under a name that can't be used isn't looked at
        this.#dropped = (isBad ? dropped : this.#dropped) + 1
      }
    }
    if (isRemembered) this.#names = names
    return [...found].sort(([a], [b]) => Buffer.compare(encoder.encode(a), encoder.encode(b)))
  }
}
