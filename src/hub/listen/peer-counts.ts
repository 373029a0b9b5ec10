/**
 * What the peers of a hub hold, over all its ports and threads: connections and unfinished bytes,
 * in all and by peer address. One piece of shared memory, in which every thread changes the sums
 * and beside them a row of its own; when a thread ends, its row is taken off the sums.
 *
 *   header, 256 B        [key: 2 x i32][pages in all][overloaded][connections in all]
 *                        from word 8 on, by reason: [closed][told][told at, s]
 *   by address           4096 x [connections: i32][pages: i32][connections of each of 6 ports that
 *                        ingest threads bind together: i32]
 *   row of each thread   the same, as far as it is its own
 *
 * Addresses that fall on the same of the 4096 places share its limits. Which ones do depends on a
 * key that no peer knows.
 */
import { createHashKey, keyedHash } from '../../model/index.ts'
import { networkOf } from '../../peers/network.ts'

const HEADER_INTS = 64
const KEY = 0
const PAGES = 2
const OVERLOADED = 3
const CONNECTIONS = 4
const BY_REASON = 8
const INTS_PER_REASON = 3
/** Power of two. */
const ADDRESSES = 4096
const ADDRESS_INTS = 8
const CONNECTIONS_AT = 0
const PAGES_AT = 1
const PORTS_AT = 2
const ROW_INTS = ADDRESSES * ADDRESS_INTS
/** Unfinished bytes are counted in pages: what is below one is bounded by the connections. */
const PAGE_BITS = 12
const TOLD_PAUSE_S = 60

/** Reason why the listener itself closed a connection, or did not take it. */
export const CLOSE_REASONS = [
  'first_message_timeout',
  'message_timeout',
  'unfinished_bytes',
  'unfinished_bytes_per_address',
  'connections_limit',
  'connections_per_address',
  'made_room',
  'overloaded',
] as const

export type CloseReason = (typeof CLOSE_REASONS)[number]

export class PeerCounts {
  readonly shared: SharedArrayBuffer
  readonly #ints: Int32Array
  readonly #row: number
  readonly #port: number | undefined

  /**
   * @param thread index of the row of the calling thread
   * @param port index of the port whose connections are counted, where several threads have it
   */
  constructor(shared: SharedArrayBuffer, thread: number, port?: number) {
    this.shared = shared
    this.#ints = new Int32Array(shared)
    this.#row = rowOf(thread)
    this.#port = port
  }

  /** Makes the counts of a hub, and opens them for the first of its threads. */
  static create(threads: number): PeerCounts {
    const shared = new SharedArrayBuffer((HEADER_INTS + (1 + threads) * ROW_INTS) * 4)
    const counts = new PeerCounts(shared, 0)
    counts.#ints.set(createHashKey(), KEY)
    return counts
  }

  /** Converts bytes to pages, in which an amount is counted. */
  static pagesOf(bytes: number): number {
    return bytes >>> PAGE_BITS
  }

