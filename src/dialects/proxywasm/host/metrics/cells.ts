/**
 * Metrics as filters' calls reach them: by number, through this thread's handles. Only metrics of
 * the kinds that filters define are cells (metric-space.ts).
 */
import type {
  BinnedHandle,
  CounterHandle,
  DenseHandle,
  ExpandingHandle,
  GaugeHandle,
  GaugeReading,
  MetricType,
  SettableHandle,
  SharedGaugeHandle,
  Writer,
  Zone,
  ZoneReader,
} from '../../../../shm/index.ts'
import { OPERATIONS } from '../../operations.ts'
import type { FilterMetricType } from '../../spec.ts'
import type { MetricSpace } from '../metric-space.ts'
import type { FilterCounts } from '../statistics.ts'

export type MetricCell =
  | { readonly type: 'counter'; readonly metric: number; readonly handle: AnyCounter }
  | { readonly type: 'gauge'; readonly metric: number; readonly handle: AnyGauge }
  | { readonly type: 'histogram'; readonly metric: number; readonly handle: AnyHistogram }
type AnyCounter = SettableHandle | CounterHandle
type AnyGauge = SharedGaugeHandle | GaugeHandle
type AnyHistogram = DenseHandle | ExpandingHandle | BinnedHandle

export class MetricCells {
  readonly #space: MetricSpace
  readonly #counts: FilterCounts
  readonly #reader: ZoneReader
  readonly #cells: (MetricCell | undefined)[] = []
  readonly #gauge: GaugeReading = { value: 0, sequence: 0 }

  constructor(space: MetricSpace, counts: FilterCounts) {
    this.#space = space
    this.#counts = counts
    this.#reader = space.zone.reader()
  }

  /** Finds the cell of a metric; undefined for a number that is no filter's metric. */
  at(metric: number): MetricCell | undefined {
    return this.#cells[metric] ?? this.#resolve(metric)
  }

  /**
   * Adds to a counter, or modulo 2^64 to a shared gauge.
   * @returns `full` when a settable counter's total would pass 2^64 - 1; false when the metric is
   *   none any more, as the others below
   */
  add(cell: MetricCell, delta: bigint): boolean | 'full' {
    const isAdded = this.#tryAdd(cell, delta)
    if (isAdded !== false) return isAdded
    const again = this.#anew(cell)
    return again !== undefined && (this.#tryAdd(again, delta) || this.#drop())
  }

  /** Sets a gauge, or observes; a signed value stands for its 64 bits. */
  set(cell: MetricCell, value: bigint): boolean {
    const plain = BigInt.asUintN(64, value)
    if (trySet(cell, plain)) return true
    const again = this.#anew(cell)
    return again !== undefined && (trySet(again, plain) || this.#drop())
  }

  setTotal(cell: MetricCell, value: bigint): boolean {
    reserveStack()
    const plain = BigInt.asUintN(64, value)
    if (this.#trySetTotal(cell, plain)) return true
    const again = this.#anew(cell)
    return again !== undefined && (this.#trySetTotal(again, plain) || this.#drop())
  }

  /**
   * Reads the consolidated value of a counter or gauge, u64; undefined when it is none any more.
   */
  value({ type, metric, handle }: MetricCell): bigint | undefined {
    reserveStack()
    const { zone } = this.#space
    if (!zone.has(metric) || filterTypeOf(zone, metric) !== type) return undefined
    if (type === 'counter') return this.#reader.counterReading(metric)
    if (type === 'histogram') return 0n
    if ('add' in handle) return handle.value()
    this.#reader.gauge(metric, this.#gauge)
    const { value } = this.#gauge
    return Number.isNaN(value) ? 0n : BigInt.asUintN(64, BigInt(value))
  }

  #tryAdd({ type, handle }: MetricCell, delta: bigint): boolean | 'full' {
    if (type === 'counter') {
      if (!('setTotal' in handle)) return handle.addWrapping(delta)
      if (handle.addUnlooked(delta)) return true
      reserveStack()
      const isAdded = handle.addExact(delta)
      return isAdded === false ? 'full' : (isAdded ?? false)
    }
    if (type === 'histogram' || !('add' in handle)) return false
    const change = handle.add(delta)
    if (change === 'wrapped') this.#counts.add('gaugeWraps')
    return change !== undefined
  }

  #trySetTotal({ type, handle }: MetricCell, value: bigint): boolean {
    if (type !== 'counter' || !('setTotal' in handle)) return false
    const change = handle.setTotal(value)
    if (change === 'reset') this.#counts.add('counterResets')
    if (change === 'capped') this.#counts.add('valuesDropped')
    return change !== undefined
  }

  /**
   * Looks once more for a metric whose handle refuses: it was released, its metric perhaps retired.
   */
  #anew({ type, metric }: MetricCell): MetricCell | undefined {
    this.#cells[metric] = undefined
    const again = this.at(metric)
    return again?.type === type ? again : undefined
  }

  /** Drops a value: the metric is there, but takes nothing, and the filter did nothing wrong. */
  #drop(): true {
    this.#counts.add('valuesDropped')
    return true
  }

