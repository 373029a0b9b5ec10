/**
 * From the bytes of a wire key to a slot: an open-addressing table that hashes and compares bytes,
 * so that a line of a known series makes no string and no object. Slots are small integers, given
 * out again once removed; the table owns copies of the keys.
 *
 *   bucket  [hash:i32][place:i32]  place of an entry in the arena; 0 = empty, -1 = removed
 *   entry   [slot:i32][length << 8 | type:i32][key: length bytes] up to a whole word
 *
 * A look-up touches one bucket and one entry: with many names, memory is what it waits for.
 *
 * Hashes come from the codecs, which make them while they scan and so can't make them proof
 * against names that are chosen to meet. Where keys crowd more than chance explains, the table
 * hashes all of them itself from then on, under secrets of its own.
 */
import { createWordSecrets, hashWords, type WordSecrets } from '../../model/hash/word-hash.ts'

const FIRST_BUCKETS = 1024
const FIRST_ARENA_BYTES = 32_768
const HEAD_BYTES = 8
/** Lengths stand in 24 bits, beside a type of eight. */
const LENGTH_LIMIT = 2 ** 24
/** Factor that spreads the type word over the hash (2^32 / golden ratio). */
const TYPE_FACTOR = 0x9e3779b1
const REMOVED = -1
/** Three quarters full, one run in 10^16 is longer by chance. */
const RUN_LIMIT = 1024
/**
 * Limit of keys with one hash: of a million keys three have one by chance; each of them is compared
 * by its bytes.
 */
const SAME_LIMIT = 8

export class KeyTable {
  #buckets = new Int32Array(2 * FIRST_BUCKETS)
  #mask = FIRST_BUCKETS - 1
  /** Buckets that are not empty: removed ones too. */
  #bucketsUsed = 0
  #arena = new DataView(new ArrayBuffer(FIRST_ARENA_BYTES))
  /** End of the arena; it begins behind place 0, which stands for no entry. */
  #arenaUsed = HEAD_BYTES
  #arenaLive = HEAD_BYTES
  /** Places of entries by slot, 0 for a free one; and its mixed hash. */
  readonly #places: number[] = []
  readonly #hashes: number[] = []
  readonly #free: number[] = []
  /** Secrets by which it hashes itself; undefined while the hashes of the codec serve. */
  #secrets: WordSecrets | undefined
  /**
   * Bytes whose keys are being looked up; a view of them is made with the second key, for it has
   * its price.
   */
  #source: Uint8Array | undefined
  #sourceView: DataView | undefined

  /** Bytes held, for the account of memory. */
  get bytes(): number {
    return this.#arena.byteLength + this.#buckets.length * 4 + this.#places.length * 16
  }

  /**
   * Finds the slot of a key, or -1: then {@link findRehashed} is to be asked.
   * @param type at most 255
   * @param hash of the key's bytes, by the same function at every call
   */
  find(bytes: Uint8Array, start: number, end: number, type: number, hash: number): number {
    const mixed = mix(hash, type)
    const length = end - start
    const arena = this.#arena
    const buckets = this.#buckets
    const mask = this.#mask
    for (let bucket = mixed & mask; ; bucket = (bucket + 1) & mask) {
      const place = buckets[2 * bucket + 1]!
      if (place === 0) return -1
      if (buckets[2 * bucket] !== mixed || place === REMOVED) continue
      const head = arena.getInt32(place + 4)
      if (head >>> 8 !== length || (head & 0xff) !== type) continue
      if (this.#isSame(place + HEAD_BYTES, bytes, start, end)) return arena.getInt32(place)
    }
  }

  /**
   * Finds the slot of a key that {@link find} has not found, in a table that hashes for itself; or
   * -1. Apart from it, because the few instructions more would cost every line a tenth of its time.
   */
  findRehashed(bytes: Uint8Array, start: number, end: number, type: number): number {
    const secrets = this.#secrets
    if (secrets === undefined) return -1
    return this.find(bytes, start, end, type, hashWords(bytes, start, end, secrets))
  }

  /** True once the hashes of the codec were found to crowd. */
  get isRehashed(): boolean {
    return this.#secrets !== undefined
  }

  #hash(bytes: Uint8Array, start: number, end: number, type: number, hash: number): number {
    const secrets = this.#secrets
    return mix(secrets === undefined ? hash : hashWords(bytes, start, end, secrets), type)
  }

