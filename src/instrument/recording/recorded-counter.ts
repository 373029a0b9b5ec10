/**
 * Samples that are written in this thread, for any number of windows. Writing puts the sample into
 * a small buffer, from which the windows take whole blocks, each counted from the window's own
 * beginning, and what is left when it closes. So what a session gets is, bit for bit, what it would
 * get alone, and while nothing listens writing is one check.
 *
 * Windows that began between the same two samples hold the same until one of them closes: they
 * share one {@link CounterSlot}. What they close together is one object, which is never changed.
 */
import type { CounterDescription } from '../../dialects/eventcounters/window.ts'
import type { Exemplar, Histogram, Kind, Labels, Summary } from '../../model/index.ts'
import type { ClosedWindow, OpenWindow, ServedCounter } from '../sessions/served-counter.ts'
import { CounterSlot } from './counter-slot.ts'
import { BUFFER_LENGTH, giveBack, NO_BUFFER, takeBuffer } from './sample-buffers.ts'
import { Moments, Total } from './sums.ts'

/** A taker of samples outside of the sessions: a histogram, a writer of the zone. */
export interface SampleTaker {
  /** Gets `values[from]` to `values[to - 1]`; the array is only lent. Must not throw or write. */
  take(values: Float64Array, from: number, to: number): void
}

interface RecordedCounterOptions {
  readonly kind: 'mean' | 'sum'
  readonly describe: () => CounterDescription
  /** Told of every argument that is no finite number. */
  readonly onRefused: () => void
  readonly labels?: Labels
  /** Reader of the histogram, of a counter that keeps one of all samples. */
  readonly readHistogram?: (() => Histogram) | undefined
  /** Reader of its exemplars, where it has such. */
  readonly readExemplars?: (() => readonly Exemplar[]) | undefined
  /** Histogram of which no window that is open now has anything; until {@link settle}. */
  readonly baseline?: Histogram | undefined
}

export class RecordedCounter implements ServedCounter {
  // What every sample asks for comes first, and so lies together.
  #isListened = false
  /**
   * Place in the array where the next sample goes, and the one at which the buffer is to be
   * drained.
   */
  #end = 0
  #drainAt = 0
  #array = NO_BUFFER.array
  #buffer = NO_BUFFER
  readonly kind: 'mean' | 'sum'
  readonly #describe: () => CounterDescription
  readonly #onRefused: () => void
  #onListened: (isListened: boolean) => void = () => {}
  /** Number of the sample at place 0, of all that were ever in the buffer. */
  #first = 0
  /** Place in the array where begins what the takers have not got yet. */
  #handed = 0
  #takers: SampleTaker[] = []
  #isAtOnce = false
  /** Slots with open windows; in no order. */
  readonly #slots: CounterSlot[] = []
  /** The slot that began last. */
  #newest: CounterSlot | undefined
  /** One that is out of use. */
  #spare: CounterSlot | undefined
  #heir: RecordedCounter | undefined
  readonly modelKind: Kind
  readonly labels: Labels | undefined
  readonly readTotal: (() => Histogram) | undefined
  readonly readExemplars: (() => readonly Exemplar[]) | undefined
  #baseline: Histogram | undefined

  constructor(options: RecordedCounterOptions) {
    this.kind = options.kind
    this.#describe = options.describe
    this.#onRefused = options.onRefused
    const { labels, readHistogram } = options
    this.labels = labels
    this.readTotal = readHistogram
    this.readExemplars = options.readExemplars
    this.#baseline = options.baseline
    if (readHistogram !== undefined) this.modelKind = 'histogram'
    else this.modelKind = options.kind === 'mean' ? 'summary' : 'counter'
  }

  get baseline(): Histogram | undefined {
    return this.#baseline
  }

  /** Has windows begin at the moment in which they are opened. */
  settle(): void {
    this.#baseline = undefined
  }

  get description(): CounterDescription {
    return this.#heir?.description ?? this.#describe()
  }

