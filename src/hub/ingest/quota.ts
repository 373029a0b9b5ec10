/**
 * How many series there are, how many each source has brought, and how many bytes of the zone they
 * take, exact over all threads. Threads decide and count under one lock, so no two of them take the
 * last place, and none is refused a name that another one is defining at that moment.
 *
 *   header, 64 B   [lock:i32][count:i32][capacity:i32][keys: 4 x i32][overloaded:i32]
 *                  [easings:i32][additions:i32] room
 *   added, 16 KiB  [hash of a key:i32] of the last 4,096 additions
 *   entry, 16 B    [hash:2 x u32][count:u32][bytes:u32]   open addressing by source, hash 0 = empty
 *
 * A source is known by 64 bits of its hash, two halves under two keys of chance: a sender that has
 * a network of addresses can't choose those of one place. Sources without series leave the table,
 * so that it never holds more of them than there are series.
 */
import { createHashKey, keyedHash } from '../../model/index.ts'
import { networkOf } from '../../peers/network.ts'

export interface SeriesLimits {
  /** Limit of series in the hub; its own not counted. */
  readonly seriesLimit: number
  /** Limit of series that one source (address without port, or its network) may bring. */
  readonly seriesLimitPerSource: number
  /** Bytes of the whole zone. */
  readonly zoneBytesLimit: number
  /** Share of these bytes that the series of one source may take. */
  readonly zonePercentPerSource: number
  /** Longest name, and longest key or value of a label, in bytes of UTF-8. */
  readonly nameBytesLimit: number
  readonly labelBytesLimit: number
}

export const SERIES_LIMITS: SeriesLimits = {
  seriesLimit: 100_000,
  seriesLimitPerSource: 10_000,
  zoneBytesLimit: 268_435_456,
  zonePercentPerSource: 25,
  nameBytesLimit: 4096,
  labelBytesLimit: 4096,
}

/** Computes the most series that a zone of so many bytes may have room for. */
export function seriesLimitMost(zoneBytesLimit: number): number {
  const byNumbers = Math.floor(METRICS_MAX / METRICS_PER_SERIES)
  return Math.min(byNumbers, Math.floor(zoneBytesLimit / SERIES_BYTES_LEAST))
}

/** Computes the metrics that the zone of a hub needs numbers for. */
export function metricsLimitOf({ seriesLimit }: Pick<SeriesLimits, 'seriesLimit'>): number {
  return Math.max(METRICS_LEAST, Math.ceil(METRICS_PER_SERIES * seriesLimit))
}

export type QuotaRefusal =
  | 'series_limit'
  | 'series_limit_per_source'
  | 'zone_percent_per_source'
  | 'overloaded'

/**
 * Changes by which a refusal may hold no more: that a limit eases, which any refusal may be of, or
 * that a key was added, which is refused to no source from then on.
 */
export interface LimitChanges {
  /** Number that changes with every easing. */
  readonly easings: number
  /** Number of additions, as 32 bits. */
  readonly additions: number
  /** Number of the newest additions whose keys are told. */
  readonly additionsKept: number
  /** Gives the zone's hash of the key that was added as number `addition`, from 0. */
  addedHash(addition: number): number
}

const LOCK = 0
const COUNT = 1
const CAPACITY = 2
/** Two of two ints each. */
const KEYS = 3
const OVERLOADED = 7
const EASINGS = 8
const ADDITIONS = 9
const ADDED_AT = 16
/** Additions whose keys are told: more in one read of a thread are rare. */
const ADDED_KEPT = 4096
const HEADER_INTS = ADDED_AT + ADDED_KEPT
const ENTRY_INTS = 4
/** Metrics that a zone has numbers for. */
const METRICS_MAX = 16_777_216
/** Numbers of a zone for a limit that is no higher than this; it has them for nothing. */
const METRICS_LEAST = 1_000_000
/** Numbers for each series of the limit: some are the hub's own, some of series that leave. */
const METRICS_PER_SERIES = 1.1
/** Bytes of the zone that a series takes at least: descriptor, index, a short name, slot. */
const SERIES_BYTES_LEAST = 64
/** The lock is held for microseconds; who has held it for so long is dead. */
const STEAL_AFTER_MS = 5000
const encoder = new TextEncoder()

