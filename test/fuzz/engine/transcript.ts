/**
 * What a decoder has said, in its order, as one flat row: two readings of the same bytes, or a
 * reading and what the grammar meant, are the same when their rows are. Far cheaper than comparing
 * objects, and exact.
 */
import assert from 'node:assert/strict'

type Said = string | number | bigint | boolean | undefined | null

/** Entries shown around the first difference. */
const SHOWN = 8

export class Transcript {
  readonly #row: Said[] = []
  #length = 0

  reset(): this {
    this.#length = 0
    return this
  }

  add(said: Said): this {
    this.#row[this.#length++] = said
    return this
  }

  /** Adds bytes[start, end), one character each. */
  bytes(bytes: Uint8Array, start = 0, end = bytes.length): this {
    return this.add(latin1(bytes, start, end))
  }

  /** Adds all that another row says. */
  append(other: Transcript): this {
    for (let i = 0; i < other.#length; i++) this.add(other.#row[i])
    return this
  }

  /** Adds plain data of any depth: JSON, with names in their order. */
  data(value: unknown): this {
    return this.add(
      JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `${each}n` : each)),
    )
  }

  /** @throws {AssertionError} where the row has this entry */
  mustLack(said: Said): void {
    const at = this.#row.slice(0, this.#length).findIndex((each) => Object.is(each, said))
    assert.equal(at, -1, `entry ${at} is ${said}`)
  }

  /** @throws {AssertionError} that shows the first difference */
  mustEqual(wanted: Transcript, what: string): void {
    const a = this.#row
    const b = wanted.#row
    const length = Math.max(this.#length, wanted.#length)
    for (let i = 0; i < length; i++) {
      const isSame = i < this.#length && i < wanted.#length && Object.is(a[i], b[i])
      if (isSame) continue
      const start = Math.max(0, i - SHOWN)
      const shown = (row: readonly Said[], end: number) =>
        row.slice(start, Math.min(end, i + SHOWN))
      assert.deepEqual(shown(a, this.#length), shown(b, wanted.#length), what)
      assert.fail(`${what}: entry ${i} differs`)
    }
  }
}

/** Texts up to this size are made without a call out of JavaScript. */
const SHORT = 24

/** Decodes one character per byte. */
export function latin1(bytes: Uint8Array, start = 0, end = bytes.length): string {
  if (end - start > SHORT) {
    return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1')
  }
  let text = ''
  for (let at = start; at < end; at++) text += String.fromCharCode(bytes[at]!)
  return text
}
