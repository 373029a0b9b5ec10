/**
 * Defining and retiring metrics (docs/formats/zone.md, "Metrics" and "Retirement"). Under the
 * zone's lock, everything about a metric is written first and then published by one store of its
 * index entry; the same key with the same type is the same metric in every thread. A retired
 * metric's number, name bytes and slots wait for the next definition of its type.
 */
import {
  HEADER,
  type MetricType,
  PAGE_WORDS,
  refusalNumber,
  SLOT_CLASSES,
  SLOT_WORDS,
  type ZoneRefusal,
} from '../layout.ts'
import type { ZoneMemory } from '../memory/memory.ts'
import type { Segments } from '../segments/segments.ts'
import { SLOT } from '../slots/exponential-slot.ts'
import {
  type Definition,
  type DefinitionOptions,
  definitionOf,
  definitionWords,
} from './definition.ts'
import type { Descriptors } from './descriptors.ts'
import { IndexTable } from './index-table.ts'

export class Definitions {
  readonly #memory: ZoneMemory
  readonly #descriptors: Descriptors
  readonly #index: IndexTable

  constructor(memory: ZoneMemory, descriptors: Descriptors) {
    this.#memory = memory
    this.#descriptors = descriptors
    this.#index = new IndexTable(memory, descriptors)
  }

  /**
   * Finds the metric of a key, or -1; without the lock, so the probe is repeated when anything
   * moved.
   */
  find(key: Uint8Array): number {
    return this.#find(key, this.#memory.hashOf(key))
  }

