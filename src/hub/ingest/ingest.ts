/**
 * The verbs of the model on the zone: what a receiving dialect calls for every line. Resolves key
 * bytes to a slot under the series limits and adds into this thread's segment. For a series seen
 * before nothing here allocates, unless its value is beyond 2^53 or its sample rate is no 1/n.
 */
import { type Describe, type Ingest, REFUSED } from '../../dialects/ingest.ts'
import { describeSeries, type Exact, exact, type Metadata, U64_MAX } from '../../model/index.ts'
import type { CounterHandle, ExponentialHandle, GaugeHandle, Writer } from '../../shm/index.ts'
import type { SeriesRecord, SeriesStore } from '../series.ts'
import { KeyTable } from './key-table.ts'
import { OverflowSlots } from './overflow.ts'
import { take } from './weight.ts'

export interface IngestOptions {
  /** Registry name of the dialect that speaks. */
  readonly dialect: string
  /** Negative increments of a counter: a second part of the series, or refused. */
  readonly negativeMeter: 'split' | 'refuse'
}

/** What the ingest tells the rest of the hub; called on rare paths only. */
export interface IngestEvents {
  /** `name` is given where a new series was refused. */
  refused(code: string, source: string, name?: string): void
  noted(code: string): void
  /** Two senders seem to share one cumulative counter. */
  contested(record: SeriesRecord): void
}

/** Sources remembered between two ticks; more are served, but not listed. */
const ACTIVE_LIMIT = 1000
const I64_MIN = -(1n << 63n)

export class ZoneIngest implements Ingest {
  /** Measurements offered since the hub began, refused ones included. */
  measurements = 0
  generation = 0
  readonly #options: IngestOptions
  readonly #events: IngestEvents
  readonly #store: SeriesStore
  readonly #writer: Writer
  readonly #table = new KeyTable()
  readonly #overflow: OverflowSlots
  readonly #records: (SeriesRecord | undefined)[] = []
  /** By slot of a counter, its place in the writer; -1 for others. */
  readonly #places: number[] = []
  readonly #counters: (CounterHandle | undefined)[] = []
  readonly #downs: (CounterHandle | undefined)[] = []
  readonly #gauges: (GaugeHandle | undefined)[] = []
  readonly #histograms: (ExponentialHandle | undefined)[] = []
  /** What sampled lines have left over per slot, each less than 1. */
  readonly #carries: number[] = []
  readonly #downCarries: number[] = []
  readonly #slotsOfSeries = new Map<number, number[]>()
  #source = ''
  #active = new Set<string>()

