/**
 * A zone: counters, gauges and histograms of all threads in one growable SharedArrayBuffer, drawn
 * in docs/formats/zone.md. Each writer adds into its own segment without locks; readers add the
 * segments up. Every size has a limit, and nothing that meets one throws on the record path.
 */
import { threadId } from 'node:worker_threads'
import { Definitions } from './definitions.ts'
import { Descriptors } from './descriptors.ts'
import {
  DESCRIPTORS_PER_PAGE,
  ENTRY,
  HEADER,
  type MetricType,
  PAGE_BYTES,
  PARTS,
  type Part,
  REFUSALS,
  type Refusal,
  SEGMENT_STATE,
} from './layout.ts'
import { ZoneMemory } from './memory.ts'
import { ZoneReader } from './reader.ts'
import { type Segment, Segments } from './segments.ts'
import { Writer } from './writer.ts'

export interface ZoneOptions {
  /** Bytes of the whole zone; 1 MiB to 1 GiB, default 256 MiB. Reserved, not resident. */
  readonly zoneBytesLimit?: number
  /** Metrics that can be defined; default 1,000,000. */
  readonly metricsLimit?: number
  /** Bytes of one key; at most 65,535, default 4,096. */
  readonly keyBytesLimit?: number
  /** Writers attached at one time; default 256. */
  readonly workersLimit?: number
}

export interface ZoneUsage {
  /** Metrics defined now. */
  readonly metrics: number
  /** Retired metrics whose number and memory wait for the next definition of their type. */
  readonly metricsFree: number
  /** Metrics retired since the zone was created. */
  readonly metricsRetired: number
  /** Of the numbers given out, waiting ones included. */
  readonly metricsLimit: number
  /** Bytes the zone takes up now, by what they are used for; their sum is `bytesTotal`. */
  readonly bytes: Readonly<Record<Part, number>>
  readonly bytesTotal: number
  readonly bytesLimit: number
  /** Segments in use: the base, if anything was folded, and every attached writer. */
  readonly segments: readonly SegmentUsage[]
  readonly workersLimit: number
  /** Definitions and slots refused since the zone was created. */
  readonly refusals: Readonly<Record<Refusal, number>>
}

export interface SegmentUsage {
  /** 0 is the base. */
  readonly segment: number
  /** Of the writer; 0 for the base (and for writers of the main thread). */
  readonly threadId: number
  /** How often the segment was leased. */
  readonly lease: number
  readonly bytes: number
}

/** The zone has no room for one more writer. */
export class ZoneFullError extends Error {
  override name = 'ZoneFullError'
}

const ZONE_BYTES_DEFAULT = 268_435_456
const ZONE_BYTES_MIN = 1_048_576
/** Above it, a chunk table would not fit a page. */
const ZONE_BYTES_MAX = 1_073_741_824
const METRICS_DEFAULT = 1_000_000
const METRICS_MAX = 16_777_216
const KEY_BYTES_DEFAULT = 4_096
const KEY_BYTES_MAX = 65_535
const WORKERS_DEFAULT = 256
const WORKERS_MAX = 1_024

export class Zone {
  readonly #memory: ZoneMemory
  readonly #descriptors: Descriptors
  readonly #definitions: Definitions
  readonly #segments: Segments
  readonly #writers = new Set<Writer>()

  private constructor(memory: ZoneMemory) {
    this.#memory = memory
    this.#descriptors = new Descriptors(memory)
    this.#definitions = new Definitions(memory, this.#descriptors)
    this.#segments = new Segments(memory)
  }

  /** @throws {RangeError} for an option out of its range */
  static create(options: ZoneOptions = {}): Zone {
    const bytes = limit(
      options,
      'zoneBytesLimit',
      ZONE_BYTES_DEFAULT,
      ZONE_BYTES_MIN,
      ZONE_BYTES_MAX,
    )
    const metricsLimit = limit(options, 'metricsLimit', METRICS_DEFAULT, 1, METRICS_MAX)
    const memory = ZoneMemory.create({
      pagesMax: Math.floor(bytes / PAGE_BYTES),
      metricsLimit,
      keyBytesLimit: limit(options, 'keyBytesLimit', KEY_BYTES_DEFAULT, 1, KEY_BYTES_MAX),
      segmentsMax: 1 + limit(options, 'workersLimit', WORKERS_DEFAULT, 1, WORKERS_MAX),
      descriptorPages: Math.ceil(metricsLimit / DESCRIPTORS_PER_PAGE),
    })
    const zone = new Zone(memory)
    zone.#segments.at(0).takeTable()
    memory.ints[HEADER.segments] = 1
    memory.publish()
    return zone
  }

  /**
   * The same zone in another thread.
   * @param buffer `zone.buffer`, as it arrives by postMessage or workerData
   * @throws {ZoneFormatError} when it holds no zone of this version
   */
  static open(buffer: SharedArrayBuffer): Zone {
    return new Zone(ZoneMemory.open(buffer))
  }

