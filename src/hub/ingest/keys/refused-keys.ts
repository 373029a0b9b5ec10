/**
 * Keys that a limit has refused, so that the next line of one costs what a line of a known key
 * does: a codec in WebAssembly finds and gathers both alike. How they lie in memory is in
 * src/arena/key-memory.ts.
 *
 * A refusal holds until a limit eases or its key is added. In the first case all tickets are drawn
 * anew, so that no entry of before holds any more; in the second the entries of that key leave,
 * found by the hash that the zone knows it by. So series of others that come don't touch refusals.
 *
 * Memory is a fixed number of bytes, whatever is sent: entries lie in a ring, the oldest makes
 * room. Where that one still holds, a new key gets its place only by chance, one time in 16: names
 * that come once each don't drive out those that come again and again.
 */
import {
  ENTRY,
  entrySize,
  KEY_HEAD,
  NOT_GATHERED,
  REFUSED_SETS,
  REFUSED_WAYS,
} from '../../../arena/key-memory.ts'
import { drawInts } from '../../../model/hash/chance.ts'
import type { Kind } from '../../../model/index.ts'
import type { LimitChanges, QuotaRefusal } from '../quota.ts'

const BUCKETS = REFUSED_SETS * REFUSED_WAYS
const SETS_BYTES = BUCKETS * 8
/** Room for 262,144 names of 33 bytes. */
const RING_BYTES = 16_777_216
/** Bytes behind the last entry: a key may be read by blocks of 16. */
const READ_AHEAD = 16
/** Size of sets and entries. */
export const REFUSED_BYTES = SETS_BYTES + RING_BYTES + READ_AHEAD
/** A longer entry is not remembered. */
const ENTRY_BYTES_MAX = 65_536
/** Sources with refusals of their own; further ones begin anew. */
const SOURCES_LIMIT = 4096
const TICKETS_LIMIT = 2 ** 30
/** One time in so many a new key takes the place of one that holds: a power of 2. */
const CHANCE = 16
const LISTS = 262_144
/** Answer where a key is not known as refused: slots of refused keys are less than 0. */
export const NOT_REFUSED = 0
/** Slots before that of the first bucket: -1 is no slot. */
const FIRST_SLOT = -2

/** Reason of a refusal, and what the value of such a line would have been. */
export interface Refusal {
  readonly code: QuotaRefusal
  readonly kind: Kind
  /** Whether it comes as readings or as windows of a histogram, of which nothing can go on. */
  readonly isCumulative: boolean
}

export class RefusedKeys {
  readonly #changes: LimitChanges
  /** Words of the memory; none before the first refusal, unless a codec has it, too. */
  #ints: Int32Array | undefined
  #bytes: Uint8Array = new Uint8Array(0)
  /** Word of the head where tickets are written for a codec, or -1. */
  #headAt = -1
  /** Bytes where the sets and the ring begin. */
  #setsAt = 0
  #ringAt = 0
  /** Places of the oldest entry and behind the newest; the same one = empty. */
  #first = 0
  #end = 0
  /** Place behind the last entry before the ring begins again. */
  #turn = 0
  readonly #tickets = new Map<string, number>()
  #ticket = 2
  /** First ticket that was drawn since a limit has eased. */
  #ticketOfAll = 1
  #ticketOfSource = 0
  #source = ''
  #easings: number
  #additions: number
  /** Keys that were refused since all have been forgotten. */
  #count = 0
  /** Kinds of refusals: as many as there are reasons and kinds of series. */
  readonly #refusals: Refusal[] = []
  #columns: Columns | undefined
  #chance = drawInts(1)[0]! | 1

  constructor(changes: LimitChanges) {
    this.#changes = changes
    this.#easings = changes.easings
    this.#additions = changes.additions
  }

  /** Bytes held, for the account of memory. */
  get bytes(): number {
    return this.#count === 0 ? 0 : SETS_BYTES + (this.#turn || this.#end) - this.#ringAt
  }

  /**
   * Moves into memory that a codec looks into, with nothing in it: zeros there, of
   * {@link REFUSED_BYTES}.
   * @param headAt byte of the head, where tickets are written from now on
   */
  share(memory: ArrayBufferLike, headAt: number, at: number): void {
    this.#headAt = headAt >> 2
    this.#lieAt(memory, at)
    this.forget()
    this.#ints![this.#headAt + KEY_HEAD.setsAt] = at
  }

