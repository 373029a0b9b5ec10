/**
 * What all threads know of settable counters beside the slots (docs/formats/zone.md, "Counter"): by
 * how much the total is more than what writers read, since one of them set it lower, and which
 * totals are guarded, so that every thread looks at them before it adds.
 */
import { U64_MAX } from '../../model/index.ts'
import type { Descriptors } from '../definitions/descriptors.ts'
import { PAGE_WORDS } from '../layout.ts'
import type { ZoneMemory } from '../memory/memory.ts'
import type { SettableTotals, TotalChange } from '../slots/slot-owner.ts'
import type { Segments } from './segments.ts'

export class SettableCounters implements SettableTotals {
  readonly #memory: ZoneMemory
  readonly #descriptors: Descriptors
  readonly #segments: Segments

  constructor(memory: ZoneMemory, descriptors: Descriptors, segments: Segments) {
    this.#memory = memory
    this.#descriptors = descriptors
    this.#segments = segments
  }

  flags(metric: number): Int32Array {
    return this.#descriptors.pageOf(metric).halves
  }

  flagsAt(metric: number): number {
    return this.#descriptors.flagsAt(metric)
  }

  /**
   * Has all threads look at the total from now on, those in WebAssembly by the generation.
   * @returns false when the zone's lock could not be had, which is counted
   */
  guard(metric: number): boolean {
    return this.#locked(() => {
      this.#memory.generation.begin()
      this.#descriptors.guard(metric)
      this.#memory.generation.end()
    })
  }

  #locked(change: () => void): boolean {
    const memory = this.#memory
    if (!memory.lock()) {
      memory.countRefusal('lock_timeout')
      return false
    }
    change()
    memory.unlock()
    return true
  }

  /** Adds up all slots, at most 2^64 - 1. */
  #total(metric: number): bigint {
    const slotAt = this.#descriptors.slotAt(metric)
    let total = 0n
    for (let i = 0; i < this.#segments.count; i++) {
      const page = this.#segments.at(i).pageOf(slotAt)
      if (page !== undefined) total += page.words[slotAt & (PAGE_WORDS - 1)]!
    }
    return total > U64_MAX ? U64_MAX : total
  }

  /**
   * Sets what writers read of a guarded counter. A lower value is a reading that began anew: all of
   * it is added to the total.
   * @param grow adds to the caller's slot, under the lock
   * @returns undefined, with nothing set, when the zone's lock could not be had, which is counted
   */
  setTotal(metric: number, value: bigint, grow: (by: bigint) => void): TotalChange | undefined {
    let change: TotalChange = 'set'
    const isSet = this.#locked(() => {
      const descriptors = this.#descriptors
      const offset = descriptors.unseen(metric)
      const total = this.#total(metric)
      const reading = total - offset
      if (value < reading) change = 'reset'
      const wanted = value < reading ? value : value - reading
      const room = U64_MAX - total
      if (wanted > room) change = 'capped'
      const growth = wanted > room ? room : wanted
      descriptors.setUnseen(metric, total + growth - value)
      grow(growth)
    })
    return isSet ? change : undefined
  }
}
