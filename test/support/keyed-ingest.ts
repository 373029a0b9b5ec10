/**
 * A {@link ModelIngest} whose known keys are in memory that WebAssembly addresses, as those of the
 * hub's ingest are: with it a codec takes its quick way, and what comes out has to be the same.
 */
import { ENTRY, type KeyMemory } from '../../src/arena/key-memory.ts'
import type { Describe } from '../../src/dialects/ingest.ts'
import { KeyTable } from '../../src/hub/ingest/keys/key-table.ts'
import type { Exact } from '../../src/model/index.ts'
import { ModelIngest } from './model-ingest.ts'

export class KeyedIngest extends ModelIngest {
  readonly table = new KeyTable()
  /** Lines that were gathered before they were told. */
  gathered = 0

  override slot(
    bytes: Uint8Array,
    start: number,
    end: number,
    type: number,
    hash: number,
    describe: Describe,
  ): number {
    const count = this.series.length
    const slot = super.slot(bytes, start, end, type, hash, describe)
    if (this.series.length > count && this.table.add(bytes, start, end, type, hash) !== slot) {
      throw new Error(`slot ${slot} is another one in the table`)
    }
    return slot
  }

  override count(slot: number, value: Exact, weight: number): void {
    super.count(slot, value, weight)
    // near its end each line is taken or refused for itself, as the hub's ingest does it
    const isNearEnd = (this.series[slot]?.total ?? 0) >= 2n ** 63n
    if (isNearEnd) this.table.stopGathering(slot)
  }

  openKeys(roomBytes: number): KeyMemory | undefined {
    const shared = this.table.share(roomBytes)
    return (
      shared && {
        ...shared,
        refresh() {},
        takeGathered: (places, count) => this.#take(places, count),
        refuse: () => {
          throw new Error('no key is refused')
        },
      }
    )
  }

  #take(places: Int32Array, count: number): void {
    const words = this.table.words
    for (const place of places.subarray(0, count)) {
      const sumAt = (place + ENTRY.sum) >> 2
      const sum = (words[sumAt]! >>> 0) + words[sumAt + 1]! * 2 ** 32
      this.gathered += words[(place + ENTRY.lines) >> 2]!
      words.fill(0, sumAt, sumAt + 2)
      words[(place + ENTRY.lines) >> 2] = 0
      this.count(words[place >> 2]!, sum, 1)
    }
  }
}
