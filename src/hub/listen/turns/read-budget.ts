/**
 * How long the connections of one port may keep the event loop, and whose they are. Workers whose
 * windows end together send together, and one turn of the loop reads from all of them; without a
 * bound it would last until the last one is taken in. Past the budget every connection is paused
 * until the next turn, so that a second is closed and a page answered in between; TCP holds back
 * the senders. A connection whose dialect is not known yet is read all the same: its silence means
 * something.
 *
 * What a read takes is charged to its address. An address that has had a whole budget waits until
 * all others that want to have had theirs: so others wait for one budget of it, however many
 * connections it has and whatever they send. Where what one read brought takes longer (a hundred
 * bytes of gzip may be a hundred thousand lines), the rest of it waits as well, in front of
 * everything else of its address.
 */
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { PartedReading, SharedReads } from '../../../dialects/endpoints.ts'
import { networkOf } from '../../../peers/network.ts'
import type { Clock } from '../../../time/clock.ts'
import { LOOP_BUDGET_NS, LoopBudget, type NextLoop } from '../../tasks/loop-budget.ts'

/** Connections of one address, and what they have taken. */
class AddressShare<T extends Readable = Readable> {
  readonly address: string
  /** The one that was read last comes last, and waits longest when the budget is short. */
  readonly readers = new Set<Reader<T>>()
  /** Readers whose last read is not done; at most one, but for reads before they were known. */
  readonly behind = new Set<Reader<T>>()
  /** Arrivals, at most as many as there may be connections. */
  readonly arrivals: (() => void)[] = []
  waiting = new Set<Reader<T>>()
  /** Whether its turn at hand began with arrivals. */
  isForArrivals = false
  spentNs = 0n

  constructor(address: string) {
    this.address = address
  }

  get isWaiting(): boolean {
    return this.waiting.size > 0 || this.behind.size > 0 || this.arrivals.length > 0
  }
}

/** One connection that has been taken over. */
interface Reader<T extends Readable = Readable> {
  readonly stream: T
  share: AddressShare<T>
  progress: Partial<PartedReading> | undefined
  /** Whether it was read since it was resumed. */
  wasRead: boolean
}

export class ReadBudget<T extends Readable = Socket> implements SharedReads {
  /** Budget of reads. When it is over, one more part of a read is under way: some ms. */
  readonly #budget: LoopBudget
  readonly #clock: Clock
  readonly #onTaken: (stream: T) => void
  readonly #nextTurn: NextLoop
  #hasBegun = false
  /** Shares of addresses that have connections, or have taken time in this round. */
  readonly #shares = new Map<string, AddressShare<T>>()
  /** Those that have taken time in this round. */
  readonly #charged = new Set<AddressShare<T>>()
  readonly #readers = new WeakMap<T, Reader<T>>()
  #beganNs = 0n
  /** Whether anything may wait. */
  #hasWaiting = false

  /**
   * @param onTaken called when more of what a connection had sent was taken than by its reads
   * @param nextTurn calls back when a turn may follow one whose budget was spent; in the next
   * iteration of the event loop unless given
   */
  constructor(
    clock: Clock,
    onTaken: (stream: T) => void = () => {},
    nextTurn: NextLoop = (callback) => callback(),
  ) {
    this.#clock = clock
    this.#budget = new LoopBudget(clock, { budgetNs: LOOP_BUDGET_NS })
    this.#onTaken = onTaken
    this.#nextTurn = nextTurn
  }

  get isSpent(): boolean {
    this.#begin()
    return this.#isSpent
  }

  /** Tells whether more of a stream may be taken in this turn, which has time for its address. */
  mayTake(stream: T): boolean {
    const reader = this.#readers.get(stream)
    return !this.isSpent && (reader === undefined || isEntitled(reader.share))
  }

  /**
   * Lets a new connection be taken over, as soon as a turn has time for what it has said first.
   * @param takeOver gives what its server knows of it; null where it is not taken over any more
   */
  admit(socket: T & Socket, takeOver: () => Partial<PartedReading> | undefined | null): void {
    this.share(socket, networkOf(socket.remoteAddress ?? ''), takeOver)
  }

  /** Does the same for any stream, whose time is charged to this address. */
  share(
    stream: T,
    address: string,
    takeOver: () => Partial<PartedReading> | undefined | null,
  ): void {
    const share = this.#shareOf(address)
    // one that a server has passed on has no reader until then
    const known = this.#readers.get(stream)
    if (known !== undefined) forget(known)
    share.arrivals.push(() => {
      if (stream.destroyed) return
      const reader = known ?? this.#watch(stream, share)
      reader.share = share
      const beganNs = this.#clock.monotonicNs()
      const progress = takeOver()
      this.#charge(share, beganNs)
      if (progress === null) {
        if (known === undefined) this.#readers.delete(stream)
        return
      }
      reader.progress = progress
      share.readers.add(reader)
      if (known === undefined) this.#listen(reader)
      this.#keepBehind(reader)
    })
    const mayGoOn = !this.#isSpent && isEntitled(share)
    this.#begin()
    if (mayGoOn) this.#admitNext(share)
    if (share.arrivals.length > 0) this.#hasWaiting = true
    if (this.#isSpent) this.#pause()
    this.#leaveIfEmpty(share)
  }

  #shareOf(address: string): AddressShare<T> {
    const known = this.#shares.get(address)
    if (known !== undefined) return known
    const share = new AddressShare<T>(address)
    this.#shares.set(address, share)
    return share
  }

