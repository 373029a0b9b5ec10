/**
 * Keys of series as bytes, as `identityKey` lays them out: made of a name alone, and looked through
 * without an identity being made.
 */
import { KINDS, type Kind } from './cell.ts'
import { type Identity, identityKey } from './series.ts'

/** Place of the name in a key of {@link identityKey}, behind its length. */
export const NAME_AT = 5

/**
 * Maker of the keys of series that differ in nothing but their names: {@link identityKey} of names
 * as bytes, without an identity being made.
 */
export class NamedKeys {
  readonly #ending: Uint8Array
  /** Key at hand, and views of its beginning by their length: to make one costs more than a key. */
  #key = new Uint8Array(256)
  #views: Uint8Array[] = []
  readonly #kind: number

  /** @param form of all of them, without labels */
  constructor(form: Pick<Identity, 'kind' | 'qualifier'>) {
    const key = identityKey({ ...form, name: '', labels: [] })
    this.#ending = key.slice(NAME_AT)
    this.#kind = key[0]!
    this.#key[0] = this.#kind
  }

  /** Makes the key of the name in bytes[start, end); valid until the next one is made. */
  of(bytes: Uint8Array, start: number, end: number): Uint8Array {
    const length = end - start
    const size = NAME_AT + length + this.#ending.length
    if (size > this.#key.length) this.#enlarge(size)
    const key = this.#key
    for (let i = 0; i < 4; i++) key[1 + i] = length >>> (8 * i)
    for (let i = 0; i < length; i++) key[NAME_AT + i] = bytes[start + i]!
    key.set(this.#ending, NAME_AT + length)
    let view = this.#views[size]
    if (view === undefined) {
      view = key.subarray(0, size)
      this.#views[size] = view
    }
    return view
  }

  #enlarge(size: number): void {
    this.#key = new Uint8Array(2 * size)
    this.#key[0] = this.#kind
    this.#views = []
  }
}

/** Form of a key: what limits of a series ask for. */
export interface KeyForm {
  readonly kind: Kind
  /** Bytes of the name. */
  readonly nameLength: number
  /** Bytes of the longest key or value of a label; 0 without any. */
  readonly labelLength: number
}

/** Reads the form of a key; undefined for bytes in which `identityOf` finds no identity. */
export function keyForm(key: Uint8Array): KeyForm | undefined {
  const kind = KINDS.find((each) => each.charCodeAt(0) === key[0])
  const nameLength = lengthAt(key, 1)
  const flagAt = NAME_AT + nameLength
  const flag = key[flagAt]
  if (kind === undefined || nameLength < 0 || flag === undefined || flag > 1) return undefined
  let labelLength = 0
  let texts = 0
  for (let at = flagAt + 1; at < key.length; texts++) {
    const length = lengthAt(key, at)
    const end = at + 4 + length
    if (length < 0 || !isText(key, at + 4, end)) return undefined
    // the first two are those of the qualifier, where there is one
    if (texts >= 2 * flag && length > labelLength) labelLength = length
    at = end
  }
  return texts % 2 === 0 && texts >= 2 * flag ? { kind, nameLength, labelLength } : undefined
}

/** Gives the length of the text at an offset; -1 where the key is too short for it. */
function lengthAt(key: Uint8Array, at: number): number {
  if (at + 4 > key.length) return -1
  const length = key[at]! + key[at + 1]! * 0x100 + key[at + 2]! * 0x1_0000 + key[at + 3]! * 2 ** 24
  return at + 4 + length > key.length ? -1 : length
}

const strict = new TextDecoder('utf-8', { fatal: true })

function isText(key: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (key[at]! > 0x7f) return isUtf8(key.subarray(at, end))
  return true
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    strict.decode(bytes)
    return true
  } catch {
    return false
  }
}
