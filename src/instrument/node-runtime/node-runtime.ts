/**
 * `Node.Runtime`: what Node knows of itself as a ready event source. Names, units and scales are
 * those of .NET's `System.Runtime` where the same thing exists (eventcounters.md §8).
 *
 * Measured only while a session wants it, and by nothing that keeps the process alive. Event loop,
 * heap and resources are those of the thread that made the source; processor and working set are
 * the process's.
 */

import type { Clock } from '../../time/clock.ts'
import { backgroundClock } from '../../time/system-clock.ts'
import {
  EventCounter,
  IncrementingEventCounter,
  IncrementingPollingCounter,
} from '../counters/event-counters.ts'
import { type CounterRegistry, defaultRegistry, EventSource } from '../registry.ts'
import { GC_KINDS, type GcKind, GcPauses } from './gc-pauses.ts'
import { LoopDelay } from './loop-delay.ts'
import {
  growth,
  type Measure,
  MeasuredCounter,
  oncePerCollection,
  state,
} from './measured-counter.ts'
import {
  allocatedBytes,
  BYTES_PER_MB,
  cpuPercent,
  loopPercent,
  type MemoryReading,
  percent,
  type ResourcesReading,
  readCpu,
  readLoop,
  readMemory,
  readResources,
} from './readings.ts'

/** Name of the source. */
export const NODE_RUNTIME = 'Node.Runtime'

const S_PER_MINUTE = 60
const NS_PER_MS = 1e6

export interface NodeRuntimeParts {
  readonly clock?: Clock
}

/**
 * Gives the source and its counters, made on first use: a registry has one.
 * @param registry the thread's own one unless given
 * @throws {TypeError} for a registry that another thread serves: what is polled cannot be there
 * @example
 * ```ts
 * import { metricsHandler, nodeRuntime } from 'pentameter/instrument'
 *
 * nodeRuntime()
 * const metrics = metricsHandler() // with processor, memory, event loop, collector and handles
 * ```
 */
export function nodeRuntime(
  registry: CounterRegistry = defaultRegistry(),
  { clock = backgroundClock }: NodeRuntimeParts = {},
): EventSource {
  const present = registry.sources.find(({ name }) => name === NODE_RUNTIME)
  if (present !== undefined) return present
  const delay = new LoopDelay(clock)
  const pauses = new GcPauses()
  const source = new EventSource(NODE_RUNTIME, {
    registry,
    onEnable() {
      delay.start()
      pauses.start()
    },
    onDisable() {
      delay.stop()
      pauses.stop()
    },
  })
  const measure = (name: string, displayName: string, displayUnits: string, begin: Measure) => {
    const description = {
      ...{ provider: source.name, name, displayName, units: displayUnits },
      ...{ rateScaleSec: 0, metaData: [] },
    }
    registry.addCounter(source, new MeasuredCounter(description, begin))
  }
  try {
    addProcess(measure, clock)
    addMemory(measure, source)
    addGc(measure, source, pauses, clock)
    addLoop(measure, source, delay)
  } catch (error) {
    source.close()
    throw error
  }
  return source
}

type AddMeasured = (name: string, displayName: string, units: string, begin: Measure) => void

function addProcess(measure: AddMeasured, clock: Clock): void {
  const cpu = oncePerCollection(() => readCpu(clock.monotonicNs()))
  const share = (...modes: ('user' | 'system')[]) =>
    growth(cpu, (before, after) => cpuPercent(before, after, ...modes))
  measure('cpu-usage', 'CPU Usage', '%', share('user', 'system'))
  measure('cpu-user', 'CPU Usage, User Mode', '%', share('user'))
  measure('cpu-system', 'CPU Usage, System Mode', '%', share('system'))
  measure('uptime', 'Uptime', 's', state(oncePerCollection(process.uptime), identity))
}

