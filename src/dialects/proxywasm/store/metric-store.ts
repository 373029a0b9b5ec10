/**
 * The document's store of metrics, over a zone: its options, names, definitions and values, for an
 * application's own metrics as for those of filters. One thread creates it, others open it; each
 * that records attaches a worker.
 *
 *   const store = MetricStore.create({ workers: 4 })
 *   const requests = store.define({ name: 'requests', type: 'counter' })
 *   const worker = store.attach()
 *   worker.handle(requests).increment()
 *   store.get(requests)                               // { type: 'counter', value: 1 }
 */
import {
  type BinsReading,
  refusalOf,
  type SharedZone,
  Zone,
  ZoneFullError,
  type ZoneReader,
  type ZoneRefusal,
  type ZoneUsage,
} from '../../../shm/index.ts'
import type { MetricSpace, MetricSpaceSource } from '../host/metric-space.ts'
import { isFilterKey, namedMetric } from '../keys.ts'
import { type DescribedMetric, type DescribeOptions, describePrefixed } from '../map.ts'
import { FILTER_TYPES, type FilterMetricType, type JsonDocument, type JsonMetric } from '../spec.ts'
import { type MetricDefinition, zoneDefinition } from './definition.ts'
import { noCounts, type OwnCounts } from './handles.ts'
import { DocumentIndex } from './metric-index.ts'
import {
  checkRules,
  type StoreChange,
  type StoreOptions,
  type StoreRules,
  zoneChange,
  zoneOptions,
} from './options.ts'
import { FilterSpace, spaceSource } from './space.ts'
import {
  documentType,
  type HistogramView,
  readValue,
  type WorkerValue,
  workerValues,
} from './values.ts'
import { StoreWorker } from './worker.ts'

/** Store as it is handed to other threads, by workerData or postMessage. */
export interface SharedStore {
  readonly zone: SharedZone
  readonly rules: StoreRules
}

export interface SnapshotOptions {
  /** Default `dense`: nothing is left out. */
  readonly view?: HistogramView
}

/** Count of what a store refused, dropped or mended (§6): its own, and those of its zone. */
type StoreCount =
  | keyof OwnCounts
  | 'redefinition'
  | 'nameTooLong'
  | 'zoneFull'
  | 'binFallback'
  | 'orphanFolded'
  | 'lockTakeover'

const KEYS_DEFAULT = 500

/**
 * The document's store over a zone: metrics defined once, written by any number of threads.
 *
 * @example
 * import { MetricStore } from 'pentameter/proxywasm'
 *
 * const store = MetricStore.create({ workers: 4 })
 * const requests = store.define({ name: 'requests', type: 'counter' })
 * store.attach().handle(requests).increment()
 * console.log(store.snapshot()) // { requests: { type: 'counter', value: 1 } }
 * store.close()
 */
export class MetricStore {
  readonly #zone: Zone
  readonly #reader: ZoneReader
  readonly #rules: StoreRules
  readonly #counts: OwnCounts = noCounts()
  readonly #index: DocumentIndex
  readonly #workers = new Set<StoreWorker>()
  readonly #units = new Map<number, string>()

  private constructor(zone: Zone, rules: StoreRules) {
    this.#zone = zone
    this.#reader = zone.reader()
    this.#rules = rules
    this.#index = new DocumentIndex(zone, rules, this.#counts)
  }

  /** @throws {RangeError} for an option that is out of its range, in the original's words */
  static create(options: StoreOptions = {}): MetricStore {
    const rules = checkRules(options)
    return new MetricStore(Zone.create(zoneOptions(options, rules)), rules)
  }

  /**
   * Opens the same store in another thread.
   * @throws {ZoneFormatError} when the memory holds no zone of this version
   */
  static open({ zone, rules }: SharedStore): MetricStore {
    return new MetricStore(Zone.open(zone), rules)
  }