export class SeriesQuota implements LimitChanges {
  /** Memory to hand to another thread. */
  readonly shared: SharedArrayBuffer
  readonly limits: SeriesLimits
  readonly #ints: Int32Array
  readonly #words: Uint32Array
  readonly #mask: number
  readonly #owner: number
  /** Source that was looked up last, for many lines in a row have one. */
  #hashed: string | undefined
  #hash: readonly [low: number, high: number] = [0, 0]

  private constructor(shared: SharedArrayBuffer, limits: SeriesLimits, owner: number) {
    this.shared = shared
    this.limits = limits
    this.#ints = new Int32Array(shared)
    this.#words = new Uint32Array(shared)
    this.#mask = this.#ints[CAPACITY]! - 1
    this.#owner = owner
  }

  static create(limits: SeriesLimits): SeriesQuota {
    const sources = Math.min(limits.seriesLimit, METRICS_MAX)
    const capacity = 2 ** Math.ceil(Math.log2(2 * sources + 1))
    const shared = new SharedArrayBuffer((HEADER_INTS + capacity * ENTRY_INTS) * 4)
    new Int32Array(shared)[CAPACITY] = capacity
    new Int32Array(shared).set([...createHashKey(), ...createHashKey()], KEYS)
    return new SeriesQuota(shared, limits, 1)
  }

  /**
   * Opens the same quota in another thread.
   * @param thread index of the ingest thread
   */
  static open(shared: SharedArrayBuffer, limits: SeriesLimits, thread: number): SeriesQuota {
    return new SeriesQuota(shared, limits, ownerOf(thread))
  }