  constructor(options: IngestOptions, store: SeriesStore, writer: Writer, events: IngestEvents) {
    this.#options = options
    this.#store = store
    this.#writer = writer
    this.#events = events
    this.#overflow = new OverflowSlots(options.dialect, store)
    store.onExpire((record) => this.#forget(record))
  }

  /** Bytes of its own tables; the zone's are accounted for by the zone. */
  get bytes(): number {
    return this.#table.bytes + this.#records.length * 64
  }

  begin(source: string): void {
    if (source === this.#source && this.#active.size > 0) return
    this.#source = source
    if (this.#active.size < ACTIVE_LIMIT) this.#active.add(source)
  }

  /** Sources heard since the last call, at most 1,000 of them. */
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
    const slot = this.#table.find(bytes, start, end, type, hash)
    return slot >= 0 ? slot : this.#define(bytes, start, end, type, hash, describe)
  }

  count(slot: number, value: Exact, weight: number): void {
    this.measurements++
    if (slot < 0) return
    const place = this.#places[slot]!
    // nearly every line; a handle would be one more thing to wait for
    if (place >= 0 && weight === 1 && typeof value === 'number') {
      if (this.#writer.addSmall(place, value)) return
    }
    const counter = this.#counters[slot]
    if (counter === undefined) return
    if (value < 0) {
      this.#countDown(slot, value, weight)
      return
    }
    const n = weight === 1 ? value : take(this.#carries, slot, value, weight)
    this.#grow(counter, n)
  }

  read(slot: number, reading: Exact): void {
    this.measurements++
    if (slot < 0) return
    if (reading < 0) {
      this.#events.refused('negative_reading', this.#source)
      return
    }
    const record = this.#records[slot]
    const cumulative = record?.reading
    if (record === undefined || cumulative === undefined) return
    const resets = cumulative.resets
    this.#grow(this.#counters[slot]!, cumulative.take(reading, this.#source))
    if (cumulative.resets !== resets && cumulative.isContested) this.#events.contested(record)
  }

  set(slot: number, value: Exact): void {
    this.measurements++
    if (slot < 0) return
    const gauge = this.#gauges[slot]
    if (gauge === undefined) return
    if (typeof value === 'bigint' && (value > U64_MAX || value < I64_MIN)) {
      this.#events.noted('inexact')
      gauge.set(Number(value))
    } else {
      gauge.set(value)
    }
  }

  observe(slot: number, value: Exact, weight: number): void {
    this.measurements++
    if (slot < 0) return
    const times = weight === 1 ? 1 : take(this.#carries, slot, 1, weight)
    if (times !== 0) this.#histograms[slot]?.observe(value, times)
  }

  annotate(slot: number, metadata: Metadata): void {
    const record = this.#records[slot]
    if (record !== undefined) this.#store.annotate(record, metadata)
  }

  refuse(code: string): void {
    this.measurements++
    this.#events.refused(code, this.#source)
  }

  note(code: string): void {
    this.#events.noted(code)
  }

  #grow(counter: CounterHandle, n: Exact): void {
    const isTaken = typeof n === 'number' ? counter.add(n) : n <= U64_MAX && counter.addExact(n)
    if (!isTaken) this.#events.refused('value_range', this.#source)
  }

  /** A negative increment: its size goes to the series' second monotonic part. */
  #countDown(slot: number, value: Exact, weight: number): void {
    if (this.#options.negativeMeter === 'refuse') {
      this.#events.refused('negative_meter', this.#source)
      return
    }
    const down = this.#downs[slot] ?? this.#defineDown(slot)
    if (down === undefined) return
    const size = exact(-value as Exact)
    this.#grow(down, weight === 1 ? size : take(this.#downCarries, slot, size, weight))
  }

  #define(
    bytes: Uint8Array,
    start: number,
    end: number,
    type: number,
    hash: number,
    describe: Describe,
  ): number {
    const key = copyBytes(bytes, start, end)
    const description = describe(key, type)
    const record = this.#store.define({ ...description, source: this.#source })
    if (typeof record === 'string') {
      this.#events.refused(record, this.#source, describeSeries(description.identity))
      if (record === 'reserved_name' || record === 'key_too_long') return REFUSED
      return this.#overflowSlot(description.identity.kind, description.isCumulative === true)
    }
    return this.#bind(record, bytes, start, end, type, hash)
  }

  /** Gives a series a slot with its handles; refused when the zone has no room for its cells. */
  #bind(
    record: SeriesRecord,
    bytes: Uint8Array,
    start: number,
    end: number,
    type: number,
    hash: number,
  ): number {
    const { metric } = record
    const { kind } = record.identity
    const counter = kind === 'counter' ? this.#writer.counter(metric) : undefined
    const gauge = kind === 'gauge' ? this.#writer.gauge(metric) : undefined
    const histogram = kind === 'histogram' ? this.#writer.exponential(metric) : undefined
    if ((counter ?? gauge ?? histogram) === undefined) {
      this.#events.refused('zone_full', this.#source, describeSeries(record.identity))
      return REFUSED
    }
    const slot = this.#table.add(bytes, start, end, type, hash)
    this.#records[slot] = record
    this.#places[slot] = counter === undefined ? -1 : this.#writer.counterPlace(metric)
    this.#counters[slot] = counter
    this.#gauges[slot] = gauge
    this.#histograms[slot] = histogram
    this.#downs[slot] = undefined
    this.#carries[slot] = 0
    this.#downCarries[slot] = 0
    const slots = this.#slotsOfSeries.get(record.id)
    if (slots === undefined) this.#slotsOfSeries.set(record.id, [slot])
    else slots.push(slot)
    return slot
  }

  /** Sums and distributions of refused series stay whole in one overflow series per kind. */
  #overflowSlot(kind: string, isCumulative: boolean): number {
    if (isCumulative || (kind !== 'counter' && kind !== 'histogram')) return REFUSED
    return this.#overflow.slot(kind, (record, key) =>
      this.#bind(record, key, 0, key.length, OverflowSlots.TYPE, 0),
    )
  }

  #defineDown(slot: number): CounterHandle | undefined {
    const record = this.#records[slot]!
    const down = this.#store.defineDown(record, this.#source)
    if (typeof down === 'string') {
      this.#events.refused(down, this.#source)
      return undefined
    }
    const handle = this.#writer.counter(down.metric)
    this.#downs[slot] = handle
    return handle
  }

  #forget(record: SeriesRecord): void {
    this.generation++
    for (const slot of this.#slotsOfSeries.get(record.id) ?? []) {
      this.#table.remove(slot)
      this.#records[slot] = undefined
      this.#places[slot] = -1
      this.#counters[slot] = undefined
      this.#downs[slot] = undefined
      this.#gauges[slot] = undefined
      this.#histograms[slot] = undefined
    }
    this.#slotsOfSeries.delete(record.id)
  }
}

/** A copy of its own: `slice` of a Buffer would keep the whole read alive. */
function copyBytes(bytes: Uint8Array, start: number, end: number): Uint8Array {
  return new Uint8Array(bytes.subarray(start, end))
}
