/**
 * A writer: the one thread that may write a segment, and the handles it writes through. A thread
 * may have several; a writer may not be used by two threads.
 */
import type { Descriptors } from './definitions/descriptors.ts'
import { ENTRY, type MetricType, PAGE_SHIFT, PAGE_WORDS, SEGMENT_STATE } from './layout.ts'
import { Page, type ZoneMemory } from './memory/memory.ts'
import { foldSegment } from './segments/fold.ts'
import type { Segment, Segments } from './segments/segments.ts'
import { SettableCounters } from './segments/settable.ts'
import { BinnedHandle } from './slots/binned.ts'
import { CounterHandle, GUARDED_FROM, SettableHandle } from './slots/counter.ts'
import { DenseHandle, FractionsHandle } from './slots/dense.ts'
import { ExpandingHandle } from './slots/expanding.ts'
import { ExponentialHandle } from './slots/exponential.ts'
import { SLOT } from './slots/exponential-slot.ts'
import { GaugeHandle, SharedGaugeHandle } from './slots/gauge.ts'
import type { Bounds, SlotOwner } from './slots/slot-owner.ts'
import { SummaryHandle } from './slots/summary.ts'

type Handle =
  | CounterHandle
  | SettableHandle
  | GaugeHandle
  | SharedGaugeHandle
  | DenseHandle
  | FractionsHandle
  | ExponentialHandle
  | ExpandingHandle
  | BinnedHandle
  | SummaryHandle

/** Modes whose handles are of a class of their own. */
const SPECIAL = [
  ['shared', 'shared gauge', SharedGaugeHandle],
  ['settable', 'settable counter', SettableHandle],
] as const

/** Parts of the zone that a writer needs. */
interface WriterParts {
  readonly memory: ZoneMemory
  readonly descriptors: Descriptors
  readonly segments: Segments
  readonly counterTotal: (metric: number) => bigint
  /** The writers attached through this view of the zone. */
  readonly writers: Set<Writer>
}

/**
 * Keeper of places of slots beside the handles (WebAssembly that writes the segment, too): told in
 * the writer's thread, and before anything else is done.
 */
export interface PlaceKeeper {
  /**
   * Releases the place of a metric: it is not to be used any more, unless it is looked for anew.
   */
  release(metric: number): void
  /** Leaves the segment: the writer moves or detaches, and it is not to be written any more. */
  leave(): void
}

/**
 * Page that released handles point to: private memory in which every word has its top bit set and
 * every span is empty, so that each fast path gives way to the slow one, which refuses.
 */
let nowhere: Page | undefined

/**
 * One thread's right to write a segment of a zone; its handles record.
 *
 * @example
 * import { Zone } from 'pentameter/shm'
 *
 * const zone = Zone.create()
 * const hits = zone.define(Buffer.from('hits'), 'counter')
 * const writer = zone.attach()
 * writer.counter(hits)?.add(1)
 * writer.detach()
 * console.log(zone.reader().counter(hits)) // 1n
 */
export class Writer implements SlotOwner {
  readonly memory: ZoneMemory
  readonly settables: SettableCounters
  readonly #parts: WriterParts
  #segment: Segment
  /** Handles by metric: each has one per writer. */
  readonly #handles: (Handle | undefined)[] = []
  /** Owner of the handles that were released. */
  readonly #nobody: SlotOwner
  /** Pages by chunk, of counters that have a place. */
  readonly #counterPages: (Page | undefined)[] = []
  #isAttached = true
  /** Keeper of the present segment. */
  keeper: PlaceKeeper | undefined

  /** Takes its parts; writers come from `zone.attach()`. */
  constructor(parts: WriterParts, segment: Segment) {
    this.memory = parts.memory
    this.#parts = parts
    this.#segment = segment
    this.#nobody = {
      memory: parts.memory,
      isAttached: false,
      counterTotal: () => 0n,
      isWrapping: () => false,
      isReplacing: false,
      setShared: () => false,
      sharedValue: () => 0n,
      bounds: () => ({ page: nowhereToWrite(), at: 0, count: 0 }),
      settables: {
        flags: () => nowhereToWrite().halves,
        flagsAt: () => 1,
        setTotal: () => undefined,
      },
      guard: () => false,
    }
    this.settables = new SettableCounters(parts.memory, parts.descriptors, parts.segments)
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

  isWrapping(metric: number): boolean {
    return this.#parts.descriptors.mode(metric) === 'wrapping'
  }