  /** Calls back, now and at every change, with whether samples are wanted. */
  onListened(callback: (isListened: boolean) => void): void {
    this.#onListened = callback
    callback(this.#isListened)
  }

  /** Records on the hot path: never throws, allocates or blocks. */
  record(value: number): void {
    if (!this.#isListened) return
    if (!Number.isFinite(value)) {
      this.#onRefused()
      return
    }
    const end = this.#end
    this.#array[end] = value
    this.#end = end + 1
    if (end + 1 === this.#drainAt) this.#drain()
  }

  /** Records a sample, in the words of the zone's handles. */
  observe(value: number): boolean {
    this.record(value)
    return true
  }

  open(): OpenWindow {
    if (this.#heir !== undefined) return this.#heir.open()
    this.#listen()
    return new RecordedWindow(this.#slotFromHere())
  }

  /**
   * Hands every sample from now on to a taker, in rounds.
   * @param isAtOnce whether samples are handed over one by one as they are written, to all takers
   * @returns a function that ends it
   */
  listen(taker: SampleTaker, isAtOnce = false): () => void {
    this.#handOver()
    this.#listen()
    this.#takers.push(taker)
    if (isAtOnce) this.#isAtOnce = true
    this.#drain()
    return () => this.#leave(taker)
  }

  #leave(taker: SampleTaker): void {
    if (this.#heir !== undefined) {
      this.#heir.#leave(taker)
      return
    }
    if (!this.#takers.includes(taker)) return
    this.#handOver()
    this.#takers = this.#takers.filter((each) => each !== taker)
    this.#rest()
  }

  #listen(): void {
    if (this.#isListened) return
    this.#isListened = true
    this.#buffer = takeBuffer()
    const { array, base } = this.#buffer
    this.#array = array
    this.#first += this.#end - base
    this.#end = base
    this.#handed = base
    this.#drainAt = base + BUFFER_LENGTH
    this.#onListened(true)
  }

  /** Keeps nothing any more once neither windows nor takers are left. */
  #rest(): void {
    if (this.#slots.length > 0 || this.#takers.length > 0) return
    this.#isListened = false
    this.#isAtOnce = false
    giveBack(this.#buffer)
    this.#buffer = NO_BUFFER
    this.#array = NO_BUFFER.array
    this.#newest = undefined
    this.#spare = undefined
    this.#onListened(false)
  }

  /** Hands over to the takers what is still in the buffer. */
  flush(): void {
    if (this.#heir === undefined) this.#handOver()
    else this.#heir.flush()
  }

  /** Adds what another thread has recorded meanwhile to every open window. */
  absorb(part: Summary | number): void {
    for (const slot of this.#slots) {
      // What is added in which order depends on this window alone, not on when the buffer was full.
      slot.takeBlocks(this.#array, this.#end)
      slot.merge(part)
    }
  }

  /** Takes over the open windows of a counter that has stood in for this one. */
  inherit(from: RecordedCounter): void {
    from.#handOver()
    from.#heir = this
    for (const taker of from.#takers.splice(0)) this.listen(taker)
    if (from.#slots.length > 0) this.#listen()
    for (const slot of from.#slots.splice(0)) {
      slot.takeBlocks(from.#array, from.#end)
      slot.take(from.#array, from.#end)
      slot.move(this, this.#end)
      this.#slots.push(slot)
    }
    if (from.#isListened) from.#rest()
  }

  /** Gives a window the slot of what is recorded from now on. */
  #slotFromHere(): CounterSlot {
    const written = this.#first + this.#end
    if (this.#newest?.begin === written) return this.#newest
    const slot =
      this.#spare ?? new CounterSlot(this, this.kind === 'mean' ? new Moments() : new Total())
    this.#spare = undefined
    slot.restart(written, this.#end)
    this.#slots.push(slot)
    this.#newest = slot
    return slot
  }

  /** Gives a window what was recorded since it began; it goes on in {@link next}. */
  close(slot: CounterSlot): ClosedWindow {
    return slot.closedAt(this.#first + this.#end, this.#array, this.#end)
  }

  /** Gives a window that closes the slot in which it goes on. */
  next(slot: CounterSlot): CounterSlot {
    // In this order: an empty slot may be the one that begins here.
    const next = this.#slotFromHere()
    next.users++
    this.release(slot)
    return next
  }

  /** Takes a slot back from a window that goes away. */
  release(slot: CounterSlot): void {
    slot.users--
    if (slot.users > 0) return
    const slots = this.#slots
    const at = slots.indexOf(slot)
    slots[at] = slots.at(-1)!
    slots.pop()
    if (this.#newest === slot) this.#newest = undefined
    this.#spare = slot
    this.#rest()
  }

  #drain(): void {
    this.#handOver()
    const end = this.#end
    let kept = end
    for (const slot of this.#slots) {
      slot.takeBlocks(this.#array, end)
      if (slot.at < kept) kept = slot.at
    }
    this.#drop(kept - this.#buffer.base)
    this.#drainAt = this.#isAtOnce ? this.#end + 1 : this.#buffer.base + BUFFER_LENGTH
  }

  #handOver(): void {
    const end = this.#end
    if (this.#handed < end) {
      for (const taker of this.#takers) taker.take(this.#array, this.#handed, end)
    }
    this.#handed = end
  }

  /** Forgets the buffer's first samples, which all slots and takers have. */
  #drop(count: number): void {
    if (count === 0) return
    const { array, base } = this.#buffer
    if (base + count < this.#end) array.copyWithin(base, base + count, this.#end)
    this.#first += count
    this.#end -= count
    this.#handed -= count
    for (const slot of this.#slots) slot.at -= count
  }
}

class RecordedWindow implements OpenWindow {
  #slot: CounterSlot | undefined

  constructor(slot: CounterSlot) {
    this.#slot = slot
    slot.users++
  }

  close(): ClosedWindow | undefined {
    const slot = this.#slot
    if (slot === undefined) return undefined
    const closed = slot.owner.close(slot)
    this.#slot = slot.owner.next(slot)
    return closed
  }

  end(): void {
    this.#slot?.owner.release(this.#slot)
    this.#slot = undefined
  }
}
