/**
 * A zone: counters, gauges and histograms of all threads in memory that they share, drawn in
 * docs/formats/zone.md. Each writer adds into its own segment without locks; readers add the
 * segments up. Every size has a limit, and nothing that meets one throws on the record path.
 */
import { threadId } from 'node:worker_threads'
import { createHashKey } from '../model/index.ts'
import { type DefinitionOptions, definitionWords } from './definitions/definition.ts'
import { Definitions } from './definitions/definitions.ts'
import { Descriptors } from './definitions/descriptors.ts'
import {
  ENTRY,
  HEADER,
  type MetricMode,
  type MetricType,
  SEGMENT_STATE,
  SLOT_WORDS,
  slotClassOf,
  type ZoneRefusal,
} from './layout.ts'
import type { SharedZone } from './memory/backing.ts'
import { ZoneMemory } from './memory/memory.ts'
import { ZoneReader } from './reading/reader.ts'
import { type Segment, Segments } from './segments/segments.ts'
import { Lineage } from './succession/lineage.ts'
import { usageOf, type ZoneUsage } from './usage.ts'
import { Writer } from './writer.ts'
import { changedLimits, limitsOf, type ZoneChange, type ZoneOptions } from './zone-options.ts'

/**
 * The zone has no room for one more writer.
 *
 * @example
 * import { Zone, ZoneFullError } from 'pentameter/shm'
 *
 * const zone = Zone.create({ workersLimit: 1 })
 * zone.attach()
 * try {
 *   zone.attach()
 * } catch (error) {
 *   console.log(error instanceof ZoneFullError) // true
 * }
 */
export class ZoneFullError extends Error {
  override name = 'ZoneFullError'
}

/**
 * Metrics of all threads in one piece of shared memory.
 *
 * @example
 * import { Worker } from 'node:worker_threads'
 * import { Zone } from 'pentameter/shm'
 *
 * const zone = Zone.create({ workers: 2 })
 * const hits = zone.define(Buffer.from('hits'), 'counter')
 * const worker = new Worker(
 *   `const { Zone } = require('pentameter/shm')
 *    const zone = Zone.open(require('node:worker_threads').workerData)
 *    zone.attach().counter(zone.find(Buffer.from('hits'))).add(3)`,
 *   { eval: true, workerData: zone.shared },
 * )
 * worker.once('exit', () => console.log(zone.reader().counter(hits))) // 3n
 */
export class Zone {
  readonly #memory: ZoneMemory
  readonly #descriptors: Descriptors
  readonly #definitions: Definitions
  readonly #segments: Segments
  readonly #writers = new Set<Writer>()
  readonly #lineage: Lineage