  guard(metric: number): boolean {
    if (!this.settables.guard(metric)) return false
    this.keeper?.release(metric) // other threads' keepers see the generation
    return true
  }

  bounds(metric: number): Bounds {
    const { descriptors } = this.#parts
    return {
      page: descriptors.boundsPage(metric),
      at: descriptors.boundsAt(metric),
      count: descriptors.boundsCount(metric),
    }
  }

  /**
   * Gives the handle of a metric, the same one at every call; undefined when the zone has no room
   * for its chunk or the writer is detached (refusals are counted by the zone). For a counter in
   * any mode but `settable`.
   * @throws {TypeError} when the metric is none, or of another type
   */
  counter(metric: number): CounterHandle | undefined {
    return this.#handle(metric, 'counter', CounterHandle)
  }

  /** Gives a handle as {@link counter} does; for a counter in the mode `settable`. */
  settableCounter(metric: number): SettableHandle | undefined {
    if (!(this.#handles[metric] instanceof SettableHandle)) this.#lookAt(metric)
    return this.#handle(metric, 'counter', SettableHandle)
  }

  /** Guards a settable counter of which gone threads have left more than any of them saw. */
  #lookAt(metric: number): void {
    const { descriptors } = this.#parts
    if (!descriptors.has(metric) || descriptors.mode(metric) !== 'settable') return
    if (descriptors.isGuarded(metric) || this.counterTotal(metric) < GUARDED_FROM) return
    this.guard(metric)
  }

  /**
   * Gives the place where {@link addSmall} finds a counter, until it is released; -1 where {@link
   * counter} would give no handle. It makes none: a place costs nothing.
   * @throws {TypeError} as {@link counter} does
   */
  counterPlace(metric: number): number {
    this.#check(metric, 'counter')
    this.#checkMode(metric, CounterHandle)
    const slotAt = this.#parts.descriptors.slotAt(metric)
    const page = this.#isAttached ? this.#pageFor(metric) : undefined
    if (page === undefined) return -1
    this.#counterPages[slotAt >>> PAGE_SHIFT] = page
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

  /** Gives a handle as {@link counter} does; for a gauge in any mode but `shared`. */
  gauge(metric: number): GaugeHandle | undefined {
    return this.#handle(metric, 'gauge', GaugeHandle)
  }

  /** Gives a handle as {@link counter} does; for a gauge in the mode `shared`. */
  sharedGauge(metric: number): SharedGaugeHandle | undefined {
    return this.#handle(metric, 'gauge', SharedGaugeHandle)
  }

  /** Gives a handle as {@link counter} does; its class is that of the mode. */
  dense(metric: number): DenseHandle | FractionsHandle | undefined {
    const held = this.#handles[metric]
    if (held instanceof DenseHandle) return held
    const { descriptors } = this.#parts
    const isFractions = descriptors.has(metric) && descriptors.mode(metric) === 'fractions'
    return this.#handle<DenseHandle | FractionsHandle>(
      metric,
      'dense',
      isFractions ? FractionsHandle : DenseHandle,
    )
  }

  /** Gives a handle as {@link counter} does. */
  exponential(metric: number): ExponentialHandle | undefined {
    return this.#handle(metric, 'exponential', ExponentialHandle)
  }

  /** Gives a handle as {@link counter} does. */
  expanding(metric: number): ExpandingHandle | undefined {
    return this.#handle(metric, 'expanding', ExpandingHandle)
  }

  /** Gives a handle as {@link counter} does. */
  binned(metric: number): BinnedHandle | undefined {
    return this.#handle(metric, 'binned', BinnedHandle)
  }

  /** Gives a handle as {@link counter} does. */
  summary(metric: number): SummaryHandle | undefined {
    return this.#handle(metric, 'summary', SummaryHandle)
  }

  #handle<H extends Handle>(
    metric: number,
    type: MetricType,
    Class: new (owner: SlotOwner, metric: number, page: Page, at: number) => H,
  ): H | undefined {
    const held = this.#handles[metric]
    if (held instanceof Class) return held
    this.#check(metric, type)
    this.#checkMode(metric, Class)
    if (!this.#isAttached) return undefined
    const page = this.#pageFor(metric)
    if (page === undefined) return undefined
    const handle = new Class(this, metric, page, this.#wordOf(metric))
    this.#handles[metric] = handle
    return handle
  }

  #check(metric: number, type: MetricType): void {
    const { descriptors } = this.#parts
    if (!descriptors.has(metric)) throw new TypeError(`metric ${metric} is not defined`)
    const actual = descriptors.type(metric)
    if (actual !== type) throw new TypeError(`metric ${metric} is a ${actual}, not a ${type}`)
  }

  /** Checks that handles of a class are for the metric's mode. */
  #checkMode(metric: number, Class: unknown): void {
    const mode = this.#parts.descriptors.mode(metric)
    for (const [special, name, its] of SPECIAL) {
      if ((mode === special) === (Class === its)) continue
      throw new TypeError(`metric ${metric} is ${mode === special ? 'a' : 'no'} ${name}`)
    }
  }