function addMemory(measure: AddMeasured, source: EventSource): void {
  const memory = oncePerCollection(readMemory)
  const add = (name: string, title: string, bytesOf: (reading: MemoryReading) => number) =>
    measure(
      name,
      title,
      'MB',
      state(memory, (reading) => bytesOf(reading) / BYTES_PER_MB),
    )
  add('working-set', 'Working Set', ({ rss }) => rss)
  add('gc-heap-size', 'GC Heap Size', ({ heap }) => heap.used_heap_size)
  add('gc-committed', 'GC Committed Bytes', ({ heap }) => heap.total_heap_size)
  add('gc-heap-limit', 'GC Heap Limit', ({ heap }) => heap.heap_size_limit)
  add('external-memory', 'External Memory', ({ external }) => external)
  add('array-buffers', 'Array Buffers', ({ arrayBuffers }) => arrayBuffers)
  if (allocatedBytes() === undefined) return
  new IncrementingPollingCounter('alloc-rate', source, () => allocatedBytes()!, {
    displayName: 'Allocation Rate',
    displayUnits: 'B',
    displayRateTimeScale: 1,
  })
}

/** Title-cased in display names. */
const GC_TITLES: Readonly<Record<GcKind, string>> = {
  minor: 'Minor',
  major: 'Major',
  incremental: 'Incremental',
  weakcb: 'Weak Callback',
}

function addGc(measure: AddMeasured, source: EventSource, pauses: GcPauses, clock: Clock): void {
  const byKind = Object.fromEntries(
    GC_KINDS.map((kind) => [kind, addGcKind(source, kind)]),
  ) as Record<GcKind, (pauseMs: number) => void>
  const total = new IncrementingEventCounter('total-pause-time-by-gc', source, {
    displayName: 'Time paused by GC',
    displayUnits: 'ms',
  })
  pauses.onPause = (kind, pauseMs) => {
    byKind[kind](pauseMs)
    total.increment(pauseMs)
  }
  const paused = oncePerCollection(() => ({ ms: pauses.totalMs, atNs: clock.monotonicNs() }))
  const share = growth(paused, (before, after) =>
    percent(after.ms - before.ms, Number(after.atNs - before.atNs) / NS_PER_MS),
  )
  measure('time-in-gc', '% Time in GC', '%', share)
}

/**
 * Adds a counter of how many there were and one of how long they took; returns what records both.
 */
function addGcKind(source: EventSource, kind: GcKind): (pauseMs: number) => void {
  const count = new IncrementingEventCounter(`gc-${kind}-count`, source, {
    displayName: `${GC_TITLES[kind]} GC Count`,
    displayRateTimeScale: S_PER_MINUTE,
  })
  const pause = new EventCounter(`gc-${kind}-pause`, source, {
    displayName: `${GC_TITLES[kind]} GC Pause`,
    displayUnits: 'ms',
  })
  return (pauseMs) => {
    count.increment()
    pause.writeMetric(pauseMs)
  }
}

function addLoop(measure: AddMeasured, source: EventSource, delay: LoopDelay): void {
  const mean = new EventCounter('event-loop-delay', source, {
    displayName: 'Event Loop Delay',
    displayUnits: 'ms',
  })
  delay.onSample = (delayMs) => mean.writeMetric(delayMs)
  measure('event-loop-delay-p50', 'Event Loop Delay, Median', 'ms', () => delay.quantile(0.5))
  measure('event-loop-delay-p99', 'Event Loop Delay, 99th Percentile', 'ms', () =>
    delay.quantile(0.99),
  )
  const loop = oncePerCollection(readLoop)
  measure('event-loop-utilization', 'Event Loop Utilization', '%', growth(loop, loopPercent))
  const resources = oncePerCollection(readResources)
  const add = (name: string, title: string, countOf: (reading: ResourcesReading) => number) =>
    measure(name, title, '', state(resources, countOf))
  add('active-timers', 'Number of Active Timers', ({ timers }) => timers)
  add('active-handles', 'Number of Active Handles', ({ handles }) => handles)
  add('active-requests', 'Number of Active Requests', ({ requests }) => requests)
}

function identity(value: number): number {
  return value
}
