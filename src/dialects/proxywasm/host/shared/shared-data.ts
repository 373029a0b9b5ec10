/**
 * What the instances of one filter share: values by key and queues (ABI, "Shared key-value store"
 * and "Shared queues"), in memory that all of its threads see. Every operation is done under one
 * lock, in microseconds.
 *
 *   header  [lock:i32][turn:i32][half:u32][used:2 x u32][entries:u32]
 *          [retired:u32][last:u32] room
 *   half    entries in order, two halves of 1 MiB: what lives moves from a full one to the other
 *   entry   [words:u32][state:u32][kind:u32][number:u32][key bytes:u32][value bytes:u32] key, value
 *
 * A thread may be ended in the midst of an operation. So each is one store in the end: an entry
 * counts once `used` is behind it, the last one of a key stands for it, `half` moves all at once.
 * The entry's number is the cas of a value, and the id of a queue.
 */
import { threadId } from 'node:worker_threads'

/** Bytes of all keys and values, with 24 for each entry. */
export const SHARED_BYTES = 1_048_576
/** Values, queues and what waits in them. */
const SHARED_ENTRIES = 4_096

const LOCK = 0
const TURN = 1
const HALF = 2
/** Two of them, one for each half. */
const USED = 3
const ENTRIES = 5
const RETIRED = 6
const LAST = 7
const HEADER_INTS = 16
const HALF_INTS = SHARED_BYTES / 4

const STATE = 1
const KIND = 2
const NUMBER = 3
const KEY_BYTES = 4
const VALUE_BYTES = 5
const ENTRY_INTS = 6

const ALIVE = 1
const GONE = 0
const VALUE = 1
const QUEUE = 2
const ITEM = 3

const FREE = 0
/** Time after which a thread that waits for the lock gives up, ms. */
const LOCK_MS = 500
/** Retired entries that are borne with before the halves change. */
const RETIRED_LIMIT = 256

const NO_BYTES = new Uint8Array(0)

export interface SharedValue {
  readonly value: Uint8Array
  readonly cas: number
}

/** Reason why something was not taken. `busy` = the lock could not be had. */
export type SharedRefusal = 'full' | 'busy' | 'cas_mismatch' | 'missing' | 'empty'

export class SharedData {
  /** Memory to hand to another thread. */
  readonly shared: SharedArrayBuffer
  readonly #ints: Int32Array
  readonly #bytes: Uint8Array

  /** @param shared of the data to go on with; new and empty ones without it */
  constructor(shared?: SharedArrayBuffer) {
    this.shared = shared ?? new SharedArrayBuffer((HEADER_INTS + 2 * HALF_INTS) * 4)
    this.#ints = new Int32Array(this.shared)
    this.#bytes = new Uint8Array(this.shared)
  }