  #resolve(metric: number): MetricCell | undefined {
    if (!(metric >= 0 && metric < this.#space.zone.metrics)) return undefined
    reserveStack()
    const cell = this.#cellOf(metric)
    this.#cells[metric] = cell
    return cell
  }

  #cellOf(metric: number): MetricCell | undefined {
    const { zone, writer, host } = this.#space
    if (!zone.has(metric)) return undefined
    const mode = zone.mode(metric)
    switch (filterTypeOf(zone, metric)) {
      case 'counter':
        // so are counters that are not set where filters' are, or the other way round
        if (mode !== OPERATIONS[host].counterMode) return undefined
        return cellOf(
          'counter',
          metric,
          mode === 'settable' ? writer.settableCounter(metric) : writer.counter(metric),
        )
      case 'gauge':
        if (mode === 'shared') return cellOf('gauge', metric, writer.sharedGauge(metric))
        // Where filters' gauges take increments these are gauges of the zone's other users.
        return OPERATIONS[host].incrementsGauges
          ? undefined
          : cellOf('gauge', metric, writer.gauge(metric))
      case 'histogram':
        return cellOf('histogram', metric, observerOf(writer, metric, zone.type(metric)))
      default:
        return undefined
    }
  }
}

function observerOf(writer: Writer, metric: number, type: MetricType) {
  if (type === 'dense') return writer.dense(metric) as DenseHandle | undefined
  return type === 'binned' ? writer.binned(metric) : writer.expanding(metric)
}

function trySet({ type, handle }: MetricCell, value: bigint): boolean {
  if (type === 'gauge') return handle.set(value)
  return type === 'histogram' && handle.observe(value)
}

/** Tells what a zone's metric is to a filter; undefined for kinds that filters do not define. */
export function filterTypeOf(zone: Zone, metric: number): FilterMetricType | undefined {
  const mode = zone.mode(metric)
  switch (zone.type(metric)) {
    case 'counter':
      return mode === 'saturating' ? undefined : 'counter'
    case 'gauge':
      return mode === 'shared' || mode === 'last' ? 'gauge' : undefined
    case 'dense':
      return mode === 'integers' ? 'histogram' : undefined
    case 'expanding':
    case 'binned':
      return 'histogram'
    default:
      return undefined
  }
}

/** Makes a cell; undefined where the zone has no room for the chunk. */
function cellOf<T extends FilterMetricType, H>(type: T, metric: number, handle: H | undefined) {
  return handle === undefined ? undefined : { type, metric, handle }
}

/** Far more frames than a definition or a reading is deep. */
const FRAMES = 256

/**
 * Makes sure of room on the stack. A filter may call the host from the last frame that its
 * recursion leaves; an overflow then would end the host's code anywhere, also while it holds the
 * zone's lock, which is everybody's. So whatever may take that lock calls this first: the overflow
 * happens here, where nothing is held, and ends the filter alone.
 */
export function reserveStack(frames = FRAMES): number {
  return frames === 0 ? 0 : 1 + reserveStack(frames - 1)
}
