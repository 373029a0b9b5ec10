/**
 * From the bytes of a wire key to a slot: an open-addressing table that hashes and compares bytes,
 * so that a line of a known series makes no string and no object. Slots are small integers, given
 * out again once removed; the table owns copies of the keys. Buckets and entries are laid out as
 * src/arena/key-memory.ts draws them, in a buffer of its own or, once a codec looks up keys itself,
 * in memory that both address.
 *
 * A look-up touches one bucket and one entry: with many names, memory is what it waits for. So it
 * looks in one place while the table grows, too: larger buckets are filled behind the entries, some
 * with each key that is added, and take the place of the others when they have all of them. What
 * becomes free is room for entries, which stay where they are until many of them were removed.
 * Without a memory that grows in place, which a table takes when it is no longer small, all of it
 * is laid out anew.
 *
 * Hashes come from the codecs, which make them while they scan and so can't make them proof
 * against names that are chosen to meet. Where keys crowd more than chance explains, the table
 * hashes all of them itself from then on, under secrets of its own; in shared memory it does so
 * from the beginning.
 */
import {
  ENTRY,
  entrySize,
  KEY_HEAD_BYTES,
  KEY_HEAD_WORDS,
  KEY_SECRETS,
  mixType,
  NOT_GATHERED,
} from '../../../arena/key-memory.ts'
import type { WasmOwnMemory } from '../../../arena/wasm.ts'
import { createWordSecrets, hashWords, type WordSecrets } from '../../../model/hash/word-hash.ts'
import { KeySlots } from './key-slots.ts'
import { createMemory, TableMemory } from './table-memory.ts'

const FIRST_BUCKETS = 1024
const FIRST_ENTRY_BYTES = 65_536
/** Lengths stand in 24 bits, beside a type of eight. */
const LENGTH_LIMIT = 2 ** 24
const REMOVED = -1
/** Three quarters full, one run in 10^16 is longer by chance. */
const RUN_LIMIT = 1024
/**
 * Limit of keys with one hash: of a million keys three have one by chance; each of them is compared
 * by its bytes.
 */
const SAME_LIMIT = 8
/** Larger tables are in memory that grows in place: below, all is laid out in a millisecond. */
const SMALL_BYTES = 2 ** 20
/**
 * Keys that are moved to larger buckets with each that is added. These are begun at eleven
 * sixteenths, and of three quarters at most sixteen fifteenths of a sixteenth have come by the end.
 */
const MOVED_AT_ONCE = 16

/** Room that larger buckets have left. */
interface Room {
  readonly at: number
  readonly bytes: number
}

export class KeyTable extends TableMemory {
  /** Byte where the head of the table is, if a codec looks into the memory, too; else -1. */
  #headAt = -1
  /** Index of the first bucket among the ints. */
  #bucketsAt = 0
  #mask = FIRST_BUCKETS - 1
  /** Buckets that are not empty: removed ones too. */
  #bucketsUsed = 0
  /** Index of the first of the buckets that are to be next; 0 for none. */
  #nextAt = 0
  #nextMask = 0
  #nextUsed = 0
  /** Slots below it are in the next buckets. */
  #nextSlot = 0
  /** Place of the next entry, and end of the room for it. */
  #entriesEnd = 0
  #entriesLimit = 0
  /** Bytes of all entries, and of those whose keys are there. */
  #bytesUsed = 0
  #bytesLive = 0
  /** Rooms besides, for entries. */
  #rooms: Room[] = []
  readonly #slots = new KeySlots()
  /** Secrets by which it hashes itself; undefined while the hashes of the codec serve. */
  #secrets: WordSecrets | undefined
  /**
   * Bytes whose keys are being looked up; a view of them is made with the second key, for it has
   * its price.
   */
  #source: Uint8Array | undefined
  #sourceView: DataView | undefined

  constructor() {
    super()
    this.#layOut(FIRST_BUCKETS, FIRST_ENTRY_BYTES)
  }