  /** Series counted now. */
  get count(): number {
    return Atomics.load(this.#ints, COUNT)
  }

  /**
   * Runs a definition while no other thread defines: `refusal` says whether one more series of the
   * source is allowed, `add` counts it.
   */
  exclusively<T>(define: () => T): T {
    this.#lock()
    try {
      return define()
    } finally {
      this.#unlock()
    }
  }

  /** Bytes of the zone that the series of one source may take. */
  get bytesLimitPerSource(): number {
    return Math.floor((this.limits.zoneBytesLimit * this.limits.zonePercentPerSource) / 100)
  }

  /**
   * Tells why a source may bring no further series; under the lock.
   * @param bytes of the zone that the series would take
   */
  refusal(source: string, bytes: number): QuotaRefusal | undefined {
    if (this.isOverloaded) return 'overloaded'
    if (this.count >= this.limits.seriesLimit) return 'series_limit'
    const at = this.#find(source)
    const brought = this.#words[at + 2]!
    if (brought >= this.limits.seriesLimitPerSource) return 'series_limit_per_source'
    const taken = brought === 0 ? 0 : this.#words[at + 3]!
    return taken + bytes > this.bytesLimitPerSource ? 'zone_percent_per_source' : undefined
  }

  /** Whether no further name is taken, of whatever source: the hub is short of memory. */
  get isOverloaded(): boolean {
    return Atomics.load(this.#ints, OVERLOADED) !== 0
  }

  set isOverloaded(isOverloaded: boolean) {
    const overloaded = isOverloaded ? 1 : 0
    if (Atomics.exchange(this.#ints, OVERLOADED, overloaded) === overloaded) return
    Atomics.add(this.#ints, EASINGS, 1)
  }

  get easings(): number {
    return Atomics.load(this.#ints, EASINGS)
  }

  get additions(): number {
    return Atomics.load(this.#ints, ADDITIONS)
  }

  get additionsKept(): number {
    return ADDED_KEPT
  }

  addedHash(addition: number): number {
    return Atomics.load(this.#ints, ADDED_AT + (addition & (ADDED_KEPT - 1)))
  }

  /**
   * Counts how many more series a source may bring at this moment; the hub's own are not counted.
   */
  roomOf(source: string): number {
    return this.exclusively(() => {
      if (this.isOverloaded) return 0
      const { seriesLimit, seriesLimitPerSource } = this.limits
      const brought = this.#words[this.#find(source) + 2]!
      return Math.min(seriesLimit - this.count, seriesLimitPerSource - brought)
    })
  }

  /** Counts the series that a source has brought; under the lock. */
  broughtBy(source: string): number {
    return this.#words[this.#find(source) + 2]!
  }

  /**
   * Counts a new series of a source, whose key is defined; under the lock.
   * @param hash of the key in the zone
   */
  add(source: string, bytes: number, hash: number): void {
    const at = this.#find(source)
    if (this.#words[at + 2] === 0) {
      this.#words[at + 3] = 0
      const [low, high] = this.#hashOf(source)
      this.#words[at] = low
      this.#words[at + 1] = high
    }
    this.#words[at + 2]!++
    this.#words[at + 3]! += bytes
    Atomics.add(this.#ints, COUNT, 1)
    // the hash first: who sees the number sees it
    const addition = this.additions
    Atomics.store(this.#ints, ADDED_AT + (addition & (ADDED_KEPT - 1)), hash)
    Atomics.store(this.#ints, ADDITIONS, (addition + 1) | 0)
  }

  /**
   * Charges a source for bytes that its series takes more, or gives them back; under the lock.
   * @returns false, with nothing charged, above what the series of a source may take
   */
  charge(source: string, bytes: number): boolean {
    const at = this.#find(source)
    const taken = this.#words[at + 3]!
    if (bytes > 0 && taken + bytes > this.bytesLimitPerSource) return false
    this.#words[at + 3] = Math.max(0, taken + bytes)
    return true
  }

  /** Gives back the place and the bytes of a series that left; takes the lock itself. */
  remove(source: string, bytes: number): void {
    this.exclusively(() => {
      const at = this.#find(source)
      if (this.#words[at + 2] === 0) return
      this.#words[at + 2]!--
      this.#words[at + 3]! -= bytes
      Atomics.sub(this.#ints, COUNT, 1)
      Atomics.add(this.#ints, EASINGS, 1)
      if (this.#words[at + 2] === 0) this.#close(at)
    })
  }

  /** Frees the lock where a thread that ended has left it locked. */
  releaseOf(thread: number): void {
    if (Atomics.compareExchange(this.#ints, LOCK, ownerOf(thread), 0) === ownerOf(thread)) {
      Atomics.notify(this.#ints, LOCK, 1)
    }
  }

  #hashOf(source: string): readonly [low: number, high: number] {
    if (source !== this.#hashed) {
      this.#hash = this.#newHashOf(source)
      this.#hashed = source
    }
    return this.#hash
  }

  #newHashOf(source: string): readonly [low: number, high: number] {
    const bytes = encoder.encode(networkOf(source))
    const half = (at: number): number =>
      keyedHash(bytes, 0, bytes.length, [this.#ints[at]!, this.#ints[at + 1]!]) >>> 0
    return [half(KEYS), half(KEYS + 2)]
  }

  /** Finds the entry of a source, or the empty one where it belongs. */
  #find(source: string): number {
    const [low, high] = this.#hashOf(source)
    const words = this.#words
    for (let place = low & this.#mask; ; place = (place + 1) & this.#mask) {
      const at = HEADER_INTS + place * ENTRY_INTS
      if (words[at + 2] === 0 || (words[at] === low && words[at + 1] === high)) return at
    }
  }

  /** Moves later entries of the run over the one that became empty, so that none is cut off. */
  #close(emptyAt: number): void {
    const words = this.#words
    let hole = (emptyAt - HEADER_INTS) / ENTRY_INTS
    for (let place = (hole + 1) & this.#mask; ; place = (place + 1) & this.#mask) {
      const at = HEADER_INTS + place * ENTRY_INTS
      if (words[at + 2] === 0) return
      const distance = (place - (words[at]! & this.#mask)) & this.#mask
      if (distance < ((place - hole) & this.#mask)) continue
      words.copyWithin(HEADER_INTS + hole * ENTRY_INTS, at, at + ENTRY_INTS)
      words[at + 2] = 0
      hole = place
    }
  }

  #lock(): void {
    const ints = this.#ints
    for (;;) {
      const held = Atomics.compareExchange(ints, LOCK, 0, this.#owner)
      if (held === 0) return
      if (Atomics.wait(ints, LOCK, held, STEAL_AFTER_MS) !== 'timed-out') continue
      if (Atomics.compareExchange(ints, LOCK, held, this.#owner) === held) return
    }
  }

  #unlock(): void {
    if (Atomics.compareExchange(this.#ints, LOCK, this.#owner, 0) === this.#owner) {
      Atomics.notify(this.#ints, LOCK, 1)
    }
  }
}

/** Gives the owner's number: the main thread is 1, ingest thread 0 is 2; 0 is none. */
function ownerOf(thread: number): number {
  return thread + 2
}