  /** Gives the place of an address, which shares it with its network, among the counts. */
  placeOf(address: string): number {
    const bytes = Buffer.from(networkOf(address), 'latin1')
    const key = [this.#ints[KEY]!, this.#ints[KEY + 1]!] as const
    return keyedHash(bytes, 0, bytes.length, key) & (ADDRESSES - 1)
  }

  /** Reads the number of connections of an address. */
  connections(place: number): number {
    return this.#read(place, CONNECTIONS_AT)
  }

  /** Whether other threads have connections of the port, too. */
  get isSpread(): boolean {
    return this.#port !== undefined
  }

  /** Reads the number of connections of an address to the port, in all threads that have it. */
  connectionsOfPort(place: number): number {
    return this.#read(place, PORTS_AT + this.#port!)
  }

  addConnection(place: number, count: 1 | -1): void {
    Atomics.add(this.#ints, CONNECTIONS, count)
    this.#add(place, CONNECTIONS_AT, count)
    if (this.#port !== undefined) this.#add(place, PORTS_AT + this.#port, count)
  }

  #read(place: number, what: number): number {
    return Atomics.load(this.#ints, HEADER_INTS + ADDRESS_INTS * place + what)
  }

  #add(place: number, what: number, count: number): void {
    const at = ADDRESS_INTS * place + what
    Atomics.add(this.#ints, HEADER_INTS + at, count)
    this.#ints[this.#row + at]! += count
  }

  /** Whether no further connection is taken: the hub is short of memory. */
  get isOverloaded(): boolean {
    return Atomics.load(this.#ints, OVERLOADED) !== 0
  }

  set isOverloaded(isOverloaded: boolean) {
    Atomics.store(this.#ints, OVERLOADED, isOverloaded ? 1 : 0)
  }

  /** Unfinished pages in all. */
  get pages(): number {
    return Atomics.load(this.#ints, PAGES)
  }

  /** Reads the number of unfinished pages of an address. */
  pagesAt(place: number): number {
    return this.#read(place, PAGES_AT)
  }

  addPages(place: number, count: number): void {
    Atomics.add(this.#ints, PAGES, count)
    this.#add(place, PAGES_AT, count)
  }

  /**
   * Finds the address with the most unfinished pages.
   * @param known one that it is, unless another has more
   */
  placeOfMostPages(known: number): number {
    let [found, most] = [known, this.pagesAt(known)]
    for (let place = 0; place < ADDRESSES; place++) {
      const pages = this.pagesAt(place)
      if (pages > most) [found, most] = [place, pages]
    }
    return found
  }

  /** Finds the largest counts of any address. */
  largest(): { readonly connections: number; readonly bytes: number } {
    let [connections, pages] = [0, 0]
    // a hub without connections has nothing to look through
    if (Atomics.load(this.#ints, CONNECTIONS) === 0 && this.pages === 0) {
      return { connections, bytes: 0 }
    }
    for (let place = 0; place < ADDRESSES; place++) {
      connections = Math.max(connections, this.connections(place))
      pages = Math.max(pages, this.pagesAt(place))
    }
    return { connections, bytes: pages * 2 ** PAGE_BITS }
  }

  /** Unfinished bytes in all. */
  get bytes(): number {
    return this.pages * 2 ** PAGE_BITS
  }

  /** Reads the number of connections closed for this reason. */
  closed(reason: CloseReason): number {
    return Atomics.load(this.#ints, reasonAt(reason))
  }

  addClosed(reason: CloseReason): void {
    Atomics.add(this.#ints, reasonAt(reason), 1)
  }

  /** Tells whether connections have been closed for this reason that no log line told of. */
  isUntold(reason: CloseReason): boolean {
    return this.closed(reason) !== Atomics.load(this.#ints, reasonAt(reason) + 1)
  }

  /**
   * Takes what one log line is to tell of, for all threads: at most one a minute for each reason.
   * @returns connections closed since the last one; 0 when nothing is to be told now
   */
  takeUntold(reason: CloseReason, nowNs: bigint): number {
    const at = reasonAt(reason)
    // never 0, which says that nothing has been told yet
    const now = 1 + Number(nowNs / 1_000_000_000n)
    const last = Atomics.load(this.#ints, at + 2)
    if (!this.isUntold(reason) || (last !== 0 && now - last < TOLD_PAUSE_S)) return 0
    if (Atomics.compareExchange(this.#ints, at + 2, last, now) !== last) return 0
    const closed = this.closed(reason)
    return closed - Atomics.exchange(this.#ints, at + 1, closed)
  }

  /**
   * Takes back what a thread held that has ended.
   * @returns its unfinished bytes
   */
  release(thread: number): number {
    const row = rowOf(thread)
    let [connections, pages] = [0, 0]
    for (let at = 0; at < ROW_INTS; at++) {
      const held = this.#ints[row + at]!
      if (held === 0) continue
      this.#ints[row + at] = 0
      Atomics.sub(this.#ints, HEADER_INTS + at, held)
      if (at % ADDRESS_INTS === CONNECTIONS_AT) connections += held
      if (at % ADDRESS_INTS === PAGES_AT) pages += held
    }
    Atomics.sub(this.#ints, CONNECTIONS, connections)
    Atomics.sub(this.#ints, PAGES, pages)
    return pages * 2 ** PAGE_BITS
  }
}

function rowOf(thread: number): number {
  return HEADER_INTS + (1 + thread) * ROW_INTS
}

function reasonAt(reason: CloseReason): number {
  return BY_REASON + CLOSE_REASONS.indexOf(reason) * INTS_PER_REASON
}
