/**
 * What is known of all series, in columns by their ids: 29 bytes for each, in pages that are given
 * back when the last one of a page has left. A series is no object: its record is made when
 * one is asked for, and reads here. What few series have (windows, decrements, readings) stands
 * in an object of parts. Its identity costs nothing here, for its key stands in the zone.
 */
import { type Identity, identityOf, type Metadata } from '../../model/index.ts'
import type { Zone } from '../../shm/index.ts'
import type { Task } from '../tasks/task.ts'
import { MetadataPool } from './metadata-pool.ts'
import { NumberedList } from './numbered-list.ts'
import { SharedRows } from './shared-rows.ts'

/** Place where a record finds what it does not hold itself; it asks by its own id. */
export interface SeriesFacts<P> {
  metric(id: number): number
  flags(id: number): number
  setFlags(id: number, flags: number): void
  source(id: number): string
  metadata(id: number): Metadata
  identity(id: number): Identity
  firstSeenMs(id: number): number
  lastDataMs(id: number): number
  setFirstSeenMs(id: number, ms: number): void
  setLastDataMs(id: number, ms: number): void
  /** Parts that few series have; undefined while there are none. */
  parts(id: number): P | undefined
  setParts(id: number, parts: P): void
}

/** A series as it begins. */
interface NewRow {
  readonly metric: number
  readonly flags: number
  readonly source: string
  readonly metadata: Metadata
  readonly nowMs: number
}

const PAGE_SHIFT = 10
const PAGE_ROWS = 1 << PAGE_SHIFT
const ROW_MASK = PAGE_ROWS - 1
/** Pages between two looks at the clock: a tenth of a millisecond. */
const PAGES_PER_STEP = 64
const NO_METRIC = -1
/** Time of the last data where there is no series: never silent. */
const NEVER = Number.POSITIVE_INFINITY

class ColumnPage {
  count = 0
  readonly firstSeenMs: Float64Array
  readonly lastDataMs: Float64Array
  /** Index of the metric in the zone; -1 where there is no series. */
  readonly metrics: Int32Array
  /** Rows of what many series share. */
  readonly sources: Uint32Array
  readonly metadata: Uint32Array
  readonly flags: Uint8Array

  constructor() {
    const buffer = new ArrayBuffer(29 * PAGE_ROWS)
    this.firstSeenMs = new Float64Array(buffer, 0, PAGE_ROWS)
    this.lastDataMs = new Float64Array(buffer, 8 * PAGE_ROWS, PAGE_ROWS).fill(NEVER)
    this.metrics = new Int32Array(buffer, 16 * PAGE_ROWS, PAGE_ROWS).fill(NO_METRIC)
    this.sources = new Uint32Array(buffer, 20 * PAGE_ROWS, PAGE_ROWS)
    this.metadata = new Uint32Array(buffer, 24 * PAGE_ROWS, PAGE_ROWS)
    this.flags = new Uint8Array(buffer, 28 * PAGE_ROWS, PAGE_ROWS)
  }
}

/** Page of what is no series: a record that is not kept says nothing of one that has left. */
const EMPTY_PAGE = new ColumnPage()
const NO_IDENTITY: Identity = { name: '', kind: 'gauge', labels: [] }
const NO_METADATA: Metadata = { dialect: '' }

export class SeriesColumns<P extends object> implements SeriesFacts<P> {
  readonly #zone: Zone
  readonly #pages: (ColumnPage | undefined)[] = []
  readonly #parts = new NumberedList<P>()
  readonly #sources = new SharedRows<string>()
  readonly #metadata = new SharedRows<Metadata>()
  readonly #pool = new MetadataPool()
  #size = 0
  /** Identity read last: who asks for one mostly asks for several parts of it. */
  #id = -1
  #identity: Identity | undefined

  constructor(zone: Zone) {
    this.#zone = zone
  }

  get size(): number {
    return this.#size
  }

  /** Begins a series, under an id that no series had. */
  begin(id: number, { metric, flags, source, metadata, nowMs }: NewRow): void {
    const page = this.#pageOf(id >>> PAGE_SHIFT)
    const at = id & ROW_MASK
    page.firstSeenMs[at] = nowMs
    page.lastDataMs[at] = nowMs
    page.metrics[at] = metric
    page.sources[at] = this.#sources.take(source)
    page.metadata[at] = this.#metadata.take(this.#pool.share(metadata))
    page.flags[at] = flags
    page.count++
    this.#size++
  }

  #pageOf(index: number): ColumnPage {
    while (this.#pages.length <= index) this.#pages.push(undefined)
    this.#pages[index] ??= new ColumnPage()
    return this.#pages[index]
  }

  /** Ends a series; what is known of it so far stays with those who have the answer. */
  end(id: number): SeriesFacts<P> {
    const former = new FormerFacts<P>(id, this)
    const index = id >>> PAGE_SHIFT
    const page = this.#pages[index] ?? EMPTY_PAGE
    const at = id & ROW_MASK
    if (page.metrics[at] === NO_METRIC) return former
    this.#sources.release(page.sources[at]!)
    this.#metadata.release(page.metadata[at]!)
    page.metrics[at] = NO_METRIC
    page.lastDataMs[at] = NEVER
    page.count--
    this.#size--
    if (page.count === 0) this.#pages[index] = undefined
    this.#parts.delete(id)
    this.#id = -1
    return former
  }

  has(id: number): boolean {
    return this.metric(id) !== NO_METRIC
  }

  metric(id: number): number {
    return this.#read(id).metrics[id & ROW_MASK]!
  }