  #watch(stream: T, share: AddressShare<T>): Reader<T> {
    const reader: Reader<T> = { stream, share, progress: undefined, wasRead: false }
    this.#readers.set(stream, reader)
    stream.once('close', () => {
      forget(reader)
      this.#leaveIfEmpty(reader.share)
    })
    return reader
  }

  #listen(reader: Reader<T>): void {
    const { stream } = reader
    stream.prependListener('data', () => {
      this.#begin()
      this.#beganNs = this.#clock.monotonicNs()
    })
    stream.on('data', () => {
      const { share } = reader
      reader.wasRead = true
      this.#charge(share, this.#beganNs)
      if (share.readers.delete(reader)) share.readers.add(reader)
      this.#keepBehind(reader)
      if (this.#isSpent) this.#pause()
      else if (!isEntitled(share)) this.#pauseShare(share)
    })
  }

  /** Reads nothing more of a connection before what it has sent is taken. */
  #keepBehind(reader: Reader<T>): void {
    const { stream, share, progress } = reader
    if (progress?.hasRest !== true) return
    stream.pause()
    share.behind.add(reader)
    this.#hasWaiting = true
  }

  #charge(share: AddressShare<T>, sinceNs: bigint): void {
    share.spentNs += this.#clock.monotonicNs() - sinceNs
    this.#charged.add(share)
  }

  get #isSpent(): boolean {
    return this.#hasBegun && this.#budget.isSpent
  }

  #begin(): void {
    if (this.#hasBegun) return
    this.#hasBegun = true
    this.#budget.renew()
    setImmediate(() => {
      if (this.#isSpent) this.#nextTurn(() => this.#beginNext())
      else this.#beginNext()
    })
  }

  #admitNext(share: AddressShare<T>): void {
    const { arrivals } = share
    while (arrivals.length > 0 && !this.#isSpent && share.behind.size === 0) arrivals.shift()!()
  }

  #pause(): void {
    for (const share of this.#shares.values()) this.#pauseShare(share)
  }

  #pauseShare({ readers, waiting }: AddressShare<T>): void {
    for (const reader of readers) {
      if (reader.stream.isPaused()) continue
      reader.stream.pause()
      waiting.add(reader)
      this.#hasWaiting = true
    }
  }

  /** Begins the next turn: it is of those whose addresses have had less than a budget. */
  #beginNext(): void {
    const wasSpent = this.#isSpent
    this.#hasBegun = false
    // all that wanted to and might have been read
    if (!wasSpent) this.#beginRound()
    if (!this.#hasWaiting) return
    const waiting = [...this.#shares.values()].filter((share) => share.isWaiting)
    this.#hasWaiting = waiting.length > 0
    if (!this.#hasWaiting) return
    while (!waiting.some(isEntitled)) this.#beginRound()
    this.#begin()
    for (const share of waiting) {
      if (this.#isSpent) return
      if (!isEntitled(share)) continue
      this.#serve(share)
      this.#leaveIfEmpty(share)
    }
  }

  /** Begins a round: every address has a budget again, less what it has taken beyond the last. */
  #beginRound(): void {
    for (const share of this.#charged) {
      share.spentNs = share.spentNs > LOOP_BUDGET_NS ? share.spentNs - LOOP_BUDGET_NS : 0n
      if (share.spentNs > 0n) continue
      this.#charged.delete(share)
      this.#leaveIfEmpty(share)
    }
  }

  #leaveIfEmpty(share: AddressShare<T>): void {
    if (share.readers.size > 0 || share.isWaiting || share.spentNs > 0n) return
    this.#shares.delete(share.address)
  }

  /**
   * Serves an address: first what it has sent before. Then arrivals and those that wait have every
   * other turn: however many arrive, they are read on.
   */
  #serve(share: AddressShare<T>): void {
    // the next time others come first
    this.#shares.delete(share.address)
    this.#shares.set(share.address, share)
    for (const reader of share.behind) {
      if (this.#isSpent) return
      const beganNs = this.#clock.monotonicNs()
      reader.progress!.goOn!()
      this.#charge(share, beganNs)
      this.#onTaken(reader.stream)
      if (reader.progress!.hasRest === true) return
      share.behind.delete(reader)
      share.waiting.add(reader)
    }
    const hasArrivals = share.arrivals.length > 0
    share.isForArrivals = hasArrivals && (share.waiting.size === 0 || !share.isForArrivals)
    if (share.isForArrivals) this.#admitNext(share)
    if (this.#isSpent || !isEntitled(share) || share.behind.size > 0) return
    this.#resume(share)
  }

  /**
   * Resumes those that wait; where others do, those that were read come a turn later. The order of
   * reads is the system's, in which one that was read and has more to read comes first again.
   */
  #resume(share: AddressShare<T>): void {
    const waiting = [...share.readers].filter((reader) => share.waiting.has(reader))
    const held = waiting.filter(({ wasRead }) => wasRead)
    share.waiting = new Set(held.length < waiting.length ? held : [])
    for (const reader of waiting) {
      if (!share.waiting.has(reader)) reader.stream.resume()
      reader.wasRead = false
    }
    if (share.waiting.size > 0) this.#hasWaiting = true
  }
}

function isEntitled({ spentNs }: { readonly spentNs: bigint }): boolean {
  return spentNs < LOOP_BUDGET_NS
}

function forget<T extends Readable>(reader: Reader<T>): void {
  const { share } = reader
  share.readers.delete(reader)
  share.behind.delete(reader)
}
