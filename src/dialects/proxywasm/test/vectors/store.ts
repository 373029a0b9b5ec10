/** Vectors of Proxy-Wasm metrics that need a store: histograms, counters, gauges. */

import { same } from '../../../../../test/vectors/expect.ts'
import type { VectorCase } from '../../../../../test/vectors/vector-file.ts'
import type { JsonMetric } from '../../spec.ts'
import { MetricStore } from '../../store/metric-store.ts'
import type { StoreWorker } from '../../store/worker.ts'

type Bins = readonly (readonly [bound: number, count: number])[]

interface Table {
  readonly bins: Bins
  readonly sum: string
  readonly capacity?: number
}

export type WorkerOp =
  | readonly [worker: number, value: string, clock?: number]
  | { readonly worker: number; readonly value: string; readonly times: number }

/** Attaches the workers, with a handle of the metric each. */
export function attachAll(store: MetricStore, metric: number, workers: number): StoreWorker[] {
  return Array.from({ length: workers }, () => {
    const worker = store.attach()
    worker.handle(metric)
    return worker
  })
}

/** Operations of a case are a list, or a single one. */
export type WorkerOps = WorkerOp | readonly WorkerOp[]

/** Records the values of all operations in order, by so many workers. */
export function record(
  store: MetricStore,
  metric: number,
  ops: WorkerOps,
  count: number,
  before: (op: number) => void = () => {},
): readonly StoreWorker[] {
  const workers = attachAll(store, metric, count)
  plainOps(ops).forEach(({ worker, value, times }, i) => {
    before(i)
    for (let n = 0; n < times; n++) {
      same(`op ${i} taken`, workers[worker]!.record(metric, BigInt(value)), true)
    }
  })
  return workers
}

function plainOps(ops: WorkerOps): { worker: number; value: string; times: number }[] {
  const list = Array.isArray(ops) && typeof ops[0] !== 'number' ? ops : [ops]
  return (list as readonly WorkerOp[]).map((op) => {
    return 'worker' in op ? op : { worker: op[0], value: op[1], times: 1 }
  })
}

export function checkHistogram(testCase: VectorCase): undefined {
  const { ops, workers, dense, documented } = testCase
  const { segments, ...whole } = documented as Table & { segments: readonly Table[] }
  const plain = recorded('dense', testCase)
  same('dense', tableOf(plain.store.get(plain.metric)), withLast(dense as Table))
  plain.store.close()
  const { store, metric } = recorded('expanding', testCase)
  same('documented', tableOf(store.get(metric, { view: 'documented' })), whole)
  const tables = store.perWorker(metric).filter(({ worker }) => worker > 0)
  same(
    'segments',
    tables.map(({ value, capacity }) => ({ ...tableOf(value), capacity })),
    segments,
  )
  const total = plainOps(ops as WorkerOps).reduce((all, { times }) => all + times, 0)
  store.close()
  same(`total of ${workers} workers gone`, countOf(store.get(metric)), total)
}

function recorded(
  histogram: 'dense' | 'expanding',
  { ops, workers, noMemoryFromOp }: VectorCase,
): { store: MetricStore; metric: number } {
  const isBounded = noMemoryFromOp !== undefined
  const store = MetricStore.create({
    histogram,
    profile: 'peer',
    ...(isBounded ? { onFull: 'error', slabSize: '64k' } : {}),
  })
  const metric = store.define({ name: 'h', type: 'histogram' })
  const count = (workers as number | undefined) ?? 1
  record(store, metric, ops as WorkerOps, count, (op) => {
    if (op === noMemoryFromOp) fillStore(store)
  })
  return { store, metric }
}

/** Takes all that is left of the budget: no definition costs less than a shared gauge. */
export function fillStore(store: MetricStore): void {
  fill((name) => store.tryDefine({ name, type: 'gauge', mode: 'shared' }))
}

/** Defines shared gauges until one is refused. */
export function fill(define: (name: string) => number): void {
  for (let i = 0; i < 1_000_000; i++) if (define(`~${i}`) < 0) return
  throw new RangeError('a zone of 64 KiB does not get full')
}

/** The bins of the last bound are always shown, also where the vectors leave out empty bins. */
function withLast({ bins, sum }: Table): Table {
  const hasLast = bins.at(-1)?.[0] === 4294967295
  return { bins: hasLast ? bins : [...bins, [4294967295, 0]], sum }
}

function tableOf(metric: JsonMetric | undefined): Table {
  if (metric?.type !== 'histogram') throw new TypeError('no histogram')
  const bins = metric.value.map(({ ub, count }) => [ub, Number(count)] as const)
  return { bins, sum: String(metric.sum) }
}

function countOf(metric: JsonMetric | undefined): number {
  return tableOf(metric).bins.reduce((all, [, count]) => all + count, 0)
}

export function checkCustom({ bounds, ops, workers, bins, sum, error }: VectorCase): undefined {
  const store = MetricStore.create({ profile: 'peer' })
  const definition = {
    origin: 'lua',
    name: 'h',
    type: 'histogram',
    bounds: bounds as number[],
  } as const
  if (error !== undefined) {
    same(
      'error',
      messageOf(() => store.define(definition)),
      error,
    )
    return
  }
  const metric = store.define(definition)
  record(store, metric, ops as WorkerOps, workers as number)
  same('table', tableOf(store.get(metric)), { bins, sum })
  store.close()
  same('table of workers gone', tableOf(store.get(metric)), { bins, sum })
}

function messageOf(act: () => unknown): string | undefined {
  try {
    act()
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

export function checkCounters({ ops, workers, expect }: VectorCase): undefined {
  for (const [host, expected] of Object.entries(expect as Record<string, string>)) {
    const store = MetricStore.create({ host: host as 'spec' | 'nginx' | 'envoy' })
    const metric = store.define({ filter: 'f', name: 'c', type: 'counter' })
    const all = attachAll(store, metric, workers as number)
    for (const [worker, delta] of ops as [number, string][]) {
      all[worker]!.increment(metric, BigInt(delta))
    }
    same(`total under ${host}`, String(store.get(metric)?.value), expected)
    store.close()
    same(`total under ${host}, workers gone`, String(store.get(metric)?.value), expected)
  }
}

export function checkGauges({ ops, workers, expect, peer }: VectorCase): undefined {
  const store = MetricStore.create()
  const metric = store.define({ name: 'g', type: 'gauge' })
  record(store, metric, ops as WorkerOps, workers as number)
  same('value', String(store.get(metric)?.value), expect)
  store.close()
  same('value, workers gone', String(store.get(metric)?.value), expect)
  const slots: PeerGaugeSlot[] = Array(workers as number).fill({ value: 0n, updatedMs: 0 })
  for (const [worker, value, updatedMs] of ops as [number, string, number][]) {
    slots[worker] = { value: BigInt(value), updatedMs }
  }
  same('the original’s value', String(peerGauge(slots)), peer)
}

/** A worker's part of a gauge in the original's memory. */
interface PeerGaugeSlot {
  readonly value: bigint
  /** By a clock in milliseconds that the program reads once per turn; 0 = never written. */
  readonly updatedMs: number
}

/**
 * Value of an original's gauge, which no code of the product reads: the latest by its clock, of
 * equal times the lowest worker's.
 */
export function peerGauge(slots: readonly PeerGaugeSlot[]): bigint {
  let latest: PeerGaugeSlot | undefined
  for (const slot of slots) {
    if (slot.updatedMs > (latest?.updatedMs ?? 0)) latest = slot
  }
  return latest?.value ?? 0n
}
