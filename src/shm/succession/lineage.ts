/**
 * One thread's part in a zone that other threads may replace or leave: it follows the zone to its
 * successors, moves the values of the writers of this thread, and, where the zone was created in
 * this thread, folds for threads that have died.
 *
 * A zone is replaced in this order: the successor is complete; every thread is told its memory; the
 * old sequence of gauge writes is lifted; the old generation becomes odd for ever; the old lock is
 * closed. A thread that next defines, takes memory, sets a gauge or reads there finds one of these
 * and follows. Counters and histograms find nothing and need nothing: their segment is counted
 * where it is until its own thread moves it, between two of its turns or in one of those calls.
 */
import { threadId } from 'node:worker_threads'
import type { Definitions } from '../definitions/definitions.ts'
import type { Descriptors } from '../definitions/descriptors.ts'
import { HEADER, REPLACED_SEQUENCE } from '../layout.ts'
import type { SharedZone } from '../memory/backing.ts'
import { ZoneMemory } from '../memory/memory.ts'
import type { Segments, UnmovedSegment } from '../segments/segments.ts'
import { type Replacement, ThreadChannel, type ZoneMessage } from '../threads/channel.ts'
import { buryThread } from '../threads/orphans.ts'
import { keepPulse, watchExitOf, watchExits, watchThread } from '../threads/pulse.ts'
import type { Writer } from '../writer.ts'
import { changedLimits, needsSuccessor, type ZoneChange } from '../zone-options.ts'
import { buildSuccessor } from './build.ts'
import { collectRest, moveSegment } from './move.ts'

/** A zone as one thread sees it; the objects stay the same when the zone is replaced. */
interface ZoneParts {
  readonly memory: ZoneMemory
  readonly descriptors: Descriptors
  readonly definitions: Definitions
  readonly segments: Segments
  /** Writers of this view of the zone. */
  readonly writers: Set<Writer>
}

/** Time that a thread which cannot wait for its event loop waits for the creator's answer, ms. */
const ANSWER_TIMEOUT_MS = 5_000
/** Time after which it asks all threads, ms: the creator may have ended before the others. */
const ASK_ALL_MS = 200
const ANSWER_PAUSE_MS = 2
/** Time after which what could not be done behind a lock is tried again, ms. */
const RETRY_MS = 100

export class Lineage {
  readonly #parts: ZoneParts
  readonly #isCreator: boolean
  #channel: ThreadChannel<ZoneMessage> | undefined
  readonly #offers = new Map<number, Replacement>()
  readonly #watched = new Set<number>()
  #isFollowing = false
  /** True when no thread has answered: they are gone, and waiting again would be in vain. */
  #isAlone = false

  constructor(parts: ZoneParts, isCreator: boolean) {
    this.#parts = parts
    this.#isCreator = isCreator
    parts.memory.follow = () => this.follow()
  }

  /**
   * Connects to the other threads; must be called before any of them or another object can see the
   * zone.
   * @param isWatched whether the creator has started this thread and watches its exit: then it
   *   need not be told of it, which spares both the locks, and what Node loads for a message
   */
  connect(isWatched = false): void {
    if (this.#channel !== undefined) return
    const { ints } = this.#parts.memory
    const id = [ints[HEADER.zoneId]!, ints[HEADER.zoneId + 1]!].map((part) =>
      (part >>> 0).toString(16).padStart(8, '0'),
    )
    this.#channel = new ThreadChannel<ZoneMessage>(`pentameter:${id.join('')}`, this)
    if (this.#isCreator) {
      watchExits()
      return
    }
    if (!isWatched) {
      keepPulse()
      this.#channel.post({ kind: 'hello', threadId })
    }
    if (ints[HEADER.unmoved] !== 0) this.#awaitAnswer(() => this.#knowsAll)
  }

  get #ordinal(): number {
    return this.#parts.memory.ints[HEADER.ordinal]!
  }