  #lieAt(memory: ArrayBufferLike, at: number): void {
    this.#ints = new Int32Array(memory)
    this.#bytes = new Uint8Array(memory)
    this.#setsAt = at
    this.#ringAt = at + SETS_BYTES
    this.#first = this.#end = this.#ringAt
    this.#turn = 0
  }

  /** Says from whom the next keys are. */
  begin(source: string): void {
    this.#source = source
    if (this.#tickets.size === 0 && this.#ticketOfSource === 0) return
    this.#ticketOfSource = this.#tickets.get(source) ?? 0
    this.#tell()
  }

  #tell(): void {
    if (this.#headAt < 0) return
    this.#ints![this.#headAt + KEY_HEAD.ticketOfAll] = this.#ticketOfAll
    this.#ints![this.#headAt + KEY_HEAD.ticketOfSource] = this.#ticketOfSource
  }

  /** Forgets what may hold no more. */
  refresh(): void {
    const { easings, additions } = this.#changes
    if (easings !== this.#easings) {
      this.#easings = easings
      this.#additions = additions
      if (this.#count > 0) this.forget()
    } else if (additions !== this.#additions) this.#dropAdded(additions)
  }

  #dropAdded(additions: number): void {
    const changes = this.#changes
    const from = this.#additions
    this.#additions = additions
    if (this.#count === 0) return
    const { lists, next, hashes } = this.#columns!
    for (let i = from; i !== additions; i = (i + 1) | 0) {
      if (((additions - from) | 0) > changes.additionsKept) break
      const hash = changes.addedHash(i)
      for (let at = lists[hash & (LISTS - 1)]! - 1; at >= 0; at = next[at]! - 1) {
        if (hashes[at] === hash) this.#ints![this.#placeAt(at)] = 0
      }
    }
    // written over by now, or before
    if (((changes.additions - from) | 0) > changes.additionsKept) this.forget()
  }

  /** Forgets all keys: draws all tickets anew. */
  forget(): void {
    this.#count = 0
    this.#tickets.clear()
    this.#ticketOfSource = 0
    if (this.#ticket > TICKETS_LIMIT) this.#restart()
    this.#ticketOfAll = this.#ticket++
    this.#tell()
  }

  /** Begins anew with the first ticket. */
  #restart(): void {
    this.#ints?.fill(0, this.#setsAt >> 2, this.#ringAt >> 2)
    this.#ticket = 1
  }

  /**
   * Finds the slot of a key that is refused to the source at hand, or {@link NOT_REFUSED}.
   * @param mixed hash of key and type, by one function
   */
  find(bytes: Uint8Array, start: number, end: number, type: number, mixed: number): number {
    if (this.#count === 0) return NOT_REFUSED
    const ints = this.#ints!
    const head = ((end - start) << 8) | type
    const first = (mixed & (REFUSED_SETS - 1)) * REFUSED_WAYS
    for (let bucket = first; bucket < first + REFUSED_WAYS; bucket++) {
      const at = this.#placeAt(bucket)
      const place = ints[at]!
      if (place === 0 || ints[at - REFUSED_WAYS] !== mixed) continue
      if (ints[(place + ENTRY.head) >> 2] !== head) continue
      const ticket = ints[(place + ENTRY.counter) >> 2]!
      if (ticket !== this.#ticketOfAll && ticket !== this.#ticketOfSource) continue
      if (this.#isSame(place + ENTRY.key, bytes, start, end)) return FIRST_SLOT - bucket
    }
    return NOT_REFUSED
  }

  #isSame(place: number, bytes: Uint8Array, start: number, end: number): boolean {
    const own = this.#bytes
    for (let at = start; at < end; at++) if (own[place + at - start] !== bytes[at]) return false
    return true
  }

  /** Gives the refusal of a slot. */
  of(slot: number): Refusal {
    return this.#refusals[this.#columns!.refusals[FIRST_SLOT - slot]! - 1]!
  }

  /** Has the lines of a key told one by one from now on. */
  stopGathering(slot: number): void {
    const place = this.#ints![this.#placeAt(FIRST_SLOT - slot)]!
    this.#ints![(place + ENTRY.lines) >> 2] = NOT_GATHERED
  }

  /**
   * Remembers a key that was refused since the last {@link refresh}, and is not known as such.
   * @param mixed as of {@link find}
   * @param hash that the zone knows it by
   * @param ofAll true where it is refused to all sources
   * @returns its slot, or {@link NOT_REFUSED} where it is not remembered
   */
  add(
    bytes: Uint8Array,
    start: number,
    end: number,
    type: number,
    mixed: number,
    hash: number,
    refusal: Refusal,
    ofAll: boolean,
  ): number {
    const length = end - start
    const size = entrySize(length)
    if (size > ENTRY_BYTES_MAX) return NOT_REFUSED
    if (this.#ints === undefined) this.#lieAt(new ArrayBuffer(REFUSED_BYTES), 0)
    const columns = this.#columns ?? new Columns()
    this.#columns = columns
    const ticket = ofAll ? this.#ticketOfAll : this.#takeTicket()
    const mayEvict = this.#isLucky()
    const bucket = this.#bucketFor(mixed, mayEvict)
    const place = bucket < 0 ? 0 : this.#reserve(size, mayEvict)
    if (place === 0) return NOT_REFUSED
    const ints = this.#ints!
    this.#leave(bucket)
    ints[place >> 2] = FIRST_SLOT - bucket
    ints[(place + ENTRY.head) >> 2] = (length << 8) | type
    ints.fill(0, (place + ENTRY.lines) >> 2, (place + size) >> 2)
    ints[(place + ENTRY.counter) >> 2] = ticket
    for (let i = 0; i < length; i++) this.#bytes[place + ENTRY.key + i] = bytes[start + i]!
    const at = this.#placeAt(bucket)
    ints[at - REFUSED_WAYS] = mixed
    ints[at] = place
    columns.refusals[bucket] = this.#numberOf(refusal) + 1
    columns.hashes[bucket] = hash
    columns.next[bucket] = columns.lists[hash & (LISTS - 1)]!
    columns.lists[hash & (LISTS - 1)] = bucket + 1
    this.#count++
    return FIRST_SLOT - bucket
  }

  #takeTicket(): number {
    if (this.#ticketOfSource === 0) {
      if (this.#tickets.size >= SOURCES_LIMIT) this.forget()
      this.#ticketOfSource = this.#ticket++
      this.#tickets.set(this.#source, this.#ticketOfSource)
      this.#tell()
    }
    return this.#ticketOfSource
  }

  #isLucky(): boolean {
    let x = this.#chance
    x ^= x << 13
    x ^= x >>> 17
    x ^= x << 5
    this.#chance = x
    return (x & (CHANCE - 1)) === 0
  }

  /** Finds a bucket for a new key; -1 where all of its set hold and none may be taken. */
  #bucketFor(mixed: number, mayEvict: boolean): number {
    const first = (mixed & (REFUSED_SETS - 1)) * REFUSED_WAYS
    for (let bucket = first; bucket < first + REFUSED_WAYS; bucket++) {
      if (!this.#holds(this.#ints![this.#placeAt(bucket)]!)) return bucket
    }
    return mayEvict ? first + ((this.#chance >>> 8) & (REFUSED_WAYS - 1)) : -1
  }

  #holds(place: number): boolean {
    return place !== 0 && this.#ints![(place + ENTRY.counter) >> 2]! >= this.#ticketOfAll
  }

  /** Gives room in the ring; 0 where what lies there holds and may not leave. */
  #reserve(size: number, mayEvict: boolean): number {
    for (;;) {
      if (this.#turn !== 0) {
        if (this.#end + size <= this.#first) break
        if (!this.#evictFirst(mayEvict)) return 0
      } else {
        if (this.#end + size <= this.#ringAt + RING_BYTES) break
        this.#turn = this.#end
        this.#end = this.#ringAt
        this.#beginTurn()
      }
    }
    const place = this.#end
    this.#end += size
    return place
  }

  /** Takes the oldest entry out of the ring, if it may leave. */
  #evictFirst(mayEvict: boolean): boolean {
    const ints = this.#ints!
    const place = this.#first
    const bucket = FIRST_SLOT - ints[place >> 2]!
    if (ints[this.#placeAt(bucket)] === place) {
      if (!mayEvict && this.#holds(place)) return false
      this.#leave(bucket)
    }
    this.#first += entrySize(ints[(place + ENTRY.head) >> 2]! >>> 8)
    this.#beginTurn()
    return true
  }

  /** Goes on at the beginning of the ring where nothing is left before its turn. */
  #beginTurn(): void {
    if (this.#first !== this.#turn) return
    this.#first = this.#ringAt
    this.#turn = 0
  }

  /** Index of the word that says where a bucket's entry is. */
  #placeAt(bucket: number): number {
    const way = bucket & (REFUSED_WAYS - 1)
    return (this.#setsAt >> 2) + 2 * (bucket - way) + REFUSED_WAYS + way
  }

  /** Empties a bucket, and takes it out of the list that it is in. */
  #leave(bucket: number): void {
    const columns = this.#columns!
    this.#ints![this.#placeAt(bucket)] = 0
    if (columns.refusals[bucket] === 0) return
    columns.refusals[bucket] = 0
    const { next, lists } = columns
    const list = columns.hashes[bucket]! & (LISTS - 1)
    if (lists[list] === bucket + 1) lists[list] = next[bucket]!
    else {
      let before = lists[list]! - 1
      while (next[before] !== bucket + 1) before = next[before]! - 1
      next[before] = next[bucket]!
    }
  }

  #numberOf({ code, kind, isCumulative }: Refusal): number {
    const known = this.#refusals.findIndex(
      (each) => each.code === code && each.kind === kind && each.isCumulative === isCumulative,
    )
    return known >= 0 ? known : this.#refusals.push({ code, kind, isCumulative }) - 1
  }
}

/** Columns of refused keys by their buckets; numbers from 1 on, 0 = none. */
class Columns {
  /** Refusals, as numbers. */
  readonly refusals = new Uint8Array(BUCKETS)
  /** Hashes that the zone knows the keys by. */
  readonly hashes = new Int32Array(BUCKETS)
  /** Lists of the buckets whose hashes end alike, and which comes next in them. */
  readonly lists = new Int32Array(LISTS)
  readonly next = new Int32Array(BUCKETS)
}