  get(key: Uint8Array): SharedValue | SharedRefusal {
    return this.#exclusively(() => {
      const at = this.#find(VALUE, key)
      if (at < 0) return 'missing'
      return { value: this.#valueAt(at), cas: this.#ints[at + NUMBER]! >>> 0 }
    })
  }

  /** @param cas number that the present value must have; 0 = any, as for a key without a value */
  set(key: Uint8Array, value: Uint8Array, cas: number): SharedRefusal | undefined {
    return this.#exclusively(() => {
      const at = this.#find(VALUE, key)
      if (at >= 0 && cas !== 0 && this.#ints[at + NUMBER]! >>> 0 !== cas) return 'cas_mismatch'
      if (!this.#append(VALUE, this.#next(), key, value, at)) return 'full'
      return undefined
    })
  }

  /** Gives the id of a queue of this name, which is made if there is none. */
  register(name: Uint8Array): number | SharedRefusal {
    return this.#exclusively(() => {
      const at = this.#find(QUEUE, name)
      if (at >= 0) return this.#ints[at + NUMBER]! >>> 0
      const id = this.#next()
      return this.#append(QUEUE, id, name, NO_BYTES) ? id : 'full'
    })
  }

  resolve(name: Uint8Array): number | SharedRefusal {
    return this.#exclusively(() => {
      const at = this.#find(QUEUE, name)
      return at < 0 ? 'missing' : this.#ints[at + NUMBER]! >>> 0
    })
  }

  enqueue(queue: number, value: Uint8Array): SharedRefusal | undefined {
    const refusal = this.#exclusively(() => {
      if (!this.#hasQueue(queue)) return 'missing'
      return this.#append(ITEM, queue, NO_BYTES, value) ? undefined : 'full'
    })
    if (refusal === undefined) this.wake()
    return refusal
  }

  dequeue(queue: number): Uint8Array | SharedRefusal {
    return this.#exclusively(() => {
      for (const at of this.#alive(ITEM)) {
        if (this.#ints[at + NUMBER]! >>> 0 !== queue) continue
        const value = this.#valueAt(at)
        this.#retire(at)
        return value
      }
      return this.#hasQueue(queue) ? 'empty' : 'missing'
    })
  }

  /** Counts what waits in a queue. */
  waiting(queue: number): number {
    const counted = this.#exclusively(() => {
      let count = 0
      for (const at of this.#alive(ITEM)) {
        if (this.#ints[at + NUMBER]! >>> 0 === queue) count++
      }
      return count
    })
    return typeof counted === 'number' ? counted : 0
  }

  /** Number that changes with everything that is put into a queue. */
  get turn(): number {
    return Atomics.load(this.#ints, TURN)
  }

  /** Waits for another turn than the one given, without holding up the thread. */
  async nextTurn(turn: number): Promise<void> {
    await Atomics.waitAsync(this.#ints, TURN, turn).value
  }

  /** Begins a turn. */
  wake(): void {
    Atomics.add(this.#ints, TURN, 1)
    Atomics.notify(this.#ints, TURN)
  }

  /** Frees the lock, should a thread that is gone have held it. */
  releaseOf(thread: number): void {
    if (Atomics.compareExchange(this.#ints, LOCK, thread + 1, FREE) === thread + 1) {
      Atomics.notify(this.#ints, LOCK, 1)
    }
  }

  #exclusively<T>(run: () => T): T | 'busy' {
    if (!this.#take()) return 'busy'
    try {
      return run()
    } finally {
      Atomics.store(this.#ints, LOCK, FREE)
      Atomics.notify(this.#ints, LOCK, 1)
    }
  }

  #take(): boolean {
    const mine = threadId + 1
    const until = performance.now() + LOCK_MS
    for (;;) {
      const holder = Atomics.compareExchange(this.#ints, LOCK, FREE, mine)
      if (holder === FREE) return true
      const leftMs = until - performance.now()
      if (leftMs <= 0) return false
      Atomics.wait(this.#ints, LOCK, holder, leftMs)
    }
  }

  /** Gives a number that no value and no queue has had; never 0. */
  #next(): number {
    const next = (this.#ints[LAST]! + 1) >>> 0 || 1
    this.#ints[LAST] = next
    return next
  }

  get #start(): number {
    return startOf(this.#ints[HALF]!)
  }

  get #end(): number {
    return this.#start + this.#ints[USED + this.#ints[HALF]!]!
  }

  /** Walks the entries of a kind that are there, oldest first. */
  *#alive(kind: number): Generator<number> {
    const ints = this.#ints
    const end = this.#end
    for (let at = this.#start; at < end; at += ints[at]!) {
      if (ints[at + STATE] === ALIVE && ints[at + KIND] === kind) yield at
    }
  }

  /** Finds the last entry of a key: an older one is there where a thread was ended too early. */
  #find(kind: number, key: Uint8Array): number {
    let found = -1
    for (const at of this.#alive(kind)) if (this.#hasKey(at, key)) found = at
    return found
  }

  #hasQueue(queue: number): boolean {
    for (const at of this.#alive(QUEUE)) if (this.#ints[at + NUMBER]! >>> 0 === queue) return true
    return false
  }

  #hasKey(at: number, key: Uint8Array): boolean {
    if (this.#ints[at + KEY_BYTES] !== key.length) return false
    const from = (at + ENTRY_INTS) * 4
    for (let i = 0; i < key.length; i++) if (this.#bytes[from + i] !== key[i]) return false
    return true
  }

  #valueAt(at: number): Uint8Array {
    const from = (at + ENTRY_INTS) * 4 + this.#ints[at + KEY_BYTES]!
    return this.#bytes.slice(from, from + this.#ints[at + VALUE_BYTES]!)
  }

  #retire(at: number): void {
    this.#ints[at + STATE] = GONE
    this.#ints[ENTRIES]!--
    this.#ints[RETIRED]!++
  }

  /**
   * Writes an entry, and retires the one that it takes the place of.
   * @returns false where there is no room for it
   */
  #append(kind: number, number: number, key: Uint8Array, value: Uint8Array, old = -1): boolean {
    const ints = this.#ints
    const words = ENTRY_INTS + Math.ceil((key.length + value.length) / 4)
    if (old < 0 && ints[ENTRIES]! >= SHARED_ENTRIES) return false
    const isCrowded = ints[RETIRED]! > Math.max(RETIRED_LIMIT, ints[ENTRIES]!)
    const half = ints[HALF]!
    const isMoved = isCrowded || ints[USED + half]! + words > HALF_INTS
    if (isMoved && this.#aliveWords() - (old < 0 ? 0 : ints[old]!) + words > HALF_INTS) return false
    const target = isMoved ? 1 - half : half
    const used = isMoved ? this.#copy(target, old) : ints[USED + half]!
    const at = startOf(target) + used
    ints.set([words, ALIVE, kind, number, key.length, value.length], at)
    this.#bytes.set(key, (at + ENTRY_INTS) * 4)
    this.#bytes.set(value, (at + ENTRY_INTS) * 4 + key.length)
    Atomics.store(ints, USED + target, used + words)
    Atomics.store(ints, HALF, target)
    if (isMoved) ints[RETIRED] = 0
    else if (old >= 0) this.#retire(old)
    if (old < 0 || !isMoved) ints[ENTRIES]!++
    return true
  }

  #aliveWords(): number {
    const ints = this.#ints
    const end = this.#end
    let words = 0
    for (let at = this.#start; at < end; at += ints[at]!) {
      if (ints[at + STATE] === ALIVE) words += ints[at]!
    }
    return words
  }

  /**
   * Copies what lives to the other half, but for one entry.
   * @returns the words that it takes there
   */
  #copy(half: number, except: number): number {
    const ints = this.#ints
    const end = this.#end
    let used = 0
    for (let at = this.#start; at < end; at += ints[at]!) {
      if (ints[at + STATE] !== ALIVE || at === except) continue
      ints.copyWithin(startOf(half) + used, at, at + ints[at]!)
      used += ints[at]!
    }
    return used
  }
}

function startOf(half: number): number {
  return HEADER_INTS + half * HALF_INTS
}
