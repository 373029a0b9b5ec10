/**
 * The hub's seconds together with those that other hubs have closed (decision 0045). A second of
 * the hub's own is held until its peers have told of the same one, at most until the next has
 * ended, and is handed on with all of them in one frame. What comes later still gets into its
 * second, in the ring and in the sinks that can take it: some in each second, for one who comes
 * back tells of many at once, and sinks have bounded queues.
 */
import type { Clock } from '../../time/clock.ts'
import type { Frame } from '../live/frame.ts'
import { mergeBeside } from '../live/merge-frames.ts'
import type { LiveRing } from '../live/ring.ts'
import type { Log } from '../log.ts'
import type { Participant } from '../resident.ts'
import type { SinkQueue } from '../sinks/sinks.ts'
import { ANSWER_BUDGET_NS } from '../tasks/loop-budget.ts'
import type { Task } from '../tasks/task.ts'
import { TaskQueue } from '../tasks/task-queue.ts'

interface SecondMergerParts {
  readonly clock: Clock
  readonly log: Log
  readonly live: LiveRing
  readonly sinks: readonly SinkQueue[]
  /** Hands a whole second on to all who take it. */
  deliver(frame: Frame): Task
  /** Takes note of cells of a second that was handed on before. */
  late(frame: Frame): Task
  /** Called when a second has been handed on, and with it what came late and is due. */
  handedOn(): void
}

/** A peer whose seconds become part of the hub's. */
export interface AwaitedPeer {
  /** Whether it will tell of the running second soon. */
  readonly isExpected: boolean
  /** End of the last second that it has told of. */
  readonly toldMs: number
}

/** Cells that a peer has told of, in a frame of 0 seconds. */
interface PeerFrame {
  readonly frame: Frame
  /** Place of the peer among all: of gauges of one second, that of the last one holds. */
  readonly place: number
  /** Number of the oldest piece of work that it is made of. */
  readonly number: number
}

/** Late seconds that are handed on with one second: sinks hold a minute of them. */
const LATE_PER_SECOND = 10
/** Memory of what came late and waits. */
const LATE_BYTES_LIMIT = 67_108_864

export class SecondMerger implements Participant {
  readonly #parts: SecondMergerParts
  readonly #peers: AwaitedPeer[] = []
  /** Work of all peers, one after another. */
  readonly #tasks: TaskQueue
  /** Own second that waits for those of peers. */
  #held: Frame | undefined
  /** Seconds of peers whose own has not been handed on. */
  #early: PeerFrame[] = []
  /** Cells of peers that came late, by the end of their second, and their bytes. */
  readonly #late = new Map<number, Pick<PeerFrame, 'frame' | 'number'>>()
  #lateBytes = 0
  /** Number of the work of a peer that was begun last. */
  #begun = 0
  #isWorking = false
  #handedOnMs = Number.NEGATIVE_INFINITY
  #isHandingOn = false
  #isFinished = false

  constructor(parts: SecondMergerParts) {
    this.#parts = parts
    this.#tasks = new TaskQueue(parts.clock, { budgetNs: ANSWER_BUDGET_NS })
  }

  /** Adds a peer; gives its place among all. */
  add(peer: AwaitedPeer): number {
    return this.#peers.push(peer)
  }

  /** Span of time that seconds may be away from now: that of the ring. */
  get spanMs(): number {
    return this.#parts.live.spanSeconds * 1000
  }

  /** Number of the work of a peer that was begun last: totals have its cells, some or all. */
  get begun(): number {
    return this.#begun
  }

