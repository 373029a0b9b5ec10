/**
 * What one series of the wire is in the model (wallaroo.md §7): its places among all series of the
 * hub, and the operations by which windows get there, once a second.
 */

import { type Exact, exact, identityKey, keyedHash } from '../../../model/index.ts'
import { type Description, type Ingest, REFUSED } from '../../ingest.ts'
import type { Descriptor, SeriesMapping } from '../map.ts'
import type { Brought } from './memory/open-totals.ts'

/** Type word of a slot: what its key stands for. */
const MESSAGES = 0
const LATENCY = 1
const SKEW = 2
const ID = 3
const COUNTER_MAX = (1n << 64n) - 1n

export class SeriesSlots {
  readonly #mapping: SeriesMapping
  readonly #source: string
  #generation = -1
  #messages = REFUSED
  #latency = REFUSED
  #skew: number | undefined
  #id = REFUSED

  /** @param source address that the series are charged to */
  constructor(mapping: SeriesMapping, source: string) {
    this.#mapping = mapping
    this.#source = source
  }

  /** Name of its messages in the model. */
  get name(): string {
    return this.#mapping.messages.identity.name
  }

  /**
   * Counts how many series it takes under the limits; that of skewed messages comes with the first.
   */
  static sizeOf({ latency, id }: SeriesMapping): number {
    return 1 + (latency === undefined ? 0 : 1) + (id === undefined ? 0 : 1)
  }

  /** @returns false when its messages can't be counted under their own name */
  define(ingest: Ingest): boolean {
    ingest.begin(this.#source)
    this.#generation = ingest.generation
    const { messages, latency, id } = this.#mapping
    this.#messages = slotOf(ingest, messages, MESSAGES)
    if (this.#messages === REFUSED) return false
    this.#skew = undefined
    if (latency !== undefined) this.#latency = slotOf(ingest, latency, LATENCY, true)
    if (id !== undefined) this.#id = slotOf(ingest, id, ID)
    return true
  }

  /** Adds what windows have brought; one that is empty says that the series lives. */
  merge(ingest: Ingest, brought: Brought, id: number): void {
    if (ingest.generation !== this.#generation) this.define(ingest)
    ingest.begin(this.#source)
    const { messages, skewed } = brought
    ingest.merge(this.#messages, { kind: 'counter', delta: deltaOf(messages) })
    if (this.#latency !== REFUSED) {
      ingest.merge(this.#latency, { kind: 'histogram', histogram: brought.histogram() })
    }
    if (skewed > 0) {
      this.#skew ??= slotOf(ingest, this.#mapping.skew, SKEW)
      ingest.merge(this.#skew, { kind: 'counter', delta: deltaOf(skewed) })
    }
    if (this.#id !== REFUSED) ingest.set(this.#id, id)
  }

  /** Takes its series away. */
  retire(ingest: Ingest): void {
    if (ingest.generation !== this.#generation) return
    for (const slot of [this.#messages, this.#latency, this.#skew ?? REFUSED, this.#id]) {
      if (slot !== REFUSED) ingest.retire(slot)
    }
  }
}

/**
 * Limits a delta: counters end at 2^64 - 1 and stay there, also where one second brings more than
 * that.
 */
function deltaOf(count: Exact): Exact {
  return exact(count < COUNTER_MAX ? count : COUNTER_MAX)
}

function slotOf(ingest: Ingest, described: Descriptor, type: number, isWindowed = false): number {
  const key = identityKey(described.identity)
  const describe = (): Description => ({ ...described, ...(isWindowed ? { isWindowed } : {}) })
  return ingest.slot(key, 0, key.length, type, keyedHash(key, 0, key.length), describe)
}