  #find(key: Uint8Array, hash: number): number {
    this.keyHash = hash
    const found = this.#memory.generation.consistently(this.#probe, key)
    this.#isMissed = found === -1
    return found
  }

  /** Hash of the key at hand: a successor keeps the zone's secret, so it holds there, too. */
  keyHash = 0
  /** Whether the key of that hash was not found when it was last looked for. */
  #isMissed = false
  readonly #probe = (key: Uint8Array): number => this.#index.find(this.keyHash, key)

  /** Whether the last {@link define} made the metric. */
  isNew = false

  define(key: Uint8Array, type: MetricType, options?: DefinitionOptions): number {
    const definition = definitionOf(type, options)
    // A string has a length, too, and would be taken for so many bytes of 0.
    if (!(key instanceof Uint8Array)) throw new TypeError('a key is given as bytes')
    this.isNew = false
    const hash = this.#memory.hashOf(key)
    // it is looked for under the lock in any case: here only where that may save the lock
    const isMissed = this.#isMissed && hash === this.keyHash
    const found = isMissed ? -1 : this.#find(key, hash)
    this.#isMissed = false
    if (found !== -1) return this.#checkSame(found, definition)
    if (key.length > this.#memory.ints[HEADER.keyBytesLimit]!) return this.#refuse('key_too_long')
    if (!this.#memory.lock()) return this.#refuse('lock_timeout')
    try {
      const raced = this.#probe(key)
      return raced !== -1 ? this.#checkSame(raced, definition) : this.#add(key, hash, definition)
    } finally {
      this.#memory.unlock()
    }
  }

  #add(key: Uint8Array, hash: number, definition: Definition): number {
    const retired = this.#descriptors.lastRetired(definition.slotClass)
    const metric =
      retired === -1
        ? this.#addNew(key, hash, definition)
        : this.#addReused(retired, key, hash, definition)
    this.isNew = metric >= 0
    if (metric >= 0) this.#index.publish(hash, metric)
    return metric
  }

  #addNew(key: Uint8Array, hash: number, { slotClass, bounds }: Definition): number {
    const { ints } = this.#memory
    const metric = ints[HEADER.metrics]!
    if (metric >= ints[HEADER.metricsLimit]!) return this.#refuse('metrics_limit')
    const cost = definitionWords(key.length, SLOT_WORDS[slotClass]!, ints[HEADER.workers]!)
    if (!this.#memory.charge(cost)) return this.#refuse('zone_full')
    const boundsAt = bounds.length === 0 ? 0 : this.#descriptors.takeBounds()
    const nameAt = this.#descriptors.reserve(metric, key.length)
    const isNamed = nameAt !== 0 && (boundsAt !== 0) === bounds.length > 0
    const hasRoom = isNamed && this.#index.reserve(hash)
    const slotAt = hasRoom ? this.#takeSlot(slotClass) : -1
    if (slotAt === -1) {
      this.#memory.charge(-cost)
      return this.#refuse('zone_full')
    }
    this.#descriptors.write(metric, nameAt, key, { slotClass, slotAt, boundsAt })
    this.#descriptors.setBounds(metric, bounds)
    Atomics.store(ints, HEADER.metrics, metric + 1)
    return metric
  }

  /**
   * Adds a metric whose number has its descriptor and slots already; a longer key takes more for
   * its bytes.
   */
  #addReused(
    metric: number,
    key: Uint8Array,
    hash: number,
    { slotClass, bounds }: Definition,
  ): number {
    const cost = Math.ceil(this.#descriptors.missingRoom(metric, key.length) / 8)
    if (!this.#memory.charge(cost)) return this.#refuse('zone_full')
    if (!this.#index.reserve(hash) || !this.#descriptors.reuse(metric, key, slotClass)) {
      this.#memory.charge(-cost)
      return this.#refuse('zone_full')
    }
    this.#descriptors.setBounds(metric, bounds)
    return metric
  }

  /**
   * Takes the next slot of a class: chunk * PAGE_WORDS + word, the same in every segment. A chunk
   * holds slots of one class, and no slot crosses a chunk. What has no slot is told 0.
   */
  #takeSlot(slotClass: number): number {
    const { ints } = this.#memory
    const cursor = HEADER.slotCursors + slotClass
    const words = SLOT_WORDS[slotClass]!
    if (words === 0) return 0
    let slotAt = ints[cursor]! - 1
    if (slotAt === -1) {
      const chunk = ints[HEADER.chunks]!
      if (chunk >= ints[HEADER.pagesMax]!) return -1
      ints[HEADER.chunks] = chunk + 1
      slotAt = chunk * PAGE_WORDS
    }
    const next = slotAt + words
    ints[cursor] = (slotAt & (PAGE_WORDS - 1)) + 2 * words > PAGE_WORDS ? 0 : next + 1
    return slotAt
  }

  /**
   * Takes a metric out of the index, with the generation odd, so that a finder of before is found
   * out by it. The metric can still be read and written; its key is free.
   */
  unlink(metric: number): boolean {
    return this.#locked(metric, () => {
      if (!this.#descriptors.isLinked(metric)) return false
      this.#memory.generation.begin()
      this.#leave(metric)
      this.#memory.generation.end()
      return true
    })
  }

  /** Marks an entry before it leaves: a thread that dies here leaves none that names no metric. */
  #leave(metric: number): void {
    const key = this.#descriptors.key(metric)
    this.#descriptors.unlink(metric)
    this.#index.remove(this.#memory.hashOf(key), metric)
  }

  /**
   * Gives a metric another key, with the generation odd as for {@link unlink}: its number, values
   * and handles stay.
   * @returns the reason of a refusal, with nothing changed: `type_mismatch` where another metric
   *   has the key, or the metric is none, or unlinked
   */
  rename(metric: number, key: Uint8Array): ZoneRefusal | undefined {
    if (key.length > this.#memory.ints[HEADER.keyBytesLimit]!) return this.#refused('key_too_long')
    let refusal: ZoneRefusal | undefined = 'type_mismatch'
    this.#locked(metric, () => {
      const descriptors = this.#descriptors
      if (!descriptors.isLinked(metric)) return false
      const hash = this.#memory.hashOf(key)
      const taken = this.#index.find(hash, key)
      refusal = taken === -1 ? this.#moveKey(metric, key, hash) : undefined
      if (taken !== -1 && taken !== metric) refusal = 'type_mismatch'
      return refusal === undefined
    })
    return refusal && this.#refused(refusal)
  }

  #moveKey(metric: number, key: Uint8Array, hash: number): ZoneRefusal | undefined {
    const descriptors = this.#descriptors
    const cost = Math.ceil(descriptors.missingRoom(metric, key.length) / 8)
    if (!this.#memory.charge(cost)) return 'zone_full'
    const before = this.#memory.hashOf(descriptors.key(metric))
    const { generation } = this.#memory
    generation.begin()
    const hasRoom = this.#index.reserve(hash) && descriptors.rename(metric, key)
    if (hasRoom) {
      this.#index.remove(before, metric)
      this.#index.publish(hash, metric)
    } else this.#memory.charge(-cost)
    generation.end()
    return hasRoom ? undefined : 'zone_full'
  }

  #refused(refusal: ZoneRefusal): ZoneRefusal {
    this.#memory.countRefusal(refusal)
    return refusal
  }

  /** Runs a change of a metric under the lock; false when it is none or the lock is stuck. */
  #locked(metric: number, change: () => boolean): boolean {
    if (!this.#descriptors.has(metric)) return false
    if (!this.#memory.lock()) {
      this.#memory.countRefusal('lock_timeout')
      return false
    }
    try {
      return this.#descriptors.has(metric) && change() // another thread may have been faster
    } finally {
      this.#memory.unlock()
    }
  }

  /**
   * Takes a metric out of the index and zeroes its slot in all segments. Everything happens with
   * the generation odd, so that what was found or read before is not taken for what comes after.
   */
  retire(metric: number, segments: Segments): boolean {
    return this.#locked(metric, () => {
      const descriptors = this.#descriptors
      this.#memory.generation.begin()
      if (descriptors.isLinked(metric)) this.#leave(metric)
      clearSlots(segments, descriptors, metric)
      descriptors.retire(metric)
      this.#memory.generation.end()
      return true
    })
  }

  /**
   * Rebuilds index, counts and lists of free metrics from the descriptors, as a thread that takes
   * over the lock of a dead one needs them. Under the lock, with the generation odd.
   */
  rebuild(): void {
    this.#descriptors.recount()
    this.#index.rebuild()
  }

  #checkSame(metric: number, { slotClass, bounds }: Definition): number {
    const descriptors = this.#descriptors
    const isSame =
      descriptors.slotClass(metric) === slotClass && descriptors.hasBounds(metric, bounds)
    return isSame ? metric : this.#refuse('type_mismatch')
  }

  #refuse(refusal: ZoneRefusal): number {
    this.#memory.countRefusal(refusal)
    return refusalNumber(refusal)
  }
}

/** Zeroes a slot in every segment, so that the metric that is given it next begins at nothing. */
function clearSlots(segments: Segments, descriptors: Descriptors, metric: number): void {
  const { type, mode, words } = SLOT_CLASSES[descriptors.slotClass(metric)]!
  if (mode === 'shared') {
    segments.clearShared(descriptors, metric)
    return
  }
  if (mode === 'settable') descriptors.setUnseen(metric, 0n)
  const slotAt = descriptors.slotAt(metric)
  const at = slotAt & (PAGE_WORDS - 1)
  for (let i = 0; i < segments.count; i++) {
    const page = segments.at(i).pageOf(slotAt)
    if (page === undefined) continue
    const negative = type === 'exponential' ? page.halves[2 * (at + SLOT.numberGuard) + 1]! : 0
    page.words.fill(0n, at, at + words)
    if (negative !== 0) segments.at(i).memory.freeBlock(negative)
  }
}