  /** Number of the oldest such work whose cells have not been handed on; Infinity for none. */
  get firstWaiting(): number {
    const working = this.#isWorking ? this.#begun : Number.POSITIVE_INFINITY
    const waiting = [...this.#early, ...this.#late.values()]
    return waiting.reduce((first, { number }) => Math.min(first, number), working)
  }

  /** Runs work of a peer behind that of others. */
  run(work: Task): void {
    this.#tasks.run(this.#thenLookAfter(work)).catch((error: unknown) => {
      this.#parts.log('error', 'a second of a peer was not taken', { error: String(error) })
    })
  }

  /** Hands on what is held, unless it is awaited still. */
  lookAfter(): void {
    if (this.#held !== undefined) this.run(nothing())
  }

  *#thenLookAfter(work: Task): Task {
    this.#begun++
    this.#isWorking = true
    try {
      yield* work
    } finally {
      this.#isWorking = false
    }
    if (this.#held !== undefined && !this.#isAwaited(this.#held.endMs)) yield* this.#handOn()
  }

  /** Hands the second before on, also where a peer has not told of it. */
  *beforeClose(): Task {
    while (this.#isHandingOn && !this.#isFinished) yield
    yield* this.#handOn()
  }

  /** Takes the hub's own second. */
  *take(frame: Frame): Task {
    yield* this.beforeClose()
    this.#held = frame
    if (!this.#isAwaited(frame.endMs)) yield* this.#handOn()
  }

  #isAwaited(endMs: number): boolean {
    if (this.#isFinished) return false
    return this.#peers.some(({ isExpected, toldMs }) => isExpected && toldMs < endMs)
  }

  *#handOn(): Task {
    const held = this.#held
    if (held === undefined) return
    this.#held = undefined
    this.#isHandingOn = true
    try {
      const { endMs, seconds } = held
      const due = yield* this.#takeDue(endMs - seconds * 1000, endMs)
      this.#handedOnMs = endMs
      due.sort((a, b) => a.frame.endMs - b.frame.endMs || a.place - b.place)
      const frames = due.map(({ frame }) => frame)
      yield* this.#parts.deliver(due.length === 0 ? held : yield* mergeBeside(held, frames))
      yield* this.#handLateOn()
      this.#parts.handedOn()
    } finally {
      this.#isHandingOn = false
    }
  }

  /**
   * Takes seconds of peers out that belong to an own one. Those that end before it begins are of a
   * time in which this hub stood still: they are as late ones are.
   */
  *#takeDue(startMs: number, endMs: number): Task<PeerFrame[]> {
    const due: PeerFrame[] = []
    const early: PeerFrame[] = []
    for (const each of this.#early) {
      const ms = each.frame.endMs
      if (ms > endMs) early.push(each)
      else if (ms > startMs) due.push(each)
      else yield* this.#keepLate(each)
    }
    this.#early = early
    return due
  }

  /** Whether so much waits that came late that no more should be taken now. */
  get isFull(): boolean {
    return this.#lateBytes > LATE_BYTES_LIMIT
  }

  /**
   * Puts cells of a peer into their second.
   * @param frame of 0 seconds, with a whole second as its end
   * @returns false where that was handed on before
   */
  *place(frame: Frame, place: number): Task<boolean> {
    while (this.#isHandingOn && !this.#isFinished) yield
    const { endMs } = frame
    if (endMs > this.#handedOnMs) {
      const at = this.#early.findIndex((it) => it.place === place && it.frame.endMs === endMs)
      const [former] = at < 0 ? [] : this.#early.splice(at, 1)
      const whole = former === undefined ? frame : yield* mergeBeside(former.frame, [frame])
      this.#early.push({ frame: whole, place, number: former?.number ?? this.#begun })
      return true
    }
    yield* this.#keepLate({ frame, number: this.#begun })
    return false
  }

  *#keepLate({ frame, number }: Pick<PeerFrame, 'frame' | 'number'>): Task {
    const { endMs } = frame
    const former = this.#takeLate(endMs)
    const whole = former === undefined ? frame : yield* mergeBeside(former.frame, [frame])
    this.#late.set(endMs, { frame: whole, number: Math.min(number, former?.number ?? number) })
    this.#lateBytes += whole.size
  }

  #takeLate(endMs: number): Pick<PeerFrame, 'frame' | 'number'> | undefined {
    const late = this.#late.get(endMs)
    if (late === undefined) return undefined
    this.#late.delete(endMs)
    this.#lateBytes -= late.frame.size
    return late
  }

  /** Hands on what came late to some seconds; at the end of the hub to all. */
  *#handLateOn(): Task {
    const { live, sinks } = this.#parts
    let left = this.#isFinished ? this.#late.size : LATE_PER_SECOND
    for (const endMs of this.#late.keys()) {
      if (left-- === 0) return
      const { frame: late } = this.#takeLate(endMs)!
      yield* this.#parts.late(late)
      const former = live.holding(endMs)
      if (former !== undefined) live.replace(former, yield* mergeBeside(former, [late]))
      for (const sink of sinks) yield* sink.offerLate(late)
    }
  }

  /** Ends the waiting: what peers have told of is taken, and each second handed on at once. */
  finish(): void {
    this.#isFinished = true
    this.#tasks.finish()
  }
}

function* nothing(): Task {}
