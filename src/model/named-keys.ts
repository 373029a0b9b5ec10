/** Keys of series that differ in nothing but their names, as `identityKey` lays them out. */
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