  get shared(): SharedStore {
    return { zone: this.#zone.shared, rules: this.#rules }
  }

  /**
   * Defines a metric, if it is new, and gives its number.
   * @throws {RangeError} for a name, type or bounds that cannot be, or that differ from the first
   *   definition
   * @throws {TypeError} for options that do not go together
   * @throws {ZoneFullError} when there is no room, or the filter has as many as it may
   */
  define(definition: MetricDefinition): number {
    const metric = this.tryDefine(definition)
    const refusal = refusalOf(metric)
    if (refusal !== undefined) throw this.#refusalError(refusal, definition)
    return metric
  }

  /**
   * Defines a metric as {@link define} does, but what the zone refuses is a negative number that
   * `refusalOf` names.
   */
  tryDefine(definition: MetricDefinition): number {
    const named = namedMetric(definition, this.#rules)
    const metric = this.#index.define(named, zoneDefinition(definition, named.origin, this.#rules))
    const { unit } = definition
    if (metric >= 0 && unit !== undefined) this.#units.set(metric, unit)
    return metric
  }

  #refusalError(refusal: ZoneRefusal, definition: MetricDefinition): Error {
    const { name } = definition
    const text = typeof name === 'string' ? name : decoder.decode(name)
    if (refusal === 'key_too_long') {
      return new RangeError(`could not define metric: name "${text}" too long`)
    }
    if (refusal === 'type_mismatch') {
      const held = this.find(definition)
      const type = held === -1 ? 'metric' : documentType(this.#zone.type(held))
      return new RangeError(`metric "${text}" is a ${type}${this.#otherwise(held)}`)
    }
    const reason =
      refusal === 'lock_timeout' ? 'locked' : 'no memory (increase "slab_size" directive)'
    return new ZoneFullError(`could not define metric "${text}": ${reason}`)
  }

  /** Says how the definition that is there could differ from one of the same type. */
  #otherwise(held: number): string {
    if (held === -1) return ''
    const bounds = this.#zone.bounds(held).slice(0, -1)
    if (bounds.length > 0) return ` with bounds ${bounds.join(', ')}`
    const isGauge = this.#zone.type(held) === 'gauge'
    return isGauge ? ` of mode ${this.#zone.mode(held)}` : ''
  }

  /**
   * Leases a segment to this thread.
   * @throws {ZoneFullError} when as many are attached as may be
   */
  attach(): StoreWorker {
    for (const each of this.#workers) if (!each.writer.isAttached) this.#workers.delete(each)
    const worker = new StoreWorker(this.#zone, this.#zone.attach(), this.#rules, this.#counts)
    this.#workers.add(worker)
    return worker
  }

  /** Opens what a host of filters writes through, in this thread. */
  space(worker: StoreWorker): MetricSpace {
    return new FilterSpace(this.#zone, worker.writer, this.#rules, this.#index)
  }

  /** Finds the metric of a name without prefix, as it was defined; -1 for none. */
  find(definition: Pick<MetricDefinition, 'origin' | 'filter' | 'name' | 'type'>): number {
    return this.#index.find(namedMetric(definition, this.#rules))
  }

  /** Reads the consolidated value; undefined when the metric is none. */
  get(metric: number, { view }: SnapshotOptions = {}): JsonMetric | undefined {
    const type = this.#typeOf(metric)
    if (type === undefined) return undefined
    const isPeer = this.#rules.profile === 'peer'
    const options = view === undefined ? { isPeer } : { isPeer, view }
    return this.#unlessRetired(metric, () => readValue(this.#reader, metric, type, options))
  }

  /**
   * Reads a metric by the prefixed name; where it has several types, the first of counter, gauge,
   * histogram.
   */
  getByName(prefixed: string, options: SnapshotOptions = {}): JsonMetric | undefined {
    const metric = this.findPrefixed(encoder.encode(prefixed))
    return metric === -1 ? undefined : this.get(metric, options)
  }

  /** Finds the metric of a prefixed name, or -1; one of a type where a name may have several. */
  findPrefixed(prefixed: Uint8Array, type?: FilterMetricType): number {
    if (this.#rules.host !== 'envoy' || !isFilterKey(prefixed)) return this.#zone.find(prefixed)
    for (const each of type === undefined ? FILTER_TYPES : [type]) {
      const key = Uint8Array.of(...prefixed, FILTER_TYPES.indexOf(each))
      const metric = this.#zone.find(key)
      if (metric !== -1) return metric
    }
    return -1
  }

  /** Reads bins and sum of a histogram. @throws {TypeError} when the metric is none */
  bins(metric: number): BinsReading {
    return this.#reader.bins(metric)
  }

  /** Lists which worker has what; a shared gauge is in none. @throws {TypeError} when it is none */
  perWorker(metric: number): WorkerValue[] {
    const isPeer = this.#rules.profile === 'peer'
    return workerValues(this.#reader, metric, this.#zone.type(metric), isPeer)
  }

  /**
   * Lists prefixed names in order of definition, a page at a time, each read when it is asked for.
   */
  *keys({ pageSize = KEYS_DEFAULT }: { readonly pageSize?: number } = {}): Generator<string[]> {
    let page: string[] = []
    for (const metric of this.metrics()) {
      const name = this.prefixedName(metric)
      if (name === undefined) continue
      page.push(decoder.decode(name))
      if (page.length < pageSize) continue
      yield page
      page = []
    }
    if (page.length > 0) yield page
  }

  /** Lists the numbers of all metrics that are defined. */
  *metrics(): Generator<number> {
    for (let metric = 0; metric < this.#zone.metrics; metric++) {
      if (this.#typeOf(metric) !== undefined) yield metric
    }
  }

  /** Reads the prefixed name; undefined when the metric is none. */
  prefixedName(metric: number): Uint8Array | undefined {
    return this.#index.prefixedName(metric)
  }

  /** Tells the type as the document knows it; undefined when the metric is none. */
  type(metric: number): FilterMetricType | undefined {
    const type = this.#typeOf(metric)
    return type === undefined ? undefined : documentType(type)
  }

  /** Makes identity and metadata for exports; undefined when the metric is none. */
  describe(
    metric: number,
    options: DescribeOptions & { readonly filters?: Iterable<string> } = {},
  ): DescribedMetric | undefined {
    const name = this.prefixedName(metric)
    const type = this.type(metric)
    if (name === undefined || type === undefined) return undefined
    const unit = this.#units.get(metric)
    return describePrefixed(name, type, unit === undefined ? options : { ...options, unit })
  }

  #typeOf(metric: number): string | undefined {
    return this.#unlessRetired(metric, () => this.#zone.type(metric))
  }

  /**
   * Reads, unless the metric is retired: another thread may do that at any moment, also between a
   * look and a reading.
   */
  #unlessRetired<T>(metric: number, read: () => T): T | undefined {
    try {
      return read()
    } catch (error) {
      if (this.#zone.has(metric)) throw error
      return undefined
    }
  }

  /**
   * Reads all metrics by their prefixed names. Where one text stands for several metrics (types of
   * one of Envoy's names, bytes that are no UTF-8), those after the first are told apart by `#` and
   * the type, or else the metric's number.
   */
  snapshot(options: SnapshotOptions = {}): JsonDocument {
    const values = new Map<string, JsonMetric>()
    for (const metric of this.metrics()) {
      const name = this.prefixedName(metric)
      const value = this.get(metric, options)
      if (name === undefined || value === undefined) continue
      const text = decoder.decode(name)
      const names = [text, `${text}#${value.type}`, `${text}#${metric}`]
      values.set(names.find((each) => !values.has(each)) ?? `${text}##${metric}`, value)
    }
    return Object.fromEntries(values)
  }

  /**
   * Takes a metric away. The workers attached here release it first; those of other threads must
   * have (`worker.release`).
   * @returns false when it is none, or when the zone's lock could not be had
   */
  retire(metric: number): boolean {
    for (const worker of this.#workers) worker.release(metric)
    if (!this.#zone.retire(metric)) return false
    this.#index.forget(metric)
    this.#units.delete(metric)
    return true
  }

  /**
   * Changes sizes while all threads go on. Another number of workers or another size is a new zone
   * into which everything moves; a name length alone is not, and longer names stay.
   * @returns `moved` for a new zone, `kept` for none
   * @throws {RangeError} for a size that is none
   * @throws {Error} `failed redefining metric "<name>"`: the zone stays as it was
   */
  reconfigure(change: StoreChange): 'moved' | 'kept' {
    const { replacements } = this.#zone.usage()
    this.#zone.reconfigure(zoneChange(change, this.#rules))
    return this.#zone.usage().replacements === replacements ? 'kept' : 'moved'
  }

  /** Counts refusals, losses and repairs since the beginning. */
  counts(): Readonly<Record<StoreCount, number>> {
    const { refusals, binFallbacks, orphansFolded, lockTakeovers } = this.#zone.usage()
    return {
      redefinition: refusals.type_mismatch,
      nameTooLong: refusals.key_too_long,
      zoneFull: refusals.zone_full + refusals.metrics_limit,
      ...this.#counts,
      binFallback: binFallbacks,
      orphanFolded: orphansFolded,
      lockTakeover: lockTakeovers,
    }
  }

  usage(): ZoneUsage {
    return this.#zone.usage()
  }

  /** Detaches the workers attached here: what they are asked to record is dropped from now on. */
  close(): void {
    for (const worker of this.#workers) worker.detach()
    this.#workers.clear()
  }
}

/**
 * Names a store as the space of a filter in a thread of its own.
 *
 * @example
 * import { MetricStore, storeSpaceSource } from 'pentameter/proxywasm'
 *
 * const space = storeSpaceSource(MetricStore.create())
 * console.log(space.module)
 */
export function storeSpaceSource(store: MetricStore): MetricSpaceSource {
  return spaceSource(store.shared)
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