  /** False while a zone before this one is not known that still holds values. */
  get #knowsAll(): boolean {
    const { memory, segments } = this.#parts
    return segments.predecessors.length > 0 || Atomics.load(memory.ints, HEADER.unmoved) === 0
  }

  receive(message: ZoneMessage): void {
    if (message.kind === 'hello') this.#watch(message.threadId)
    else if (message.kind === 'moved') this.#parts.segments.forgetMoved()
    else if (message.kind === 'replaced') this.#consider(message)
    else if (this.#isCreator || (message.isForAll && this.#knowsAll)) this.#announce(undefined)
  }

  #watch(thread: number): void {
    if (!this.#isCreator || this.#watched.has(thread)) return
    this.#watched.add(thread)
    const lineage = new WeakRef<Lineage>(this)
    watchThread(thread, () => lineage.deref()?.bury(thread))
  }

  /** Buries a thread that this one has just started, once it has exited. */
  watchExit(thread: number): void {
    this.#watched.add(thread)
    const lineage = new WeakRef<Lineage>(this)
    watchExitOf(thread, () => lineage.deref()?.bury(thread))
  }

  /** Buries a thread that is gone; again later where another thread holds the lock for long. */
  bury(thread: number): void {
    const { segments } = this.#parts
    const hadPredecessors = segments.predecessors.length > 0
    if (!buryThread(this.#parts, thread)) {
      setTimeout(() => this.bury(thread), RETRY_MS).unref()
    } else if (hadPredecessors && segments.predecessors.length === 0) {
      this.#channel?.post({ kind: 'moved' })
    }
  }

  #announce(before: SharedZone | undefined): void {
    const { memory, segments } = this.#parts
    const predecessors = segments.predecessors.map((each) => each.memory.shared)
    const { shared } = memory
    this.#channel?.post({ kind: 'replaced', ordinal: this.#ordinal, shared, before, predecessors })
  }

  #consider(offer: Replacement): void {
    this.#isAlone = false
    if (offer.ordinal === this.#ordinal && !this.#knowsAll) this.#learn(offer)
    if (offer.ordinal <= this.#ordinal) return
    this.#offers.set(offer.ordinal, offer)
    if (this.#isFollowing) return
    // Told before it is true: the lock is closed, or free again where the replacement failed.
    if (this.#parts.memory.lock()) this.#parts.memory.unlock()
  }

  #learn(offer: Replacement): void {
    this.#parts.segments.succeed(offer.predecessors.map((shared) => ZoneMemory.open(shared)))
  }

  /**
   * Shows the newest successor and moves this thread's writers to it.
   * @returns false when the memory has not been replaced, or its successor is not to be had
   */
  follow(): boolean {
    if (this.#isFollowing) return false
    const { memory } = this.#parts
    const from = this.#ordinal
    this.#isFollowing = true
    try {
      this.#channel?.drain()
      this.#adoptOffers()
      if (memory.isReplaced) {
        this.#awaitAnswer(() => {
          this.#adoptOffers()
          return !memory.isReplaced
        })
      }
    } finally {
      this.#isFollowing = false
    }
    this.settle()
    return this.#ordinal > from
  }

  /** Asks for the present zone, the creator first, and waits without the event loop. */
  #awaitAnswer(isAnswered: () => boolean): void {
    if (this.#isAlone) return
    const from = performance.now()
    let isForAll = false
    this.#channel?.post({ kind: 'ask', isForAll })
    for (let waited = 0; waited < ANSWER_TIMEOUT_MS; waited = performance.now() - from) {
      this.#channel?.drain()
      if (isAnswered()) return
      if (waited >= ASK_ALL_MS && !isForAll) {
        isForAll = true
        this.#channel?.post({ kind: 'ask', isForAll })
      }
      Atomics.wait(pause, 0, 0, ANSWER_PAUSE_MS)
    }
    this.#isAlone = true
  }

  #adoptOffers(): void {
    while (this.#parts.memory.isReplaced) {
      const newer = [...this.#offers.keys()].filter((ordinal) => ordinal > this.#ordinal)
      const next = newer.sort((a, b) => a - b).find((ordinal) => isTrue(this.#offers.get(ordinal)!))
      if (next === undefined) return
      this.#adopt(this.#offers.get(next)!)
    }
  }

  #adopt(offer: Replacement): void {
    const { memory, descriptors, segments, writers } = this.#parts
    const old = memory.adopt(ZoneMemory.open(offer.shared))
    descriptors.succeed()
    const known = [old, ...segments.predecessors.map((each) => each.memory)]
    segments.succeed(
      offer.predecessors.map((shared) => {
        const opened = ZoneMemory.open(shared)
        return known.find(({ ints }) => isSame(ints, opened.ints)) ?? opened
      }),
    )
    for (const ordinal of this.#offers.keys()) {
      if (ordinal <= this.#ordinal) this.#offers.delete(ordinal)
    }
    for (const writer of writers) {
      if (writer.place.memory === memory) this.#leaveBehind(writer, old)
    }
  }

  /** Leaves a writer in the zone before, where it goes on until it is moved. */
  #leaveBehind(writer: Writer, old: ZoneMemory): void {
    const before = this.#parts.segments.predecessors.find(({ memory }) => memory === old)
    const place = before?.segments.find(({ index }) => index === writer.place.index)
    if (place !== undefined) writer.stayIn(place)
  }

  /** Moves the writers of this thread that are still in a zone before. */
  settle(): void {
    const { memory } = this.#parts
    if (this.#waiting().length === 0) return
    memory.arrears = () => this.#moveWaiting()
    // The next call in this thread that has the lock does it; counting goes on where it is.
    if (memory.lock()) memory.unlock()
    else setTimeout(() => this.settle(), RETRY_MS).unref()
  }

  #waiting(): Writer[] {
    const { memory, writers } = this.#parts
    return [...writers].filter((writer) => writer.place.memory !== memory)
  }

  /** Moves those that wait; under the lock. */
  #moveWaiting(): void {
    const { memory, segments } = this.#parts
    memory.arrears = undefined
    memory.generation.begin()
    for (const writer of this.#waiting()) {
      writer.moveTo(moveSegment(segments, writer.place as UnmovedSegment))
    }
    this.#finishMove()
  }

  /** Finishes a move under the lock, after segments have moved, with the generation odd. */
  #finishMove(): void {
    const { memory, descriptors, segments } = this.#parts
    collectRest(memory, descriptors, segments.predecessors)
    memory.ints[HEADER.unmoved] = segments.countUnmoved()
    memory.generation.end()
    segments.forgetMoved()
    if (segments.predecessors.length === 0) this.#channel?.post({ kind: 'moved' })
  }

  /**
   * Gives the zone other limits, where they need one replaces it. What is not named stays as it is
   * once the lock is taken: another thread may have changed it just before.
   * @throws {RedefinitionError | RangeError} with the zone as it was
   */
  reconfigure(change: ZoneChange): void {
    const { memory } = this.#parts
    if (!memory.lock()) throw new Error('zone cannot be reconfigured: its lock is held')
    const next = this.#buildOrUnlock(change)
    if (next !== undefined) this.#replaceBy(next)
  }

  /**
   * Builds the next zone; undefined, with the lock given back as after an error, where no other
   * zone is needed.
   */
  #buildOrUnlock(change: ZoneChange): ZoneMemory | undefined {
    const { memory, descriptors, segments } = this.#parts
    let next: ZoneMemory | undefined
    try {
      const limits = changedLimits(memory.ints, change)
      if (needsSuccessor(memory.ints, limits)) {
        next = buildSuccessor(memory, descriptors, segments, limits)
      } else memory.ints[HEADER.keyBytesLimit] = limits.keyBytesLimit
      return next
    } finally {
      if (next === undefined) memory.unlock()
    }
  }

  /** Replaces the zone, under the old one's lock. */
  #replaceBy(next: ZoneMemory): void {
    const { memory, segments } = this.#parts
    const before = memory.shared
    const predecessors = [before, ...segments.predecessors.map((each) => each.memory.shared)]
    const ordinal = next.ints[HEADER.ordinal]!
    const offer = { kind: 'replaced', ordinal, shared: next.shared, before, predecessors } as const
    next.publish()
    memory.generation.close()
    next.sequence[0] = Atomics.add(memory.sequence, 0, REPLACED_SEQUENCE)
    this.#channel?.post(offer)
    memory.close()
    this.#offers.set(ordinal, offer)
    this.follow()
  }
}

const pause = new Int32Array(new SharedArrayBuffer(4))

function isSame(a: Int32Array, b: Int32Array): boolean {
  return a[HEADER.ordinal] === b[HEADER.ordinal]
}

/** Tells whether what was told beforehand has come true. */
function isTrue({ before }: Replacement): boolean {
  return before === undefined || ZoneMemory.open(before).isReplaced
}