  private constructor(memory: ZoneMemory, isCreator: boolean) {
    const descriptors = new Descriptors(memory)
    this.#memory = memory
    this.#descriptors = descriptors
    this.#definitions = new Definitions(memory, descriptors)
    this.#segments = new Segments(memory)
    this.#lineage = new Lineage(
      {
        memory,
        descriptors,
        definitions: this.#definitions,
        segments: this.#segments,
        writers: this.#writers,
      },
      isCreator,
    )
  }

  /**
   * Creates a zone. The thread that creates a zone folds the segments of threads that die, in turns
   * of its event loop, for as long as this object or one of its writers or readers is held.
   * @throws {RangeError} for an option out of its range
   */
  static create(options: ZoneOptions = {}): Zone {
    const chance = { zoneId: createHashKey(), hashKey: createHashKey() } as const
    const memory = ZoneMemory.create(limitsOf(options, chance))
    const zone = new Zone(memory, true)
    const { workers } = zone.usage()
    for (let i = 0; i <= workers; i++) {
      if (!zone.#segments.own(i).takeTable()) {
        throw new RangeError(`zoneBytesLimit has no room for ${workers} workers`)
      }
    }
    memory.ints[HEADER.segments] = 1 + workers
    memory.publish()
    return zone
  }

  /**
   * Opens the same zone in another thread.
   * @param shared `zone.shared`, as it arrives by postMessage or workerData
   * @throws {ZoneFormatError} when it holds no zone of this version
   */
  static open(shared: SharedZone): Zone {
    const zone = new Zone(ZoneMemory.open(shared), false)
    zone.#lineage.connect()
    return zone
  }

  /**
   * Opens the zone in a thread of which its creator knows by {@link watchExit}.
   * @internal
   */
  static openWatched(shared: SharedZone): Zone {
    const zone = new Zone(ZoneMemory.open(shared), false)
    zone.#lineage.connect(true)
    return zone
  }

  /**
   * Folds the segments of a thread that the zone's creator has just started, when it exits.
   * @param thread its `threadId`
   * @internal
   */
  watchExit(thread: number): void {
    this.#lineage.watchExit(thread)
  }

  /** Memory to hand to another thread; another one after a reconfiguration. */
  get shared(): SharedZone {
    this.#lineage.connect()
    return this.#memory.shared
  }

  /**
   * Gives the zone other limits, with everything in it: metrics keep their numbers, handles and
   * readers of all threads go on. Another size or number of segments makes another zone, into which
   * the writers of other threads move in a turn of their event loops; another `keyBytesLimit` alone
   * does not, and keeps longer names. A budget (`slabSize`) is changed only where there is one.
   * @returns this zone
   * @throws {RangeError} for an option out of its range, or fewer workers than are attached
   * @throws {RedefinitionError} when the limits do not hold what is defined; as after every error,
   *   the zone then goes on as it was
   */
  reconfigure(change: ZoneChange): Zone {
    if (this.#memory.isReplaced) this.#memory.follow()
    changedLimits(this.#memory.ints, change) // refuses what is out of range without the lock
    this.#lineage.reconfigure(change)
    return this
  }

  /**
   * Numbers given out: 0 to metrics - 1, in order of definition. Those of retired metrics are none
   * until they are given out again.
   */
  get metrics(): number {
    return this.#descriptors.count
  }

  /**
   * Defines the metric of a key, if it is new. The same key is the same metric in all threads.
   * @returns its number; or a negative answer, named by `refusalOf` and counted, when the key is
   *   defined with another type, mode or bounds, a limit is met, or the lock is stuck.
   * @throws {TypeError | RangeError} for options that the type has not, or bounds that are none
   */
  define(key: Uint8Array, type: MetricType, options?: DefinitionOptions): number {
    return this.#definitions.define(key, type, options)
  }

  /** Whether the last {@link define} of this object made the metric. */
  get isNew(): boolean {
    return this.#definitions.isNew
  }

  /** Hash of the key that this object has defined or found last; no peer can choose it. */
  get keyHash(): number {
    return this.#definitions.keyHash
  }

  /** Finds the metric of a key, or -1. Takes no lock, unless it keeps meeting changes. */
  find(key: Uint8Array): number {
    return this.#definitions.find(key)
  }

  /**
   * Counts the bytes that a metric is charged where definitions have a budget: its descriptor, its
   * place in the index, its key, and a slot in the base and in the segment of each of `workers`.
   */
  cost(keyBytes: number, type: MetricType, mode?: MetricMode): number {
    const words = SLOT_WORDS[slotClassOf(type, mode)]!
    return 8 * definitionWords(keyBytes, words, this.#memory.ints[HEADER.workers]!)
  }

  /**
   * Takes the key out of the index: it is found no more, and its next definition makes a new
   * metric. This one can still be read and written. So a metric that other threads write is taken
   * away in two steps: unlink, have every thread release it, {@link retire}.
   * @returns false when the metric is none, or unlinked already, or when the zone's lock could not
   *   be had (counted)
   */
  unlink(metric: number): boolean {
    return this.#definitions.unlink(metric)
  }

  /**
   * Gives a metric another key. Its number, its values and all handles stay; the former key
   * leads to nothing from now on.
   * @returns the reason of a refusal, with nothing changed and counted: `type_mismatch` where
   *   another metric has the key, or the metric is none, or unlinked
   */
  rename(metric: number, key: Uint8Array): ZoneRefusal | undefined {
    return this.#definitions.rename(metric, key)
  }

  /**
   * Takes a metric away: its key is defined no more, its values are gone, and its number and memory
   * are given to the next definition of the same type, which begins at nothing. The writers
   * attached through this object release the metric first; those of other threads must have done so
   * (`writer.release`), and who keeps the number must have forgotten it: it may mean another metric
   * from now on.
   * @returns false when the metric is none, or retired already, or when the zone's lock could not
   *   be had (counted). Never throws.
   */
  retire(metric: number): boolean {
    for (const writer of this.#writers) writer.release(metric)
    return this.#definitions.retire(metric, this.#segments)
  }

  /** Tells whether a number is a metric's that is not retired. */
  has(metric: number): boolean {
    return this.#descriptors.has(metric)
  }

  /** @throws {TypeError} when the metric is none; here and in {@link type} */
  key(metric: number): Uint8Array {
    this.#checkMetric(metric)
    return this.#descriptors.key(metric)
  }

  type(metric: number): MetricType {
    this.#checkMetric(metric)
    return this.#descriptors.type(metric)
  }

  mode(metric: number): MetricMode {
    this.#checkMetric(metric)
    return this.#descriptors.mode(metric)
  }

  /** Bounds of a binned histogram, ascending, the last one (4294967295) included. */
  bounds(metric: number): number[] {
    this.#checkMetric(metric)
    return this.#descriptors.boundsCount(metric) === 0 ? [] : this.#descriptors.bounds(metric)
  }

  #checkMetric(metric: number): void {
    if (!this.#descriptors.has(metric)) throw new TypeError(`metric ${metric} is not defined`)
  }

  /**
   * Leases a segment to this thread, until the writer is detached or the thread ends.
   * @throws {ZoneFullError} when `workersLimit` writers are attached, or memory is out or the lock
   *   stuck, which is counted
   */
  attach(): Writer {
    const segment = this.#lease()
    const reader = this.reader()
    return new Writer(
      {
        memory: this.#memory,
        descriptors: this.#descriptors,
        segments: this.#segments,
        counterTotal: (metric) => reader.counterTotal(metric),
        writers: this.#writers,
      },
      segment,
    )
  }

  #lease(): Segment {
    const memory = this.#memory
    if (!memory.lock()) {
      memory.countRefusal('lock_timeout')
      throw new ZoneFullError('zone has no segment to give while its lock is held')
    }
    try {
      for (let i = 1; i < memory.ints[HEADER.segmentsMax]!; i++) {
        const segment = this.#segments.own(i)
        if (segment.field(ENTRY.state) !== SEGMENT_STATE.free) continue
        if (!segment.takeTable()) {
          memory.countRefusal('zone_full')
          throw new ZoneFullError('zone has no memory for one more segment')
        }
        // Before the state: a thread that dies here leaves no lease without its name.
        segment.setField(ENTRY.threadId, threadId)
        segment.setField(ENTRY.lease, segment.field(ENTRY.lease) + 1)
        segment.setField(ENTRY.state, SEGMENT_STATE.leased)
        const count = Math.max(memory.ints[HEADER.segments]!, i + 1)
        Atomics.store(memory.ints, HEADER.segments, count)
        return segment
      }
      const workers = memory.ints[HEADER.segmentsMax]! - 1
      throw new ZoneFullError(`zone has no segment left, workersLimit ${workers}`)
    } finally {
      memory.unlock()
    }
  }

  reader(): ZoneReader {
    return new ZoneReader(this.#memory, this.#descriptors, this.#segments)
  }

  /** Measures what the zone really uses. Takes no lock, so parts may be moments apart. */
  usage(): ZoneUsage {
    if (this.#memory.isReplaced) this.#memory.follow()
    return usageOf(this.#memory, this.#segments)
  }
}
