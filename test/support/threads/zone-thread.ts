/**
 * A thread that records into a zone until it is told to stop, or is ended from outside. What it has
 * recorded it keeps in shared memory, counted after the record, so that a test knows it whatever
 * becomes of the thread.
 */
import process from 'node:process'
import { parentPort, threadId, workerData } from 'node:worker_threads'
import {
  type DefinitionOptions,
  type GaugeHandle,
  type MetricType,
  type SharedZone,
  type Writer,
  Zone,
} from '../../../src/shm/index.ts'

export type ThreadEnd = 'stop' | 'exit' | 'throw' | 'detach'

export interface ZoneThreadTask {
  readonly shared: SharedZone
  /**
   * `turns` gives the event loop its turns and sets gauges, `busy` does neither, `define` changes
   * what is defined.
   */
  readonly work: 'turns' | 'busy' | 'define'
  /** What the thread does when it is told to end. */
  readonly end: ThreadEnd
  /** Ints: [0] = 1 tells to end; [1] the segment, once attached; [2] turns done. */
  readonly control: Int32Array
  /** Rounds recorded. */
  readonly tally: BigUint64Array
}

/** Names of the metrics that every round adds 1 to, observes, or sets. */
export const METRICS = Object.freeze({
  counter: 'counter',
  wrapping: 'wrapping counter',
  settable: 'settable counter',
  dense: 'dense',
  fractions: 'fractions',
  exponential: 'exponential',
  expanding: 'expanding',
  binned: 'binned',
  shared: 'shared gauge',
})

const encoder = new TextEncoder()

/** Defines the metrics of {@link METRICS}; their numbers by name. */
export function defineAll(zone: Zone): Record<keyof typeof METRICS, number> {
  const define = (name: string, type: MetricType, options?: DefinitionOptions): number =>
    zone.define(encoder.encode(name), type, options)
  return {
    counter: define(METRICS.counter, 'counter'),
    wrapping: define(METRICS.wrapping, 'counter', { mode: 'wrapping' }),
    settable: define(METRICS.settable, 'counter', { mode: 'settable' }),
    dense: define(METRICS.dense, 'dense'),
    fractions: define(METRICS.fractions, 'dense', { mode: 'fractions' }),
    exponential: define(METRICS.exponential, 'exponential'),
    expanding: define(METRICS.expanding, 'expanding'),
    binned: define(METRICS.binned, 'binned', { bounds: [1, 10, 100] }),
    shared: define(METRICS.shared, 'gauge', { mode: 'shared' }),
  }
}

export const gaugeName = (thread: number): string => `gauge of ${thread}`

function recorder(zone: Zone, writer: Writer, hasGauge: boolean): (round: number) => void {
  const metrics = defineAll(zone)
  const counter = writer.counter(metrics.counter)!
  const wrapping = writer.counter(metrics.wrapping)!
  const settable = writer.settableCounter(metrics.settable)!
  const dense = writer.dense(metrics.dense)!
  const fractions = writer.dense(metrics.fractions)!
  const exponential = writer.exponential(metrics.exponential)!
  const expanding = writer.expanding(metrics.expanding)!
  const binned = writer.binned(metrics.binned)!
  const shared = writer.sharedGauge(metrics.shared)!
  const gauge = hasGauge ? gaugeOf(zone, writer) : undefined
  return (round) => {
    counter.add(1)
    wrapping.addWrapping(1)
    settable.add(1)
    // takes the lock, so not in threads that are to notice nothing; the total stays
    if (hasGauge && (round & 0xff) === 0) settable.setTotal(0)
    dense.observe(round & 0xfff)
    fractions.observe(0.5)
    exponential.observe((round & 0xff) - 100)
    expanding.observe(1 << (round & 15))
    binned.observe(round & 0xff)
    shared.add(1)
    gauge?.set(round)
  }
}

function gaugeOf(zone: Zone, writer: Writer): GaugeHandle {
  return writer.gauge(zone.define(encoder.encode(gaugeName(threadId)), 'gauge'))!
}

/** Every so often in turns: a name of this thread's own, defined, counted and sometimes retired. */
function changeDefinitions(zone: Zone, writer: Writer, round: number): void {
  const metric = zone.define(encoder.encode(`${threadId}.${round}`), 'counter')
  writer.counter(metric)!.add(1)
  if ((round & 1) === 1) zone.retire(metric)
}

function run(task: ZoneThreadTask): void {
  const zone = Zone.open(task.shared)
  const writer = zone.attach()
  Atomics.store(task.control, 1, writer.segment)
  Atomics.notify(task.control, 1)
  if (task.work === 'define') for (let round = 0; ; round++) changeDefinitions(zone, writer, round)
  const record = recorder(zone, writer, task.work === 'turns')
  let round = 0
  const turn = (): void => {
    for (let i = 0; i < 200; i++) {
      record(round++)
      task.tally[0] = BigInt(round)
    }
    if (task.work === 'turns' && Atomics.add(task.control, 2, 1) % 16 === 0) {
      changeDefinitions(zone, writer, round)
    }
  }
  const endOr = (again: () => void): void => {
    if (Atomics.load(task.control, 0) === 0) again()
    else end(task.end, writer)
  }
  if (task.work === 'turns') {
    const next = (): void => {
      turn()
      endOr(() => setImmediate(next))
    }
    next()
  } else while (true) turn()
}

function end(how: ThreadEnd, writer: Writer): void {
  if (how === 'exit') process.exit(0)
  if (how === 'throw') throw new Error('as a thread that crashes')
  if (how === 'detach') writer.detach()
}

if (parentPort !== null && (workerData as { zoneThread?: ZoneThreadTask }).zoneThread) {
  run((workerData as { zoneThread: ZoneThreadTask }).zoneThread)
}
