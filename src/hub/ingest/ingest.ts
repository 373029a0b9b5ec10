/**
 * The operations of the model on the zone: what a receiving dialect calls for every line. Resolves
 * key bytes to a slot under the series limits and adds into this thread's segment. For a series
 * seen before nothing here allocates, unless its value is beyond 2^53 or its sample rate is no 1/n.
 */
import { ENTRY, type KeyMemory } from '../../arena/key-memory.ts'
import { type Describe, type LineIngest, REFUSED } from '../../dialects/ingest.ts'
import {
  describeSeries,
  type Exact,
  exact,
  type Kind,
  type Metadata,
  multiplyExact,
  U64_MAX,
} from '../../model/index.ts'
import type { CounterHandle, ExponentialHandle, Writer } from '../../shm/index.ts'
import { NumberedInts, NumberedList } from '../series/numbered-list.ts'
import { grow, type LineQueue } from './command-queue.ts'
import { kindOf, type SeriesDefiner, type SeriesRefusal } from './definition.ts'
import { SetGauges } from './gauges/set-gauges.ts'
import type { ValueRows } from './gauges/value-pages.ts'
import { KeyTable } from './keys/key-table.ts'
import { NOT_REFUSED, REFUSED_BYTES, type Refusal, RefusedKeys } from './keys/refused-keys.ts'
import { Naming, nameOf } from './naming.ts'
import { OverflowSlots } from './overflow.ts'
import type { QuotaRefusal } from './quota.ts'
import { wholeWeight } from './weight.ts'

export interface IngestOptions {
  /** Registry name of the dialect that speaks. */
  readonly dialect: string
  /** Count of measurements: one double, which other threads may read. */
  readonly measurements?: Float64Array
}

/** Parts of an ingest; all of one thread, but for what the zone shares. */
export interface IngestParts<Q extends LineQueue = LineQueue> {
  readonly series: SeriesDefiner
  readonly writer: Writer
  /** Queue of the commands that depend on the order over all threads. */
  readonly queue: Q
  readonly events: IngestEvents
  /** Rows for what the gauges of this thread go through in a second. */
  readonly rows: ValueRows
}

/** Events that the ingest tells the rest of the hub; called on rare paths only. */
export interface IngestEvents {
  /**
   * Called for refusals of one code.
   * @param name given where a new series was refused; asked for where it is kept
   * @param count of lines, 1 unless given
   */
  refused(code: string, source: string, name?: () => string, count?: number): void
  noted(code: string): void
}

/** Sources remembered between two ticks; more are served, but not listed. */
const ACTIVE_LIMIT = 1000
/** Refusals by a limit: what such series would have counted goes on in the overflow series. */
const HAS_OVERFLOW: ReadonlySet<SeriesRefusal> = new Set([
  'series_limit',
  'series_limit_per_source',
  'zone_percent_per_source',
  'zone_full',
  'overloaded',
])
/** Refusals among them that hold until a limit eases, or the series is there. */
const OF_QUOTA: ReadonlySet<string> = new Set<QuotaRefusal>([
  'series_limit',
  'series_limit_per_source',
  'zone_percent_per_source',
  'overloaded',
])
const isOfQuota = (refusal: SeriesRefusal): refusal is QuotaRefusal => OF_QUOTA.has(refusal)
/** Refusals among these that are the same for every source. */
const OF_ALL: ReadonlySet<string> = new Set<QuotaRefusal>(['series_limit', 'overloaded'])
const FIRST_SLOTS = 64
/** Three numbers, and a fourth by metric. */
const BYTES_PER_SLOT = 16
const I64_MIN = -(1n << 63n)
/** Words of an entry in key memory. */
const LINES = ENTRY.lines >> 2
const COUNTER = ENTRY.counter >> 2
const SUM = ENTRY.sum >> 2

export class LineZoneIngest<Q extends LineQueue = LineQueue> implements LineIngest {
  generation = 0
  readonly #measurements: Float64Array
  readonly #events: IngestEvents
  readonly #series: SeriesDefiner
  readonly #writer: Writer
  protected readonly queue: Q
  readonly #table = new KeyTable()
  protected readonly overflow: OverflowSlots
  readonly #refused: RefusedKeys
  readonly #naming = new Naming()
  // Numbers by slot: what a series costs here besides its key. Its handle is the writer's.
  /** Metrics; -1 for a free slot. */
  #metrics = new Int32Array(0)
  /** Places in the writer, of counters; -1 for others. */
  #places = new Int32Array(0)
  /** Slots of the same metric, one after the other; -1 for the last one. */
  #nextSlots = new Int32Array(0)
  readonly #firstSlots = new NumberedInts()
  readonly #gauges: SetGauges
  readonly #histograms = new NumberedList<ExponentialHandle>()
  /** Metrics of the second part, by slot of a counter that has one. */
  readonly #decrements = new Map<number, number>()
  protected source = ''
  #active = new Set<string>()

