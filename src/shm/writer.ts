/**
 * A writer: the one thread that may write a segment, and the handles it writes through. A thread
 * may have several; a writer may not be used by two threads.
 */
import type { Descriptors } from './descriptors.ts'
import { foldSegment } from './fold.ts'
import {
  ENTRY,
  METRIC_TYPES,
  type MetricType,
  PAGE_SHIFT,
  PAGE_WORDS,
  SEGMENT_STATE,
} from './layout.ts'
import { Page, type ZoneMemory } from './memory.ts'
import type { Segment, Segments } from './segments.ts'
import { CounterHandle } from './slots/counter.ts'
import { DenseHandle } from './slots/dense.ts'
import { ExponentialHandle } from './slots/exponential.ts'
import { SLOT } from './slots/exponential-slot.ts'
import { GaugeHandle } from './slots/gauge.ts'
import type { SlotOwner } from './slots/slot-owner.ts'

type Handle = CounterHandle | GaugeHandle | DenseHandle | ExponentialHandle

/** What a writer needs of the zone it is attached to. */
export interface WriterParts {
  readonly memory: ZoneMemory
  readonly descriptors: Descriptors
  readonly segments: Segments
  readonly counterTotal: (metric: number) => bigint
  /** The writers attached through this view of the zone. */
  readonly writers: Set<Writer>
}

/**
 * Where handles point that were released: private memory in which every word has its top bit
 * set and every span is empty, so that each fast path gives way to the slow one, which refuses.
 */
let nowhere: Page | undefined

export class Writer implements SlotOwner {
  readonly memory: ZoneMemory
  readonly #parts: WriterParts
  readonly #segment: Segment
  /** By metric: a metric has one handle per writer. */
  readonly #handles: (Handle | undefined)[] = []
  /** Owner of the handles that were released. */
  readonly #nobody: SlotOwner
  /** By chunk: the pages of counters that have a place. */
  readonly #counterPages: (Page | undefined)[] = []
  #isAttached = true

  /** Writers come from `zone.attach()`. */
  constructor(parts: WriterParts, segment: Segment) {
    this.memory = parts.memory
    this.#parts = parts
    this.#segment = segment
    this.#nobody = { memory: parts.memory, isAttached: false, counterTotal: () => 0n }
    parts.writers.add(this)
  }

  /** Number of the segment, 1 or more. */
  get segment(): number {
    return this.#segment.index
  }

  get isAttached(): boolean {
    return this.#isAttached
  }

  counterTotal(metric: number): bigint {
    return this.#parts.counterTotal(metric)
  }

  /**
   * The handle of a metric, the same one at every call; undefined when the zone has no room for its
   * chunk or the writer is detached (refusals are counted by the zone).
   * @throws {TypeError} when the metric is none, or of another type
   */
  counter(metric: number): CounterHandle | undefined {
    return this.#handle(metric, 'counter', CounterHandle)
  }

  /**
   * Where {@link addSmall} finds a counter, until it is released; -1 where {@link counter} has no
   * handle.
   * @throws {TypeError} as {@link counter} does
   */
  counterPlace(metric: number): number {
    if (this.counter(metric) === undefined) return -1
    const slotAt = this.#parts.descriptors.slotAt(metric)
    this.#counterPages[slotAt >>> PAGE_SHIFT] ??= this.#segment.pageOf(slotAt)
    return slotAt
  }

  /**
   * Adds to a counter by its place. With more counters than a cache holds, fetching a handle each
   * would be the costliest part of an addition.
   * @returns false, with nothing added, for what only the handle can add or refuse: no integer of
   *   [0, 2^31), a slot of 2^63 or more, a detached writer
   */
  addSmall(place: number, n: number): boolean {
    const page = this.#counterPages[place >>> PAGE_SHIFT]!
    const at = place & (PAGE_WORDS - 1)
    if ((n | 0) !== n || n < 0 || page.halves[2 * at + 1]! < 0) return false
    page.words[at]! += BigInt(n | 0)
    return true
  }

  /** As {@link counter}. */
  gauge(metric: number): GaugeHandle | undefined {
    return this.#handle(metric, 'gauge', GaugeHandle)
  }

  /** As {@link counter}. */
  dense(metric: number): DenseHandle | undefined {
    return this.#handle(metric, 'dense', DenseHandle)
  }

  /** As {@link counter}. */
  exponential(metric: number): ExponentialHandle | undefined {
    return this.#handle(metric, 'exponential', ExponentialHandle)
  }

  #handle<H extends Handle>(
    metric: number,
    type: MetricType,
    Class: new (owner: SlotOwner, metric: number, page: Page, at: number) => H,
  ): H | undefined {
    const held = this.#handles[metric]
    if (held instanceof Class) return held
    const { descriptors } = this.#parts
    if (!descriptors.has(metric)) throw new TypeError(`metric ${metric} is not defined`)
    const actual = descriptors.type(metric)
    if (actual !== type) throw new TypeError(`metric ${metric} is a ${actual}, not a ${type}`)
    if (!this.#isAttached) return undefined
    const slotAt = descriptors.slotAt(metric)
    const page = this.#segment.takePage(slotAt, METRIC_TYPES.indexOf(type))
    if (page === undefined) return undefined
    const handle = new Class(this, metric, page, slotAt & (PAGE_WORDS - 1))
    this.#handles[metric] = handle
    return handle
  }

  /**
   * Forgets the handle of a metric, which refuses from now on; what was recorded stays. To be
   * called in every thread before one of them retires the metric.
   */
  release(metric: number): void {
    const handle = this.#handles[metric]
    if (handle === undefined) return
    handle.unbind(this.#nobody, nowhereToWrite())
    this.#handles[metric] = undefined
  }

  /**
   * Ends the lease: the segment is folded into the base, every handle refuses from now on.
   * @returns false when the zone's lock could not be had; the writer then stays attached
   */
  detach(): boolean {
    if (!this.#isAttached) return true
    const { memory } = this.#parts
    if (!memory.lock()) {
      memory.countRefusal('lockTimeout')
      return false
    }
    this.#isAttached = false
    for (const handle of this.#handles) handle?.unbind(this.#nobody, nowhereToWrite())
    this.#handles.length = 0
    this.#counterPages.fill(nowhereToWrite())
    this.#parts.writers.delete(this)
    this.#segment.setField(ENTRY.state, SEGMENT_STATE.folding)
    foldSegment(memory, this.#parts.segments.at(0), this.#segment)
    this.#segment.setField(ENTRY.threadId, 0)
    this.#segment.setField(ENTRY.state, SEGMENT_STATE.free)
    memory.unlock()
    return true
  }
}

function nowhereToWrite(): Page {
  if (nowhere === undefined) {
    nowhere = new Page(new ArrayBuffer(PAGE_WORDS * 8))
    for (let word = 0; word < PAGE_WORDS; word++) {
      nowhere.halves[2 * word] = 1
      nowhere.halves[2 * word + 1] = -1
    }
    nowhere.halves[2 * SLOT.numberGuard + 1] = 0 // no negative ring
  }
  return nowhere
}