  #isSame(place: number, bytes: Uint8Array, start: number, end: number): boolean {
    if (bytes !== this.#source) {
      this.#source = bytes
      this.#sourceView = undefined
      return this.#isSameByBytes(place, bytes, start, end)
    }
    if (end - start < 4) return this.#isSameByBytes(place, bytes, start, end)
    this.#sourceView ??= viewOf(bytes)
    const source = this.#sourceView
    const arena = this.#arena
    const shift = place - start
    // whole words, and one that ends where the key ends
    let difference = source.getInt32(end - 4) ^ arena.getInt32(shift + end - 4)
    for (let at = start; at < end - 4; at += 4) {
      difference |= source.getInt32(at) ^ arena.getInt32(shift + at)
    }
    return difference === 0
  }

  #isSameByBytes(place: number, bytes: Uint8Array, start: number, end: number): boolean {
    const arena = this.#arena
    const shift = place - start
    for (let at = start; at < end; at++) {
      if (arena.getUint8(shift + at) !== bytes[at]) return false
    }
    return true
  }

  /**
   * Adds a key that is not there yet and returns its slot; parameters as of {@link find}.
   * @throws {RangeError} for a key of 16 MiB or more
   */
  add(bytes: Uint8Array, start: number, end: number, type: number, hash: number): number {
    const length = end - start
    if (length >= LENGTH_LIMIT)
      throw new RangeError(`key of ${length} bytes, limit ${LENGTH_LIMIT}`)
    const size = entrySize(length)
    this.#makeRoom(size)
    const slot = this.#free.pop() ?? this.#places.length
    const place = this.#arenaUsed
    this.#arena.setInt32(place, slot)
    this.#arena.setInt32(place + 4, (length << 8) | type)
    this.#keyAt(place).set(bytes.subarray(start, end))
    this.#places[slot] = place
    this.#hashes[slot] = this.#hash(bytes, start, end, type, hash)
    this.#arenaUsed += size
    this.#arenaLive += size
    if (this.#insert(slot)) this.#rehash()
    return slot
  }

  /** Copies the key bytes of a slot. */
  key(slot: number): Uint8Array {
    return this.#keyAt(this.#places[slot]!).slice()
  }

  #keyAt(place: number): Uint8Array {
    return new Uint8Array(this.#arena.buffer, place + HEAD_BYTES, this.#lengthAt(place))
  }

  #lengthAt(place: number): number {
    return this.#arena.getInt32(place + 4) >>> 8
  }

  /** Forgets a key; its slot may be given to another one. */
  remove(slot: number): void {
    const place = this.#places[slot] ?? 0
    if (place === 0) return
    let bucket = this.#hashes[slot]! & this.#mask
    while (this.#buckets[2 * bucket + 1] !== place) bucket = (bucket + 1) & this.#mask
    this.#buckets[2 * bucket + 1] = REMOVED
    this.#arenaLive -= entrySize(this.#lengthAt(place))
    this.#places[slot] = 0
    this.#free.push(slot)
  }

  /** @returns whether more keys are in its way than chance explains */
  #insert(slot: number): boolean {
    const buckets = this.#buckets
    const mixed = this.#hashes[slot]!
    let bucket = mixed & this.#mask
    let run = 0
    let same = 0
    for (; buckets[2 * bucket + 1]! > 0; bucket = (bucket + 1) & this.#mask) {
      run++
      if (buckets[2 * bucket] === mixed) same++
    }
    if (buckets[2 * bucket + 1] === 0) this.#bucketsUsed++
    buckets[2 * bucket] = mixed
    buckets[2 * bucket + 1] = this.#places[slot]!
    return run > RUN_LIMIT || same > SAME_LIMIT
  }

  /** Hashes every key anew, under new secrets, and lays the buckets out by that. */
  #rehash(): void {
    const secrets = createWordSecrets()
    this.#secrets = secrets
    for (const [slot, place] of this.#places.entries()) {
      if (place === 0) continue
      const bytes = this.#keyAt(place)
      const type = this.#arena.getInt32(place + 4) & 0xff
      this.#hashes[slot] = mix(hashWords(bytes, 0, bytes.length, secrets), type)
    }
    this.#rebuild(this.#mask + 1, this.#arena.byteLength)
  }

  /** Makes room for one more bucket and an entry of this size: three quarters used is full. */
  #makeRoom(size: number): void {
    let bucketCount = this.#mask + 1
    let arenaBytes = this.#arena.byteLength
    const isFull = this.#bucketsUsed * 4 >= bucketCount * 3
    if (!isFull && this.#arenaUsed + size <= arenaBytes) return
    const live = this.#places.length - this.#free.length
    if (live * 2 >= bucketCount) bucketCount *= 2
    while ((this.#arenaLive + size) * 4 > arenaBytes * 3) arenaBytes *= 2
    this.#rebuild(bucketCount, arenaBytes)
  }

  /** Lays everything out anew, without what was removed. */
  #rebuild(bucketCount: number, arenaBytes: number): void {
    const old = new Uint8Array(this.#arena.buffer)
    const arena = new Uint8Array(arenaBytes)
    let used = HEAD_BYTES
    this.#buckets = new Int32Array(2 * bucketCount)
    this.#mask = bucketCount - 1
    this.#bucketsUsed = 0
    for (const [slot, place] of this.#places.entries()) {
      if (place === 0) continue
      const size = entrySize(this.#lengthAt(place))
      arena.set(old.subarray(place, place + size), used)
      this.#places[slot] = used
      used += size
      this.#insert(slot)
    }
    this.#arena = new DataView(arena.buffer)
    this.#arenaUsed = used
    this.#arenaLive = used
  }
}

function entrySize(length: number): number {
  return (HEAD_BYTES + length + 3) & ~3
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
}

function mix(hash: number, type: number): number {
  return hash ^ Math.imul(type + 1, TYPE_FACTOR)
}
