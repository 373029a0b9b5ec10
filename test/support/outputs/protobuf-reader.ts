/**
 * A reader of protobuf's wire format for tests, written from its description and not from the
 * writers that it checks: https://protobuf.dev/programming-guides/encoding/. Integers are bigints.
 */

/** All values of each field, in the order in which they stand. */
export class Message {
  readonly #fields = new Map<number, (bigint | Uint8Array)[]>()

  constructor(bytes: Uint8Array) {
    const cursor = new Cursor(bytes)
    while (!cursor.isAtEnd) {
      const tag = Number(cursor.varint())
      const values = this.#fields.get(tag >> 3) ?? []
      values.push(cursor.value(tag & 7))
      this.#fields.set(tag >> 3, values)
    }
  }

  has(field: number): boolean {
    return this.#fields.has(field)
  }

  /** Numbers of all fields, rising. */
  get fields(): number[] {
    return [...this.#fields.keys()].sort((a, b) => a - b)
  }

  #last(field: number): bigint | Uint8Array | undefined {
    return this.#fields.get(field)?.at(-1)
  }

  unsigned(field: number): bigint {
    return (this.#last(field) as bigint | undefined) ?? 0n
  }

  /** sint32, sint64. */
  zigzag(field: number): bigint {
    return unzigzag(this.unsigned(field))
  }

  /** sfixed64. */
  signed(field: number): bigint {
    return BigInt.asIntN(64, this.unsigned(field))
  }

  double(field: number): number {
    return toDouble(this.unsigned(field))
  }

  text(field: number): string {
    const bytes = this.#last(field) as Uint8Array | undefined
    return bytes === undefined ? '' : new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  }

  messages(field: number): Message[] {
    return (this.#fields.get(field) ?? []).map((bytes) => new Message(bytes as Uint8Array))
  }

  message(field: number): Message {
    return this.messages(field).at(-1) ?? new Message(new Uint8Array())
  }

  packedVarints(field: number): bigint[] {
    return this.#packed(field, (cursor) => cursor.varint())
  }

  packedZigzag(field: number): bigint[] {
    return this.packedVarints(field).map(unzigzag)
  }

  packedFixed64(field: number): bigint[] {
    return this.#packed(field, (cursor) => cursor.fixed64())
  }

  packedDoubles(field: number): number[] {
    return this.packedFixed64(field).map(toDouble)
  }

  #packed(field: number, read: (cursor: Cursor) => bigint): bigint[] {
    const cursor = new Cursor((this.#last(field) as Uint8Array | undefined) ?? new Uint8Array())
    const values: bigint[] = []
    while (!cursor.isAtEnd) values.push(read(cursor))
    return values
  }
}

/** Messages that follow each other, each with its length in front. */
export function delimitedMessages(bytes: Uint8Array): Message[] {
  const cursor = new Cursor(bytes)
  const messages: Message[] = []
  while (!cursor.isAtEnd) messages.push(new Message(cursor.value(2) as Uint8Array))
  return messages
}

class Cursor {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  /** @param type 0 varint, 1 eight bytes, 2 length and bytes */
  value(type: number): bigint | Uint8Array {
    if (type === 0) return this.varint()
    if (type === 1) return this.fixed64()
    if (type !== 2) throw new Error(`wire type ${type}`)
    return this.#take(Number(this.varint()))
  }

  varint(): bigint {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const [byte] = this.#take(1)
      value |= BigInt(byte! & 0x7f) << shift
      if (byte! < 0x80) return value
      if (shift > 63n) throw new Error('varint of more than ten bytes')
    }
  }

  fixed64(): bigint {
    return this.#take(8).reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n)
  }

  #take(size: number): Uint8Array {
    if (this.#at + size > this.#bytes.length) throw new Error('message ends too early')
    this.#at += size
    return this.#bytes.subarray(this.#at - size, this.#at)
  }
}

function unzigzag(value: bigint): bigint {
  return (value & 1n) === 0n ? value >> 1n : -(value >> 1n) - 1n
}

function toDouble(bits: bigint): number {
  return new Float64Array(BigUint64Array.of(bits).buffer)[0]!
}
