/**
 * A {@link ModelIngest} whose known keys are in memory that WebAssembly addresses, as those of the
 * hub's ingest are, with the keys that a limit refuses beside them: with it a codec takes its quick
 * way, and what comes out has to be the same.
 */
import { ENTRY, type KeyMemory, mixType } from '../../src/arena/key-memory.ts'
import { type Describe, REFUSED } from '../../src/dialects/ingest.ts'
import { KeyTable } from '../../src/hub/ingest/keys/key-table.ts'
import { NOT_REFUSED, REFUSED_BYTES, RefusedKeys } from '../../src/hub/ingest/keys/refused-keys.ts'
import type { LimitChanges } from '../../src/hub/ingest/quota.ts'
import type { Exact } from '../../src/model/index.ts'
import { ModelIngest, type ModelIngestOptions } from './model-ingest.ts'

export class KeyedIngest extends ModelIngest {
  readonly table = new KeyTable()
  /** Lines that were gathered before they were told, those of refused keys included. */
  gathered = 0
  readonly #added = new AddedKeys()
  readonly #refused = new RefusedKeys(this.#added)

  constructor(options?: ModelIngestOptions) {
    super(options)
  }

  override begin(source: string): void {
    super.begin(source)
    this.#refused.begin(source)
  }

  override slot(
    bytes: Uint8Array,
    start: number,
    end: number,
    type: number,
    hash: number,
    describe: Describe,
  ): number {
    const { table } = this
    const known = table.isRehashed
      ? table.findRehashed(bytes, start, end, type)
      : table.find(bytes, start, end, type, hash)
    if (known >= 0) return known
    this.#refused.refresh()
    const mixed = table.mixedHash(bytes, start, end, type, hash)
    const refused = this.#refused.find(bytes, start, end, type, mixed)
    if (refused !== NOT_REFUSED) return this.#refuse(refused)
    const { limit } = this
    const slot = super.slot(bytes, start, end, type, hash, describe)
    const keyHash = mixType(hash, type)
    if (limit !== undefined) {
      const refusal = { code: limit, kind: 'counter', isCumulative: false } as const
      const isOfAll = limit === 'series_limit'
      this.#refused.add(bytes, start, end, type, mixed, keyHash, refusal, isOfAll)
    } else {
      const own = table.addMixed(bytes, start, end, type, mixed)
      if (own !== slot) throw new Error(`slot ${slot} is ${own} in the table`)
      this.#added.add(keyHash)
    }
    return slot
  }

  override count(slot: number, value: Exact, weight: number): void {
    super.count(slot, value, weight)
    // near its end each line is taken or refused for itself, as the hub's ingest does it
    const isNearEnd = (this.series[slot]?.total ?? 0) >= 2n ** 63n
    if (isNearEnd) this.table.stopGathering(slot)
  }

  override reset(): void {
    // the last one that leaves is the first one that is given out again
    for (let slot = this.series.length - 1; slot >= 0; slot--) this.table.remove(slot)
    super.reset()
    this.#added.reset()
    this.#refused.refresh()
    this.#refused.forget()
    this.#refused.begin('')
    this.gathered = 0
  }

  openKeys(roomBytes: number): KeyMemory | undefined {
    const shared = this.table.share(roomBytes, REFUSED_BYTES)
    if (shared === undefined) return undefined
    const { memory, headAt, behindHeadAt } = shared
    this.#refused.share(memory.buffer, headAt, behindHeadAt)
    return {
      ...{ memory, headAt },
      refresh: () => this.#refused.refresh(),
      takeGathered: (places, count) => this.takeGathered(places, count),
      refuse: (slot) => this.#refuse(slot),
    }
  }

  protected takeGathered(places: Int32Array, count: number): void {
    const words = this.table.words
    for (const place of places.subarray(0, count)) {
      const slot = words[place >> 2]!
      const sumAt = (place + ENTRY.sum) >> 2
      const sum = (words[sumAt]! >>> 0) + words[sumAt + 1]! * 2 ** 32
      const lines = words[(place + ENTRY.lines) >> 2]!
      this.gathered += lines
      words.fill(0, sumAt, sumAt + 2)
      words[(place + ENTRY.lines) >> 2] = 0
      // a refused one counts its lines, and the last line is told like the sum of all
      if (slot < 0) for (let i = 0; i < lines; i++) this.#refuse(slot)
      this.count(slot < 0 ? REFUSED : slot, sum, 1)
      this.measurements += lines - 1
    }
  }

  /** Counts a line of a refused key. */
  #refuse(slot: number): number {
    this.note(this.#refused.of(slot).code)
    return REFUSED
  }
}

/** Keys that were added since the last reset, which is told as the easing of a limit. */
class AddedKeys implements LimitChanges {
  easings = 0
  readonly additionsKept = Infinity
  readonly #hashes: number[] = []

  get additions(): number {
    return this.#hashes.length
  }

  addedHash(addition: number): number {
    return this.#hashes[addition]!
  }

  add(hash: number): void {
    this.#hashes.push(hash)
  }

  reset(): void {
    this.#hashes.length = 0
    this.easings++
  }
}
