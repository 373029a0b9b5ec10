/**
 * Makes a damaged input out of valid ones. Each mutator imitates an accident of wires and peers:
 * bits flip, messages are cut, joined, repeated, and lengths lie. Copies are made with the
 * constructor, because a Buffer's `slice` shares its memory.
 */
import type { Random } from './random.ts'

/** Longer results are cut: what matters for these formats shows in short inputs. */
const SIZE_LIMIT = 8192
const STEPS_LIMIT = 4

type Mutator = (random: Random, bytes: Uint8Array, corpus: readonly Uint8Array[]) => Uint8Array

/** One input: a seed with one to four mutations. */
export function mutate(random: Random, corpus: readonly Uint8Array[]): Uint8Array {
  let bytes = random.pick(corpus)
  for (let left = 1 + random.below(STEPS_LIMIT); left > 0; left--) {
    bytes = random.pick(MUTATORS)(random, bytes, corpus)
  }
  return new Uint8Array(bytes.subarray(0, SIZE_LIMIT))
}

function flip(random: Random, bytes: Uint8Array): Uint8Array {
  if (bytes.length === 0) return bytes
  const copy = new Uint8Array(bytes)
  copy[random.below(copy.length)]! ^= 1 << random.below(8)
  return copy
}

/** Bytes with a meaning: separators, digits, format bytes of MessagePack, gzip's magic. */
const TELLING = Uint8Array.from([
  ...[0x00, 0x01, 0x0a, 0x0d, 0x1f, 0x20, 0x2b, 0x2d, 0x2e, 0x30, 0x31, 0x39, 0x3a, 0x40, 0x45],
  ...[0x67, 0x68, 0x6d, 0x72, 0x7c, 0x7f, 0x80, 0x81, 0x8b, 0x90, 0xa0, 0xc0, 0xc1, 0xc4, 0xca],
  ...[0xcb, 0xcc, 0xcf, 0xd0, 0xd3, 0xd9, 0xdb, 0xdc, 0xdd, 0xde, 0xdf, 0xe0, 0xff],
])

function replace(random: Random, bytes: Uint8Array): Uint8Array {
  if (bytes.length === 0) return bytes
  const copy = new Uint8Array(bytes)
  copy[random.below(copy.length)] = TELLING[random.below(TELLING.length)]!
  return copy
}

function cut(random: Random, bytes: Uint8Array): Uint8Array {
  const start = random.below(bytes.length + 1)
  if (random.below(2) === 0) return bytes.subarray(0, start)
  const count = 1 + random.below(Math.min(16, bytes.length - start))
  return concat(bytes.subarray(0, start), bytes.subarray(start + count))
}

function join(random: Random, bytes: Uint8Array, corpus: readonly Uint8Array[]): Uint8Array {
  return concat(bytes, random.pick(corpus))
}

/** The first part of one input with the last part of another. */
function cross(random: Random, bytes: Uint8Array, corpus: readonly Uint8Array[]): Uint8Array {
  const other = random.pick(corpus)
  const head = bytes.subarray(0, random.below(bytes.length + 1))
  return concat(head, other.subarray(random.below(other.length + 1)))
}

function insert(random: Random, bytes: Uint8Array): Uint8Array {
  const at = random.below(bytes.length + 1)
  const extra = Uint8Array.from({ length: 1 + random.below(4) }, () =>
    random.below(2) === 0 ? TELLING[random.below(TELLING.length)]! : random.below(256),
  )
  return concat(bytes.subarray(0, at), extra, bytes.subarray(at))
}

function duplicate(random: Random, bytes: Uint8Array): Uint8Array {
  const start = random.below(bytes.length + 1)
  const end = start + random.below(Math.min(64, bytes.length - start) + 1)
  const part = bytes.subarray(start, end)
  const times = Array.from({ length: 1 + random.below(3) }, () => part)
  return concat(bytes.subarray(0, end), ...times, bytes.subarray(end))
}

/** A decimal number in the text becomes a little more, a little less, or absurd. */
function tweakText(random: Random, bytes: Uint8Array): Uint8Array {
  const digits = [...latin1(bytes).matchAll(/\d+/g)]
  if (digits.length === 0) return replace(random, bytes)
  const { 0: text, index } = random.pick(digits)
  const near = String(Math.max(0, Number(text.slice(0, 15)) + random.below(5) - 2))
  const changed = random.pick([near, near, '0', '4294967296', '99999999999999999999', `0${text}`])
  const number = Uint8Array.from(changed, (digit) => digit.charCodeAt(0))
  return concat(bytes.subarray(0, index), number, bytes.subarray(index + text.length))
}

/** A binary length of 1, 2, 4 or 8 bytes in either order, likewise. */
function tweakBinary(random: Random, bytes: Uint8Array): Uint8Array {
  const size = random.pick([1, 2, 4, 8])
  if (bytes.length < size) return insert(random, bytes)
  const copy = new Uint8Array(bytes)
  const at = random.below(copy.length - size + 1)
  const isLittle = random.below(2) === 0
  let value = 0n
  for (let i = 0; i < size; i++) {
    value = (value << 8n) | BigInt(copy[at + (isLittle ? size - 1 - i : i)]!)
  }
  const top = (1n << BigInt(8 * size)) - 1n
  const near = value + BigInt(random.below(5) - 2)
  let changed = random.pick([near, near, near, 0n, top, top >> 1n])
  for (let i = 0; i < size; i++) {
    copy[at + (isLittle ? i : size - 1 - i)] = Number(changed & 0xffn)
    changed >>= 8n
  }
  return copy
}

const MUTATORS: readonly Mutator[] = [
  ...[flip, replace, cut, join, cross, insert, duplicate],
  ...[tweakText, tweakBinary],
]

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}

function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}
