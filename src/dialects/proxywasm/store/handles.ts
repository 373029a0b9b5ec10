/**
 * What records: one handle per metric and writer. Every call answers whether it was taken; what was
 * not is counted (`droppedValue`) and nothing else, so recording never throws. What a counter takes
 * depends on the host mode (operations.ts); which gauges take increments, on the definition.
 */

import { U64_MAX } from '../../../model/index.ts'
import type {
  CounterHandle,
  GaugeHandle,
  SettableHandle,
  SharedGaugeHandle,
  Writer,
} from '../../../shm/index.ts'
import type { HostMode } from '../host/abi.ts'
import { OPERATIONS, type Operations } from '../operations.ts'
import type { FilterMetricType } from '../spec.ts'

export type Recorded = number | bigint

/** Counts of what happens in this thread; the other counts of a store are the zone's. */
export type OwnCounts = ReturnType<typeof noCounts>

export function noCounts() {
  return { filterLimit: 0, droppedValue: 0, counterReset: 0, gaugeWrap: 0 }
}

/** Handle of one metric, for the thread whose writer it is. */
export interface MetricHandle {
  readonly metric: number
  readonly type: FilterMetricType
  /** Adds; 1 unless said. */
  increment(delta?: Recorded): boolean
  /** Sets a gauge, observes in a histogram, sets or adds to a counter by host mode. */
  record(value: Recorded): boolean
}

/** Recorder of observations, as the zone's handles of all kinds of histograms are. */
interface Observer {
  readonly metric: number
  observe(value: Recorded): boolean
}

class WrappingCounter implements MetricHandle {
  readonly type = 'counter'
  readonly metric: number
  readonly #handle: CounterHandle
  readonly #operations: Operations
  readonly #counts: OwnCounts

  constructor(handle: CounterHandle, host: HostMode, counts: OwnCounts) {
    this.metric = handle.metric
    this.#handle = handle
    this.#operations = OPERATIONS[host]
    this.#counts = counts
  }

  increment(delta: Recorded = 1): boolean {
    const isAllowed = delta >= this.#operations.incrementMin
    return (isAllowed && add(this.#handle, delta) === true) || drop(this.#counts)
  }

  record(value: Recorded): boolean {
    const isAllowed = this.#operations.recordToCounter === 'adds' && value >= 0
    return (isAllowed && add(this.#handle, value) === true) || drop(this.#counts)
  }
}

class SettableCounter implements MetricHandle {
  readonly type = 'counter'
  readonly metric: number
  readonly #handle: SettableHandle
  readonly #counts: OwnCounts

  constructor(handle: SettableHandle, counts: OwnCounts) {
    this.metric = handle.metric
    this.#handle = handle
    this.#counts = counts
  }

  increment(delta: Recorded = 1): boolean {
    return add(this.#handle, delta) === true || drop(this.#counts)
  }

  record(value: Recorded): boolean {
    const change = isU64(value) ? this.#handle.setTotal(value) : undefined
    if (change === 'reset') this.#counts.counterReset++
    if (change === 'capped') this.#counts.droppedValue++
    return change !== undefined || drop(this.#counts)
  }
}

function add(handle: CounterHandle | SettableHandle, delta: Recorded): boolean | undefined {
  return typeof delta === 'bigint' ? handle.addExact(delta) : handle.add(delta)
}

/** A gauge whose threads write one value each. */
class OwnGauge implements MetricHandle {
  readonly type = 'gauge'
  readonly metric: number
  readonly #handle: GaugeHandle
  readonly #counts: OwnCounts

  constructor(handle: GaugeHandle, counts: OwnCounts) {
    this.metric = handle.metric
    this.#handle = handle
    this.#counts = counts
  }

  increment(): boolean {
    return drop(this.#counts)
  }

  record(value: Recorded): boolean {
    return (isU64(value) && this.#handle.set(value)) || drop(this.#counts)
  }
}

/** A gauge of which all threads write the same value. */
class SharedGauge implements MetricHandle {
  readonly type = 'gauge'
  readonly metric: number
  readonly #handle: SharedGaugeHandle
  readonly #counts: OwnCounts

  constructor(handle: SharedGaugeHandle, counts: OwnCounts) {
    this.metric = handle.metric
    this.#handle = handle
    this.#counts = counts
  }

  /** Adds to the value; below zero it goes on from 2^64, counted. */
  increment(delta: Recorded = 1): boolean {
    const change = this.#handle.add(delta)
    if (change === 'wrapped') this.#counts.gaugeWrap++
    return change !== undefined || drop(this.#counts)
  }

  record(value: Recorded): boolean {
    return this.#handle.set(value) || drop(this.#counts)
  }
}

class HistogramHandle implements MetricHandle {
  readonly type = 'histogram'
  readonly metric: number
  readonly #handle: Observer
  readonly #counts: OwnCounts

  constructor(handle: Observer, counts: OwnCounts) {
    this.metric = handle.metric
    this.#handle = handle
    this.#counts = counts
  }

  increment(): boolean {
    return drop(this.#counts)
  }

  record(value: Recorded): boolean {
    return this.#handle.observe(value) || drop(this.#counts)
  }
}

function isU64(value: Recorded): boolean {
  if (typeof value === 'bigint') return value >= 0n && value <= U64_MAX
  return Number.isSafeInteger(value) && value >= 0
}

function drop(counts: OwnCounts): false {
  counts.droppedValue++
  return false
}

/**
 * Opens the handle of a metric; undefined where the zone has no room for it, or the writer is gone.
 */
export function handleOf(
  writer: Writer,
  metric: number,
  { type, mode }: { readonly type: string; readonly mode: string },
  host: HostMode,
  counts: OwnCounts,
): MetricHandle | undefined {
  if (type === 'counter' && mode === 'settable') {
    const handle = writer.settableCounter(metric)
    return handle && new SettableCounter(handle, counts)
  }
  if (type === 'counter') {
    const handle = writer.counter(metric)
    return handle && new WrappingCounter(handle, host, counts)
  }
  if (type === 'gauge' && mode === 'shared') {
    const handle = writer.sharedGauge(metric)
    return handle && new SharedGauge(handle, counts)
  }
  if (type === 'gauge') {
    const handle = writer.gauge(metric)
    return handle && new OwnGauge(handle, counts)
  }
  const handle = observerOf(writer, metric, type)
  return handle && new HistogramHandle(handle, counts)
}

function observerOf(writer: Writer, metric: number, type: string): Observer | undefined {
  if (type === 'expanding') return writer.expanding(metric)
  return type === 'binned' ? writer.binned(metric) : writer.dense(metric)
}