  /** What to hand to another thread. */
  get buffer(): SharedArrayBuffer {
    return this.#memory.buffer
  }

  /**
   * Numbers given out: 0 to metrics - 1, in order of definition. Those of retired metrics are none
   * until they are given out again.
   */
  get metrics(): number {
    return this.#descriptors.count
  }

  /**
   * The metric of a key, defined now if it is new. The same key is the same metric in all threads.
   * @returns its number; or a negative answer, named by `refusalOf` and counted, when the key is
   *   defined with another type, a limit is met, or the lock is stuck. Never throws.
   */
  define(key: Uint8Array, type: MetricType): number {
    return this.#definitions.define(key, type)
  }

  /** The metric of a key, or -1. Takes no lock, unless it keeps meeting changes. */
  find(key: Uint8Array): number {
    return this.#definitions.find(key)
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

  /** @throws {TypeError} when the metric is none; here and in {@link type} */
  key(metric: number): Uint8Array {
    this.#checkMetric(metric)
    return this.#descriptors.key(metric)
  }

  type(metric: number): MetricType {
    this.#checkMetric(metric)
    return this.#descriptors.type(metric)
  }

  #checkMetric(metric: number): void {
    if (!this.#descriptors.has(metric)) throw new TypeError(`metric ${metric} is not defined`)
  }

  /**
   * Leases a segment to this thread.
   * @throws {ZoneFullError} when `workersLimit` writers are attached or memory is out
   */
  attach(): Writer {
    const segment = this.#lease()
    if (segment === undefined) {
      const workers = this.#memory.ints[HEADER.segmentsMax]! - 1
      throw new ZoneFullError(`zone has no segment left, workersLimit ${workers}`)
    }
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

  #lease(): Segment | undefined {
    const segmentsMax = this.#memory.ints[HEADER.segmentsMax]!
    for (let i = 1; i < segmentsMax; i++) {
      const segment = this.#segments.at(i)
      if (!segment.exchangeState(SEGMENT_STATE.free, SEGMENT_STATE.leased)) continue
      if (!this.#prepare(segment)) {
        segment.setField(ENTRY.state, SEGMENT_STATE.free)
        return undefined
      }
      segment.setField(ENTRY.threadId, threadId)
      segment.setField(ENTRY.lease, segment.field(ENTRY.lease) + 1)
      return segment
    }
    return undefined
  }

  #prepare(segment: Segment): boolean {
    const memory = this.#memory
    if (!memory.lock()) return false
    const hasTable = segment.takeTable()
    const count = Math.max(memory.ints[HEADER.segments]!, segment.index + 1)
    if (hasTable) Atomics.store(memory.ints, HEADER.segments, count)
    memory.unlock()
    return hasTable
  }

  reader(): ZoneReader {
    return new ZoneReader(this.#memory, this.#descriptors, this.#segments)
  }

  /** What the zone really uses. Takes no lock, so parts may be moments apart. */
  usage(): ZoneUsage {
    const { ints } = this.#memory
    const bytes = record(PARTS, (i) => ints[HEADER.partPages + i]! * PAGE_BYTES)
    return {
      metrics: this.metrics - ints[HEADER.freeCount]!,
      metricsFree: ints[HEADER.freeCount]!,
      metricsRetired: ints[HEADER.retired]! >>> 0,
      metricsLimit: ints[HEADER.metricsLimit]!,
      bytes,
      bytesTotal: PARTS.reduce((sum, part) => sum + bytes[part], 0),
      bytesLimit: ints[HEADER.pagesMax]! * PAGE_BYTES,
      segments: this.#segmentsInUse(),
      workersLimit: ints[HEADER.segmentsMax]! - 1,
      refusals: record(REFUSALS, (i) => ints[HEADER.refusals + i]!),
    }
  }

  #segmentsInUse(): SegmentUsage[] {
    const used: SegmentUsage[] = []
    for (let i = 0; i < this.#segments.count; i++) {
      const segment = this.#segments.at(i)
      const size = segment.countChunks() * PAGE_BYTES
      if (i === 0 ? size === 0 : segment.field(ENTRY.state) === SEGMENT_STATE.free) continue
      used.push({
        segment: i,
        threadId: segment.field(ENTRY.threadId),
        lease: segment.field(ENTRY.lease),
        bytes: size,
      })
    }
    return used
  }
}

function limit(
  options: ZoneOptions,
  name: keyof ZoneOptions,
  standard: number,
  min: number,
  max: number,
): number {
  const value = options[name] ?? standard
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new RangeError(`${name} ${value} is not an integer of ${min} to ${max}`)
  }
  return value
}

function record<K extends string>(
  keys: readonly K[],
  numberOf: (index: number) => number,
): Record<K, number> {
  return Object.fromEntries(keys.map((key, i) => [key, numberOf(i)])) as Record<K, number>
}
