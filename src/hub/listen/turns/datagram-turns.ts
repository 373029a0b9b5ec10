/**
 * How long the datagrams of one socket may keep the event loop, and whose they are. The socket is
 * held back when a turn is over: what comes meanwhile waits in the kernel. A datagram that takes
 * longer than a turn has (a hundred bytes of gzip may be a hundred thousand lines) waits aside, and
 * behind it all others of its address; the rest of the socket is read on. Those that wait have half
 * of every turn, their addresses by turns.
 *
 * What waits is bounded; what is beyond that is dropped, and counted. Where the socket can't be
 * held back, datagrams that come behind the end of a turn wait likewise.
 */
import type { Rest } from '../../../dialects/endpoints.ts'
import { networkOf } from '../../../peers/network.ts'
import type { Budget } from '../../../time/budget.ts'
import type { Clock } from '../../../time/clock.ts'
import { LOOP_BUDGET_NS } from '../../tasks/loop-budget.ts'

/** Bytes of datagrams that may wait, in all and of one address. */
const WAITING_BYTES_LIMIT = 4_194_304
const WAITING_BYTES_LIMIT_PER_ADDRESS = 1_048_576
/** Bytes of unpacked ones from which on no further one is begun. */
const BEGUN_BYTES_LIMIT = 4_194_304
/** No datagram is longer: what is, has been unpacked. */
const DATAGRAM_BYTES_MAX = 65_535
/** Bytes that one takes beside its own, about. */
const ENTRY_BYTES = 256
/**
 * Bytes between two looks at the clock, for each datagram so many more: 120 of one line, or bad
 * lines for some 3 ms.
 */
const LOOK_BYTES = 65_536
const LOOK_BYTES_EACH = 512
/** Part of a turn that is for what has waited. */
const WAITING_BUDGET_NS = LOOP_BUDGET_NS / 2n

/** Reasons why a datagram was dropped. */
type DropReason = 'waiting_bytes' | 'waiting_bytes_per_address'

interface DatagramParts {
  /** Takes a datagram; what the turn has no time for is returned. */
  take(bytes: Uint8Array, address: string, port: number, budget: Budget): Rest | undefined
  /** Has the socket wait, as far as it can, until it is released. */
  hold(): void
  release(): void
  drop(reason: DropReason): void
}

/** Datagram that waits: a copy of its bytes, or the rest of it. */
interface Waiting {
  readonly bytes: Uint8Array
  readonly address: string
  readonly port: number
  rest: Rest | undefined
}

interface AddressQueue {
  readonly network: string
  readonly datagrams: Waiting[]
  bytes: number
  spentNs: bigint
}

const NOTHING = new Uint8Array(0)

export class DatagramTurns implements Budget {
  readonly #clock: Pick<Clock, 'monotonicNs'>
  readonly #parts: DatagramParts
  /** Queues of the addresses of which anything waits, the one that is served next first. */
  readonly #queues = new Map<string, AddressQueue>()
  #bytes = 0
  /** Bytes of those that have been unpacked. */
  #begunBytes = 0
  #hasBegun = false
  #beganNs = 0n
  /** Whether the time runs from the next look on: what the thread was kept from is not spent. */
  #isFresh = false
  #budgetNs = LOOP_BUDGET_NS
  /** Whether the turn at hand is known to be over. */
  #isSpent = false
  #isHeld = false
  #lookBytes = 0
  /** Whether nothing may be begun that might have to be unpacked. */
  #isFull = false
  #isStopped = false

  constructor(clock: Pick<Clock, 'monotonicNs'>, parts: DatagramParts) {
    this.#clock = clock
    this.#parts = parts
  }