  #isShared(metric: number): boolean {
    return this.#parts.descriptors.mode(metric) === 'shared'
  }

  /** Finds the page that a metric's handle writes: of the segment, or of the descriptors. */
  #pageFor(metric: number): Page | undefined {
    const { descriptors } = this.#parts
    if (this.#isShared(metric)) return descriptors.pageOf(metric)
    const slotAt = descriptors.slotAt(metric)
    return this.#segment.pageOf(slotAt) ?? this.#takePage(slotAt, descriptors.slotClass(metric))
  }

  /** Takes a page; undefined when the zone is full or its lock stuck; counted. */
  #takePage(slotAt: number, slotClass: number): Page | undefined {
    const { memory } = this
    if (!memory.lock()) {
      memory.countRefusal('lock_timeout')
      return undefined
    }
    const hasPage = this.#segment.reserve(slotAt, slotClass)
    memory.unlock()
    if (!hasPage) memory.countRefusal('zone_full')
    return this.#segment.pageOf(slotAt)
  }

  /** Segment that this writer writes; for the zone. */
  get place(): Segment {
    return this.#segment
  }

  /** Stays in a segment of a zone that was replaced, until it is moved; for the zone. */
  stayIn(place: Segment): void {
    this.#dismissKeeper()
    this.#segment = place
  }

  /** Moves to another segment, where the values are now and everything counts; for the zone. */
  moveTo(place: Segment): void {
    this.#dismissKeeper()
    this.#segment = place
    const { descriptors } = this.#parts
    this.#handles.forEach((handle, metric) => {
      const page = this.#isShared(metric)
        ? descriptors.pageOf(metric)
        : place.pageOf(descriptors.slotAt(metric))
      if (page !== undefined) handle?.bind(this, page, this.#wordOf(metric))
    })
    this.#counterPages.forEach((page, chunk) => {
      if (page !== undefined) this.#counterPages[chunk] = place.pageOf(chunk << PAGE_SHIFT)
    })
  }

  #dismissKeeper(): void {
    this.keeper?.leave()
    this.keeper = undefined
  }

  get isReplacing(): boolean {
    return this.memory.isReplaced || this.#parts.segments.predecessors.length > 0
  }

  setShared(metric: number, value: bigint): boolean {
    const { memory } = this
    if (!memory.lock()) return false
    const { descriptors, segments } = this.#parts
    memory.generation.begin()
    segments.clearShared(descriptors, metric)
    Atomics.store(descriptors.pageOf(metric).words, descriptors.sharedAt(metric), value)
    memory.generation.end()
    memory.unlock()
    return true
  }

  sharedValue(metric: number): bigint {
    return this.memory.generation.consistently(this.#loadShared, metric)
  }

  readonly #loadShared = (metric: number): bigint => {
    const { descriptors, segments } = this.#parts
    const own = Atomics.load(descriptors.pageOf(metric).words, descriptors.sharedAt(metric))
    return BigInt.asUintN(64, own + segments.sharedRest(metric))
  }

  #wordOf(metric: number): number {
    const { descriptors } = this.#parts
    if (this.#isShared(metric)) return descriptors.sharedAt(metric)
    return descriptors.slotAt(metric) & (PAGE_WORDS - 1)
  }

  /**
   * Forgets the handle of a metric, which refuses from now on; what was recorded stays. To be
   * called in every thread before one of them retires the metric.
   */
  release(metric: number): void {
    this.keeper?.release(metric)
    const handle = this.#handles[metric]
    if (handle === undefined) return
    handle.bind(this.#nobody, nowhereToWrite(), 0)
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
      memory.countRefusal('lock_timeout')
      return false
    }
    this.#isAttached = false
    this.#dismissKeeper()
    for (const handle of this.#handles) handle?.bind(this.#nobody, nowhereToWrite(), 0)
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
