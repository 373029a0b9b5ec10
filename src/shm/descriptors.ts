/**
 * Descriptors and names: what a metric is. Both are written before the metric is published and do
 * not change until it is retired, so that any thread may read them without a lock. The number of a
 * retired metric is given to the next definition of its type: type and slot of a number stay for
 * ever, its name changes, and never within one generation (docs/formats/zone.md, "Retirement").
 */
import {
  DESCRIPTOR_INTS,
  DESCRIPTORS_PER_PAGE,
  HEADER,
  METRIC_TYPES,
  type MetricType,
  PAGE_BYTES,
  SLOT_WORDS,
} from './layout.ts'
import type { Page, ZoneMemory } from './memory.ts'

const NAME_AT = 0
const LENGTH_AND_TYPE = 1
const SLOT_AT = 2
const SLOT_SIZE = 3
const NAME_ROOM = 4
const NEXT_FREE = 5

/** In LENGTH_AND_TYPE: the mode 0x80. */
const RETIRED = 0x8000_0000 | 0

const PER_PAGE_SHIFT = 31 - Math.clz32(DESCRIPTORS_PER_PAGE)

export class Descriptors {
  readonly #memory: ZoneMemory
  readonly #ints: Int32Array
  readonly #tableAt: number
  /** `count` as last seen; it only grows. */
  #known = 0

  constructor(memory: ZoneMemory) {
    this.#memory = memory
    this.#ints = memory.ints
    this.#tableAt = memory.ints[HEADER.descriptorTableAt]!
  }

  /** Numbers ever given out; those below it are metrics, if they are not retired. */
  get count(): number {
    return Atomics.load(this.#ints, HEADER.metrics)
  }

  /** True for the number of a metric; what is none may come from anywhere. */
  has(metric: number): boolean {
    if (!(metric < this.#known)) this.#known = this.count
    if (!(metric >= 0 && metric < this.#known && Number.isInteger(metric))) return false
    return this.#field(metric, LENGTH_AND_TYPE) >= 0
  }

  type(metric: number): MetricType {
    return METRIC_TYPES[(this.#field(metric, LENGTH_AND_TYPE) >>> 16) & 0xff]!
  }

  slotAt(metric: number): number {
    return this.#field(metric, SLOT_AT)
  }

  key(metric: number): Uint8Array {
    const at = this.#field(metric, NAME_AT)
    const length = this.#field(metric, LENGTH_AND_TYPE) & 0xffff
    const from = at & (PAGE_BYTES - 1)
    return this.#memory.bytes(at >>> 16).slice(from, from + length)
  }

  hasKey(metric: number, key: Uint8Array): boolean {
    if ((this.#field(metric, LENGTH_AND_TYPE) & 0xffff) !== key.length) return false
    const at = this.#field(metric, NAME_AT)
    const bytes = this.#memory.bytes(at >>> 16)
    const from = at & (PAGE_BYTES - 1)
    for (let i = 0; i < key.length; i++) if (bytes[from + i] !== key[i]) return false
    return true
  }

  /**
   * Room for one more descriptor and its name; under the lock.
   * @returns where the name goes, or 0 when the zone is full
   */
  reserve(metric: number, keyLength: number): number {
    const table = this.#pageEntry(metric)
    if (this.#ints[table] === 0) {
      const page = this.#memory.allocatePage('descriptors')
      if (page === 0) return 0
      this.#ints[table] = page
    }
    return this.#reserveName(keyLength)
  }

  #reserveName(keyLength: number): number {
    const at = this.#ints[HEADER.namesAt]!
    if (at !== 0 && (at & (PAGE_BYTES - 1)) + keyLength <= PAGE_BYTES) return at
    const page = this.#memory.allocatePage('names')
    if (page !== 0) this.#ints[HEADER.namesAt] = page * PAGE_BYTES
    return page * PAGE_BYTES
  }

  /** Writes what {@link reserve} made room for; under the lock, before the metric is published. */
  write(metric: number, nameAt: number, key: Uint8Array, type: number, slotAt: number): void {
    const { halves } = this.#pageOf(metric)
    const at = this.#offset(metric)
    halves[at + SLOT_AT] = slotAt
    halves[at + SLOT_SIZE] = SLOT_WORDS[type]!
    this.#takeName(metric, nameAt, key.length)
    this.#name(metric, key, type)
  }

  /** Gives reserved bytes to a metric for its names. */
  #takeName(metric: number, nameAt: number, room: number): void {
    const end = nameAt + room
    this.#ints[HEADER.namesAt] = (end & (PAGE_BYTES - 1)) === 0 ? 0 : end
    const { halves } = this.#pageOf(metric)
    const at = this.#offset(metric)
    halves[at + NAME_AT] = nameAt
    halves[at + NAME_ROOM] = room
  }

  /** Writes a name where its bytes are already, and that the metric is not retired. */
  #name(metric: number, key: Uint8Array, type: number): void {
    const nameAt = this.#field(metric, NAME_AT)
    this.#memory.bytes(nameAt >>> 16).set(key, nameAt & (PAGE_BYTES - 1))
    const { halves } = this.#pageOf(metric)
    halves[this.#offset(metric) + LENGTH_AND_TYPE] = key.length | (type << 16)
  }

  /** Marks a metric as none and keeps its number for {@link reuse}; under the lock. */
  retire(metric: number): void {
    const ints = this.#ints
    const first = HEADER.freeMetrics + METRIC_TYPES.indexOf(this.type(metric))
    const { halves } = this.#pageOf(metric)
    const at = this.#offset(metric)
    halves[at + LENGTH_AND_TYPE]! |= RETIRED
    halves[at + NEXT_FREE] = ints[first]!
    ints[first] = metric + 1
    ints[HEADER.freeCount]!++
    ints[HEADER.retired]!++
  }

  /** The metric of a type that was retired last, or -1; under the lock. */
  lastRetired(type: number): number {
    return this.#ints[HEADER.freeMetrics + type]! - 1
  }

  /**
   * Gives the number that {@link lastRetired} answered to a new key; under the lock, before it is
   * published. A longer key than the number ever had gets new bytes, twice as many up to the
   * key's limit, so that what is left behind stays below twice that limit.
   * @returns false when the zone has no room for the key
   */
  reuse(metric: number, key: Uint8Array, type: number): boolean {
    const ints = this.#ints
    const room = this.#field(metric, NAME_ROOM)
    if (key.length > room) {
      const more = Math.max(key.length, Math.min(2 * room, ints[HEADER.keyBytesLimit]!))
      const nameAt = this.#reserveName(more)
      if (nameAt === 0) return false
      this.#takeName(metric, nameAt, more)
    }
    ints[HEADER.freeMetrics + type] = this.#field(metric, NEXT_FREE)
    ints[HEADER.freeCount]!--
    this.#name(metric, key, type)
    return true
  }

  #pageEntry(metric: number): number {
    return this.#tableAt + (metric >>> PER_PAGE_SHIFT)
  }

  #offset(metric: number): number {
    return (metric & (DESCRIPTORS_PER_PAGE - 1)) * DESCRIPTOR_INTS
  }

  #pageOf(metric: number): Page {
    return this.#memory.page(this.#ints[this.#pageEntry(metric)]!)
  }

  #field(metric: number, field: number): number {
    return this.#pageOf(metric).halves[this.#offset(metric) + field]!
  }
}
