/**
 * Defining and retiring metrics (docs/formats/zone.md, "Metrics" and "Retirement"). Under the
 * zone's lock, everything about a metric is written first and then published by one store of its
 * index entry; the same key with the same type is the same metric in every thread. A retired
 * metric's number, name bytes and slots wait for the next definition of its type.
 */
import { hashBytes } from '../model/index.ts'
import type { Descriptors } from './descriptors.ts'
import { IndexTable } from './index-table.ts'
import {
  HEADER,
  METRIC_TYPES,
  type MetricType,
  PAGE_WORDS,
  type Refusal,
  refusalNumber,
  SLOT_WORDS,
} from './layout.ts'
import type { ZoneMemory } from './memory.ts'
import type { Segments } from './segments.ts'
import { SLOT } from './slots/exponential-slot.ts'

export class Definitions {
  readonly #memory: ZoneMemory
  readonly #descriptors: Descriptors
  readonly #index: IndexTable

  constructor(memory: ZoneMemory, descriptors: Descriptors) {
    this.#memory = memory
    this.#descriptors = descriptors
    this.#index = new IndexTable(memory, descriptors)
  }

  /** Metric of a key, or -1; without the lock, so the probe is repeated when anything moved. */
  find(key: Uint8Array): number {
    return this.#memory.generation.consistently(this.#probe, key)
  }

  readonly #probe = (key: Uint8Array): number =>
    this.#index.find(hashBytes(key, 0, key.length), key)

  define(key: Uint8Array, type: MetricType): number {
    const found = this.find(key)
    if (found !== -1) return this.#checkType(found, type)
    if (key.length > this.#memory.ints[HEADER.keyBytesLimit]!) return this.#refuse('keyTooLong')
    if (!this.#memory.lock()) return this.#refuse('lockTimeout')
    try {
      const raced = this.#probe(key)
      return raced !== -1
        ? this.#checkType(raced, type)
        : this.#add(key, METRIC_TYPES.indexOf(type))
    } finally {
      this.#memory.unlock()
    }
  }

  #add(key: Uint8Array, type: number): number {
    const retired = this.#descriptors.lastRetired(type)
    const metric = retired === -1 ? this.#addNew(key, type) : this.#addReused(retired, key, type)
    if (metric >= 0) this.#index.publish(hashBytes(key, 0, key.length), metric)
    return metric
  }

  #addNew(key: Uint8Array, type: number): number {
    const { ints } = this.#memory
    const metric = ints[HEADER.metrics]!
    if (metric >= ints[HEADER.metricsLimit]!) return this.#refuse('metricsLimit')
    const nameAt = this.#descriptors.reserve(metric, key.length)
    if (nameAt === 0 || !this.#index.reserve()) return this.#refuse('zoneFull')
    const slotAt = this.#takeSlot(type)
    if (slotAt === -1) return this.#refuse('zoneFull')
    this.#descriptors.write(metric, nameAt, key, type, slotAt)
    Atomics.store(ints, HEADER.metrics, metric + 1)
    return metric
  }

  #addReused(metric: number, key: Uint8Array, type: number): number {
    const hasRoom = this.#index.reserve() && this.#descriptors.reuse(metric, key, type)
    return hasRoom ? metric : this.#refuse('zoneFull')
  }

  /**
   * The next slot of a type: chunk * PAGE_WORDS + word, the same in every segment. A chunk holds
   * slots of one type, and no slot crosses a chunk.
   */
  #takeSlot(type: number): number {
    const { ints } = this.#memory
    const cursor = HEADER.slotCursors + type
    const words = SLOT_WORDS[type]!
    let slotAt = ints[cursor]!
    if (slotAt === -1) {
      const chunk = ints[HEADER.chunks]!
      if (chunk >= ints[HEADER.pagesMax]!) return -1
      ints[HEADER.chunks] = chunk + 1
      slotAt = chunk * PAGE_WORDS
    }
    const next = slotAt + words
    ints[cursor] = (slotAt & (PAGE_WORDS - 1)) + 2 * words > PAGE_WORDS ? -1 : next
    return slotAt
  }

  /**
   * Takes a metric out of the index and zeroes its slot in all segments. Everything happens with
   * the generation odd, so that what was found or read before is not taken for what comes after.
   */
  retire(metric: number, segments: Segments): boolean {
    const memory = this.#memory
    const descriptors = this.#descriptors
    if (!descriptors.has(metric)) return false
    if (!memory.lock()) {
      memory.countRefusal('lockTimeout')
      return false
    }
    try {
      if (!descriptors.has(metric)) return false // another thread was faster
      const key = descriptors.key(metric)
      memory.generation.begin()
      this.#index.remove(hashBytes(key, 0, key.length), metric)
      clearSlots(memory, segments, descriptors.slotAt(metric), descriptors.type(metric))
      descriptors.retire(metric)
      memory.generation.end()
      return true
    } finally {
      memory.unlock()
    }
  }

  #checkType(metric: number, type: MetricType): number {
    return this.#descriptors.type(metric) === type ? metric : this.#refuse('typeMismatch')
  }

  #refuse(refusal: Refusal): number {
    this.#memory.countRefusal(refusal)
    return refusalNumber(refusal)
  }
}

/** Zeroes a slot in every segment, so that whoever is given it next begins at nothing. */
function clearSlots(
  memory: ZoneMemory,
  segments: Segments,
  slotAt: number,
  type: MetricType,
): void {
  const at = slotAt & (PAGE_WORDS - 1)
  const words = SLOT_WORDS[METRIC_TYPES.indexOf(type)]!
  for (let i = 0; i < segments.count; i++) {
    const page = segments.at(i).pageOf(slotAt)
    if (page === undefined) continue
    const negative = type === 'exponential' ? page.halves[2 * (at + SLOT.numberGuard) + 1]! : 0
    page.words.fill(0n, at, at + words)
    if (negative !== 0) memory.freeBlock(negative)
  }
}