  get isSpent(): boolean {
    this.#begin()
    if (!this.#isSpent) {
      const nowNs = this.#clock.monotonicNs()
      if (this.#isFresh) this.#beganNs = nowNs
      this.#isFresh = false
      this.#isSpent = nowNs - this.#beganNs >= this.#budgetNs
    }
    return this.#isSpent || this.#isFull
  }

  /** Bytes that wait, those of unpacked datagrams included. */
  get bytesWaiting(): number {
    return this.#bytes + this.#begunBytes
  }

  /** Whether datagrams of any address have to wait for others of the same one. */
  get hasWaiting(): boolean {
    return this.#queues.size > 0
  }

  /** Tells whether datagrams of an address have to wait for others of it. */
  isBehind(address: string): boolean {
    return this.#queues.size > 0 && this.#queues.has(networkOf(address))
  }

  /** Takes a datagram, or has it wait; `bytes` is valid only during the call. */
  receive(bytes: Uint8Array, address: string, port: number): void {
    if (this.#isSpent || this.isBehind(address)) {
      this.#wait(bytes, address, port)
      return
    }
    this.#isFull = this.#begunBytes > BEGUN_BYTES_LIMIT
    const rest = this.#parts.take(bytes, address, port, this)
    this.#isFull = false
    if (rest?.hasRest === true) this.#setAside(rest, address, port)
    this.#lookBytes += bytes.length + LOOK_BYTES_EACH
    if (this.#lookBytes >= LOOK_BYTES) {
      this.#lookBytes = 0
      if (this.isSpent) this.#hold()
    } else if (this.#isSpent) this.#hold()
  }

  /** Forgets what waits. */
  stop(): void {
    this.#isStopped = true
    this.#queues.clear()
    this.#bytes = 0
    this.#begunBytes = 0
  }

  #begin(): void {
    if (this.#hasBegun) return
    this.#hasBegun = true
    this.#beganNs = this.#clock.monotonicNs()
    setImmediate(() => this.#beginNext())
  }

  #hold(): void {
    if (this.#isHeld) return
    this.#isHeld = true
    this.#parts.hold()
  }

  #beginNext(): void {
    this.#hasBegun = false
    this.#isSpent = false
    this.#lookBytes = 0
    this.#budgetNs = LOOP_BUDGET_NS
    if (this.#isStopped) return
    if (this.#queues.size > 0) this.#serve()
    if (!this.#isHeld) return
    this.#isHeld = false
    this.#parts.release()
  }

  #queueOf(address: string): AddressQueue {
    const network = networkOf(address)
    const known = this.#queues.get(network)
    if (known !== undefined) return known
    const queue = { network, datagrams: [], bytes: 0, spentNs: 0n }
    this.#queues.set(network, queue)
    this.#begin()
    return queue
  }

  #wait(bytes: Uint8Array, address: string, port: number): void {
    const size = bytes.length + ENTRY_BYTES
    if (this.#bytes + size > WAITING_BYTES_LIMIT) {
      this.#parts.drop('waiting_bytes')
      return
    }
    const queue = this.#queueOf(address)
    if (queue.bytes + size > WAITING_BYTES_LIMIT_PER_ADDRESS) {
      this.#parts.drop('waiting_bytes_per_address')
      return
    }
    const waiting = { bytes: new Uint8Array(bytes), address, port, rest: undefined }
    queue.datagrams.push(waiting)
    this.#account(queue, size)
  }

  #setAside(rest: Rest, address: string, port: number): void {
    const queue = this.#queueOf(address)
    queue.datagrams.push({ bytes: NOTHING, address, port, rest })
    this.#account(queue, ENTRY_BYTES)
    this.#begunBytes += begunBytesOf(rest)
  }

  #account(queue: AddressQueue, bytes: number): void {
    queue.bytes += bytes
    this.#bytes += bytes
  }

  /** Takes what waits: of one address after the other, each for as long as the others have had. */
  #serve(): void {
    this.#begin()
    this.#budgetNs = WAITING_BUDGET_NS
    while (!this.#isStopped && this.#queues.size > 0 && !this.isSpent) {
      const queue: AddressQueue = this.#queues.values().next().value!
      this.#serveQueue(queue)
      // the next one is another one's, unless there is none
      this.#queues.delete(queue.network)
      if (queue.datagrams.length > 0) this.#queues.set(queue.network, queue)
    }
    // the other half is for what comes, however long others kept this thread from it meanwhile
    this.#budgetNs = LOOP_BUDGET_NS - WAITING_BUDGET_NS
    this.#isFresh = true
    this.#isSpent = false
  }

  #serveQueue(queue: AddressQueue): void {
    const { datagrams } = queue
    while (datagrams.length > 0 && queue.spentNs < WAITING_BUDGET_NS && !this.isSpent) {
      const beganNs = this.#clock.monotonicNs()
      const waiting = datagrams[0]!
      const hasGoneOn = this.#goOn(waiting)
      if (waiting.rest?.hasRest !== true) {
        datagrams.shift()
        this.#account(queue, -waiting.bytes.length - ENTRY_BYTES)
      }
      queue.spentNs += this.#clock.monotonicNs() - beganNs
      if (!hasGoneOn) return
    }
    if (queue.spentNs >= WAITING_BUDGET_NS) queue.spentNs -= WAITING_BUDGET_NS
  }

  /** @returns false where it has to wait until others are done */
  #goOn(waiting: Waiting): boolean {
    const { rest, bytes, address, port } = waiting
    const before = rest === undefined ? 0 : begunBytesOf(rest)
    this.#isFull = before === 0 && this.#begunBytes > BEGUN_BYTES_LIMIT
    const isFull = this.#isFull
    if (rest === undefined) waiting.rest = this.#parts.take(bytes, address, port, this)
    else rest.goOn()
    this.#isFull = false
    this.#begunBytes += (waiting.rest === undefined ? 0 : begunBytesOf(waiting.rest)) - before
    return !isFull || waiting.rest?.hasRest !== true
  }
}

/** Gives the bytes of a rest that has been unpacked; 0 for another one. */
function begunBytesOf({ hasRest, bytesHeld }: Rest): number {
  return hasRest && bytesHeld > DATAGRAM_BYTES_MAX ? bytesHeld : 0
}