  #read(id: number): ColumnPage {
    return this.#pages[id >>> PAGE_SHIFT] ?? EMPTY_PAGE
  }

  flags(id: number): number {
    return this.#read(id).flags[id & ROW_MASK]!
  }

  setFlags(id: number, flags: number): void {
    if (this.has(id)) this.#read(id).flags[id & ROW_MASK] = flags
  }

  source(id: number): string {
    return this.has(id) ? this.#sources.get(this.#read(id).sources[id & ROW_MASK]!) : ''
  }

  metadata(id: number): Metadata {
    if (!this.has(id)) return NO_METADATA
    return this.#metadata.get(this.#read(id).metadata[id & ROW_MASK]!)
  }

  setMetadata(id: number, metadata: Metadata): void {
    if (!this.has(id)) return
    const page = this.#read(id)
    const before = page.metadata[id & ROW_MASK]!
    page.metadata[id & ROW_MASK] = this.#metadata.take(this.#pool.share(metadata))
    this.#metadata.release(before)
  }

  /** @throws {TypeError} for a metric whose key is no identity */
  identity(id: number): Identity {
    if (id === this.#id) return this.#identity!
    const metric = this.metric(id)
    if (metric === NO_METRIC) return NO_IDENTITY
    const identity = identityOf(this.#zone.key(metric))
    if (identity === undefined) throw new TypeError(`metric ${metric} is no series`)
    this.#id = id
    this.#identity = identity
    return identity
  }

  /** Reads the identity of a series anew, whose metric has another key. */
  forgetIdentity(): void {
    this.#id = -1
  }

  firstSeenMs(id: number): number {
    return this.#read(id).firstSeenMs[id & ROW_MASK]!
  }

  lastDataMs(id: number): number {
    return this.has(id) ? this.#read(id).lastDataMs[id & ROW_MASK]! : 0
  }

  setFirstSeenMs(id: number, ms: number): void {
    if (this.has(id)) this.#read(id).firstSeenMs[id & ROW_MASK] = ms
  }

  setLastDataMs(id: number, ms: number): void {
    const page = this.#read(id)
    if (page.metrics[id & ROW_MASK] !== NO_METRIC) page.lastDataMs[id & ROW_MASK] = ms
  }

  parts(id: number): P | undefined {
    return this.#parts.get(id)
  }

  setParts(id: number, parts: P): void {
    if (this.has(id)) this.#parts.set(id, parts)
  }

  /** Lists ids, rising; those that come or leave meanwhile may be among them or not. */
  *ids(): IterableIterator<number> {
    for (let index = 0; index < this.#pages.length; index++) {
      const page = this.#pages[index]
      if (page === undefined) continue
      for (let at = 0; at < PAGE_ROWS; at++) {
        if (page.metrics[at] !== NO_METRIC) yield index * PAGE_ROWS + at
      }
    }
  }

  /** Lists in steps the ids, rising, of those that are silent since before an instant. */
  *silentSince(instantMs: number): Task<number[]> {
    const silent: number[] = []
    for (let index = 0; index < this.#pages.length; index++) {
      if (index % PAGES_PER_STEP === PAGES_PER_STEP - 1) yield
      const page = this.#pages[index]
      if (page === undefined) continue
      for (let at = 0; at < PAGE_ROWS; at++) {
        if (page.lastDataMs[at]! < instantMs) silent.push(index * PAGE_ROWS + at)
      }
    }
    return silent
  }

  /** Moves all times; none that a series began at comes after `nowMs`. */
  *shifting(stepMs: number, nowMs: number): Task {
    for (let index = 0; index < this.#pages.length; index++) {
      if (index % PAGES_PER_STEP === PAGES_PER_STEP - 1) yield
      const page = this.#pages[index]
      if (page === undefined) continue
      for (let at = 0; at < PAGE_ROWS; at++) {
        page.lastDataMs[at]! += stepMs
        if (page.firstSeenMs[at]! > nowMs) page.firstSeenMs[at] = nowMs
      }
    }
  }
}

/** Facts of one series that has left, for those who have kept its record. */
class FormerFacts<P> implements SeriesFacts<P> {
  readonly #metric: number
  #flags: number
  readonly #source: string
  readonly #metadata: Metadata
  readonly #identity: Identity
  #firstSeenMs: number
  #lastDataMs: number
  #parts: P | undefined

  constructor(id: number, facts: SeriesFacts<P>) {
    this.#metric = facts.metric(id)
    this.#flags = facts.flags(id)
    this.#source = facts.source(id)
    this.#metadata = facts.metadata(id)
    this.#identity = facts.identity(id)
    this.#firstSeenMs = facts.firstSeenMs(id)
    this.#lastDataMs = facts.lastDataMs(id)
    this.#parts = facts.parts(id)
  }

  metric(): number {
    return this.#metric
  }

  flags(): number {
    return this.#flags
  }

  setFlags(_id: number, flags: number): void {
    this.#flags = flags
  }

  source(): string {
    return this.#source
  }

  metadata(): Metadata {
    return this.#metadata
  }

  identity(): Identity {
    return this.#identity
  }

  firstSeenMs(): number {
    return this.#firstSeenMs
  }

  lastDataMs(): number {
    return this.#lastDataMs
  }

  setFirstSeenMs(_id: number, ms: number): void {
    this.#firstSeenMs = ms
  }

  setLastDataMs(_id: number, ms: number): void {
    this.#lastDataMs = ms
  }

  parts(): P | undefined {
    return this.#parts
  }

  setParts(_id: number, parts: P): void {
    this.#parts = parts
  }
}