  /** Bytes held, for the account of memory, but for the room of a codec. */
  get bytes(): number {
    return this.top - this.startAt + this.#slots.bytes
  }

  /**
   * Moves the table into memory that WebAssembly addresses, with so many bytes before its head, and
   * some between its head and the rest.
   * @returns undefined where there is no such memory; the table stays where it is
   */
  share(
    roomBytes: number,
    bytesBehindHead = 0,
  ): { memory: WasmOwnMemory; headAt: number; behindHeadAt: number } | undefined {
    if (this.#headAt >= 0) return undefined
    const behindHeadAt = lineFrom(roomBytes + KEY_HEAD_BYTES)
    const startAt = lineFrom(behindHeadAt + bytesBehindHead)
    const memory = createMemory(startAt + this.bytes)
    if (memory === undefined) return undefined
    this.#rehash(() => {
      this.memory = memory
      this.#headAt = roomBytes
      this.startAt = startAt
    })
    return { memory, headAt: roomBytes, behindHeadAt }
  }

  /**
   * Finds the slot of a key, or -1; {@link findRehashed} is for a table that hashes for itself.
   * @param type at most 255
   * @param hash of the key's bytes, by the same function at every call
   */
  find(bytes: Uint8Array, start: number, end: number, type: number, hash: number): number {
    const mixed = mixType(hash, type)
    const length = end - start
    const ints = this.ints
    const bucketsAt = this.#bucketsAt
    const mask = this.#mask
    for (let bucket = mixed & mask; ; bucket = (bucket + 1) & mask) {
      const place = ints[bucketsAt + 2 * bucket + 1]!
      if (place === 0) return -1
      if (ints[bucketsAt + 2 * bucket] !== mixed || place === REMOVED) continue
      const head = ints[(place + ENTRY.head) >> 2]!
      if (head >>> 8 !== length || (head & 0xff) !== type) continue
      if (this.#isSame(place + ENTRY.key, bytes, start, end)) return ints[place >> 2]!
    }
  }

  /**
   * Finds the slot of a key in a table that hashes for itself, or -1. Apart from {@link find},
   * because the few instructions more would cost every line a tenth of its time.
   */
  findRehashed(bytes: Uint8Array, start: number, end: number, type: number): number {
    const secrets = this.#secrets
    if (secrets === undefined) return -1
    return this.find(bytes, start, end, type, hashWords(bytes, start, end, secrets))
  }

  /** True once the table hashes for itself. */
  get isRehashed(): boolean {
    return this.#secrets !== undefined
  }

  /** Hashes a key with its type as the table does; parameters as of {@link find}. */
  mixedHash(bytes: Uint8Array, start: number, end: number, type: number, hash: number): number {
    const secrets = this.#secrets
    return mixType(secrets === undefined ? hash : hashWords(bytes, start, end, secrets), type)
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
    const view = this.view
    const shift = place - start
    // whole words, and one that ends where the key ends
    let difference = source.getInt32(end - 4) ^ view.getInt32(shift + end - 4)
    for (let at = start; at < end - 4; at += 4) {
      difference |= source.getInt32(at) ^ view.getInt32(shift + at)
    }
    return difference === 0
  }

  #isSameByBytes(place: number, bytes: Uint8Array, start: number, end: number): boolean {
    const view = this.view
    const shift = place - start
    for (let at = start; at < end; at++) {
      if (view.getUint8(shift + at) !== bytes[at]) return false
    }
    return true
  }

  /**
   * Adds a key that is not there yet and returns its slot; parameters as of {@link find}.
   * @throws {RangeError} for a key of 16 MiB or more
   */
  add(bytes: Uint8Array, start: number, end: number, type: number, hash: number): number {
    const mixed = this.mixedHash(bytes, start, end, type, hash)
    return this.addMixed(bytes, start, end, type, mixed)
  }

  /** Adds a key as {@link add} does, by the hash of {@link mixedHash}. */
  addMixed(bytes: Uint8Array, start: number, end: number, type: number, mixed: number): number {
    const length = end - start
    if (length >= LENGTH_LIMIT)
      throw new RangeError(`key of ${length} bytes, limit ${LENGTH_LIMIT}`)
    const size = entrySize(length)
    this.#makeRoom(size)
    const place = this.#entriesEnd
    const slot = this.#slots.take(place, mixed)
    const ints = this.ints
    ints[place >> 2] = slot
    ints[(place + ENTRY.head) >> 2] = (length << 8) | type
    // in loops: views and calls of each key would cost more than its bytes
    const last = (place + size) >> 2
    for (let at = (place + ENTRY.lines) >> 2; at < last; at++) ints[at] = 0
    const own = this.ownBytes
    for (let i = 0; i < length; i++) own[place + ENTRY.key + i] = bytes[start + i]!
    this.#entriesEnd += size
    this.#bytesUsed += size
    this.#bytesLive += size
    if (this.#insert(slot)) this.#rehash()
    else if (slot < this.#nextSlot) this.#insertNext(slot)
    return slot
  }

  /** Copies the key bytes of a slot. */
  key(slot: number): Uint8Array {
    return new Uint8Array(this.#keyAt(this.#slots.places[slot]!))
  }

  #keyAt(place: number): Uint8Array {
    return new Uint8Array(this.ints.buffer, place + ENTRY.key, this.#lengthAt(place))
  }

  #lengthAt(place: number): number {
    return this.ints[(place + ENTRY.head) >> 2]! >>> 8
  }

  /** Forgets a key; its slot may be given to another one. */
  remove(slot: number): void {
    const place = this.#slots.places[slot] ?? 0
    if (place === 0) return
    this.#removeFrom(this.#bucketsAt, this.#mask, slot)
    if (slot < this.#nextSlot) this.#removeFrom(this.#nextAt, this.#nextMask, slot)
    this.#bytesLive -= entrySize(this.#lengthAt(place))
    this.#slots.free(slot)
  }

  #removeFrom(bucketsAt: number, mask: number, slot: number): void {
    const ints = this.ints
    const place = this.#slots.places[slot]!
    let bucket = this.#slots.hashes[slot]! & mask
    while (ints[bucketsAt + 2 * bucket + 1] !== place) bucket = (bucket + 1) & mask
    ints[bucketsAt + 2 * bucket + 1] = REMOVED
  }

  /** Words of the memory, in which entries are found by their places. */
  get words(): Int32Array {
    return this.ints
  }

  /** Writes into the entry of a slot what its counter is found by; -1 for none. */
  setCounter(slot: number, counter: number): void {
    this.ints[(this.#slots.places[slot]! + ENTRY.counter) >> 2] = counter
  }

  /** Has the lines of a key told one by one from now on. */
  stopGathering(slot: number): void {
    this.ints[(this.#slots.places[slot]! + ENTRY.lines) >> 2] = NOT_GATHERED
  }

  /** @returns whether more keys are in its way than chance explains */
  #insert(slot: number): boolean {
    const ints = this.ints
    const bucketsAt = this.#bucketsAt
    const mixed = this.#slots.hashes[slot]!
    let bucket = mixed & this.#mask
    let run = 0
    let same = 0
    for (; ints[bucketsAt + 2 * bucket + 1]! > 0; bucket = (bucket + 1) & this.#mask) {
      run++
      if (ints[bucketsAt + 2 * bucket] === mixed) same++
    }
    if (ints[bucketsAt + 2 * bucket + 1] === 0) this.#bucketsUsed++
    ints[bucketsAt + 2 * bucket] = mixed
    ints[bucketsAt + 2 * bucket + 1] = this.#slots.places[slot]!
    return run > RUN_LIMIT || same > SAME_LIMIT
  }

  /**
   * Hashes every key anew, under new secrets, and lays everything out by that.
   * @param move to another memory, done when nothing is read from this one any more
   */
  #rehash(move?: () => void): void {
    const secrets = createWordSecrets()
    this.#secrets = secrets
    const { count, places, hashes } = this.#slots
    for (let slot = 0; slot < count; slot++) {
      const place = places[slot]!
      if (place === 0) continue
      const bytes = this.#keyAt(place)
      const type = this.ints[(place + ENTRY.head) >> 2]! & 0xff
      hashes[slot] = mixType(hashWords(bytes, 0, bytes.length, secrets), type)
    }
    this.#layOut(this.#mask + 1, this.#entryRoom(0), move)
  }

  /** Computes bytes of room for the entries that are there and more: a quarter is free. */
  #entryRoom(more: number): number {
    let bytes = FIRST_ENTRY_BYTES
    while ((this.#bytesLive + more) * 4 > bytes * 3) bytes *= 2
    return bytes
  }

  /** Makes room for one more bucket and an entry of this size: three quarters used is full. */
  #makeRoom(size: number): void {
    const hasEntry = this.#entriesEnd + size <= this.#entriesLimit
    const bucketCount = this.#mask + 1
    if (this.memory !== undefined) {
      if (this.#nextAt !== 0) this.#moveOn(MOVED_AT_ONCE)
      else if (this.#isCrowded) this.#beginNext()
      if (!hasEntry) this.#makeEntryRoom(size)
    } else if (!hasEntry || this.#bucketsUsed * 4 >= bucketCount * 3) {
      this.#layOut(this.#countNext(), this.#entryRoom(size))
    }
  }

  /** Whether more buckets are to be begun. */
  get #isCrowded(): boolean {
    return this.#bucketsUsed * 16 >= (this.#mask + 1) * 11
  }

  /** Counts the buckets that follow: as many, where those of removed keys suffice. */
  #countNext(): number {
    const { live } = this.#slots
    const bucketCount = this.#mask + 1
    return live * 2 >= bucketCount ? 2 * bucketCount : bucketCount
  }

  /** Takes other room for entries, in a memory that grows; or gathers them, where half are gone. */
  #makeEntryRoom(size: number): void {
    if (this.#bytesUsed >= FIRST_ENTRY_BYTES && this.#bytesLive * 2 < this.#bytesUsed) {
      const bucketCount = this.#isCrowded ? this.#countNext() : this.#mask + 1
      this.#layOut(bucketCount, this.#entryRoom(size))
      return
    }
    const number = this.#rooms.findIndex(({ bytes }) => bytes >= size)
    if (number >= 0) {
      const [{ at, bytes }] = this.#rooms.splice(number, 1) as [Room]
      this.#entriesEnd = at
      this.#entriesLimit = at + bytes
      return
    }
    if (this.#entriesLimit !== this.top) this.#entriesEnd = this.top
    this.take(lineFrom(Math.max(size, FIRST_ENTRY_BYTES, this.#bytesUsed >>> 4)))
    this.#entriesLimit = this.top
  }

  /** Begins the buckets that are to be next; they are empty. */
  #beginNext(): void {
    const bucketCount = this.#countNext()
    const at = this.top
    this.takeEmpty(bucketCount * 8)
    this.#nextAt = at >> 2
    this.#nextMask = bucketCount - 1
    this.#nextUsed = 0
    this.#nextSlot = 0
  }

  /** Moves keys on to the next buckets, and looks there from now on if these were the last ones. */
  #moveOn(count: number): void {
    const end = Math.min(this.#slots.count, this.#nextSlot + count)
    while (this.#nextSlot < end) {
      const slot = this.#nextSlot++
      if (this.#slots.places[slot] !== 0) this.#insertNext(slot)
    }
    if (end < this.#slots.count) return
    this.#rooms.push({ at: this.#bucketsAt * 4, bytes: (this.#mask + 1) * 8 })
    this.#bucketsAt = this.#nextAt
    this.#mask = this.#nextMask
    this.#bucketsUsed = this.#nextUsed
    this.#forgetNext()
    this.#writeHead()
  }

  #forgetNext(): void {
    this.#nextAt = 0
    this.#nextSlot = 0
  }

  #insertNext(slot: number): void {
    const ints = this.ints
    const at = this.#nextAt
    const mask = this.#nextMask
    const mixed = this.#slots.hashes[slot]!
    let bucket = mixed & mask
    while (ints[at + 2 * bucket + 1]! > 0) bucket = (bucket + 1) & mask
    if (ints[at + 2 * bucket + 1] === 0) this.#nextUsed++
    ints[at + 2 * bucket] = mixed
    ints[at + 2 * bucket + 1] = this.#slots.places[slot]!
  }

  /**
   * Lays everything out anew, without what was removed.
   * @param move to another memory, before anything is written
   * @throws {RangeError} where no memory is left
   */
  #layOut(bucketCount: number, entryBytes: number, move?: () => void): void {
    const { count, places } = this.#slots
    const live = this.#copyLive()
    move?.()
    const bytes = bucketCount * 8 + entryBytes
    if (this.memory === undefined && bytes > SMALL_BYTES) this.memory = createMemory(bytes)
    const entriesAt = this.startAt + bucketCount * 8
    this.top = this.startAt
    this.take(bytes)
    this.ints.set(live, entriesAt >> 2)
    let end = entriesAt
    for (let slot = 0; slot < count; slot++) {
      if (places[slot] === 0) continue
      places[slot] = end
      end += entrySize(this.#lengthAt(end))
    }
    this.#bucketsAt = this.startAt >> 2
    this.#mask = bucketCount - 1
    this.#entriesEnd = end
    this.#entriesLimit = this.top
    this.#bytesUsed = this.#bytesLive
    this.#rooms = []
    this.#forgetNext()
    this.#fillBuckets()
    this.#writeHead()
    if (this.#headAt >= 0) {
      this.ints.set(this.#secrets!.subarray(0, KEY_SECRETS), (this.#headAt >> 2) + KEY_HEAD_WORDS)
    }
  }

  /** Enters all keys into empty buckets. */
  #fillBuckets(): void {
    const ints = this.ints
    const { count, places, hashes } = this.#slots
    const bucketsAt = this.#bucketsAt
    const mask = this.#mask
    ints.fill(0, bucketsAt, bucketsAt + 2 * (mask + 1))
    let used = 0
    for (let slot = 0; slot < count; slot++) {
      const place = places[slot]!
      if (place === 0) continue
      const mixed = hashes[slot]!
      let bucket = mixed & mask
      while (ints[bucketsAt + 2 * bucket + 1] !== 0) bucket = (bucket + 1) & mask
      ints[bucketsAt + 2 * bucket] = mixed
      ints[bucketsAt + 2 * bucket + 1] = place
      used++
    }
    this.#bucketsUsed = used
  }

  /** Copies the entries of keys that are there, in the order of their slots. */
  #copyLive(): Int32Array {
    const ints = this.ints
    const live = new Int32Array(this.#bytesLive >> 2)
    let used = 0
    const { count, places } = this.#slots
    for (let slot = 0; slot < count; slot++) {
      const place = places[slot]!
      if (place === 0) continue
      // in a loop: a view of each would cost more than its words
      const end = (place + entrySize(this.#lengthAt(place))) >> 2
      for (let at = place >> 2; at < end; at++) live[used++] = ints[at]!
    }
    return live
  }

  /** Tells a codec where the buckets are. */
  #writeHead(): void {
    if (this.#headAt < 0) return
    const at = this.#headAt >> 2
    this.ints[at] = this.#bucketsAt * 4
    this.ints[at + 1] = this.#mask
  }
}

/** Rounds up to a line of 64 bytes, which is what a processor reads at once. */
function lineFrom(bytes: number): number {
  return (bytes + 63) & ~63
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
}
