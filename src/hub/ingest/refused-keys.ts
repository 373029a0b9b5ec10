/**
 * Keys that a limit has refused, so that the next line of one costs a look-up and no description.
 * A refusal holds until a series of any source comes or goes, or the hub is short of memory or is
 * so no more: then all of them are forgotten, and so they are when there are too many.
 */
import type { Kind } from '../../model/index.ts'
import { KeyTable } from './key-table.ts'
import type { QuotaRefusal } from './quota.ts'

/** Keys that are remembered; others cost what they did. */
const KEYS_LIMIT = 4096

/** Refusal of a key from one source. */
export interface RefusedKey {
  readonly source: string
  readonly code: QuotaRefusal
  readonly kind: Kind
  readonly isCumulative: boolean
}

export class RefusedKeys {
  #table = new KeyTable()
  #keys: RefusedKey[] = []
  #generation = 0

  /** Bytes held, for the account of memory. */
  get bytes(): number {
    return this.#table.bytes + this.#keys.length * 64
  }

  /**
   * Finds a refusal that still holds; parameters as of {@link KeyTable.find}.
   * @param generation of the limits, as they are now
   */
  find(
    bytes: Uint8Array,
    start: number,
    end: number,
    type: number,
    hash: number,
    source: string,
    generation: number,
  ): RefusedKey | undefined {
    if (this.#keys.length === 0) return undefined
    if (generation !== this.#generation) {
      this.#forget()
      return undefined
    }
    const key = this.#keys[this.#slotOf(bytes, start, end, type, hash)]
    return key?.source === source ? key : undefined
  }

  /** @param generation of the limits, as they were before the key was refused */
  add(
    bytes: Uint8Array,
    type: number,
    hash: number,
    refused: RefusedKey,
    generation: number,
  ): void {
    if (generation !== this.#generation || this.#keys.length >= KEYS_LIMIT) this.#forget()
    this.#generation = generation
    const known = this.#slotOf(bytes, 0, bytes.length, type, hash)
    const slot = known >= 0 ? known : this.#table.add(bytes, 0, bytes.length, type, hash)
    this.#keys[slot] = refused
  }

  #slotOf(bytes: Uint8Array, start: number, end: number, type: number, hash: number): number {
    const slot = this.#table.find(bytes, start, end, type, hash)
    return slot >= 0 ? slot : this.#table.findRehashed(bytes, start, end, type)
  }

  #forget(): void {
    if (this.#keys.length === 0) return
    this.#table = new KeyTable()
    this.#keys = []
  }
}