  constructor(options: IngestOptions, { series, writer, queue, events, rows }: IngestParts<Q>) {
    this.#measurements = options.measurements ?? new Float64Array(1)
    this.#series = series
    this.#writer = writer
    this.queue = queue
    this.#events = events
    this.#gauges = new SetGauges(writer, rows)
    this.overflow = new OverflowSlots(options.dialect, series)
    this.#refused = new RefusedKeys(series.changes)
    series.onForget((metric) => this.#forget(metric))
  }

  /** Measurements offered since the hub began, refused ones included. */
  get measurements(): number {
    return this.#measurements[0]!
  }

  /** Bytes of its own tables; the zone's are accounted for by the zone. */
  get bytes(): number {
    return this.#table.bytes + this.#refused.bytes + this.#metrics.length * BYTES_PER_SLOT
  }

  begin(source: string): void {
    if (source === this.source && this.#active.size > 0) return
    if (source !== this.source) this.#refused.begin(source)
    this.source = source
    if (this.#active.size < ACTIVE_LIMIT) this.#active.add(source)
  }

  /** Takes the sources heard since the last call, at most 1,000 of them. */
  takeActive(): Set<string> {
    const active = this.#active
    this.#active = new Set()
    return active
  }

  slot(
    bytes: Uint8Array,
    start: number,
    end: number,
    type: number,
    hash: number,
    describe: Describe,
  ): number {
    const table = this.#table
    const slot = table.isRehashed
      ? table.findRehashed(bytes, start, end, type)
      : table.find(bytes, start, end, type, hash)
    return slot >= 0 ? slot : this.#define(bytes, start, end, type, hash, describe)
  }

  openKeys(roomBytes: number): KeyMemory | undefined {
    const shared = this.#table.share(roomBytes, REFUSED_BYTES)
    if (shared === undefined) return undefined
    const { memory, headAt, behindHeadAt } = shared
    this.#refused.share(memory.buffer, headAt, behindHeadAt)
    return {
      ...{ memory, headAt },
      refresh: () => this.#refused.refresh(),
      takeGathered: (places, count) => this.#takeGathered(places, count),
      refuse: (slot) => this.#refuseAgain(slot),
    }
  }

  #takeGathered(places: Int32Array, count: number): void {
    const words = this.#table.words
    const writer = this.#writer
    let lines = 0
    // lines of refused keys in a row are told together
    let refusal: Refusal | undefined
    let refusedLines = 0
    let refusedSum = 0
    for (let i = 0; i < count; i++) {
      const at = places[i]! >> 2
      const slot = words[at]!
      const linesHere = words[at + LINES]!
      const counter = words[at + COUNTER]!
      const low = words[at + SUM]!
      const high = words[at + SUM + 1]!
      lines += linesHere
      words[at + LINES] = 0
      words[at + SUM] = 0
      words[at + SUM + 1] = 0
      if (slot < 0) {
        const next = this.#refused.of(slot)
        if (next !== refusal) {
          this.#addRefused(refusal, refusedLines, refusedSum)
          refusal = next
          refusedLines = refusedSum = 0
        }
        refusedLines += linesHere
        refusedSum += (low >>> 0) + high * 2 ** 32
        continue
      }
      if (high === 0 && low >= 0 && counter >= 0 && writer.addSmall(counter, low)) continue
      this.#addLarge(slot, counter, (low >>> 0) + high * 2 ** 32)
    }
    this.#measurements[0]! += lines
    this.#addRefused(refusal, refusedLines, refusedSum)
  }

  #addLarge(slot: number, counter: number, sum: number): void {
    grow(this.#counterOf(slot), sum, this.source, this.#events)
    this.#checkGathering(slot, counter)
  }

  /** Near its end a counter takes or refuses each line for itself. */
  #checkGathering(slot: number, counter: number): void {
    if (counter >= 0 && this.#writer.addSmall(counter, 0)) return
    this.#table.stopGathering(slot)
    if (this.overflow.has(slot)) this.#refused.forget()
  }

  /** Counts lines of refused keys, and adds to the overflow series what they say together. */
  #addRefused(refusal: Refusal | undefined, lines: number, sum: number): void {
    if (refusal === undefined) return
    this.#events.refused(refusal.code, this.source, undefined, lines)
    const overflow = this.#overflowSlot(refusal.kind, refusal.isCumulative)
    if (overflow >= 0) this.#addLarge(overflow, this.#places[overflow]!, sum)
  }

  /** Counts a line of a refused key; its value goes to the slot of the answer. */
  #refuseAgain(slot: number): number {
    const { code, kind, isCumulative } = this.#refused.of(slot)
    this.#events.refused(code, this.source)
    return this.#overflowSlot(kind, isCumulative)
  }

  count(slot: number, value: Exact, weight: number): void {
    this.#measurements[0]!++
    if (slot < 0) return
    const place = this.#places[slot]!
    if (place < 0) return
    // nearly every line; a handle would be one more thing to wait for
    if (weight === 1 && typeof value === 'number') {
      if (this.#writer.addSmall(place, value)) return
    }
    if (value < 0) {
      this.#countDown(slot, value, weight)
      return
    }
    const whole = weight === 1 ? 1 : wholeWeight(weight)
    if (whole === 0) {
      this.queue.count(this.#metrics[slot]!, value, weight, this.source)
    } else {
      grow(this.#counterOf(slot), multiplyExact(value, whole), this.source, this.#events)
      this.#checkGathering(slot, place)
    }
  }

  read(slot: number, reading: Exact): void {
    this.#measurements[0]!++
    if (slot < 0) return
    if (reading < 0) {
      this.#events.refused('negative_reading', this.source)
      return
    }
    const metric = this.metricOf(slot)
    if (metric !== undefined) this.queue.read(metric, reading, this.source)
  }

  /** Ends the value of a gauge, if the slot is that of one. */
  protected endGauge(slot: number): void {
    if (slot >= 0) this.#gauges.set(slot, Number.NaN)
  }

  set(slot: number, value: Exact): void {
    this.#measurements[0]!++
    if (slot < 0) return
    if (typeof value === 'bigint' && (value > U64_MAX || value < I64_MIN)) {
      if (this.#gauges.has(slot)) this.#events.noted('inexact')
      this.#gauges.set(slot, Number(value))
    } else {
      this.#gauges.set(slot, value)
    }
  }

  observe(slot: number, value: Exact, weight: number): void {
    this.#measurements[0]!++
    if (slot < 0) return
    const histogram = this.#histograms.get(slot)
    if (histogram === undefined) return
    const whole = weight === 1 ? 1 : wholeWeight(weight)
    if (whole !== 0) histogram.observe(value, whole)
    else this.queue.observe(this.#metrics[slot]!, value, weight, this.source)
  }

  protected metricOf(slot: number): number | undefined {
    const metric = this.#metrics[slot] ?? -1
    return metric < 0 ? undefined : metric
  }

  /** Finds the handle of a counter, which only what is rare needs. */
  #counterOf(slot: number): CounterHandle | undefined {
    const metric = this.metricOf(slot)
    return metric === undefined ? undefined : this.#writer.counter(metric)
  }

  protected measured(): void {
    this.#measurements[0]!++
  }

  annotate(slot: number, metadata: Metadata): void {
    const metric = this.metricOf(slot)
    if (metric !== undefined) this.#series.annotate({ metric }, metadata)
  }

  refuse(code: string): void {
    this.#measurements[0]!++
    this.#events.refused(code, this.source)
  }

  note(code: string): void {
    this.#events.noted(code)
  }

  /** Takes a negative increment: its size goes to the series' second monotonic part. */
  #countDown(slot: number, value: Exact, weight: number): void {
    const metric = this.#decrements.get(slot) ?? this.#defineDecrements(slot)
    if (metric === undefined) return
    const size = exact(-value as Exact)
    const whole = weight === 1 ? 1 : wholeWeight(weight)
    if (whole === 0) {
      this.queue.count(metric, size, weight, this.source)
    } else {
      grow(this.#writer.counter(metric), multiplyExact(size, whole), this.source, this.#events)
    }
  }

  #define(
    bytes: Uint8Array,
    start: number,
    end: number,
    type: number,
    hash: number,
    describe: Describe,
  ): number {
    this.#refused.refresh()
    const mixed = this.#table.mixedHash(bytes, start, end, type, hash)
    const refused = this.#refused.find(bytes, start, end, type, mixed)
    if (refused !== NOT_REFUSED) return this.#refuseAgain(refused)
    const series = this.#naming.seriesOf(bytes, start, end, type, describe, this.source)
    const record = this.#series.define(series)
    const name = () => nameOf(bytes, start, end, type, describe)
    const isZoned = !('storage' in series)
    if (typeof record !== 'string') {
      const { metric } = record
      return this.#bind(metric, kindOf(series), isZoned, bytes, start, end, type, mixed, name)
    }
    const { keyHash } = this.#series
    this.#events.refused(record, this.source, name)
    if (!HAS_OVERFLOW.has(record)) return REFUSED
    // windows are no more added to an overflow series than readings are
    const isCumulative = series.isCumulative === true || !isZoned
    const refusal = { kind: kindOf(series), isCumulative }
    const overflow = this.#overflowSlot(refusal.kind, refusal.isCumulative)
    const isSummed = refusal.kind === 'counter' && !refusal.isCumulative
    if (isOfQuota(record) && (overflow >= 0 || !isSummed)) {
      const slot = this.#refused.add(
        ...([bytes, start, end, type, mixed, keyHash] as const),
        ...([{ ...refusal, code: record }, OF_ALL.has(record)] as const),
      )
      const isNearEnd = isSummed && !this.#writer.addSmall(this.#places[overflow]!, 0)
      if (isNearEnd && slot !== NOT_REFUSED) this.#refused.stopGathering(slot)
    }
    return overflow
  }

  /** Gives a series a slot with its handles; refused when the zone has no room for its cells. */
  #bind(
    metric: number,
    kind: Kind,
    isZoned: boolean,
    bytes: Uint8Array,
    start: number,
    end: number,
    type: number,
    mixed: number,
    name: () => string,
  ): number {
    const place = kind === 'counter' ? this.#writer.counterPlace(metric) : -1
    const gauge = kind === 'gauge' ? this.#writer.gauge(metric) : undefined
    const isObserved = isZoned && kind === 'histogram'
    const histogram = isObserved ? this.#writer.exponential(metric) : undefined
    if (isZoned && kind !== 'summary' && place < 0 && (gauge ?? histogram) === undefined) {
      this.#events.refused('zone_full', this.source, name)
      return REFUSED
    }
    const slot = this.#table.addMixed(bytes, start, end, type, mixed)
    if (slot >= this.#metrics.length) this.#grow()
    this.#metrics[slot] = metric
    this.#places[slot] = place
    this.#table.setCounter(slot, place)
    this.#checkGathering(slot, place)
    if (gauge !== undefined) this.#gauges.add(slot, gauge)
    if (histogram !== undefined) this.#histograms.set(slot, histogram)
    this.#nextSlots[slot] = this.#firstSlots.get(metric)
    this.#firstSlots.set(metric, slot)
    return slot
  }

  #grow(): void {
    this.#metrics = grownBy(this.#metrics)
    this.#places = grownBy(this.#places)
    this.#nextSlots = grownBy(this.#nextSlots)
  }

  /** Sums and distributions of refused series stay whole in one overflow series per kind. */
  #overflowSlot(kind: Kind, isCumulative: boolean): number {
    if (isCumulative || kind === 'gauge') return REFUSED
    const type = OverflowSlots.TYPE
    return this.overflow.slot(kind, (metric, identity, key) => {
      const mixed = this.#table.mixedHash(key, 0, key.length, type, 0)
      const name = () => describeSeries(identity)
      return this.#bind(metric, kind, true, key, 0, key.length, type, mixed, name)
    })
  }

  #defineDecrements(slot: number): number | undefined {
    const known = { metric: this.#metrics[slot]! }
    const decrements = this.#series.defineDecrements(known, this.source)
    if (typeof decrements === 'string') {
      this.#events.refused(decrements, this.source)
      return undefined
    }
    this.#decrements.set(slot, decrements.metric)
    return decrements.metric
  }

  #forget(metric: number): void {
    let slot = this.#firstSlots.get(metric)
    if (slot < 0) return
    this.generation++
    this.#firstSlots.set(metric, -1)
    for (; slot >= 0; slot = this.#nextSlots[slot]!) {
      // keys that are gathered have an overflow series
      if (this.overflow.forget(slot)) this.#refused.forget()
      this.#table.remove(slot)
      this.#metrics[slot] = -1
      this.#places[slot] = -1
      this.#decrements.delete(slot)
      this.#gauges.delete(slot)
      this.#histograms.delete(slot)
    }
  }
}

/** Makes a longer column; new rows are free. */
function grownBy(column: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(Math.max(FIRST_SLOTS, 2 * column.length)).fill(-1, column.length)
  larger.set(column)
  return larger
}
